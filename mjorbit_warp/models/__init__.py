"""Shipped models: plain MJCF that MuJoCo's own tools open, primitives only."""

from importlib.resources import files

NAMES = ("two_arm", "box_satellite", "chaser_target", "capture_arm")


def model_path(name: str) -> str:
    """Path of a shipped model by name; ValueError lists the names."""
    if name not in NAMES:
        raise ValueError(f"no shipped model {name!r}: there are {', '.join(NAMES)}")
    return str(files(__name__).joinpath(f"{name}.xml"))


def tle_path() -> str:
    """Path of a TLE of the International Space Station (2019-12-09, NORAD 25544)."""
    return str(files(__name__).joinpath("iss.tle"))
