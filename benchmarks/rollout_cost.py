"""What recording costs: a rollout with records ÷ the same one without, in one run.

python -m benchmarks.rollout_cost --out benchmarks/results/rollout_cost_cpu.json
"""

import dataclasses
import statistics
from typing import Any

import warp as wp

import mjorbit_warp as mjo
from benchmarks.common import alternate, parser, report, result
from mjorbit_warp.bench.metrics import paired_ratio
from mjorbit_warp.bench.scenes import load_scenes

RECORDS = {
    "none": (),
    "state": ("qpos", "qvel", "time", "orbit.r", "orbit.v"),
    "state and bodies": ("qpos", "qvel", "time", "orbit.r", "orbit.v", "xipos", "xquat"),
}


def measure(nworld: int, nrow: int, decimation: int, repeat: int) -> list[dict[str, Any]]:
    """Alternating runs of the two-arm free-flyer, RK4, gravity alone, commands at 0."""
    (scene,) = load_scenes(("two_arm",))
    model = scene.compile("RK4", "gravity")
    data = mjo.make_data(model, nworld=nworld)
    plans = {name: mjo.Rollout(model, data, nrow, decimation=decimation, record=r) for name, r in RECORDS.items()}
    calls = {name: plan.run for name, plan in plans.items()}
    times = alternate(calls, repeat, lambda name, count: mjo.mjo_reset(model, data))
    if bad := data.bad_worlds():
        raise RuntimeError(f"worlds went bad, timings mean nothing: {bad}")
    out = []
    for name, values in times.items():
        rate = nworld * nrow * decimation / statistics.median(values)
        ratio = dataclasses.asdict(paired_ratio(values, times["none"]))
        out.append({"records": name, "world_steps_per_s": rate, "over_none": ratio})
    return out


def main() -> None:
    """Run and print or write JSON."""
    words = parser(__doc__)
    words.add_argument("--nworld", type=int, default=256)
    words.add_argument("--nrow", type=int, default=10)
    words.add_argument("--decimation", type=int, default=1)
    words.add_argument("--repeat", type=int, default=11)
    args = words.parse_args()
    wp.config.log_level = wp.LOG_WARNING
    report(result(args, measure(args.nworld, args.nrow, args.decimation, args.repeat)), args.out)


if __name__ == "__main__":
    main()
