"""Poses of the reference backend: our kinematics in NumPy against MuJoCo's position stage, seconds of CPU time.

python -m benchmarks.poses_cost --out benchmarks/results/poses_cost_cpu.json     # half a minute

From where ours is cheaper on one thread follows reference.kinematics.is_faster; MuJoCo's stage shares its worlds among
threads, NumPy does not.
"""

import time
from typing import Any

import mujoco
import numpy as np

from benchmarks.common import parser, report, result
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.bench.scenes import load_scenes
from mjorbit_warp.reference.kinematics import Kinematics

SCENES = ("satellite", "two_arm", "humanoid")
WORLDS = (1, 64, 256, 512, 1024, 4096)
_POS = mujoco.mjtStage.mjSTAGE_POS.value


def measure(scene: str, nworld: int, rounds: int) -> dict[str, Any]:
    """Medians of interleaved rounds [ms], and the median and quartiles of their ratio."""
    model = load_scenes((scene,))[0].compile("RK4", "gravity")
    d, ours = mjo_ref.make_data(model, nworld, nthread=1), Kinematics(model.mj)
    taken: dict[str, list[float]] = {"mujoco": [], "ours": []}
    for count in range(rounds + 1):
        for name, call in (("mujoco", lambda: d.batch.forward(stage=_POS)), ("ours", lambda: ours(d, True))):
            began = time.process_time()
            call()
            if count:
                taken[name].append(time.process_time() - began)
    low, middle, high = np.percentile(np.divide(taken["ours"], taken["mujoco"]), (25, 50, 75))
    row: dict[str, Any] = {"scene": scene, "bodies": model.mj.nbody - 1, "nworld": nworld}
    row |= {f"{name}_ms": round(1e3 * float(np.median(x)), 3) for name, x in taken.items()}
    return row | {"ours_over_mujoco": round(middle, 3), "low": round(low, 3), "high": round(high, 3)}


def main() -> None:
    """Measure all and report."""
    words = parser(__doc__)
    words.add_argument("--rounds", type=int, default=31)
    args = words.parse_args()
    report(result(args, [measure(scene, n, args.rounds) for scene in SCENES for n in WORLDS]), args.out)


if __name__ == "__main__":
    main()
