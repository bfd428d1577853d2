"""Gravity on a body near the reference orbit, in float64 over leading dimensions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjorbit_warp import _quat

F64 = NDArray[np.float64]


def _dot(a: F64, b: F64) -> F64:
    return np.einsum("...i,...i->...", a, b)[..., None]  # a third of the time of np.sum over three numbers


def _norm(a: F64) -> F64:
    return np.sqrt(_dot(a, a))


def _column(x: ArrayLike) -> F64:
    return np.asarray(x, dtype=np.float64)[..., None]


def point_gravity(r: F64, mu: ArrayLike) -> F64:
    """−μ r/|r|³ [m/s²] (design equation 1); ``r`` (…, 3) [m], ``mu`` (…) [m³/s²]."""
    return -_column(mu) * r / _norm(r) ** 3


def j2_gravity(r: F64, mu: ArrayLike, radius: ArrayLike, j2: ArrayLike, pole: F64) -> F64:
    """J2 acceleration [m/s²] about the unit vector ``pole`` (…, 3).

    Minus the gradient of the potential μ J2 R²/r³ P₂(sin φ), with P₂(x) = (3x² − 1)/2 and sin φ = r·p̂/r, taken in the
    directions of r and of the pole.
    """
    distance = _norm(r)
    sine = _dot(r, pole) / distance
    strength = _column(mu) * _column(j2) * _column(radius) ** 2 / distance**4
    along_r = 1.5 * (5.0 * sine**2 - 1.0)
    return strength * (along_r * r / distance - 3.0 * sine * pole)


def encke_difference(r_c: F64, rho: F64, mu: ArrayLike) -> F64:
    """Point-mass gravity at r_c + ρ minus that at r_c [m/s²], exact and without cancellation (design equation 4)."""
    q = _dot(rho, rho + 2.0 * r_c) / _dot(r_c, r_c)
    s = (1.0 + q) ** 1.5
    f = -q * (3.0 + 3.0 * q + q * q) / (s * (1.0 + s))
    return -_column(mu) / _norm(r_c) ** 3 * (rho + f * (r_c + rho))


def j2_difference(r_c: F64, rho: F64, mu: ArrayLike, radius: ArrayLike, j2: ArrayLike, pole: F64) -> F64:
    """J2 gravity at r_c + ρ minus that at r_c [m/s²], without subtracting the two.

    With r = d·n̂ and sin φ = n̂·p̂, the field is d⁻⁴ w(n̂); it differs by d₀⁻⁴ Δw + (d⁻⁴ − d₀⁻⁴) w(n̂), where
    Δn̂ = (ρ + r_c (d₀/d − 1) d/d₀ …)/d is formed as (ρ − n̂₀ Δd)/d and Δd = ρ·(ρ + 2 r_c)/(d + d₀).
    """
    d0 = _norm(r_c)
    d = _norm(r_c + rho)
    dd = _dot(rho, rho + 2.0 * r_c) / (d + d0)
    n0 = r_c / d0
    dn = (rho - n0 * dd) / d
    n = n0 + dn
    s0, ds = _dot(n0, pole), _dot(dn, pole)
    s = s0 + ds
    w = 1.5 * (5.0 * s**2 - 1.0) * n - 3.0 * s * pole
    dw = 7.5 * ds * (s + s0) * n + 1.5 * (5.0 * s0**2 - 1.0) * dn - 3.0 * ds * pole
    power = np.expm1(-4.0 * np.log1p(dd / d0))
    strength = _column(mu) * _column(j2) * _column(radius) ** 2 / d0**4
    return strength * (dw + power * w)


def gradient_torque(r: F64, mu: ArrayLike, tensor: F64) -> F64:
    """(3μ/r³) r̂ × (J r̂) [N·m] about the COM at ``r`` [m] of a body of inertia ``tensor`` (…, 3, 3) [kg·m²].

    World axes (Hughes, "Spacecraft Attitude Dynamics", section 8.1).
    """
    distance = _norm(r)
    r_hat = r / distance
    return 3.0 * _column(mu) / distance**3 * _quat.cross(r_hat, np.einsum("...ij,...j->...i", tensor, r_hat))


def gravity_gradient_torque(r: F64, mu: ArrayLike, ximat: F64, inertia: F64) -> F64:
    """As gradient_torque, of principal axes ``ximat`` (…, 3, 3) and moments ``inertia`` (…, 3), in these axes.

    No tensor is formed: products of stacks of 3 × 3 matrices would take most of an evaluation's time.
    """
    distance = _norm(r)
    y = np.einsum("...ji,...j->...i", ximat, r / distance)
    torque = 3.0 * _column(mu) / distance**3 * _quat.cross(y, inertia * y)
    return np.einsum("...ij,...j->...i", ximat, torque)
