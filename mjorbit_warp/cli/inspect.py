"""``mjorbit-warp inspect``: what the compiler made of a model."""

import json as json_format
import warnings
from typing import Annotated

import tyro

from mjorbit_warp.cli.common import arg
from mjorbit_warp.load import load_spec


def inspect(
    model: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="MODEL")]],
    *,
    tle: Annotated[str | None, arg("FILE")] = None,
    json: Annotated[bool, arg(None, "default: off")] = False,
) -> int:
    """Compile a model and report masses, joints, actuators, integrator and orbit; nothing is simulated.

    Args:
      model: an MJCF file, or the name of a shipped model (two_arm, box_satellite, chaser_target, capture_arm).
      tle: file with a two-line element set; its orbit replaces the model's.
      json: print JSON instead of text.
    """
    from mjorbit_warp.check import MjoWarning
    from mjorbit_warp.inspect import inspect_model

    spec = load_spec(model, tle)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjoWarning)  # the report has them as its notes
        report = inspect_model(spec.compile(), spec)
    print(json_format.dumps(report.to_dict(), indent=2, allow_nan=False) if json else report)
    return 0
