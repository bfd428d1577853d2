"""Loading the model that a command names; what MuJoCo says of a file that it cannot read, in our words."""

import os
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mjorbit_warp.spec import MjoSpec


def _unreadable(path: str, said: str) -> str:
    """The sentence for what MuJoCo said of a model file."""
    if "find decoder" in said:
        suffix = os.path.splitext(path)[1]
        has = f"has the suffix {suffix!r}" if suffix else "has no suffix"
        return f"{path} {has}, and MuJoCo goes by that: rename it to .xml if it is MJCF, to .urdf if it is URDF"
    if found := re.search(
        r"XML parse error.*Error=XML_(?:ERROR_)?(\w+).*Line number=(\d+)(?:: XMLElement name=(\S+))?", said
    ):
        what = found[1].replace("_", " ").lower() + (f" at <{found[3]}>" if found[3] else "")
        return f"{path} is not well-formed XML: {what}" + (f", line {found[2]}" if found[2] != "0" else "")
    if found := re.search(r"Unrecognized XML model type: (\S+)", said):
        return f"{path} is XML with the root element {found[1]}: 'mujoco' or 'robot' is expected"
    return said


def load_spec(model: str, tle: str | None, dt: float | None = None) -> "MjoSpec":
    """The spec of a file or of a shipped model, with the orbit of a TLE and the time step if they are given."""
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
    try:
        spec = MjoSpec.from_file(path)
    except ValueError as error:
        raise ValueError(_unreadable(path, str(error))) from error
    if tle is not None:
        spec.orbit = Orbit.from_tle(tle)
    if dt is not None:
        spec.option.timestep = dt
    step = float(spec.option.timestep)
    with np.errstate(over="ignore", under="ignore"):
        usable = step > 0.0 and 0.0 < float(np.float32(step)) < np.inf  # MJWarp's is float32
    if not usable:
        where = f"the timestep of {path}" if dt is None else "--dt"
        raise ValueError(f"{where} is {step}: a positive number of seconds is expected")
    return spec
