"""Altitude above an ellipsoid and the density of the air there, in float64 over leading dimensions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]


def altitude(r: F64, pole: F64, radius: ArrayLike, flattening: ArrayLike) -> F64:
    """Height (…) [m] of ``r`` (…, 3) [m] above the ellipsoid of equatorial ``radius`` [m] about the unit ``pole``.

    The fixed point of tan φ = (z + e² N sin φ)/ρ, whose error falls by e² at each step, then the distance from the
    tangent plane at φ. Exact to rounding wherever a satellite can be; not near the centre.
    """
    a, f = (np.asarray(x, dtype=np.float64) for x in (radius, flattening))
    z = np.sum(r * pole, axis=-1)
    rho = np.linalg.norm(r - z[..., None] * pole, axis=-1)
    e2 = f * (2.0 - f)
    phi = np.arctan2(z, (1.0 - e2) * rho)
    for _ in range(8):
        n = a / np.sqrt(1.0 - e2 * np.sin(phi) ** 2)
        phi = np.arctan2(z + e2 * n * np.sin(phi), rho)
    return rho * np.cos(phi) + z * np.sin(phi) - a * np.sqrt(1.0 - e2 * np.sin(phi) ** 2)


def density(altitude: ArrayLike, table_altitude: ArrayLike, table_density: ArrayLike, table_scale: ArrayLike) -> F64:
    """Density (…) [kg/m³] at ``altitude`` (…) [m]: ρ_k exp(−(h − h_k)/H_k) in band k, 0 where H_k is 0.

    Bands (n,) as in ``Atmosphere``: the first one reaches down without end, the last one up.
    """
    h = np.asarray(altitude, dtype=np.float64)
    bases, densities, scales = (np.asarray(x, dtype=np.float64) for x in (table_altitude, table_density, table_scale))
    k = np.maximum(np.searchsorted(bases, h, side="right") - 1, 0)
    empty = scales[k] == 0.0
    rate = np.where(empty, 0.0, 1.0 / np.where(empty, 1.0, scales[k]))
    return np.where(empty, 0.0, densities[k] * np.exp(-(h - bases[k]) * rate))
