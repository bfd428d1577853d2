"""``mjorbit-warp task``: scenarios that plan."""

import json as json_format
import pathlib
import sys
from typing import Annotated, Any, Literal

import numpy as np
import tyro
from rich.console import Console

from mjorbit_warp.cli.common import arg, progress_bar, writable_output
from mjorbit_warp.cli.plot_task import draw_gg_capture, draw_reorient
from mjorbit_warp.run_file import replacing

NROLLOUT = {"reorient": 128, "gg_capture": 64}
DURATION = {"reorient": 100.0, "gg_capture": 7200.0}


def task(
    name: tyro.conf.Positional[Annotated[Literal["reorient", "gg_capture"], tyro.conf.arg(metavar="NAME")]],
    *,
    seed: Annotated[int, arg("N", "default: 0")] = 0,
    duration: Annotated[float | None, arg("S", "default: 100 and 7200")] = None,
    nrollout: Annotated[int | None, arg("N", "default: 128 and 64")] = None,
    dynamics: Annotated[Literal["orbit", "zero_g"] | None, arg("{orbit,zero_g}", "default: orbit")] = None,
    side: Annotated[Literal["behind", "ahead"] | None, arg("{behind,ahead}", "default: behind")] = None,
    json: Annotated[str | None, arg("FILE")] = None,
    plot: Annotated[str | None, arg("FILE")] = None,
) -> int:
    """Run a planning scenario in closed loop, without a window. The exit code is 1 if its goal was not reached.

    Args:
      name: reorient: a free-flyer without attitude actuators turns its bus by 60° with its arms and holds it;
        gg_capture: one with a slow arm turns a 400 kg payload to nadir by the gravity gradient alone.
      seed: of the planner's noise, and of the start of gg_capture.
      duration: simulated time [s].
      nrollout: rollouts of each replanning.
      dynamics: of gg_capture's rollouts; the plant is always in the orbit.
      side: of gg_capture's payload at the start; behind, the orbital rotation carries it away from nadir.
      json: write the result there, a name that ends in .json.
      plot: draw the run there, a name that ends in .png.
    """
    import warp as wp

    given = {key: value for key, value in (("dynamics", dynamics), ("side", side)) if value is not None}
    if given and name != "gg_capture":
        raise ValueError(f"--{next(iter(given))} is an option of gg_capture, not of {name}")
    wp.config.log_level = wp.LOG_WARNING
    out = None if json is None else writable_output("--json", json, ".json")
    picture = None if plot is None else writable_output("--plot", plot, ".png")
    span = DURATION[name] if duration is None else duration
    options: dict[str, Any] = {
        "seed": seed,
        "duration": span,
        "nrollout": NROLLOUT[name] if nrollout is None else nrollout,
        **given,
    }
    console = Console(stderr=True)
    with progress_bar(console) as bar:
        line = bar.add_task("planning", total=span, rate="")
        tenth = 0

        def report(time: float, error: float) -> None:
            nonlocal tenth
            bar.update(line, completed=min(time, span), rate=f"{np.degrees(error):.1f}° off")
            if not console.is_terminal and 10.0 * time >= tenth * span:  # a bar would not show before the end
                print(
                    f"planning: {time:.0f} of {span:.0f} s, {np.degrees(error):.1f}° off", file=sys.stderr, flush=True
                )
                tenth += 1

        return _RUNS[name](options, report, out, picture)


def _write(out: pathlib.Path | None, summary: dict[str, Any], rows: dict[str, Any]) -> None:
    if out is not None:
        text = json_format.dumps(summary | {key: np.asarray(value).tolist() for key, value in rows.items()})
        with replacing(out) as part:
            part.write_text(text + "\n", encoding="utf-8")


def _reorient(options: dict[str, Any], report: Any, out: pathlib.Path | None, picture: pathlib.Path | None) -> int:
    from mjorbit_warp.tasks.reorient import reorient

    result = reorient(**options, report=report)
    summary = {
        "task": "reorient",
        "seed": options["seed"],
        "nrollout": options["nrollout"],
        "duration_s": float(result.time[-1]),
        "reached_s": result.reached,
        "final_error_deg": float(np.degrees(result.error[-1])),
        "largest_joint_rate_rad_s": float(result.rate.max()),
        "least_clearance_m": float(result.clearance.min()),
    }
    reached = "not reached" if result.reached is None else f"below 3° from {result.reached:.1f} s on"
    print(f"reorient, seed {options['seed']}: {reached}, {summary['final_error_deg']:.2f}° at the end")
    print(
        f"joint rates at most {summary['largest_joint_rate_rad_s']:.2f} rad/s, arms at least "
        f"{summary['least_clearance_m']:.3f} m from the bus"
    )
    _write(out, summary, {key: getattr(result, key) for key in ("time", "error", "rate", "clearance")})
    if picture is not None:
        draw_reorient(result, picture)
    return 0 if result.reached is not None else 1


def _gg_capture(options: dict[str, Any], report: Any, out: pathlib.Path | None, picture: pathlib.Path | None) -> int:
    from mjorbit_warp.tasks.gg_capture import gg_capture

    result = gg_capture(**options, report=report)
    summary = {
        "task": "gg_capture",
        "seed": options["seed"],
        "nrollout": options["nrollout"],
        "dynamics": options.get("dynamics", "orbit"),
        "side": options.get("side", "behind"),
        "duration_s": float(result.time[-1]),
        "final_error_deg": float(np.degrees(result.final)),
        "settled": result.settled,
    }
    settled = "settled" if result.settled else "not settled"
    print(
        f"gg_capture, seed {options['seed']}, rollouts {summary['dynamics']}: {settled}, on average "
        f"{summary['final_error_deg']:.2f}° from nadir in the last half hour"
    )
    _write(out, summary, {key: getattr(result, key) for key in ("time", "error", "joints")})
    if picture is not None:
        draw_gg_capture(result, picture)
    return 0 if result.settled else 1


_RUNS = {"reorient": _reorient, "gg_capture": _gg_capture}
