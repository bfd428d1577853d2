"""Orbits, frames and attitudes at random: any state there and back, and what must not depend on the way."""

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mjorbit_warp import _quat, frames
from mjorbit_warp.elements import OrbitalElements, elements_from_state, state_from_elements
from tests.conftest import MU

FEW = settings(derandomize=True, deadline=None, max_examples=60)
TURN = 2.0 * math.pi
ANGLE = st.sampled_from([0.0, math.pi / 2, math.pi, 3 * math.pi / 2]) | st.floats(0.0, TURN)
# circular, nearly so, elliptic, hyperbolic
ECCENTRICITY = st.sampled_from([0.0, 1e-15, 1e-9]) | st.floats(0.0, 0.95) | st.floats(1.05, 5.0)
# equatorial, nearly so, polar, retrograde, retrograde and equatorial
INCLINATION = st.sampled_from([0.0, 1e-12, math.pi / 2, math.pi - 1e-9, math.pi]) | st.floats(0.0, math.pi)
UNIT = st.floats(-1.0, 1.0)


def vectors(size: float) -> st.SearchStrategy[np.ndarray]:
    """Three numbers up to ``size``."""
    return st.tuples(UNIT, UNIT, UNIT).map(lambda x: size * np.array(x))


QUATS = (
    st.tuples(UNIT, UNIT, UNIT, UNIT)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 0.01)
    .map(lambda q: q / np.linalg.norm(q))
)


@st.composite
def conics(draw: Any) -> OrbitalElements:
    """Elements of any conic with a periapsis above 6600 km."""
    e, periapsis = draw(ECCENTRICITY), draw(st.floats(6.6e6, 4e7))
    limit = math.pi if e < 1.0 else 0.95 * math.acos(-1.0 / e)
    nu = draw(st.floats(-limit, limit))
    return OrbitalElements(periapsis / (1.0 - e), e, draw(INCLINATION), draw(ANGLE), draw(ANGLE), nu)


STATES = conics().map(lambda el: state_from_elements(el, MU))


@FEW
@given(elements=conics())
def test_conics(elements: OrbitalElements) -> None:
    """Energy, momentum, Laplace's vector and plane are those of the elements; elements of the state give the state."""
    r, v = state_from_elements(elements, MU)
    a, e, i = elements.semi_major_axis, elements.eccentricity, elements.inclination
    distance, speed2 = float(np.linalg.norm(r)), float(v @ v)
    # rounding of the two terms whose difference energy is
    assert abs(speed2 / 2.0 - MU / distance + MU / (2.0 * a)) < 1e-13 * (speed2 + MU / distance)
    h = np.cross(r, v)
    assert abs(np.linalg.norm(h) / math.sqrt(MU * a * (1.0 - e * e)) - 1.0) < 1e-12  # 1 − e² loses a digit at e 0.95
    assert abs(h[2] / np.linalg.norm(h) - math.cos(i)) < 1e-14
    laplace = np.cross(v, h) / MU - r / distance
    assert abs(np.linalg.norm(laplace) - e) < 1e-13 * (1.0 + e)
    back = elements_from_state(r, v, MU)
    r2, v2 = state_from_elements(back, MU)
    # H10: 1e-9 of the state, all singular cases included
    assert np.abs(r2 - r).max() < 1e-9 * distance and np.abs(v2 - v).max() < 1e-9 * math.sqrt(speed2)


@FEW
@given(state=STATES, angle=ANGLE)
def test_elements_turn_with_the_orbit(state: Any, angle: float) -> None:
    """About the pole only the node turns: shape, size and inclination are those before."""
    r, v = state
    c, s = math.cos(angle), math.sin(angle)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    one, other = elements_from_state(r, v, MU), elements_from_state(turn @ r, turn @ v, MU)
    slack = 1e-12 * max(1.0, abs(one.semi_major_axis) / float(np.linalg.norm(r)))  # far out, energy cancels
    assert abs(other.semi_major_axis / one.semi_major_axis - 1.0) < slack
    assert abs(other.eccentricity - one.eccentricity) < slack * (1.0 + one.eccentricity)
    assert abs(other.inclination - one.inclination) < 2e-8  # rad: acos near 0 and π takes the root of a rounding


@FEW
@given(state=STATES, x=vectors(1e4), u=vectors(50.0), q=QUATS, w=vectors(2.0))
def test_frames_of_any_orbit(state: Any, x: np.ndarray, u: np.ndarray, q: np.ndarray, w: np.ndarray) -> None:
    """LVLH axes are a proper rotation; positions, velocities, attitudes and rates come back from LVLH and from ECI."""
    r, v = state
    axes = frames.lvlh_axes(r, v)
    assert np.abs(axes @ axes.T - np.eye(3)).max() < 4e-15 and abs(np.linalg.det(axes) - 1.0) < 4e-15
    assert axes[0] @ r > 0.0 and axes[1] @ v > -1e-9 * np.linalg.norm(v) and axes[2] @ np.cross(r, v) > 0.0
    there = frames.lvlh_from_of(r, v, x, u)
    # the distance is kept, which no axes but orthonormal ones do
    assert abs(np.linalg.norm(there[0]) - np.linalg.norm(x)) < 1e-11
    back = frames.of_from_lvlh(r, v, *there)
    assert np.abs(back[0] - x).max() < 1e-11 and np.abs(back[1] - u).max() < 1e-12  # m of 1e4, m/s of 50
    again = frames.of_from_eci(r, v, *frames.eci_from_of(r, v, x, u))
    # a rounding of the distance, up to 1e9 m on a hyperbola, and of the speed
    assert np.abs(again[0] - x).max() <= 2e-16 * (np.linalg.norm(r) + 2e4)
    assert np.abs(again[1] - u).max() <= 2e-16 * (np.linalg.norm(v) + 1e2)
    same = _quat.mul(frames.quat_of_from_lvlh(r, v, frames.quat_lvlh_from_of(r, v, q)), _quat.conj(q))
    assert np.linalg.norm(same[1:]) < 1e-14
    rate = frames.rate_of_from_lvlh(r, v, q, frames.rate_lvlh_from_of(r, v, q, w))
    assert np.abs(rate - w).max() < 4e-15  # rad/s of 2


@FEW
@given(state=STATES)
def test_the_frame_turns_as_fast_as_the_orbit(state: Any) -> None:
    """ω = h/r² about z and no other axis, for every conic."""
    r, v = state
    rate = frames.lvlh_rate(r, v)
    want = np.linalg.norm(np.cross(r, v)) / (r @ r)
    local = frames.lvlh_axes(r, v) @ rate
    assert np.abs(local - [0.0, 0.0, want]).max() < 1e-14 * want


@FEW
@given(a=QUATS, b=QUATS, x=vectors(10.0))
def test_attitudes(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> None:
    """A product turns as its factors one after the other, a matrix as its quaternion, and back."""
    one, two = _quat.rotate(_quat.mul(a, b), x), _quat.rotate(a, _quat.rotate(b, x))
    assert np.abs(one - two).max() < 2e-14  # of 10
    m = _quat.to_matrix(a)
    assert abs(np.linalg.det(m) - 1.0) < 4e-15 and np.abs(m @ x - _quat.rotate(a, x)).max() < 2e-14
    same = _quat.mul(_quat.from_matrix(m), _quat.conj(a))
    assert np.linalg.norm(same[1:]) < 4e-15
