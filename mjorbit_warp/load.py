"""Loading the model that a command or a configuration names."""

import os
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mjorbit_warp.spec import MjoSpec


def load_spec(model: str, tle: str | None, dt: float | None = None, dt_name: str = "--dt") -> "MjoSpec":
    """The spec of a file or of a shipped model, with the orbit of a TLE and the time step if they are given.

    Args:
      dt_name: what the caller's user calls ``dt``.
    """
    from mjorbit_warp import models
    from mjorbit_warp.orbit import Orbit
    from mjorbit_warp.spec import MjoSpec

    path = model
    if not os.path.exists(model):
        if model in models.NAMES:
            path = models.model_path(model)
        elif not os.path.splitext(model)[1]:
            names = ", ".join(models.NAMES)
            raise FileNotFoundError(f"no model file at {model!r}, nor a shipped model of that name ({names})")
    if os.path.isdir(path):
        raise IsADirectoryError(f"{model!r} is a folder: a model file is expected")
    if os.path.isfile(path) and os.path.getsize(path) == 0:
        raise ValueError(f"{path} is empty: an MJCF or URDF file is expected")
    spec = MjoSpec.from_file(path)
    if tle is not None:
        spec.orbit = Orbit.from_tle(tle)
    if dt is not None:
        spec.option.timestep = dt
    step = float(spec.option.timestep)
    with np.errstate(over="ignore", under="ignore"):
        usable = step > 0.0 and 0.0 < float(np.float32(step)) < np.inf  # MJWarp's is float32
    if not usable:
        where = f"the timestep of {path}" if dt is None else dt_name
        raise ValueError(f"{where} is {step}: a positive number of seconds is expected")
    return spec
