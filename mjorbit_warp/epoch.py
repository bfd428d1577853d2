"""Epochs, and the frames that need Earth orientation: astropy on the host, never the network."""

import functools
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjorbit_warp.constants import J2000_JD, SECONDS_PER_DAY

if TYPE_CHECKING:  # astropy takes half a second to import, and what has no date does not need it
    from astropy.time import Time
    from astropy.utils.iers import IERS_A

SCALES = ("tt", "tdb")
Vectors = NDArray[np.float64]


def is_time(value: Any) -> "TypeGuard[Time]":
    """Whether a value is an astropy Time; if it is one, somebody has imported astropy."""
    module = sys.modules.get("astropy.time")
    return module is not None and isinstance(value, module.Time)


def check_time(time: Any, what: str = "epoch") -> "Time":
    """The scalar astropy Time itself; TypeError for anything whose time scale is unknown."""
    if not is_time(time):
        raise TypeError(
            f"{what} is a {type(time).__name__}, whose time scale is unknown: "
            'use astropy.time.Time("2026-01-01T00:00:00", scale="utc")'
        )
    if not time.isscalar:
        raise TypeError(f"{what} has shape {time.shape}: one instant is expected")
    return time


def _check_scale(scale: str) -> None:
    if scale not in SCALES:
        raise ValueError(f"scale is {scale!r}: allowed are {', '.join(SCALES)}")


def seconds_from_time(time: "Time", scale: str = "tt") -> float:
    """Seconds past J2000.0 (2000-01-01T12:00:00 in ``scale``, "tt" or "tdb"), from both parts of the Julian date."""
    _check_scale(scale)
    scaled = getattr(check_time(time), scale)
    return float((scaled.jd1 - J2000_JD) * SECONDS_PER_DAY + scaled.jd2 * SECONDS_PER_DAY)


def time_from_seconds(seconds: float, scale: str = "tt") -> "Time":
    """The instant ``seconds`` [s] past J2000.0 of ``scale``, good to the 0.1 µs that float64 resolves today."""
    from astropy.time import Time

    _check_scale(scale)
    days, rest = divmod(float(seconds), SECONDS_PER_DAY)
    return Time(J2000_JD + days, rest / SECONDS_PER_DAY, format="jd", scale=scale)


@functools.cache
def _iers_table() -> "IERS_A":
    from astropy.utils.iers import IERS_A
    from astropy_iers_data import IERS_A_FILE

    return IERS_A.open(IERS_A_FILE)  # takes 0.4 s


@contextmanager
def earth_orientation(time: "Time") -> "Iterator[IERS_A]":
    """Use the packaged IERS-A table, without a download and without a silent fallback outside its dates."""
    from astropy.time import Time
    from astropy.utils.exceptions import AstropyWarning
    from astropy.utils.iers import earth_orientation_table
    from erfa import ErfaWarning

    table = _iers_table()
    first, last = float(table["MJD"][0].value), float(table["MJD"][-1].value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ErfaWarning)  # "dubious year": a date that far is refused here
        mjd, date = float(time.utc.mjd), time.utc.isot
    if not first <= mjd <= last:
        dates = " to ".join(Time(x, format="mjd").strftime("%Y-%m-%d") for x in (first, last))
        raise ValueError(
            f"epoch {date} is outside the Earth orientation table, {dates}: a newer astropy-iers-data covers more"
        )
    with earth_orientation_table.set(table), warnings.catch_warnings():
        warnings.simplefilter("error", AstropyWarning)
        yield table


def _transform(r: ArrayLike, v: ArrayLike, source: str, target: str, time: "Time") -> tuple[Vectors, Vectors]:
    from astropy import coordinates

    frames = [getattr(coordinates, name)(obstime=time) for name in (source, target)]
    position, velocity = (np.moveaxis(np.asarray(x, dtype=np.float64), -1, 0) for x in (r, v))
    differential = coordinates.CartesianDifferential(velocity, unit="m/s", copy=True)
    representation = coordinates.CartesianRepresentation(position, unit="m", differentials=differential)
    with earth_orientation(time):
        moved = frames[0].realize_frame(representation).transform_to(frames[1]).cartesian
    out_r = moved.xyz.to("m")
    out_v = moved.differentials["s"].d_xyz.to("m/s")
    return np.moveaxis(out_r.value, 0, -1), np.moveaxis(out_v.value, 0, -1)


def gcrs_from_teme(r: ArrayLike, v: ArrayLike, time: "Time") -> tuple[Vectors, Vectors]:
    """(…, 3) positions [m] and velocities [m/s] from SGP4's TEME to GCRS axes at ``time``."""
    return _transform(r, v, "TEME", "GCRS", time)


def gcrs_from_itrs(r: ArrayLike, v: ArrayLike, time: "Time") -> tuple[Vectors, Vectors]:
    """(…, 3) positions [m] and velocities [m/s] from Earth-fixed ITRS to GCRS; velocities include Earth's rotation."""
    return _transform(r, v, "ITRS", "GCRS", time)


def itrs_from_gcrs(r: ArrayLike, v: ArrayLike, time: "Time") -> tuple[Vectors, Vectors]:
    """Inverse of gcrs_from_itrs."""
    return _transform(r, v, "GCRS", "ITRS", time)
