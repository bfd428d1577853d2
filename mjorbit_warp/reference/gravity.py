"""Gravity on a body near the reference orbit, in float64 over leading dimensions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjorbit_warp._vector import cross, dot, norm, turn, turn_back

F64 = NDArray[np.float64]


def _column(x: ArrayLike) -> F64:
    return np.asarray(x, dtype=np.float64)[..., None]


def point_gravity(r: F64, mu: ArrayLike) -> F64:
    """−μ r/|r|³ [m/s²] (design equation 1); ``r`` (…, 3) [m], ``mu`` (…) [m³/s²]."""
    squared = dot(r, r)
    return -_column(mu) / (squared * np.sqrt(squared)) * r


def j2_gravity(r: F64, mu: ArrayLike, radius: ArrayLike, j2: ArrayLike, pole: F64) -> F64:
    """J2 acceleration [m/s²] about the unit vector ``pole`` (…, 3).

    Minus the gradient of the potential μ J2 R²/r³ P₂(sin φ), with P₂(x) = (3x² − 1)/2 and sin φ = r·p̂/r, taken in the
    directions of r and of the pole.
    """
    distance = norm(r)
    sine = dot(r, pole) / distance
    strength = _column(mu) * _column(j2) * _column(radius) ** 2 / (distance**2) ** 2
    return (1.5 * strength * (5.0 * sine**2 - 1.0) / distance) * r - (3.0 * strength * sine) * pole


def encke_difference(r_c: F64, rho: F64, mu: ArrayLike) -> F64:
    """Point-mass gravity at r_c + ρ minus that at r_c [m/s²], exact and without cancellation (design equation 4)."""
    squared = dot(r_c, r_c)
    q = dot(rho, rho + 2.0 * r_c) / squared
    s = 1.0 + q
    s = s * np.sqrt(s)
    f = -q * (3.0 + q * (3.0 + q)) / (s * (1.0 + s))
    rate = -_column(mu) / (squared * np.sqrt(squared))  # of the free oscillation, squared
    return rate * (1.0 + f) * rho + (rate * f) * r_c


def j2_difference(r_c: F64, rho: F64, mu: ArrayLike, radius: ArrayLike, j2: ArrayLike, pole: F64) -> F64:
    """J2 gravity at r_c + ρ minus that at r_c [m/s²], without subtracting the two.

    With r = d·n̂ and s = sin φ = n̂·p̂, the field is d⁻⁴ w(n̂), w = (3/2)(5s² − 1) n̂ − 3s p̂; it differs by
    d₀⁻⁴ Δw + (d⁻⁴ − d₀⁻⁴) w, where Δd = ρ·(ρ + 2 r_c)/(d + d₀), Δn̂ = (ρ − n̂₀ Δd)/d, Δs = Δn̂·p̂ and
    Δw = (15/2) Δs (s + s₀) n̂ + (3/2)(5s₀² − 1) Δn̂ − 3 Δs p̂: a sum along n̂₀, Δn̂ and p̂, and so along r_c, ρ and p̂.
    """
    d0 = norm(r_c)
    change = dot(rho, rho + 2.0 * r_c)
    d = np.sqrt(d0 * d0 + change)
    dd = change / (d + d0)
    s0 = dot(r_c, pole) / d0
    ds = (dot(rho, pole) - s0 * dd) / d
    s = s0 + ds
    x = dd / d0
    once = 1.0 / (1.0 + x)
    power = -x * (4.0 + x * (6.0 + x * (4.0 + x))) * (once * once) ** 2  # (d/d₀)⁻⁴ − 1
    along_n = 7.5 * ds * (s + s0) + power * (7.5 * s * s - 1.5)
    along_dn = (along_n + (7.5 * s0 * s0 - 1.5)) / d
    strength = _column(mu) * _column(j2) * _column(radius) ** 2 / (d0 * d0) ** 2
    along_r_c = strength / d0 * (along_n - along_dn * dd)
    return (strength * along_dn) * rho + along_r_c * r_c - (3.0 * strength * (ds + power * s)) * pole


def gradient_torque(r: F64, mu: ArrayLike, tensor: F64) -> F64:
    """(3μ/r³) r̂ × (J r̂) [N·m] about the COM at ``r`` [m] of a body of inertia ``tensor`` (…, 3, 3) [kg·m²].

    World axes (Hughes, "Spacecraft Attitude Dynamics", section 8.1).
    """
    squared = dot(r, r)
    return cross((3.0 * _column(mu) / (squared * squared * np.sqrt(squared))) * r, turn(tensor, r))


def gravity_gradient_torque(r: F64, mu: ArrayLike, ximat: F64, inertia: F64) -> F64:
    """As gradient_torque, of principal axes ``ximat`` (…, 3, 3) and moments ``inertia`` (…, 3), in these axes.

    No tensor is formed: products of stacks of 3 × 3 matrices would take most of an evaluation's time.
    """
    squared = dot(r, r)
    y = turn_back(ximat, r)
    scaled = (3.0 * _column(mu) / (squared * squared * np.sqrt(squared))) * y
    return turn(ximat, cross(scaled, inertia * y))
