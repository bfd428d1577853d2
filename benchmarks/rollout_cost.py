"""What recording costs: a rollout with records ÷ the same one without, in one run.

python -m benchmarks.rollout_cost --out benchmarks/results/rollout_cost_cpu.json
"""

import argparse
import json
import statistics
import time
from typing import Any

import warp as wp

import mjorbit_warp as mjo
from benchmarks.scenes import two_arm_spec

RECORDS = {
    "none": (),
    "state": ("qpos", "qvel", "time", "orbit.r", "orbit.v"),
    "state and bodies": ("qpos", "qvel", "time", "orbit.r", "orbit.v", "xipos", "xquat"),
}


def measure(nworld: int, nrow: int, decimation: int, repeat: int) -> list[dict[str, Any]]:
    """Medians of alternating runs of the two-arm free-flyer, RK4."""
    model = two_arm_spec("RK4").compile()
    data = mjo.make_data(model, nworld=nworld)
    plans = {name: mjo.Rollout(model, data, nrow, decimation=decimation, record=r) for name, r in RECORDS.items()}
    times: dict[str, list[float]] = {name: [] for name in plans}
    for _ in range(repeat + 1):
        for name, plan in plans.items():
            mjo.mjo_reset(model, data)
            wp.synchronize()
            start = time.perf_counter()
            plan.run()
            wp.synchronize()
            times[name].append(time.perf_counter() - start)
    bare = times["none"][1:]
    out = []
    for name, values in times.items():
        ratios = [a / b for a, b in zip(values[1:], bare, strict=True)]
        rate = nworld * nrow * decimation / statistics.median(values[1:])
        out.append({"records": name, "world_steps_per_s": rate, "ratio_median": statistics.median(ratios)})
    return out


def main() -> None:
    """Run and print or write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nworld", type=int, default=256)
    parser.add_argument("--nrow", type=int, default=10)
    parser.add_argument("--decimation", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--out")
    args = parser.parse_args()
    rows = measure(args.nworld, args.nrow, args.decimation, args.repeat)
    result = {"device": str(wp.get_device()), **{k: v for k, v in vars(args).items() if k != "out"}, "results": rows}
    text = json.dumps(result, indent=1)
    print(text)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
