"""Time scales and Earth orientation: known answers, exact sums, and no network."""

import socket
from fractions import Fraction

import astropy.utils.data
import erfa
import numpy as np
import pytest
from astropy.time import Time
from hypothesis import given, settings
from hypothesis import strategies as st

from mjorbit_warp import epoch as ep
from mjorbit_warp import orientation
from mjorbit_warp.constants import EARTH

T2026 = Time("2026-03-01T12:34:56.789", scale="utc")
R, V = np.array([4.2e6, -3.9e6, 3.7e6]), np.array([4500.0, 5200.0, 350.0])


def test_h07_seconds_past_j2000():
    utc = Time("2026-01-01T00:00:00", scale="utc")
    tdb = ep.seconds_from_time(utc, "tdb")
    # the case states 1 µs; float64 resolves 0.12 µs at this size
    assert abs(tdb - 820497669.183918) < 1e-6
    # TT = UTC + 37 s + 32.184 s, exactly, and the naive difference of UTC dates is 820497600 s
    assert abs(ep.seconds_from_time(utc) - (820497600.0 + 69.184)) < 2e-7


def test_h07_j2000_in_utc():
    j2000 = ep.time_from_seconds(0.0)
    assert j2000.utc.isot == "2000-01-01T11:58:55.816"
    assert abs(ep.seconds_from_time(Time("2000-01-01T12:00:00", scale="utc")) - 64.184) < 1e-9


@pytest.mark.parametrize("date", ["2012-07-01T00:00:00", "2015-07-01T00:00:00", "2016-12-31T23:59:59"])
@pytest.mark.parametrize("scale", ep.SCALES)
def test_h07_round_trip_at_leap_seconds(date, scale):
    utc = Time(date, scale="utc")
    back = ep.time_from_seconds(ep.seconds_from_time(utc, scale), scale)
    assert abs((back.utc - utc).to_value("s")) < 2e-7  # rounding of float64 seconds; the case asks for 1 ms


def test_h07_leap_second_is_counted():
    before, after = (Time(x, scale="utc") for x in ("2016-12-31T23:59:59", "2017-01-01T00:00:00"))
    assert abs(ep.seconds_from_time(after) - ep.seconds_from_time(before) - 2.0) < 2e-7
    inside = Time("2016-12-31T23:59:60.5", scale="utc")
    assert ep.time_from_seconds(ep.seconds_from_time(inside)).utc.isot == "2016-12-31T23:59:60.500"


@settings(derandomize=True, deadline=None)
@given(seconds=st.floats(-4e9, 4e9))
def test_seconds_round_trip(seconds):
    time = ep.time_from_seconds(seconds)
    assert abs(ep.seconds_from_time(time) - seconds) <= 2 * np.spacing(abs(seconds)) + 1e-11
    exact = (Fraction(float(time.jd1)) + Fraction(float(time.jd2)) - 2451545) * 86400
    assert abs(float(exact - Fraction(seconds))) < 1e-9  # s: a day fraction keeps 1e-11 s


def test_scale_and_type_messages():
    with pytest.raises(ValueError, match="scale is 'utc': allowed are tt, tdb"):
        ep.seconds_from_time(T2026, "utc")
    with pytest.raises(ValueError, match="scale is 'ut1': allowed are tt, tdb"):
        ep.time_from_seconds(0.0, "ut1")
    with pytest.raises(TypeError, match=r"epoch is a str, whose time scale is unknown: use astropy\.time\.Time"):
        ep.seconds_from_time("2026-01-01")
    with pytest.raises(TypeError, match=r"at has shape \(2,\): one instant is expected"):
        ep.check_time(Time(["2026-01-01", "2026-01-02"]), "at")


@pytest.mark.parametrize("date", ["1960-01-01", "2100-01-01"])
@pytest.mark.filterwarnings("ignore:ERFA function:erfa.ErfaWarning")  # from reading the date here
def test_outside_the_table(date):
    time = Time(date, scale="utc")
    with pytest.raises(ValueError, match=rf"epoch {date}.* outside the Earth orientation table, 1973-01-02 to 20"):
        ep.gcrs_from_itrs(R, V, time)


def test_no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(astropy.utils.data, "download_file", refuse)
    ep._iers_table.cache_clear()
    for convert in (ep.gcrs_from_teme, ep.gcrs_from_itrs, ep.itrs_from_gcrs):
        r, v = convert(R, V, T2026)
        assert np.isfinite(r).all() and np.isfinite(v).all()
    assert np.isfinite(orientation.body_fixed_frame(EARTH, ep.seconds_from_time(T2026)).rotation(0.0)).all()


def _erfa_itrs_from_gcrs(time):
    """The whole matrix from erfa's own routine, polar motion and UT1 from the packaged table."""
    table = ep._iers_table()
    xp, yp = (x.to_value("rad") for x in table.pm_xy(time.utc))
    dut = table.ut1_utc(time.utc).to_value("s")
    ut1 = erfa.utcut1(time.utc.jd1, time.utc.jd2, dut)
    return erfa.c2t06a(time.tt.jd1, time.tt.jd2, *ut1, xp, yp)


def test_itrs_against_erfa():
    h = 1.0  # s: the central difference is off by ω³ r h²/6 = 4e-7 m/s
    before, now, after = (_erfa_itrs_from_gcrs(ep.time_from_seconds(8.3e8 + x)) for x in (-h, 0.0, h))
    r, v = ep.itrs_from_gcrs(R, V, ep.time_from_seconds(8.3e8))
    assert np.abs(r - now @ R).max() < 1e-6  # m: 7000 km in float64 through several products
    # m/s: astropy differentiates numerically too, and UT1 of two dates is rounded to 1e-11 s
    assert np.abs(v - (now @ V + (after - before) @ R / (2 * h))).max() < 2e-6


def test_itrs_round_trip_over_leading_dimensions():
    r, v = np.stack([R, -2 * R, R[::-1]])[None], np.stack([V, V, -V])[None]
    there = ep.itrs_from_gcrs(r, v, T2026)
    back = ep.gcrs_from_itrs(*there, T2026)
    assert there[0].shape == (1, 3, 3)
    assert np.abs(back[0] - r).max() < 1e-6 and np.abs(back[1] - v).max() < 2e-6  # as above
    one = ep.itrs_from_gcrs(r[0, 1], v[0, 1], T2026)
    assert np.abs(one[0] - there[0][0, 1]).max() < 1e-7 and np.abs(one[1] - there[1][0, 1]).max() < 1e-7


def test_point_at_rest_on_earth_moves_with_it():
    at_rest = np.array([6378137.0, 0.0, 0.0])
    r, v = ep.gcrs_from_itrs(at_rest, np.zeros(3), T2026)
    # 465.1 m/s, less the polar motion's 1e-12 of it; precession adds 1e-5 m/s
    assert abs(np.linalg.norm(v) - EARTH.rotation_rate * 6378137.0) < 1e-4
    assert abs(r @ v) / np.linalg.norm(r) < 1e-4
