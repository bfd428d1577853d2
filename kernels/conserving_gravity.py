"""Gravity on one body near the reference orbit in float64, relative to that on the orbit's origin."""

from functools import cache

import warp as wp

from mjorbit_warp.effects import Effects
from mjorbit_warp.kernels.environment import EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.gravity import j2_gravity
from mjorbit_warp.kernels.third_body import third_body_gravity
from mjorbit_warp.kernels.types import CentralBody
from mjorbit_warp.kernels.zonal import zonal_func


@wp.func
def encke_difference_d(u: wp.vec3d, eps: wp.vec3d, g: wp.float64) -> wp.vec3d:
    """encke_difference of kernels.gravity in float64: point-mass gravity at r_c + ρ minus that at r_c [m/s²]."""
    one = wp.float64(1.0)
    q = wp.dot(eps, eps + wp.float64(2.0) * u)
    p = wp.sqrt(one + q)
    y = one / p
    y3m1 = -q / (p * (one + p)) * (one + y * (one + y))
    return (eps * (one + y3m1) + u * y3m1) * (-g)


@cache
def difference_func(effects: Effects):
    """Func of the acceleration of a point relative to the origin's, built for what is on."""
    zonal_gravity = zonal_func(effects.zonal)

    @wp.func
    def gravity_difference(
        r: wp.vec3d,
        rho: wp.vec3d,
        pole: wp.vec3d,
        central: CentralBody,
        model: EnvironmentModel,
        state: EnvironmentState,
        worldid: int,
    ) -> wp.vec3d:
        """g(r + ρ) − g(r) [m/s²], ECI axes.

        The point mass by Encke's difference; J2 and smaller terms are 1e-3 of it at most, so that their plain float64
        difference is right to 1e-18 m/s².
        """
        mu = central.mu[worldid % central.mu.shape[0]]
        inverse = wp.float64(1.0) / wp.length(r)
        a = encke_difference_d(r * inverse, rho * inverse, mu * inverse * inverse)
        there = r + rho
        if wp.static(effects.j2):
            radius = central.radius[worldid % central.radius.shape[0]]
            j2 = central.j2[worldid % central.j2.shape[0]]
            a += j2_gravity(there, mu, radius, j2, pole) - j2_gravity(r, mu, radius, j2, pole)
        if wp.static(effects.zonal > 2):
            size = central.radius[worldid % central.radius.shape[0]]
            zonal = model.zonal[worldid % model.zonal.shape[0]]
            a += zonal_gravity(there, mu, size, zonal, pole) - zonal_gravity(r, mu, size, zonal, pole)
        if wp.static(effects.sun):
            sun = state.sun[worldid % state.sun.shape[0]]
            sun_mu = model.sun_mu[worldid % model.sun_mu.shape[0]]
            a += third_body_gravity(there, sun, sun_mu) - third_body_gravity(r, sun, sun_mu)
        if wp.static(effects.moon):
            moon = state.moon[worldid % state.moon.shape[0]]
            moon_mu = model.moon_mu[worldid % model.moon_mu.shape[0]]
            a += third_body_gravity(there, moon, moon_mu) - third_body_gravity(r, moon, moon_mu)
        return a

    return gravity_difference
