"""Acceleration of the reference orbit, and a whole RK4 step of it, in float64."""

from functools import cache

import warp as wp

from mjorbit_warp.effects import Effects
from mjorbit_warp.kernels.environment import EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.gravity import j2_gravity, point_gravity
from mjorbit_warp.kernels.third_body import third_body_gravity
from mjorbit_warp.kernels.types import CentralBody
from mjorbit_warp.kernels.zonal import zonal_func


@wp.func
def compensated_add(total: wp.vec3d, carry: wp.vec3d, increment: wp.vec3d):
    """Kahan's sum: (total + increment, new carry), so that hours of small steps keep the last digits of r and v."""
    y = increment + carry
    new = total + y
    return new, y - (new - total)


@cache
def orbit_funcs(effects: Effects):
    """Funcs for a gravity model chosen at build time: (gravity, rk4_orbit)."""
    zonal_gravity = zonal_func(effects.zonal)

    @wp.func
    def gravity(
        r: wp.vec3d,
        central: CentralBody,
        pole: wp.vec3d,
        model: EnvironmentModel,
        state: EnvironmentState,
        worldid: int,
    ) -> wp.vec3d:
        """Acceleration of the reference orbit [m/s²], ECI (design equation 9 without feedback)."""
        mu = central.mu[worldid % central.mu.shape[0]]
        radius = central.radius[worldid % central.radius.shape[0]]
        g = point_gravity(r, mu)
        if wp.static(effects.j2):
            g += j2_gravity(r, mu, radius, central.j2[worldid % central.j2.shape[0]], pole)
        if wp.static(effects.zonal > 2):
            g += zonal_gravity(r, mu, radius, model.zonal[worldid % model.zonal.shape[0]], pole)
        if wp.static(effects.sun):
            sun = state.sun[worldid % state.sun.shape[0]]
            g += third_body_gravity(r, sun, model.sun_mu[worldid % model.sun_mu.shape[0]])
        if wp.static(effects.moon):
            moon = state.moon[worldid % state.moon.shape[0]]
            g += third_body_gravity(r, moon, model.moon_mu[worldid % model.moon_mu.shape[0]])
        return g

    @wp.func
    def rk4_orbit(
        r: wp.vec3d,
        v: wp.vec3d,
        dt: wp.float64,
        feedback: wp.vec3d,
        central: CentralBody,
        pole: wp.vec3d,
        model: EnvironmentModel,
        state: EnvironmentState,
        worldid: int,
    ):
        """Increments (Δr [m], Δv [m/s]) of one classical RK4 step of r̈ = g(r) + feedback, Sun and Moon held."""
        h = wp.float64(0.5) * dt
        two = wp.float64(2.0)
        a0 = gravity(r, central, pole, model, state, worldid) + feedback
        v1 = v + h * a0
        a1 = gravity(r + h * v, central, pole, model, state, worldid) + feedback
        v2 = v + h * a1
        a2 = gravity(r + h * v1, central, pole, model, state, worldid) + feedback
        v3 = v + dt * a2
        a3 = gravity(r + dt * v2, central, pole, model, state, worldid) + feedback
        sixth = dt / wp.float64(6.0)
        return (v + two * (v1 + v2) + v3) * sixth, (a0 + two * (a1 + a2) + a3) * sixth

    return gravity, rk4_orbit
