"""``mjorbit-warp inspect``: what the compiler made of a model."""

import json as json_format
import os
import warnings

import tyro


def inspect(model: tyro.conf.Positional[str], *, tle: str | None = None, json: bool = False) -> int:
    """Compile a model and report masses, joints, actuators, integrator and orbit; nothing is simulated.

    Args:
      model: an MJCF file, or the name of a shipped model (two_arm, box_satellite, chaser_target).
      tle: file with a two-line element set; its orbit replaces the model's.
      json: print JSON instead of text.
    """
    from mjorbit_warp import models
    from mjorbit_warp.check import MjoWarning
    from mjorbit_warp.inspect import inspect_model
    from mjorbit_warp.orbit import Orbit
    from mjorbit_warp.spec import MjoSpec

    shipped = model in models.NAMES and not os.path.exists(model)
    spec = MjoSpec.from_file(models.model_path(model) if shipped else model)
    if tle is not None:
        spec.orbit = Orbit.from_tle(tle)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjoWarning)  # the report has them as its notes
        report = inspect_model(spec.compile(), spec)
    print(json_format.dumps(report.to_dict(), indent=2, allow_nan=False) if json else report)
    return 0
