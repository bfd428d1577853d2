"""The step against the orbit: what RK4 makes of the reference orbit itself."""

import math
from collections.abc import Sequence

import numpy as np

from mjorbit_warp.advice.record import Advice, Subject
from mjorbit_warp.orbit import Orbit

_SURELY = 0.003  # rad of true anomaly per step: some 2000 steps per revolution, below a millimetre each
_MOST = 50000
_TOO_FAR = 1.0  # m per revolution
_OPEN = 0.03  # rad per step, where an orbit never comes back: as 200 steps per revolution


def _rate(state: Sequence[float], mu: float) -> list[float]:
    x, y, z, u, v, w = state
    k = -mu / (x * x + y * y + z * z) ** 1.5
    return [u, v, w, k * x, k * y, k * z]


def return_error(orbit: Orbit, h: float) -> tuple[float, int]:
    """Distance [m] by which RK4 misses the start after one period of the two-body orbit, in n equal steps near h; n."""
    n = max(1, round(orbit.period / h))
    step, mu = orbit.period / n, orbit.body.mu
    y = [float(x) for x in (*orbit.r, *orbit.v)]
    for _ in range(n):
        k1 = _rate(y, mu)
        k2 = _rate([a + 0.5 * step * b for a, b in zip(y, k1, strict=True)], mu)
        k3 = _rate([a + 0.5 * step * b for a, b in zip(y, k2, strict=True)], mu)
        k4 = _rate([a + step * b for a, b in zip(y, k3, strict=True)], mu)
        y = [a + step / 6.0 * (b + 2.0 * (c + d) + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4, strict=True)]
    return math.dist(y[:3], orbit.r), n


def orbit_step_advice(s: Subject) -> list[Advice]:
    """A step that loses more than a metre per revolution of the orbit."""
    if s.orbit is None or not 0.0 < s.step < np.inf:
        return []
    try:
        e = s.orbit.elements
    except ValueError:  # a straight line
        return []
    # angular rate at periapsis: |h|/r_p², where a(1 − e) = r_p
    momentum = float(np.linalg.norm(np.cross(s.orbit.r, s.orbit.v)))
    angle = s.step * momentum / (e.semi_major_axis * (1.0 - e.eccentricity)) ** 2
    if angle < _SURELY:
        return []
    period = s.orbit.period
    if not math.isfinite(period):
        if angle < _OPEN:
            return []
        what = f"at periapsis a step of {s.step:g} s is {math.degrees(angle):.3g}° of the orbit"
        good = s.step * _OPEN / angle
    elif period / s.step > _MOST:
        return []
    else:
        error, n = return_error(s.orbit, s.step)
        if error < _TOO_FAR:
            return []
        what = f"{n} steps of {s.step:g} s per revolution: RK4 misses the start by {error:.3g} m after one (measured)"
        good = s.step * (_TOO_FAR / error) ** 0.25
    return [Advice("warning", "step-orbit", "option", what, f"a timestep below about {good:.2g} s")]
