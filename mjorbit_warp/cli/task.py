"""``mjorbit-warp task``: scenarios that plan."""

import json as json_format
from typing import Annotated, Any, Literal

import numpy as np
import tyro
from rich.console import Console

from mjorbit_warp.cli.common import arg, progress_bar, writable_output


def task(
    name: tyro.conf.Positional[Annotated[Literal["reorient"], tyro.conf.arg(metavar="NAME")]],
    *,
    seed: Annotated[int, arg("N", "default: 0")] = 0,
    duration: Annotated[float, arg("S", "default: 100")] = 100.0,
    nrollout: Annotated[int, arg("N", "default: 128")] = 128,
    json: Annotated[str | None, arg("FILE")] = None,
    plot: Annotated[str | None, arg("FILE")] = None,
) -> int:
    """Run a planning scenario in closed loop, without a window.

    Args:
      name: reorient: a free-flyer without attitude actuators turns its bus by 60° with its arms and holds it.
      seed: of the planner's noise.
      duration: simulated time [s].
      nrollout: rollouts of each replanning.
      json: write the result there, a name that ends in .json.
      plot: draw error, joint rates and clearance there, a name that ends in .png.
    """
    import warp as wp

    from mjorbit_warp.tasks.reorient import reorient

    wp.config.log_level = wp.LOG_WARNING
    out = None if json is None else writable_output("--json", json, ".json")
    picture = None if plot is None else writable_output("--plot", plot, ".png")
    with progress_bar(Console(stderr=True)) as bar:
        line = bar.add_task("planning", total=duration, rate="")

        def report(time: float, error: float) -> None:
            bar.update(line, completed=min(time, duration), rate=f"{np.degrees(error):.1f}° off")

        result = reorient(seed=seed, duration=duration, nrollout=nrollout, report=report)
    summary: dict[str, Any] = {
        "task": name,
        "seed": seed,
        "nrollout": nrollout,
        "duration_s": float(result.time[-1]),
        "reached_s": result.reached,
        "final_error_deg": float(np.degrees(result.error[-1])),
        "largest_joint_rate_rad_s": float(result.rate.max()),
        "least_clearance_m": float(result.clearance.min()),
    }
    reached = "not reached" if result.reached is None else f"below 3° from {result.reached:.1f} s on"
    print(f"{name}, seed {seed}: {reached}, {summary['final_error_deg']:.2f}° at the end")
    print(
        f"joint rates at most {summary['largest_joint_rate_rad_s']:.2f} rad/s, arms at least "
        f"{summary['least_clearance_m']:.3f} m from the bus"
    )
    if out is not None:
        rows = {key: getattr(result, key).tolist() for key in ("time", "error", "rate", "clearance")}
        out.write_text(json_format.dumps(summary | rows) + "\n", encoding="utf-8")
    if picture is not None:
        _draw(result, picture)
    return 0 if result.reached is not None else 1


def _draw(result: Any, path: Any) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    axes[0].semilogy(result.time, np.degrees(result.error))
    axes[0].axhline(3.0, color="k", ls=":")
    axes[0].set(title="bus, angle to the target", xlabel="time [s]", ylabel="angle [deg]")
    axes[1].plot(result.time, result.rate)
    axes[1].set(title="fastest joint", xlabel="time [s]", ylabel="rate [rad/s]")
    axes[2].plot(result.time, result.clearance)
    axes[2].axhline(0.0, color="k", ls=":")
    axes[2].set(title="arms, least distance from the bus", xlabel="time [s]", ylabel="distance [m]")
    for ax in axes:
        ax.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    plt.close(figure)
