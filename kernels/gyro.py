"""Gyroscopic torque of momentum stored in a body: −ω×h, in a form that single-stage integrators can take."""

import warp as wp

vec10 = wp.types.vector(length=10, dtype=float)


@wp.func
def composite_inertia(crb: vec10) -> wp.mat33:
    """Inertia of a subtree about its own COM [kg·m²], world axes; MuJoCo's crb is (Ixx Iyy Izz Ixy Ixz Iyz, m c, m)."""
    m = crb[9]
    c = wp.vec3(crb[6], crb[7], crb[8]) / m
    about_origin = wp.mat33(crb[0], crb[3], crb[4], crb[3], crb[1], crb[5], crb[4], crb[5], crb[2])
    return about_origin - m * (wp.dot(c, c) * wp.identity(n=3, dtype=float) - wp.outer(c, c))


@wp.func
def midpoint_rate(omega: wp.vec3, h: wp.vec3, inertia: wp.mat33, dt: float) -> wp.vec3:
    """ω_m = (1 − (dt/2) I⁻¹[h]×)⁻¹ ω: the rate halfway through a step of I ω̇ = h×ω (design section 9).

    −ω×h with ω at the step's start grows without bound in a single-stage integrator; with ω_m a rigid body's |ω| stays.
    """
    return wp.inverse(inertia - (0.5 * dt) * wp.skew(h)) @ (inertia @ omega)
