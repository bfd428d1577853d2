"""All gravity on one body near the reference orbit, relative to that on the orbit's origin."""

from functools import cache

import warp as wp

from mjorbit_warp.effects import Effects
from mjorbit_warp.kernels.environment import EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.gravity import encke_difference, gravity_gradient_torque, j2_difference
from mjorbit_warp.kernels.types import CentralBody
from mjorbit_warp.kernels.zonal import zonal_func


@wp.func
def tidal_difference(r: wp.vec3d, s: wp.vec3d, mu: wp.float64, rho: wp.vec3) -> wp.vec3:
    """Pull of a third body at r + ρ minus that at r [m/s²]: Encke's difference about the third body at ``s``."""
    d = r - s
    inverse = wp.float64(1.0) / wp.length(d)
    return encke_difference(wp.vec3(d * inverse), rho * float(inverse), float(mu * inverse * inverse))


@cache
def body_gravity_func(effects: Effects):
    """Func of a body's gravity, built for what is on."""
    zonal_gravity = zonal_func(effects.zonal)

    @wp.func
    def body_gravity(
        r: wp.vec3d,
        pole: wp.vec3d,
        central: CentralBody,
        model: EnvironmentModel,
        state: EnvironmentState,
        worldid: int,
        rho: wp.vec3,
        ximat: wp.mat33,
        mass: float,
        inertia: wp.vec3,
    ):
        """(force [N], torque about the COM [N·m]), world axes; ``r`` of the origin, ``rho`` of the COM from it [m]."""
        mu = central.mu[worldid % central.mu.shape[0]]
        radius = central.radius[worldid % central.radius.shape[0]]
        inverse = wp.float64(1.0) / wp.length(r)
        u = wp.vec3(r * inverse)
        eps = rho * float(inverse)
        g = mu * inverse * inverse
        acceleration = encke_difference(u, eps, float(g))
        if wp.static(effects.j2):
            ratio = radius * inverse
            g2 = wp.float64(1.5) * central.j2[worldid % central.j2.shape[0]] * g * ratio * ratio
            acceleration += j2_difference(u, eps, wp.vec3(pole), float(g2))
        if wp.static(effects.zonal > 2):
            # J3 … J6 are 1e-5 of g: their float64 difference is right to 1e-20 m/s²
            zonal = model.zonal[worldid % model.zonal.shape[0]]
            there = zonal_gravity(r + wp.vec3d(rho), mu, radius, zonal, pole)
            acceleration += wp.vec3(there - zonal_gravity(r, mu, radius, zonal, pole))
        if wp.static(effects.sun):
            sun = state.sun[worldid % state.sun.shape[0]]
            acceleration += tidal_difference(r, sun, model.sun_mu[worldid % model.sun_mu.shape[0]], rho)
        if wp.static(effects.moon):
            moon = state.moon[worldid % state.moon.shape[0]]
            acceleration += tidal_difference(r, moon, model.moon_mu[worldid % model.moon_mu.shape[0]], rho)
        torque = wp.vec3(0.0)
        if wp.static(effects.gravity_gradient):
            torque = gravity_gradient_torque(u, eps, float(g * inverse), ximat, inertia)
        return mass * acceleration, torque

    return body_gravity
