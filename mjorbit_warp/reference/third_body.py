"""Gravity of a distant body relative to the central one, in float64 over leading dimensions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]


def third_body_gravity(r: F64, s: F64, mu: ArrayLike) -> F64:
    """μ [(s − r)/|s − r|³ − s/|s|³] (…, 3) [m/s²]: the pull at ``r`` less that at the origin, third body at ``s`` [m].

    (μ/|s|³) [c (s − r) − r] with c = (|s|/|s − r|)³ − 1 = exp(−(3/2) log(1 + q)) − 1, q = r·(r − 2 s)/|s|²: no two
    large vectors are subtracted. The origin may be any point: a body's pull relative to that on the reference orbit is
    the same function of ρ and s − r_c.
    """
    s2 = np.sum(s * s, axis=-1, keepdims=True)
    q = np.sum(r * (r - 2.0 * s), axis=-1, keepdims=True) / s2
    c = np.expm1(-1.5 * np.log1p(q))
    return np.asarray(mu)[..., None] / (s2 * np.sqrt(s2)) * (c * (s - r) - r)
