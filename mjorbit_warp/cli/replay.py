"""``mjorbit-warp replay``: what led a world of another run to where it is."""

import json as json_format
import math
from typing import Annotated, Any, Literal

import numpy as np
import tyro
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mjorbit_warp.cli.common import arg, writable_output
from mjorbit_warp.dump import Dump, load_dump
from mjorbit_warp.quiet import start_warp
from mjorbit_warp.replay import Replay
from mjorbit_warp.replay import replay as replay_world
from mjorbit_warp.status import FAULTS, Status


def _rows(dump: Dump) -> list[dict[str, Any]]:
    """Each recorded state and the last one in a few numbers; None for what is not finite."""
    time = dump.component("time")[:, 0]
    rows = []
    for k in range(len(time)):
        row: dict[str, Any] = {"time_s": float(time[k])}
        for name in ("qpos", "qvel", "orbit.r", "orbit.v"):
            values = dump.component(name)
            size = float(np.abs(values[k]).max(initial=0.0))
            row[name] = size if math.isfinite(size) else None
        for name in ("ctrl", "qfrc_applied", "xfrc_applied"):
            row[name] = bool(np.isfinite(dump.component(name)[k]).all())
        rows.append(row)
    return rows


def _result(dump: Dump, path: str, replays: list[Replay]) -> dict[str, Any]:
    found = []
    for run in replays:
        finite = run.difference[np.isfinite(run.difference)]
        row: dict[str, Any] = {
            "backend": run.backend,
            "steps": run.nstep,
            "goes_bad": None if run.bad is None else run.bad.sentence,
            "conditions": run.conditions,
            "same_bits": run.same,
            "same_steps": run.nsame,
            "largest_difference": float(finite.max()) if finite.size else None,
        }
        found.append(row)
    return {
        "file": path,
        "world": dump.world,
        "device": dump.device,
        "precision": dump.precision,
        "versions": dict(dump.versions),
        "status": list(dump.conditions),
        "report": list(dump.report),
        "hooks": list(dump.hooks),
        "states": _rows(dump),
        "replays": found,
    }


def _print(result: dict[str, Any]) -> None:
    console = Console()
    head = Table(title=escape(result["file"]), show_header=False)
    head.add_column(no_wrap=True)
    head.add_column()
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    head.add_row("from", f"world {result['world']} on {result['device']}, precision {result['precision']}")
    head.add_row("made with", escape(versions))
    head.add_row("status", escape("\n".join(result["report"]) or "well"))
    if result["hooks"]:
        head.add_row("left out", f"callbacks of the run that a file cannot hold: {', '.join(result['hooks'])}")
    for run in result["replays"]:
        text = f"{run['steps']} steps; " + (run["goes_bad"] or "stays finite")
        if run["conditions"]:
            text += "; " + ", ".join(f"{name} after step {k}" for name, k in run["conditions"].items())
        if run["same_bits"]:
            text += "; the recorded states came again bit for bit"
        elif run["largest_difference"] is not None:
            text += f"; at most {run['largest_difference']:.3g} from the recorded states"
            if run["same_steps"]:
                text += (
                    f", the first {run['same_steps']} of which came again bit for bit: the next was written or made "
                )
                text += "elsewhere"
        head.add_row(f"replay, {run['backend']}", escape(text))
    console.print(head)
    table = Table(title="recorded states, largest entries")
    for name in ("step", "time [s]", "|qpos|", "|qvel|", "|orbit.r| [m]", "|orbit.v| [m/s]", "ctrl and forces"):
        table.add_column(name, justify="right")

    def number(value: float | None) -> str:
        return "not finite" if value is None else f"{value:.6g}"

    for k, row in enumerate(result["states"]):
        lost = [name for name in ("ctrl", "qfrc_applied", "xfrc_applied") if not row[name]]
        numbers = [number(row[name]) for name in ("time_s", "qpos", "qvel", "orbit.r", "orbit.v")]
        table.add_row(str(k), *numbers, ", ".join(lost) + " not finite" if lost else "finite")
    console.print(table)


def replay(
    file: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="FILE")]],
    *,
    backend: Annotated[Literal["both", "reference", "warp"], arg("{both,reference,warp}", "default: both")] = "both",
    steps: Annotated[int | None, arg("N", "default: to the state of the dump")] = None,
    plot: Annotated[str | None, arg("FILE.png")] = None,
    json: Annotated[bool, arg(None, "default: off")] = False,
) -> int:
    """Step a world of another run again, and say at which step and in which quantity it goes bad.

    The file is one of mjorbit_warp.mjo_dump or of mjorbit-warp run --dump. Commands and applied forces are those that
    were recorded. The exit code is 1 if the world goes bad again.

    Args:
      file: a dump, an .npz file.
      backend: reference (float64, MuJoCo C), warp (as it was run, on the CPU) or both.
      steps: number of steps from the oldest state on.
      plot: the picture to draw; one that exists is replaced.
      json: print JSON instead of tables.
    """
    start_warp()
    target = None if plot is None else writable_output("--plot", plot, ".png")
    if steps is not None and steps < 1:
        raise ValueError(f"--steps is {steps}: a positive integer is expected")
    dump = load_dump(file)
    backends = ("warp", "reference") if backend == "both" else (backend,)
    runs = [replay_world(dump, name, steps) for name in backends]
    if target is not None:
        from mjorbit_warp.cli.plot_replay import draw_replay
        from mjorbit_warp.run_file import replacing

        with replacing(target) as part:
            draw_replay(part, dump, runs)
    result = _result(dump, file, runs)
    if json:
        print(json_format.dumps(result, indent=2, allow_nan=False))
    else:
        _print(result)
    faults = [Status[name] & FAULTS for run in runs for name in run.conditions]
    return 1 if any(faults) or any(run.bad is not None for run in runs) else 0
