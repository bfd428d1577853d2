"""What each type of sensor measures, without errors: float64 where float32 would lose what is measured."""

from functools import cache

import warp as wp

from mjorbit_warp.kernels.atmosphere import altitude
from mjorbit_warp.kernels.body_gravity import body_gravity_func
from mjorbit_warp.kernels.eclipse import eclipse_conical, eclipse_cylindrical
from mjorbit_warp.kernels.environment import BodyAxes, EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.hardware import Wheels
from mjorbit_warp.kernels.magnetic_field import MagneticFieldModel, field_years, magnetic_field_func
from mjorbit_warp.kernels.quaternion import quat_product
from mjorbit_warp.kernels.sensor_motion import (
    in_site,
    quat_turned,
    scalar,
    site_acceleration,
    site_velocity,
)
from mjorbit_warp.kernels.sensor_types import Motion, Sensors, vec6d
from mjorbit_warp.kernels.types import CentralBody, OrbitState
from mjorbit_warp.sensor_effects import KINDS, SensorEffects


@wp.func
def wheel_speed(wheels: Wheels, j: int, body: int, worldid: int, motion: Motion) -> vec6d:
    """Ω = h/J_s − a·ω of wheel ``j`` relative to the body that carries it [rad/s]."""
    axis = motion.site_xmat[worldid, wheels.site[j]] @ wheels.axis[j]
    h = motion.act[worldid, wheels.act[j]]
    omega = wp.spatial_top(motion.cvel[worldid, body])
    return scalar(wp.float64(h / wheels.inertia[worldid % wheels.inertia.shape[0], j] - wp.dot(axis, omega)))


@wp.func
def gps(
    at: wp.vec3d,
    v: wp.vec3d,
    ecef: bool,
    axes: wp.mat33d,
    pole: wp.vec3d,
    rate: wp.float64,
) -> vec6d:
    """(position [m], velocity [m/s]) in ECI, or in body-fixed axes: A r and A (v − Ω×r)."""
    x = at
    u = v
    if ecef:
        x = axes @ at
        u = axes @ (v - rate * wp.cross(pole, at))
    return vec6d(x[0], x[1], x[2], u[0], u[1], u[2])


@cache
def sunlight_func(eclipse: str):
    """Func of the sunlit fraction, for a kind of shadow."""

    @wp.func
    def sunlight(at: wp.vec3d, sun: wp.vec3d, model: EnvironmentModel, worldid: int) -> wp.float64:
        """Sunlit fraction in [0, 1] at ``at``, ECI [m]."""
        lit = wp.float64(1.0)
        body_radius = model.eclipse_radius[worldid % model.eclipse_radius.shape[0]]
        if wp.static(eclipse == "conical"):
            lit = eclipse_conical(at, sun, model.sun_radius[worldid % model.sun_radius.shape[0]], body_radius)
        if wp.static(eclipse == "cylindrical"):
            lit = eclipse_cylindrical(at, sun, body_radius)
        return lit

    return sunlight


@cache
def truth_func(effects: SensorEffects):
    """Func of a sensor's output without errors, for the types that a model has."""
    types = effects.types
    on_site = any(name != "wheel_speed" for name in types)
    absolute = any(name in types for name in ("magnetometer", "gps", "nadir", "altitude"))
    sun_sensor = any(name in types for name in ("coarse_sun_sensor", "fine_sun_sensor"))
    absolute = absolute or sun_sensor
    sunlight = sunlight_func(effects.eclipse)
    magnetic_field = magnetic_field_func(effects.field or 1)
    body_gravity = body_gravity_func(effects.gravity)
    in_orbit = effects.gravity.orbit
    feedback = effects.gravity.feedback

    @wp.func
    def truth(
        sensors: Sensors,
        i: int,
        worldid: int,
        central: CentralBody,
        model: EnvironmentModel,
        state: EnvironmentState,
        axes: BodyAxes,
        field: MagneticFieldModel,
        wheels: Wheels,
        motion: Motion,
        orbit: OrbitState,
    ) -> vec6d:
        """Output of sensor ``i``, see hardware.Sensor."""
        kind = sensors.kind[i]
        site = sensors.site[i]
        out = vec6d()
        if wp.static("wheel_speed" in types):
            if kind == wp.static(KINDS["wheel_speed"]):
                j = sensors.wheel[i]
                body = motion.site_bodyid[wheels.site[j]]
                return wheel_speed(wheels, j, body, worldid, motion)
        if wp.static(on_site):
            position = motion.site_xpos[worldid, site]
            at = wp.vec3d(position)
            if wp.static(absolute):
                at += orbit.r[worldid]
            if wp.static("gyro" in types):
                if kind == wp.static(KINDS["gyro"]):
                    omega = wp.spatial_top(motion.cvel[worldid, motion.site_bodyid[site]])
                    out = in_site(motion, worldid, site, wp.vec3d(omega))
            if wp.static("star_tracker" in types):
                if kind == wp.static(KINDS["star_tracker"]):
                    body_quat = motion.xquat[worldid, motion.site_bodyid[site]]
                    q = quat_product(body_quat, motion.site_quat[worldid % motion.site_quat.shape[0], site])
                    q = quat_turned(q, wp.vec3(0.0))
                    zero = wp.float64(0.0)
                    out = vec6d(wp.float64(q[0]), wp.float64(q[1]), wp.float64(q[2]), wp.float64(q[3]), zero, zero)
            if wp.static("accelerometer" in types):
                if kind == wp.static(KINDS["accelerometer"]):
                    # a_site + (g(R) + a_fb) − g(R + ρ): the two gravities are differenced, not subtracted
                    f = site_acceleration(motion, worldid, site)
                    if wp.static(in_orbit):
                        tide, _ = body_gravity(
                            orbit.r[worldid],
                            orbit.pole[worldid % orbit.pole.shape[0]],
                            central,
                            model,
                            state,
                            worldid,
                            position,
                            wp.mat33(0.0),
                            1.0,
                            wp.vec3(0.0),
                        )
                        f -= tide
                        if wp.static(feedback):
                            f += wp.vec3(orbit.feedback[worldid])
                    out = in_site(motion, worldid, site, wp.vec3d(f))
            if wp.static("nadir" in types):
                if kind == wp.static(KINDS["nadir"]):
                    out = in_site(motion, worldid, site, -wp.normalize(at))
            if wp.static("altitude" in types):
                if kind == wp.static(KINDS["altitude"]):
                    pole = orbit.pole[worldid % orbit.pole.shape[0]]
                    radius = central.radius[worldid % central.radius.shape[0]]
                    flattening = sensors.flattening[worldid % sensors.flattening.shape[0]]
                    out = scalar(altitude(at, pole, radius, flattening))
            if wp.static("gps" in types):
                if kind == wp.static(KINDS["gps"]):
                    v = orbit.v[worldid] + wp.vec3d(site_velocity(motion, worldid, site))
                    pole = orbit.pole[worldid % orbit.pole.shape[0]]
                    rate = axes.rate[worldid % axes.rate.shape[0]]
                    out = gps(at, v, sensors.ecef[i], state.ecef[worldid], pole, rate)
            if wp.static(effects.field > 0):
                if kind == wp.static(KINDS["magnetometer"]):
                    ecef = state.ecef[worldid]
                    b = magnetic_field(ecef @ at, field_years(state.t[worldid], worldid, field), worldid, field)
                    out = in_site(motion, worldid, site, wp.transpose(ecef) @ b)
            if wp.static(sun_sensor):
                coarse = kind == wp.static(KINDS["coarse_sun_sensor"])
                fine = kind == wp.static(KINDS["fine_sun_sensor"])
                if coarse or fine:
                    sun = state.sun[worldid % state.sun.shape[0]]
                    to_sun = in_site(motion, worldid, site, wp.normalize(sun - at))
                    # the z component is the cosine of the angle from the axis
                    half_angle = sensors.half_angle[worldid % sensors.half_angle.shape[0], i]
                    if half_angle >= wp.static(wp.PI) or to_sun[2] >= wp.float64(wp.cos(half_angle)):
                        lit = sunlight(at, sun, model, worldid)
                        if coarse:
                            out = scalar(lit * wp.max(to_sun[2], wp.float64(0.0)))
                        elif lit > wp.float64(0.0):
                            out = to_sun
        return out

    return truth
