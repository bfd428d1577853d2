"""The reference orbit: one stage of the coupled RK4, and a whole RK4 step, in float64."""

import warp as wp

from mjorbit_warp.kernels.gravity import j2_gravity, point_gravity


@wp.func
def stage_fraction(stage: int) -> wp.float64:
    """Time of an RK4 stage as a fraction of the step: 0, ½, ½, 1 (the classical tableau)."""
    if stage == 0:
        return wp.float64(0.0)
    if stage == 3:
        return wp.float64(1.0)
    return wp.float64(0.5)


@wp.func
def compensated_add(total: wp.vec3d, carry: wp.vec3d, increment: wp.vec3d):
    """Kahan's sum: (total + increment, new carry), so that hours of small steps keep the last digits of r and v."""
    y = increment + carry
    new = total + y
    return new, y - (new - total)


def orbit_funcs(j2: bool):
    """Funcs for a gravity model chosen at build time: (gravity, rk4_orbit)."""

    @wp.func
    def gravity(r: wp.vec3d, mu: wp.float64, radius: wp.float64, j2_coef: wp.float64, pole: wp.vec3d) -> wp.vec3d:
        """Acceleration of the reference orbit [m/s²], ECI (design equation 9 without feedback)."""
        g = point_gravity(r, mu)
        if wp.static(j2):
            g += j2_gravity(r, mu, radius, j2_coef, pole)
        return g

    @wp.func
    def rk4_orbit(
        r: wp.vec3d,
        v: wp.vec3d,
        dt: wp.float64,
        mu: wp.float64,
        radius: wp.float64,
        j2_coef: wp.float64,
        pole: wp.vec3d,
    ):
        """Increments (Δr [m], Δv [m/s]) of one classical RK4 step of r̈ = g(r)."""
        h = wp.float64(0.5) * dt
        two = wp.float64(2.0)
        a0 = gravity(r, mu, radius, j2_coef, pole)
        v1 = v + h * a0
        a1 = gravity(r + h * v, mu, radius, j2_coef, pole)
        v2 = v + h * a1
        a2 = gravity(r + h * v1, mu, radius, j2_coef, pole)
        v3 = v + dt * a2
        a3 = gravity(r + dt * v2, mu, radius, j2_coef, pole)
        sixth = dt / wp.float64(6.0)
        return (v + two * (v1 + v2) + v3) * sixth, (a0 + two * (a1 + a2) + a3) * sixth

    return gravity, rk4_orbit
