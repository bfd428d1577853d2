"""The two-body problem in closed form, in extended precision where the machine has it."""

from typing import Any

import numpy as np

EXTENDED = np.longdouble


def kepler(r0: Any, v0: Any, t: float, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """Position [m] and velocity [m/s] after ``t`` [s] on an ellipse, each (3,) in extended precision.

    Kepler's equation in the difference of the eccentric anomalies, and Lagrange's f and g (Battin, "An Introduction to
    the Mathematics and Methods of Astrodynamics", 1999, section 4.3).
    """
    r0, v0 = (np.asarray(x, dtype=EXTENDED) for x in (r0, v0))
    t, mu = EXTENDED(t), EXTENDED(mu)  # type: ignore[assignment]
    length = np.sqrt(r0 @ r0)
    a = 1 / (2 / length - v0 @ v0 / mu)
    n = np.sqrt(mu / a**3)
    sigma, shape = r0 @ v0 / np.sqrt(mu * a), 1 - length / a
    angle = n * t
    x = angle
    for _ in range(30):
        s, c = np.sin(x), np.cos(x)
        x = x - (x - shape * s + sigma * (1 - c) - angle) / (1 - shape * c + sigma * s)
    s, c = np.sin(x), np.cos(x)
    f, g = 1 - a / length * (1 - c), t - (x - s) / n
    r = f * r0 + g * v0
    now = np.sqrt(r @ r)
    return r, -np.sqrt(mu * a) / (now * length) * s * r0 + (1 - a / now * (1 - c)) * v0
