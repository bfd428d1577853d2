"""Gravity-gradient capture: rollouts in the orbit against rollouts in zero gravity, five seeds each.

    python -m benchmarks.gg_capture [--seeds N] [--duration S] [--jobs N] [--out FILE.json] [--plot FILE.png]

Each run is its own process, ``--jobs`` at a time. The JSON has the settings, the check of the rollouts' step, and of
each run the final error and the error over time; the picture shows all of them.
"""

import argparse
import concurrent.futures
import multiprocessing
import pathlib
import time
from typing import Any

import numpy as np

from benchmarks.common import write

RESULTS = pathlib.Path(__file__).parent / "results"


def one(job: tuple[str, str, int, float]) -> dict[str, Any]:
    import warp as wp

    wp.config.log_level = wp.LOG_WARNING
    from mjorbit_warp.tasks.gg_capture import gg_capture

    dynamics, side, seed, duration = job
    begin = time.perf_counter()
    result = gg_capture(dynamics=dynamics, side=side, seed=seed, duration=duration)  # type: ignore[arg-type]
    return {
        "dynamics": dynamics,
        "side": side,
        "seed": seed,
        "final_error_deg": round(float(np.degrees(result.final)), 3),
        "settled": result.settled,
        "wall_s": round(time.perf_counter() - begin, 1),
        "time_s": result.time.tolist()[::2],
        "error_deg": np.degrees(result.error).round(2).tolist()[::2],
    }


def summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    out = {}
    for side in ("behind", "ahead"):
        for dynamics in ("orbit", "zero_g"):
            errors = [run["final_error_deg"] for run in runs if (run["dynamics"], run["side"]) == (dynamics, side)]
            if errors:
                failed = sum(not run["settled"] for run in runs if (run["dynamics"], run["side"]) == (dynamics, side))
                out[f"{dynamics}, {side}"] = {
                    "mean_deg": round(float(np.mean(errors)), 2),
                    "std_deg": round(float(np.std(errors)), 2),
                    "failed": failed,
                    "runs": len(errors),
                }
    return out


def draw(runs: list[dict[str, Any]], path: pathlib.Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    sides = list(dict.fromkeys(run["side"] for run in runs))
    figure, axes = plt.subplots(1, len(sides), figsize=(6.0 * len(sides), 4), layout="constrained", squeeze=False)
    for ax, side in zip(axes[0], sides, strict=True):
        for dynamics, colour, label in (("zero_g", "C3", "zero gravity"), ("orbit", "C0", "orbit")):
            shown = [run for run in runs if (run["dynamics"], run["side"]) == (dynamics, side)]
            for k, run in enumerate(shown):
                text = f"rollouts in {label if dynamics == 'zero_g' else 'the ' + label}" if k == 0 else None
                ax.plot(np.array(run["time_s"]) / 3600.0, run["error_deg"], color=colour, lw=1.2, label=text)
        ax.set(title=f"payload {side} at the start", xlabel="time [h]", ylabel="angle from nadir [deg]", ylim=(0, 180))
        ax.grid(alpha=0.3)
        ax.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--duration", type=float, default=7200.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sides", nargs="+", default=["behind"], choices=["behind", "ahead"])
    parser.add_argument("--out", type=pathlib.Path, default=RESULTS / "gg_capture.json")
    parser.add_argument("--plot", type=pathlib.Path, default=RESULTS / "gg_capture.png")
    args = parser.parse_args()
    from mjorbit_warp.tasks import gg_capture as task

    begin = time.perf_counter()
    step_error = [float(np.degrees(task.step_error(seed=seed))) for seed in range(3)]
    print(f"rollouts at {task.ROLLOUT_STEP:g} s against 0.5 s over one horizon: {max(step_error):.2f} deg at most")
    jobs = [
        (dynamics, side, seed, args.duration)
        for side in args.sides
        for seed in range(args.seeds)
        for dynamics in ("orbit", "zero_g")
    ]
    runs = []
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(args.jobs, context) as pool:
        for run in pool.map(one, jobs):
            runs.append(run)
            print(
                f"{run['side']:7} {run['dynamics']:7} seed {run['seed']}: {run['final_error_deg']:7.2f} deg, "
                f"{'settled' if run['settled'] else 'failed'}, {run['wall_s']:.0f} s",
                flush=True,
            )
    table = summary(runs)
    for name, row in table.items():
        print(f"{name}: {row['mean_deg']} ± {row['std_deg']} deg, failed {row['failed']} of {row['runs']}")
    result = {
        "duration_s": args.duration,
        "wall_s": round(time.perf_counter() - begin, 1),
        "jobs": args.jobs,
        "step_error_deg": [round(x, 3) for x in step_error],
        "summary": table,
        "runs": runs,
    }
    write(result, args.out, indent=None)
    draw(runs, args.plot)


if __name__ == "__main__":
    main()
