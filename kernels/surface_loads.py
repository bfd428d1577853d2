"""Drag and sunlight on all surfaces of one body."""

from functools import cache

import warp as wp

from mjorbit_warp.kernels.atmosphere import altitude, density
from mjorbit_warp.kernels.eclipse import eclipse_conical, eclipse_cylindrical
from mjorbit_warp.kernels.environment import EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.hardware import Surfaces
from mjorbit_warp.kernels.surfaces import drag_force, srp_force

LIGHT_SPEED = 299792458.0  # exact, SI [m/s]
AU = 149597870700.0  # exact, IAU 2012 resolution B2 [m]


@wp.func
def air_velocity(r: wp.vec3d, pole: wp.vec3d, rate: wp.float64) -> wp.vec3d:
    """Velocity Ω×r of air that turns with the central body [m/s], ECI."""
    return wp.cross(pole, r) * rate


@wp.func
def wind_eci(r: wp.vec3d, pole: wp.vec3d, wind: wp.vec3) -> wp.vec3d:
    """(east, north, up) at ``r`` into ECI; east is x of the axes if r is on the pole."""
    up = wp.normalize(r)
    east = wp.cross(pole, up)
    if wp.length(east) < wp.float64(1e-9):
        east = wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0))
    east = wp.normalize(east)
    w = wp.vec3d(wind)
    return w[0] * east + w[1] * wp.cross(up, east) + w[2] * up


@wp.func
def ellipsoid_normal(r: wp.vec3d, pole: wp.vec3d, radius: wp.float64, flattening: wp.float64) -> wp.vec3:
    """Direction in which the altitude grows, to the square of the flattening: 1e-5 rad for Earth.

    The radial direction turned towards the pole by e² sin φ cos φ R/r.
    """
    distance = wp.length(r)
    u = r / distance
    z = wp.dot(u, pole)
    e2 = flattening * (wp.float64(2.0) - flattening)
    return wp.vec3(wp.normalize(u + (e2 * z * radius / distance) * (pole - z * u)))


@cache
def surface_func(drag: bool, wind: bool, light: bool, eclipse: str):
    """Func of the loads on a body's surfaces, built for what is on."""

    @wp.func
    def surface_loads(
        surfaces: Surfaces,
        model: EnvironmentModel,
        state: EnvironmentState,
        worldid: int,
        bodyid: int,
        r: wp.vec3d,
        v: wp.vec3d,
        pole: wp.vec3d,
        radius: wp.float64,
        com: wp.vec3,
        com_vel: wp.vec3,
        omega: wp.vec3,
        site_xpos: wp.array2d[wp.vec3],
        site_xmat: wp.array2d[wp.mat33],
    ):
        """(force [N], torque about the COM [N·m]), world axes.

        ``r``, ``v`` of the orbit [m], [m/s]; ``com``, ``com_vel`` of the body relative to it, ``omega`` of the body
        [rad/s]. Density and shadow are those at each surface's own position; its altitude is that of the body's COM
        plus the way along the ellipsoid's normal, right to 1e-5 of the distance between them.
        """
        force = wp.vec3(0.0)
        torque = wp.vec3(0.0)
        first = surfaces.adr[bodyid]
        last = surfaces.adr[bodyid + 1]
        if first == last:
            return force, torque

        u = wp.vec3(0.0)
        at_body = r + wp.vec3d(com)
        height = wp.float64(0.0)
        up = wp.vec3(0.0)
        if wp.static(drag):
            flattening = model.flattening[worldid % model.flattening.shape[0]]
            height = altitude(at_body, pole, radius, flattening)
            up = ellipsoid_normal(at_body, pole, radius, flattening)
            air = air_velocity(at_body, pole, model.air_rate[worldid % model.air_rate.shape[0]])
            if wp.static(wind):
                air += wind_eci(at_body, pole, model.wind[worldid % model.wind.shape[0]])
            u = wp.vec3(v - air) + com_vel
        sun = wp.vec3d()
        to_sun = wp.vec3(0.0)
        pressure = float(0.0)
        if wp.static(light):  # the Sun is far: its direction and distance are those at the body
            sun = state.sun[worldid % state.sun.shape[0]]
            d = sun - at_body
            distance = wp.length(d)
            to_sun = wp.vec3(d / distance)
            ratio = float(wp.float64(wp.static(AU)) / distance)
            flux = model.solar_flux[worldid % model.solar_flux.shape[0]]
            pressure = flux * ratio * ratio / wp.static(LIGHT_SPEED)
        for i in range(first, last):
            site = surfaces.site[i]
            x = site_xpos[worldid, site]
            xmat = site_xmat[worldid, site]
            normal = wp.vec3(xmat[0, 2], xmat[1, 2], xmat[2, 2])
            arm = x - com
            area = surfaces.area[worldid % surfaces.area.shape[0], i]
            f = wp.vec3(0.0)
            if wp.static(drag):
                h = height + wp.float64(wp.dot(up, arm))
                rho = density(h, model.table_altitude, model.table_density, model.table_scale)
                scaled = float(rho) * model.density_scale[worldid % model.density_scale.shape[0]]
                coefficient = surfaces.drag[worldid % surfaces.drag.shape[0], i]
                speed = u + wp.cross(omega, arm)
                f += drag_force(normal, speed, scaled, coefficient, area, surfaces.two_sided[i], surfaces.sphere[i])
            if wp.static(light):
                at = r + wp.vec3d(x)
                lit = wp.float64(1.0)
                if wp.static(eclipse == "conical"):
                    lit = eclipse_conical(
                        at,
                        sun,
                        model.sun_radius[worldid % model.sun_radius.shape[0]],
                        model.eclipse_radius[worldid % model.eclipse_radius.shape[0]],
                    )
                if wp.static(eclipse == "cylindrical"):
                    lit = eclipse_cylindrical(at, sun, model.eclipse_radius[worldid % model.eclipse_radius.shape[0]])
                f += srp_force(
                    normal,
                    to_sun,
                    pressure * float(lit),
                    area,
                    surfaces.specular[worldid % surfaces.specular.shape[0], i],
                    surfaces.diffuse[worldid % surfaces.diffuse.shape[0], i],
                    surfaces.reflectivity[worldid % surfaces.reflectivity.shape[0], i],
                    surfaces.two_sided[i],
                    surfaces.sphere[i],
                )
            force += f
            torque += wp.cross(arm, f)
        return force, torque

    return surface_loads
