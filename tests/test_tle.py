"""Two-line element sets: the known ISS state, and what a damaged file says."""

from pathlib import Path

import erfa
import numpy as np
import pytest
from astropy.time import Time, TimeDelta

import mjorbit_warp
from mjorbit_warp import Orbit
from mjorbit_warp.epoch import itrs_from_gcrs, time_from_seconds
from mjorbit_warp.tle import state_from_tle

ISS = Path(mjorbit_warp.__file__).parent / "models" / "iss.tle"
TEXT = ISS.read_text()
LINE1, LINE2 = TEXT.splitlines()[:2]


def with_checksum(line):
    total = sum(int(c) if c.isdigit() else c == "-" for c in line[:68]) % 10
    return line[:68] + str(total)


def test_h08_teme_state():
    r, v, time = state_from_tle(ISS)
    # the case gives six decimals of km: 1 mm and 1 mm/s
    assert np.abs(r - [3469947.984, -2690388.430, 5175831.925]).max() < 1e-3
    assert np.abs(v - [5810.229, 4802.261, -1388.280]).max() < 1e-3
    assert time.isot == "2019-12-09T16:38:29.363"


def test_h08_gcrs_state():
    orbit = Orbit.from_tle(ISS)
    assert np.abs(orbit.r - [3467758.465, -2705903.402, 5169207.196]).max() < 2e-3  # m, as above
    assert np.abs(orbit.v - [5828.931, 4776.327, -1399.307]).max() < 1e-3
    r, _, _ = state_from_tle(ISS)
    assert abs(np.linalg.norm(orbit.r - r) - 17011.6) < 0.1  # m: used as GCRS, a TEME state is 17 km off
    assert abs(np.linalg.norm(orbit.r) - 6787338.583) < 1e-3
    assert abs(np.linalg.norm(orbit.r) - np.linalg.norm(r)) < 1e-6  # a rotation


def test_h08_geodetic():
    orbit = Orbit.from_tle(ISS)
    r, _ = itrs_from_gcrs(orbit.r, orbit.v, time_from_seconds(orbit.epoch))
    longitude, latitude, height = erfa.gc2gd(1, r)
    # the case's last digits: 1e-4 deg is 11 m
    assert abs(np.degrees(longitude) + 5.5449) < 1e-4 and abs(np.degrees(latitude) - 49.8694) < 1e-4
    assert abs(height - 421.66e3) < 10.0


def test_h08_epoch_fraction_counts():
    r, _, time = state_from_tle(ISS)
    midnight = Time("2019-12-09T00:00:00", scale="utc")
    r0, _, _ = state_from_tle(ISS, midnight)
    assert abs(np.linalg.norm(r - r0) - 9624e3) < 1e3  # m, the case's digits
    # day 343.69339541 of 2019, exactly, in seconds of the day
    assert abs((time - midnight).to_value("s") - 0.69339541 * 86400.0) < 1e-6


def test_at_moves_the_state():
    r, v, time = state_from_tle(ISS)
    later, _, instant = state_from_tle(ISS, time + TimeDelta(1.0, format="sec"))
    earlier, _, _ = state_from_tle(ISS, time - TimeDelta(1.0, format="sec"))
    assert abs((instant - time).to_value("s") - 1.0) < 1e-9
    # m/s: the central difference lacks n³ a/6 = 1.6e-3; SGP4's own velocity is no exact derivative either
    assert np.abs((later - earlier) / 2.0 - v).max() < 0.1
    tt, _, _ = state_from_tle(ISS, time.tt)
    assert np.abs(tt - r).max() < 1e-2  # m: the same instant in another scale, 1 µs apart at most
    with pytest.raises(TypeError, match="at is a str, whose time scale is unknown"):
        state_from_tle(ISS, "2019-12-09")


@pytest.mark.parametrize(
    "text", [TEXT, "ISS (ZARYA)\r\n" + LINE1 + "\r\n" + LINE2 + "\r\n", f"\n{LINE1}  \n\n{LINE2}\n"]
)
def test_text_with_or_without_a_name(text):
    assert Orbit.from_tle(text) == Orbit.from_tle(ISS) == Orbit.from_tle(str(ISS))


def test_file_messages(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no TLE file at 'nowhere\.tle'"):
        state_from_tle("nowhere.tle")
    path = tmp_path / "two.tle"
    path.write_text(TEXT.rstrip() + "\n" + TEXT)
    with pytest.raises(
        ValueError, match=r"two\.tle is not one two-line element set: two lines that begin with 1 and 2"
    ):
        state_from_tle(path)
    for text in (LINE1 + "\n", LINE2 + "\n" + LINE1, "name\nother\n" + TEXT):
        with pytest.raises(ValueError, match="the TLE is not one two-line element set"):
            state_from_tle(text)


def test_damaged_lines():
    wrong = LINE1[:20] + ("2" if LINE1[20] != "2" else "3") + LINE1[21:]
    with pytest.raises(ValueError, match=r"line 1 of the TLE has checksum 1, but its digits add up to \d"):
        state_from_tle(wrong + "\n" + LINE2)
    with pytest.raises(ValueError, match="line 2 of the TLE has 68 characters: 69, ending in a checksum, are expected"):
        state_from_tle(LINE1 + "\n" + LINE2[:-1])
    with pytest.raises(ValueError, match="mixes two satellites: 25544 on line 1 and 25545 on line 2"):
        state_from_tle(LINE1 + "\n" + with_checksum(LINE2.replace("25544", "25545")))


def test_decayed_orbit():
    fast = with_checksum(LINE2[:52] + "17.90000000" + LINE2[63:])
    with pytest.raises(ValueError, match="SGP4 cannot propagate the TLE: "):
        state_from_tle(LINE1 + "\n" + fast, Time("2020-06-01", scale="utc"))
