"""``mjorbit-warp inspect``: what the compiler made of a model."""

import json as json_format
from typing import Annotated

import tyro

from mjorbit_warp.cli.common import arg


def inspect(
    model: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="MODEL")]],
    *,
    tle: Annotated[str | None, arg("FILE")] = None,
    json: Annotated[bool, arg(None, "default: off")] = False,
    ignore: Annotated[str, arg("CODE,…")] = "",
) -> int:
    """Report what the compiler stored of a model, and warn of what is probably not meant, with the remedy.

    Masses, joints, actuators, hardware, integrator, buffers and orbit; each warning has a code, see docs/inspect.md.
    Exit code: 0 if there is nothing to warn of, 1 with warnings, 2 if the model is refused. A refused model is shown
    too, as far as MuJoCo compiles it.

    Args:
      model: an MJCF, URDF, MJZ or MJB file, or the name of a shipped model (two_arm, box_satellite, chaser_target,
        capture_arm).
      tle: file with a two-line element set; its orbit replaces the model's.
      json: print JSON instead of text.
      ignore: codes of warnings that are known and meant, separated by commas.
    """
    from mjorbit_warp.inspect import inspect as inspect_model
    from mjorbit_warp.orbit import Orbit

    orbit = None if tle is None else Orbit.from_tle(tle)
    codes = [code.strip() for code in ignore.split(",") if code.strip()]
    try:
        report = inspect_model(model, orbit=orbit, ignore=codes)
    except (OSError, ValueError) as error:  # nothing was compiled that could be shown
        if json:
            print(json_format.dumps({"error": " ".join(str(error).split())}, indent=2))
        raise
    print(json_format.dumps(report.to_dict(), indent=2, allow_nan=False) if json else report)
    errors = [": ".join(x for x in (error.what, error.remedy) if x) for error in report.of_level("error")]
    if errors:
        raise ValueError("; ".join(errors))  # one line on stderr, as of every command
    return report.exit_code
