"""Two-line element sets through SGP4."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from mjorbit_warp.epoch import check_time
from mjorbit_warp.extras import need

if TYPE_CHECKING:
    from astropy.time import Time


def _lines(tle: str | os.PathLike[str]) -> tuple[str, str, str]:
    text = os.fspath(tle)
    where = "the TLE"
    if "\n" not in text:
        where = text
        if not os.path.isfile(text):
            raise FileNotFoundError(f"no TLE file at {text!r}")
        with open(text, encoding="ascii", errors="replace") as file:
            text = file.read()
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    ones = [i for i, line in enumerate(lines[:-1]) if line.startswith("1 ") and lines[i + 1].startswith("2 ")]
    if len(ones) != 1 or len(lines) > 3:
        raise ValueError(
            f"{where} is not one two-line element set: two lines that begin with 1 and 2, under an optional name"
        )
    return lines[ones[0]], lines[ones[0] + 1], where


def _verify(line: str, where: str) -> None:
    """The checksum of a line: digits add up, a minus counts one (NORAD's format)."""
    if len(line) != 69 or not line[68].isdigit():
        raise ValueError(
            f"line {line[0]} of {where} has {len(line)} characters: 69, ending in a checksum, are expected"
        )
    total = sum(int(c) if c.isdigit() else c == "-" for c in line[:68]) % 10
    if total != int(line[68]):
        raise ValueError(f"line {line[0]} of {where} has checksum {line[68]}, but its digits add up to {total}")


def state_from_tle(tle: str | os.PathLike[str], at: "Time | None" = None) -> "tuple[Any, Any, Time]":
    """TEME position [m], velocity [m/s] and instant of a TLE (file path or text), at its epoch or ``at``."""
    from astropy.time import Time

    sgp4 = need("sgp4.api", "cli", "reading a TLE")
    line1, line2, where = _lines(tle)
    for line in (line1, line2):
        _verify(line, where)
    if line1[2:7] != line2[2:7]:
        raise ValueError(f"{where} mixes two satellites: {line1[2:7]} on line 1 and {line2[2:7]} on line 2")
    satellite = sgp4.Satrec.twoline2rv(line1, line2)
    # sgp4 keeps the epoch's day fraction apart: both parts are needed for microseconds
    time = Time(satellite.jdsatepoch, satellite.jdsatepochF, format="jd", scale="utc")
    if at is not None:
        time = check_time(at, "at").utc
    code, r, v = satellite.sgp4(time.jd1, time.jd2)
    if code:
        raise ValueError(f"SGP4 cannot propagate {where}: {sgp4.SGP4_ERRORS[code]}")
    if not np.isfinite([*r, *v]).all():  # sgp4 reads a field that it does not understand as nan, and says nothing
        raise ValueError(f"SGP4 makes no finite state of {where}: a field of it is not a number")
    return np.array(r) * 1e3, np.array(v) * 1e3, time
