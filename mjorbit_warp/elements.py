"""Keplerian elements and Cartesian states, without singular cases."""

import math
import numbers
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]
_TINY = 1e-11  # e or sin i below which the angle that it defines is lost in rounding; the sum of angles is kept
_PARABOLIC = 1e-10


@dataclass(frozen=True)
class OrbitalElements:
    """Osculating elements; angles in radians.

    Attributes:
      semi_major_axis: a [m], negative on a hyperbola.
      eccentricity: e [-].
      inclination: i in [0, π] [rad].
      raan: right ascension of the ascending node [rad]; 0 on an equatorial orbit.
      argument_of_periapsis: within ±2π [rad]; 0 on a circular orbit.
      true_anomaly: [rad]; counted from the node on a circular orbit, from the x axis if it is equatorial too.
    """

    semi_major_axis: float
    eccentricity: float
    inclination: float
    raan: float
    argument_of_periapsis: float
    true_anomaly: float

    def __post_init__(self) -> None:
        a, e, i, _, periapsis, nu = values = astuple(self)
        if not all(isinstance(x, numbers.Real) and math.isfinite(x) for x in values):
            raise ValueError(f"orbital elements {values} must be six finite numbers")
        if e < 0.0:
            raise ValueError(f"eccentricity is {e}: it must not be negative")
        if abs(e - 1.0) < _PARABOLIC:
            raise ValueError("eccentricity is 1: a parabola has no semi-major axis, use Orbit.from_state")
        if a == 0.0 or (a < 0.0) != (e > 1.0):
            raise ValueError(
                f"semi_major_axis {a} m does not fit eccentricity {e}: "
                "positive below 1 (ellipse), negative above (hyperbola)"
            )
        if not 0.0 <= i <= math.pi:
            raise ValueError(f"inclination is {i}: 0 to pi radians are allowed (numpy.radians converts degrees)")
        if abs(periapsis) > 2.0 * math.pi:  # more than a turn is nearly always degrees
            raise ValueError(
                f"argument_of_periapsis is {periapsis}: -2 pi to 2 pi radians are allowed "
                "(numpy.radians converts degrees)"
            )
        if e > 1.0 and 1.0 + e * math.cos(nu) <= 0.0:
            limit = math.acos(-1.0 / e)
            raise ValueError(f"true_anomaly is {nu}: a hyperbola of eccentricity {e} ends at ±{limit:.6f} rad")


def state_from_elements(elements: OrbitalElements, mu: float) -> tuple[F64, F64]:
    """Position [m] and velocity [m/s], (3,) each, by rotating the perifocal state (Vallado 4th ed., algorithm 10)."""
    e, i = elements.eccentricity, elements.inclination
    p = elements.semi_major_axis * (1.0 - e * e)
    u = elements.argument_of_periapsis + elements.true_anomaly
    w = elements.argument_of_periapsis
    co, so = math.cos(elements.raan), math.sin(elements.raan)
    ci, si = math.cos(i), math.sin(i)
    node = np.array([co, so, 0.0])
    ahead = np.array([-so * ci, co * ci, si])
    radius = p / (1.0 + e * math.cos(elements.true_anomaly))
    speed = math.sqrt(mu / p)
    r = radius * (math.cos(u) * node + math.sin(u) * ahead)
    v = speed * (-(math.sin(u) + e * math.sin(w)) * node + (math.cos(u) + e * math.cos(w)) * ahead)
    return r, v


def elements_from_state(r: ArrayLike, v: ArrayLike, mu: float) -> OrbitalElements:
    """Osculating elements of a position [m] and velocity [m/s].

    Undefined angles are 0 and the sums that are defined are kept (argument of latitude, true longitude).
    """
    position, velocity = (np.asarray(x, dtype=np.float64) for x in (r, v))
    if position.shape != (3,) or velocity.shape != (3,) or not np.isfinite([position, velocity]).all():
        raise ValueError("r and v must be three finite numbers each")
    distance = float(np.linalg.norm(position))
    momentum = np.cross(position, velocity)
    h = float(np.linalg.norm(momentum))
    if h <= 1e-12 * distance * float(np.linalg.norm(velocity)) or distance == 0.0:
        raise ValueError("the state has no angular momentum (rectilinear): it has no orbital elements")
    w_hat = momentum / h
    eccentricity_vector = np.cross(velocity, momentum) / mu - position / distance
    e = float(np.linalg.norm(eccentricity_vector))
    if abs(e - 1.0) < _PARABOLIC:
        raise ValueError("the state is parabolic: it has no semi-major axis")
    a = h * h / mu / (1.0 - e * e)

    horizontal = math.hypot(momentum[0], momentum[1])
    inclination = math.atan2(horizontal, momentum[2])
    equatorial = horizontal < _TINY * h
    node = np.array([1.0, 0.0, 0.0]) if equatorial else np.array([-momentum[1], momentum[0], 0.0]) / horizontal
    ahead = np.cross(w_hat, node)

    def angle(x: F64) -> float:
        return math.atan2(float(x @ ahead), float(x @ node)) % (2.0 * math.pi)

    raan = 0.0 if equatorial else math.atan2(node[1], node[0]) % (2.0 * math.pi)
    latitude = angle(position)
    periapsis = 0.0 if e < _TINY else angle(eccentricity_vector)
    anomaly = (latitude - periapsis) % (2.0 * math.pi)
    if e > 1.0 and anomaly > math.pi:
        anomaly -= 2.0 * math.pi
    return OrbitalElements(a, e, inclination, raan, periapsis, anomaly)
