"""What each thing on board costs: replayed mjo_step ÷ replayed bare mujoco_warp.step of the same MJCF, in one run.

python -m benchmarks.step_cost --out benchmarks/results/step_cost_cpu.json

The two-arm scene of ``python -m benchmarks``, with gravity alone, with all loads and hardware, and with sensors on top.
"""

import dataclasses
from typing import Any

import numpy as np
import warp as wp

from benchmarks.common import parser, report, result
from mjorbit_warp.bench.contenders import BareWarp, OrbitWarp
from mjorbit_warp.bench.metrics import paired_ratio
from mjorbit_warp.bench.scenes import load_scenes
from mjorbit_warp.bench.timing import calibrate, interleave

# integrator, equipment of the scene, precision; the baseline of "shadow" is "single"
CASES = (
    ("RK4", "gravity", "single"),
    ("implicitfast", "gravity", "single"),
    ("RK4", "gravity", "shadow"),
    ("RK4", "hardware", "single"),
    ("implicitfast", "hardware", "single"),
    ("RK4", "everything", "single"),
    ("implicitfast", "everything", "single"),
)


def measure(integrator: str, equipment: str, precision: str, nworld: int, nstep: int, repeat: int) -> dict[str, Any]:
    """Two contenders in the same rounds."""
    (scene,) = load_scenes(("two_arm",))
    many = (scene, nworld, nstep, wp.get_device())

    def ours(kind: str) -> OrbitWarp:  # a model of its own: placed on the device, it has callbacks of its own
        return OrbitWarp(kind, scene.compile(integrator, equipment), *many, kind)

    base: BareWarp | OrbitWarp
    if precision == "single":
        base = BareWarp("mujoco_warp.step", scene.compile(integrator, equipment), *many)
    else:
        base = ours("single")
    pair = [ours(precision), base]
    replays = calibrate(base, 0.2)
    times = interleave(pair, [replays, replays], repeat)
    step, baseline = (times[contender.name] for contender in pair)
    return {
        "integrator": integrator,
        "on_board": equipment,
        "precision": precision,
        "baseline": base.name,
        "graph": True,
        "step_ms": 1e3 * float(np.median(step)) / (nstep * replays),
        "baseline_ms": 1e3 * float(np.median(baseline)) / (nstep * replays),
        "over_baseline": dataclasses.asdict(paired_ratio(step, baseline)),
    }


def main() -> None:
    """Run all cases and print or write JSON."""
    words = parser(__doc__)
    words.add_argument("--nworld", type=int, default=256)
    words.add_argument("--nstep", type=int, default=10)
    words.add_argument("--repeat", type=int, default=15)
    words.add_argument("--cases", default="", help="only cases whose words contain this, as in 'RK4 gravity'")
    args = words.parse_args()
    wp.config.log_level = wp.LOG_WARNING
    cases = [case for case in CASES if args.cases in " ".join(case)]
    report(result(args, [measure(*case, args.nworld, args.nstep, args.repeat) for case in cases]), args.out)


if __name__ == "__main__":
    main()
