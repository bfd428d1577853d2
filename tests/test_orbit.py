"""Orbits: every way to make one, and what a wrong one says."""

import math
import sys

import numpy as np
import pytest
from astropy.coordinates import GCRS, ITRS, TEME, CartesianDifferential, CartesianRepresentation
from astropy.time import Time

from mjorbit_warp import CentralBody, Orbit
from mjorbit_warp.constants import EARTH, MARS, MOON
from mjorbit_warp.epoch import earth_orientation, itrs_from_gcrs

EPOCH = Time("2026-03-01T12:34:56.789", scale="utc")
R, V = np.array([4.2e6, -3.9e6, 3.7e6]), np.array([4500.0, 5200.0, 350.0])


@pytest.mark.parametrize("body", [EARTH, MOON, MARS], ids=lambda x: x.name)
def test_circular(body):
    orbit = Orbit.circular(altitude=5e5, inclination=1.7, raan=2.0, argument_of_latitude=0.6, body=body.name)
    radius = body.radius + 5e5
    assert abs(np.linalg.norm(orbit.r) - radius) < 1e-8 and abs(orbit.altitude - 5e5) < 1e-8  # m, rounding of 7000 km
    assert abs(np.linalg.norm(orbit.v) - math.sqrt(body.mu / radius)) < 1e-8  # m/s
    assert abs(orbit.r @ orbit.v) < 1e-12 * radius * 8e3
    momentum = np.cross(orbit.r, orbit.v)
    pole = [math.sin(2.0) * math.sin(1.7), -math.cos(2.0) * math.sin(1.7), math.cos(1.7)]
    assert np.abs(momentum / np.linalg.norm(momentum) - pole).max() < 1e-14
    assert abs(orbit.r[2] / radius - math.sin(0.6) * math.sin(1.7)) < 1e-14
    assert abs(orbit.period - 2.0 * math.pi * math.sqrt(radius**3 / body.mu)) < 1e-7  # s
    assert abs(orbit.mean_motion * orbit.period - 2.0 * math.pi) < 1e-14
    assert orbit.epoch is None and orbit.body is body


def test_elements_round_trip_and_period():
    given = {
        "semi_major_axis": -2e7,
        "eccentricity": 1.5,
        "inclination": 0.4,
        "raan": 1.0,
        "argument_of_periapsis": 0.3,
    }
    orbit = Orbit.from_elements(**given, true_anomaly=0.1)
    assert orbit.period == math.inf
    assert abs(orbit.mean_motion - math.sqrt(EARTH.mu / 8e21)) < 1e-16
    assert all(abs(getattr(orbit.elements, k) / x - 1.0) < 1e-12 for k, x in given.items())


@pytest.mark.parametrize("frame, coordinates", [("TEME", TEME), ("itrs", ITRS)])
def test_frames_against_astropy(frame, coordinates):
    state = CartesianRepresentation(R, unit="m", differentials=CartesianDifferential(V, unit="m/s"))
    with earth_orientation(EPOCH):
        want = coordinates(state, obstime=EPOCH).transform_to(GCRS(obstime=EPOCH)).cartesian
    orbit = Orbit.from_state(R, V, frame=frame, epoch=EPOCH)
    assert np.array_equal(orbit.r, want.xyz.to_value("m"))
    assert np.array_equal(orbit.v, want.differentials["s"].d_xyz.to_value("m/s"))
    assert abs(np.linalg.norm(orbit.r) - np.linalg.norm(R)) < 1e-6  # m, a rotation
    if frame == "itrs":
        back = itrs_from_gcrs(orbit.r, orbit.v, EPOCH)
        # m/s: astropy turns velocities by differences over 1 s
        assert np.abs(back[0] - R).max() < 1e-6 and np.abs(back[1] - V).max() < 2e-6


@pytest.mark.parametrize("frame", ["GCRS", "gcrf", "ICRF", "ECI", "j2000"])
def test_inertial_states_are_kept_bit_for_bit(frame):
    orbit = Orbit.from_state(R.tolist(), tuple(V), frame=frame)
    assert np.array_equal(orbit.r, R) and np.array_equal(orbit.v, V)


def test_epoch_is_seconds_of_tt():
    orbit = Orbit.circular(altitude=5e5, epoch=Time("2026-01-01T00:00:00", scale="utc"))
    assert abs(orbit.epoch - (820497600.0 + 69.184)) < 2e-7  # TT = UTC + 37 + 32.184 s
    assert Orbit(r=R, v=V, epoch=EPOCH).epoch == Orbit.from_state(R, V, frame="ECI", epoch=EPOCH).epoch
    assert Orbit(r=R, v=V, epoch=np.float32(3.0)).epoch == 3.0


def test_arrays_are_a_frozen_copy():
    r = R.copy()
    orbit = Orbit(r=r, v=V)
    r[0] = 0.0
    assert orbit.r[0] == R[0]
    with pytest.raises(ValueError, match="read-only"):
        orbit.r[0] = 1.0


def test_equality_and_hash():
    r, v = [7e6, 0.0, 0.0], [0.0, 7.5e3, 0.0]
    one, same = Orbit(r=r, v=v), Orbit(r=r, v=[-0.0, 7.5e3, -0.0])
    assert one == same and hash(one) == hash(same)
    others = (Orbit(r=r, v=v, epoch=0.0), Orbit(r=r, v=v, body="moon"), Orbit(r=r, v=[0, 7.6e3, 0]), "orbit")
    assert all(one != other for other in others)


def test_repr():
    text = repr(Orbit.circular(altitude=5e5, inclination=math.radians(51.6)))
    assert text == "Orbit(body=earth, altitude=500.000 km, a=6878.137 km, e=0.000000, i=51.6000°, epoch=None)"
    falling = Orbit(r=[7e6, 0.0, 0.0], v=[0.0, 0.0, 0.0])  # no elements, but still something to print
    assert "v=[0.0, 0.0, 0.0]" in repr(falling)
    with pytest.raises(ValueError, match="rectilinear"):
        _ = falling.period


def state(**change):
    return Orbit.from_state(**({"r": R, "v": V, "frame": "GCRS"} | change))


def test_state_messages():
    with pytest.raises(ValueError, match="frame is 'LVLH': allowed are GCRS, GCRF, ICRF, ECI, J2000, TEME, ITRS"):
        state(frame="LVLH")
    with pytest.raises(ValueError, match="frame is None: allowed are"):
        state(frame=None)
    with pytest.raises(TypeError, match="frame"):
        Orbit.from_state(R, V)
    for frame in ("TEME", "ITRS"):
        with pytest.raises(ValueError, match=f"frame {frame} turns with time: give its epoch, an astropy Time"):
            state(frame=frame)
        with pytest.raises(ValueError, match=f"frame {frame} belongs to Earth, not to moon: use GCRS"):
            state(frame=frame, epoch=EPOCH, body="moon")
    for epoch in ("2026-01-01", 8.2e8):
        with pytest.raises(TypeError, match=r"epoch is a .*, whose time scale is unknown"):
            state(epoch=epoch)
    with pytest.raises(ValueError, match=r"r is \[1\.0, 2\.0\]: three finite numbers are expected"):
        state(r=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"v is \[0\.0, nan, 0\.0\]: three finite numbers"):
        state(v=[0.0, math.nan, 0.0])
    with pytest.raises(ValueError, match="v is 'fast': three numbers are expected"):
        state(v="fast")
    with pytest.raises(ValueError, match="central body 'vulcan' is not known"):
        state(body="vulcan")


def test_units_and_epoch_messages():
    message = r"6371\.137 km below the surface of earth: \|r\| must exceed 6378137\.0 m \(are r and v in m and m/s\?\)"
    with pytest.raises(ValueError, match=message):
        state(r=[7000.0, 0.0, 0.0])  # km
    for altitude in (0.0, -1.0, math.nan, "500"):
        with pytest.raises(ValueError, match=r"altitude is .*: a positive number of metres is expected"):
            Orbit.circular(altitude=altitude)
    assert abs(Orbit.circular(altitude=np.int64(500000)).altitude - 5e5) < 1e-8
    for epoch in (math.nan, "now"):
        with pytest.raises(
            ValueError, match=r"epoch is .*: seconds past J2000 TT, an astropy Time or None is expected"
        ):
            Orbit(r=R, v=V, epoch=epoch)


def test_tle_without_sgp4(monkeypatch):
    monkeypatch.setitem(sys.modules, "sgp4.api", None)  # as if it were not installed
    with pytest.raises(ImportError, match=r"reading a TLE needs sgp4: pip install 'mjorbit-warp\[cli\]'"):
        Orbit.from_tle("iss.tle")


def test_own_body():
    bennu = CentralBody("bennu", 4.892, 246.0, 0.0, 4.06e-4)
    orbit = Orbit.circular(altitude=1000.0, body=bennu)
    assert abs(orbit.period - 2.0 * math.pi * math.sqrt(1246.0**3 / 4.892)) < 1e-6
