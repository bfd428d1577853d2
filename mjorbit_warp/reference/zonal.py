"""Zonal gravity of a central body, in float64 over leading dimensions."""

from functools import cache

import numpy as np
from numpy.polynomial import Legendre, Polynomial
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]


@cache
def _legendre(n: int) -> tuple[F64, F64]:
    """Coefficients of P_n and of its derivative, highest power first."""
    p = Legendre.basis(n).convert(kind=Polynomial)
    coefficients, slope = (np.asarray(q.coef[::-1], dtype=np.float64) for q in (p, p.deriv()))
    return coefficients, slope


def zonal_gravity(r: F64, mu: ArrayLike, radius: ArrayLike, zonal: ArrayLike, pole: F64) -> F64:
    """Acceleration (…, 3) [m/s²] at ``r`` (…, 3) [m], without the point mass; ``zonal`` (…, n) is J2, J3 … J_{n+1}.

    The gradient of V = −(μ/r) Σ J_n (R/r)^n P_n(s) in s = sin φ = r̂·p̂ and r: ∂V/∂r r̂ + ∂V/∂s (p̂ − s r̂)/r, with
    ∂V/∂r = (μ/r²) Σ (n + 1) J_n (R/r)^n P_n. Any degree; Vallado, "Fundamentals of Astrodynamics", section 8.6.
    """
    coefficients = np.asarray(zonal, dtype=np.float64)
    distance = np.linalg.norm(r, axis=-1)
    s = np.sum(r * pole, axis=-1) / distance
    ratio = np.asarray(radius) / distance
    by_r, by_s = np.zeros_like(s), np.zeros_like(s)
    for i in range(coefficients.shape[-1]):
        n = i + 2
        p, slope = _legendre(n)
        size = coefficients[..., i] * ratio**n
        by_r = by_r + (n + 1) * size * np.polyval(p, s)
        by_s = by_s - size * np.polyval(slope, s)
    r_hat = r / distance[..., None]
    across = pole - s[..., None] * r_hat
    g = (np.asarray(mu) / distance**2)[..., None]
    return g * (by_r[..., None] * r_hat + by_s[..., None] * across)
