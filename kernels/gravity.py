"""Gravity on a body near the reference orbit: differences without cancellation, and the gravity-gradient torque."""

import warp as wp


@wp.func
def point_gravity(r: wp.vec3d, mu: wp.float64) -> wp.vec3d:
    """Point-mass acceleration −μ r/|r|³ [m/s²] at ``r`` [m], ECI axes, float64 (design equation 1)."""
    r2 = wp.dot(r, r)
    return r * (-mu / (r2 * wp.sqrt(r2)))


@wp.func
def j2_gravity(r: wp.vec3d, mu: wp.float64, radius: wp.float64, j2: wp.float64, pole: wp.vec3d) -> wp.vec3d:
    """J2 acceleration [m/s²] at ``r`` [m] about the unit vector ``pole``, ECI axes, float64.

    (3/2) J2 μ R²/r⁵ [(5 z²/r² − 1) r − 2 z p̂], z = r·p̂: the component form of Vallado, "Fundamentals of
    Astrodynamics", 4th ed., section 8.7.1, written for any pole.
    """
    r2 = wp.dot(r, r)
    z = wp.dot(r, pole)
    scale = wp.float64(1.5) * j2 * mu * radius * radius / (r2 * r2 * wp.sqrt(r2))
    return ((wp.float64(5.0) * z * z / r2 - wp.float64(1.0)) * r - wp.float64(2.0) * z * pole) * scale


@wp.func
def inverse_distance_change(q: float) -> float:
    """(1 + q)^(−1/2) − 1 without cancellation: q = |r_c + ρ|²/|r_c|² − 1 is small."""
    p = wp.sqrt(1.0 + q)
    return -q / (p * (1.0 + p))


@wp.func
def encke_difference(u: wp.vec3, eps: wp.vec3, g: float) -> wp.vec3:
    """Point-mass gravity at r_c + ρ minus that at r_c [m/s²] (design equation 4).

    ``u`` = r_c/|r_c|, ``eps`` = ρ/|r_c|, ``g`` = μ/|r_c|² [m/s²]; ECI axes. Exact: with y = |r_c|/|r_c + ρ|,
    Δg = −g [ε y³ + (y³ − 1) u], and y³ − 1 = (y − 1)(1 + y + y²) is formed from y − 1 directly.
    """
    w = inverse_distance_change(wp.dot(eps, eps + 2.0 * u))
    y = 1.0 + w
    y3m1 = w * (1.0 + y * (1.0 + y))
    return (eps * (1.0 + y3m1) + u * y3m1) * (-g)


@wp.func
def j2_difference(u: wp.vec3, eps: wp.vec3, pole: wp.vec3, g2: float) -> wp.vec3:
    """J2 gravity at r_c + ρ minus that at r_c [m/s²], ECI axes, without subtracting the two.

    ``u``, ``eps`` as in encke_difference, ``pole`` the body's pole, ``g2`` = (3/2) J2 μ R²/|r_c|⁴ [m/s²]. Each product
    of j2_gravity is expanded about r_c with s = u·p̂, σ = ε·p̂, y = |r_c|/|r_c + ρ|:
    Δ(z² r/r⁷) = y⁷[(s+σ)² ε + σ(2s+σ) u] + (y⁷−1) s² u; Δ(r/r⁵) = y⁵ ε + (y⁵−1) u; Δ(z/r⁵) = y⁵ σ + (y⁵−1) s.
    """
    w = inverse_distance_change(wp.dot(eps, eps + 2.0 * u))
    y = 1.0 + w
    y5m1 = w * (1.0 + y * (1.0 + y * (1.0 + y * (1.0 + y))))
    y7m1 = w * (1.0 + y * (1.0 + y * (1.0 + y * (1.0 + y * (1.0 + y * (1.0 + y))))))
    s = wp.dot(u, pole)
    sig = wp.dot(eps, pole)
    s1 = s + sig
    zzr = (eps * (s1 * s1) + u * (sig * (s + s1))) * (1.0 + y7m1) + u * (s * s * y7m1)
    rr = eps * (1.0 + y5m1) + u * y5m1
    z = sig * (1.0 + y5m1) + s * y5m1
    return (zzr * 5.0 - rr - pole * (2.0 * z)) * g2


@wp.func
def gravity_gradient_torque(u: wp.vec3, eps: wp.vec3, n2: float, ximat: wp.mat33, inertia: wp.vec3) -> wp.vec3:
    """Gravity-gradient torque (3μ/r³) r̂ × (J r̂) [N·m] about the body's COM, ECI (= world) axes.

    ``u``, ``eps`` as in encke_difference (r̂ is at the body, not at the origin), ``n2`` = μ/|r_c|³ [1/s²], ``ximat``
    the principal axes, ``inertia`` the principal moments [kg·m²] (Hughes, "Spacecraft Attitude Dynamics", section 8.1).
    """
    y = 1.0 + inverse_distance_change(wp.dot(eps, eps + 2.0 * u))
    n = wp.transpose(ximat) @ ((u + eps) * y)
    torque = wp.vec3(
        (inertia[2] - inertia[1]) * n[1] * n[2],
        (inertia[0] - inertia[2]) * n[2] * n[0],
        (inertia[1] - inertia[0]) * n[0] * n[1],
    )
    return ximat @ (torque * (3.0 * n2 * y * y * y))
