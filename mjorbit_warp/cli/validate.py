"""``mjorbit-warp validate``: the simulator against what it can be compared with."""

import json
import math
import pathlib
from typing import Annotated, Any, Literal

import tyro

from mjorbit_warp.cli.common import arg, writable_output
from mjorbit_warp.run_file import replacing


def _plain(value: Any) -> Any:
    """JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items()}
    if isinstance(value, list):
        return [_plain(x) for x in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def validate(
    case: Annotated[tuple[str, ...], tyro.conf.Positional, arg("[CASE …]", "default: all")] = (),
    /,
    *,
    backend: Annotated[Literal["warp", "reference", "both"], arg("{warp,reference,both}", "default: reference")] = (
        "reference"
    ),
    json_file: Annotated[
        str | None, tyro.conf.arg(name="json", metavar="FILE", help_behavior_hint="(optional)")
    ] = None,
    plots: Annotated[str | None, arg("DIR")] = None,
    fast: Annotated[bool, arg(None, "default: off")] = False,
    list: Annotated[bool, arg(None, "default: off")] = False,
) -> int:
    """Compare the simulator with closed forms, astropy, other simulators' trajectories, Basilisk, MuJoCo C and laws.

    Prints each quantity's largest error, what is allowed and how it grew. The exit code is 1 if something failed. What
    cannot run here, as Basilisk where it is not installed, is SKIPPED by name, which is no pass.

    Args:
      case: names, see --list.
      backend: the NumPy backend in float64, Warp in float32 and with shadow, or both.
      json_file: write everything there as JSON.
      plots: folder for the figures of error growth, one PNG per case.
      fast: only the cases that take seconds.
      list: say what each case compares, and run nothing.
    """
    from mjorbit_warp.quiet import start_warp
    from mjorbit_warp.validation.plots import draw
    from mjorbit_warp.validation.registry import select
    from mjorbit_warp.validation.report import HEAD, listing
    from mjorbit_warp.validation.run import run_cases, verdicts

    chosen = select(case, fast=fast)
    if list:
        print("\n".join(listing(c) for c in chosen))
        return 0
    path = None if json_file is None else writable_output("--json", json_file, ".json")
    if plots is not None and not pathlib.Path(plots).is_dir():
        raise FileNotFoundError(f"--plots is {plots!r}: there is no such folder")
    start_warp()
    print(HEAD, flush=True)
    result = run_cases(chosen, backend, lambda line: print(line, flush=True))
    found = verdicts(result)
    print(", ".join(f"{len(names)} {verdict}" for verdict, names in found.items()))
    for verdict in ("SKIPPED", "FAIL"):
        if found[verdict]:
            print(f"{verdict}: {', '.join(found[verdict])}")
    if path is not None:
        with replacing(path) as part:
            part.write_text(json.dumps(_plain(result), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if plots is not None:
        draw(plots, result)
    return 1 if found["FAIL"] else 0
