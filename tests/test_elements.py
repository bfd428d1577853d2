"""Elements and states: closed forms, multiple precision, and round trips through every singular case."""

import dataclasses
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjorbit_warp.constants import EARTH
from mjorbit_warp.elements import OrbitalElements, elements_from_state, state_from_elements

MU = EARTH.mu
RAD = math.radians
TURN = 2.0 * math.pi
GOOD = OrbitalElements(7e6, 0.01, 0.5, 0.1, 0.2, 0.3)


def rotated_perifocal(a, e, i, raan, w, nu):
    """The perifocal state turned by R3(-Ω) R1(-i) R3(-ω), in 40 digits."""
    with mpmath.workdps(40):
        a, e, i, raan, w, nu, mu = map(mpmath.mpf, (a, e, i, raan, w, nu, MU))
        p = a * (1 - e**2)
        r, v = p / (1 + e * mpmath.cos(nu)), mpmath.sqrt(mu / p)
        r3 = lambda x: mpmath.matrix([[mpmath.cos(x), -mpmath.sin(x), 0], [mpmath.sin(x), mpmath.cos(x), 0], [0, 0, 1]])  # noqa: E731
        r1 = mpmath.matrix([[1, 0, 0], [0, mpmath.cos(i), -mpmath.sin(i)], [0, mpmath.sin(i), mpmath.cos(i)]])
        m = r3(raan) * r1 * r3(w)
        position = m * mpmath.matrix([r * mpmath.cos(nu), r * mpmath.sin(nu), 0])
        velocity = m * mpmath.matrix([-v * mpmath.sin(nu), v * (e + mpmath.cos(nu)), 0])
    return np.array([float(x) for x in position]), np.array([float(x) for x in velocity])


# The case's digits: 0.1 mm and 0.1 µm/s.
H10 = {
    "a": (
        OrbitalElements(1e7, 0.0, RAD(45.0), RAD(90.0), 0.0, RAD(90.0)),
        (-7071067.8119, 0.0, 7071067.8119),
        (0.0, -6313.4811459, 0.0),
    ),
    "b": (
        OrbitalElements(42164e3, 0.0, 0.0, 0.0, 0.0, RAD(30.0)),
        (36515095.1252, 21082000.0, 0.0),
        (-1537.3331421, 2662.7391102, 0.0),
    ),
    "c": (
        OrbitalElements(6678e3, 0.01, 0.0, 0.0, RAD(20.0), 0.0),
        (6212514.6484, 2261170.4120, 0.0),
        (-2668.9501041, 7332.8801446, 0.0),
    ),
}


@pytest.mark.parametrize("case", H10)
def test_h10_known_states(case):
    elements, r, v = H10[case]
    got = state_from_elements(elements, MU)
    assert np.abs(got[0] - r).max() < 1e-4 and np.abs(got[1] - v).max() < 1e-7
    back = elements_from_state(*got, MU)
    assert abs(back.semi_major_axis - elements.semi_major_axis) < 1e-6  # m
    # angle sums stay, however a single angle is counted
    sums = [x.raan + x.argument_of_periapsis + x.true_anomaly for x in (back, elements)]
    assert abs(math.remainder(sums[0] - sums[1], TURN)) < 1e-12


def test_h10_retrograde_equatorial_circle():
    elements = OrbitalElements(7e6, 0.0, math.pi, 0.0, 0.0, 1.0)
    r, v = state_from_elements(elements, MU)
    # clockwise in the xy plane, as seen from +z
    assert np.abs(r - 7e6 * np.array([math.cos(1.0), -math.sin(1.0), 0.0])).max() < 1e-8
    assert np.cross(r, v)[2] < 0.0
    back = elements_from_state(r, v, MU)
    assert back.inclination == pytest.approx(math.pi, abs=1e-15) and back.raan == back.argument_of_periapsis == 0.0
    assert abs(back.true_anomaly - 1.0) < 1e-12


ANGLE = st.floats(0.0, TURN)
INCLINATION = st.one_of(st.sampled_from([0.0, math.pi, math.pi / 2, 1e-13, 1e-9, 1e-5]), st.floats(0.0, math.pi))
ELLIPSE = st.one_of(st.sampled_from([0.0, 1e-15, 1e-12, 1e-9, 1e-6]), st.floats(0.0, 0.95))


def check_round_trip(elements):
    """1e-9 of the size of the state, 7 mm in LEO, is what the known case asks for; no angle is ever NaN."""
    r, v = state_from_elements(elements, MU)
    exact = rotated_perifocal(*dataclasses.astuple(elements))
    scale = np.linalg.norm(r), np.linalg.norm(v)
    # 1e-13: float64 through ten products, a thousand times that near an asymptote, where 1 + e cos ν cancels
    slack = 1e-13 * (1.0 + elements.eccentricity) / (1.0 + elements.eccentricity * math.cos(elements.true_anomaly))
    assert np.abs(r - exact[0]).max() < slack * scale[0] and np.abs(v - exact[1]).max() < slack * scale[1]
    back = elements_from_state(r, v, MU)
    assert all(math.isfinite(x) for x in dataclasses.astuple(back))
    r2, v2 = state_from_elements(back, MU)
    assert np.abs(r2 - r).max() < 1e-9 * scale[0] and np.abs(v2 - v).max() < 1e-9 * scale[1]


@settings(derandomize=True, deadline=None)
@given(a=st.floats(6.6e6, 4e8), e=ELLIPSE, i=INCLINATION, raan=ANGLE, w=ANGLE, nu=ANGLE)
def test_ellipse_round_trip(a, e, i, raan, w, nu):
    check_round_trip(OrbitalElements(a, e, i, raan, w, nu))


@settings(derandomize=True, deadline=None)
@given(a=st.floats(-4e8, -6.6e6), e=st.floats(1.01, 6.0), i=INCLINATION, raan=ANGLE, w=ANGLE, part=st.floats(-0.9, 0.9))
def test_hyperbola_round_trip(a, e, i, raan, w, part):
    check_round_trip(OrbitalElements(a, e, i, raan, w, part * math.acos(-1.0 / e)))


@settings(derandomize=True, deadline=None)
@given(e=st.floats(0.01, 0.9), i=st.floats(0.01, 3.1), raan=ANGLE, w=ANGLE, nu=ANGLE)
def test_regular_elements_come_back(e, i, raan, w, nu):
    want = OrbitalElements(7e6, e, i, raan, w, nu)
    got = elements_from_state(*state_from_elements(want, MU), MU)
    assert abs(got.semi_major_axis - 7e6) < 1e-5 and abs(got.eccentricity - e) < 1e-12  # m; 1 - e² cancels tenfold
    for name in ("inclination", "raan", "argument_of_periapsis", "true_anomaly"):
        # rad: rounding over the smallest sin i or e, 1e-16/1e-2
        assert abs(math.remainder(getattr(got, name) - getattr(want, name), TURN)) < 1e-12


def test_energy_and_momentum():
    r, v = state_from_elements(OrbitalElements(-2e7, 1.4, 2.0, 1.0, 0.5, -0.7), MU)
    assert abs(v @ v / 2.0 - MU / np.linalg.norm(r) - MU / (2 * 2e7)) < 1e-6  # J/kg of 1e7
    assert np.linalg.norm(np.cross(r, v)) == pytest.approx(math.sqrt(MU * 2e7 * (1.4**2 - 1.0)), rel=1e-14)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"raan": math.nan}, "must be six finite numbers"),
        ({"raan": "0"}, "must be six finite numbers"),
        ({"eccentricity": -0.1}, r"eccentricity is -0\.1: it must not be negative"),
        ({"eccentricity": 1.0}, r"a parabola has no semi-major axis, use Orbit\.from_state"),
        ({"eccentricity": 1.5}, r"semi_major_axis 7000000\.0 m does not fit eccentricity 1\.5: positive below 1"),
        ({"semi_major_axis": -7e6}, "negative above"),
        ({"semi_major_axis": 0.0}, "does not fit eccentricity"),
        ({"inclination": 51.6}, r"inclination is 51\.6: 0 to pi radians are allowed \(numpy\.radians"),
        ({"inclination": -0.1}, "0 to pi radians are allowed"),
        ({"argument_of_periapsis": 90.0}, r"argument_of_periapsis is 90\.0: -2 pi to 2 pi radians are allowed"),
        ({"argument_of_periapsis": -6.3}, r"argument_of_periapsis is -6\.3: -2 pi to 2 pi radians are allowed"),
        (
            {"semi_major_axis": -7e6, "eccentricity": 2.0, "true_anomaly": 2.2},
            r"true_anomaly is 2\.2: a hyperbola of eccentricity 2\.0 ends at ±2\.094395 rad",
        ),
    ],
)
def test_element_messages(change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(GOOD, **change)


def test_state_messages():
    for r, v in (([7e6, 0.0], [0.0, 1.0, 0.0]), ([7e6, 0.0, math.inf], [0.0, 1.0, 0.0])):
        with pytest.raises(ValueError, match="r and v must be three finite numbers each"):
            elements_from_state(r, v, MU)
    for v in ([0.0, 0.0, 0.0], [100.0, 0.0, 0.0]):
        with pytest.raises(ValueError, match=r"no angular momentum \(rectilinear\): it has no orbital elements"):
            elements_from_state([7e6, 0.0, 0.0], v, MU)
    with pytest.raises(ValueError, match="the state is parabolic: it has no semi-major axis"):
        elements_from_state([7e6, 0.0, 0.0], [0.0, math.sqrt(2.0 * MU / 7e6), 0.0], MU)
