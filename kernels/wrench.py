"""Loads on each body (world × body) in an evaluation; the world body's thread carries the reference orbit."""

from functools import cache

import warp as wp

from mjorbit_warp.effects import Effects
from mjorbit_warp.kernels.body_gravity import body_gravity_func
from mjorbit_warp.kernels.environment import EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.gyro import composite_inertia, midpoint_rate, vec10
from mjorbit_warp.kernels.hardware import (
    Cmgs,
    Commands,
    Dipoles,
    HardwareState,
    Magnetorquers,
    Surfaces,
    Thrusters,
    Wheels,
)
from mjorbit_warp.kernels.magnetic_field import MagneticFieldModel, field_years, magnetic_field_func
from mjorbit_warp.kernels.magnetics import body_dipole
from mjorbit_warp.kernels.momentum_devices import cmg_loads, wheel_gravity_gradient, wheel_loads
from mjorbit_warp.kernels.orbit import orbit_funcs
from mjorbit_warp.kernels.stages import stage_fraction
from mjorbit_warp.kernels.surface_loads import surface_func
from mjorbit_warp.kernels.thruster import thruster_loads
from mjorbit_warp.kernels.types import CentralBody, Clock, OrbitState


@wp.struct
class BodyState:
    """MJWarp's arrays that the loads read: frames, velocities, inertias."""

    rootid: wp.array[int]
    mass: wp.array2d[float]
    inertia: wp.array2d[wp.vec3]
    xipos: wp.array2d[wp.vec3]
    ximat: wp.array2d[wp.mat33]
    subtree_com: wp.array2d[wp.vec3]
    cvel: wp.array2d[wp.spatial_vector]
    crb: wp.array2d[vec10]
    site_xpos: wp.array2d[wp.vec3]
    site_xmat: wp.array2d[wp.mat33]


@wp.struct
class Parts:
    """All hardware and surfaces of the model."""

    wheels: Wheels
    cmgs: Cmgs
    rods: Magnetorquers
    dipoles: Dipoles
    thrusters: Thrusters
    surfaces: Surfaces


@wp.func
def stage_origin(orbit: OrbitState, stage: int, h: wp.float64, worldid: int):
    """(R, V) of the reference orbit at an RK4 stage: R_0 + c dt V_(k−1), V_0 + c dt A_(k−1)."""
    r = orbit.r[worldid]
    v = orbit.v[worldid]
    if stage > 0:
        r += h * orbit.stage_v[stage - 1, worldid]
        v += h * orbit.stage_a[stage - 1, worldid]
    return r, v


@cache
def wrench_kernel(effects: Effects):
    """Kernel of all loads, built for the effects that are on."""
    gravity, _ = orbit_funcs(effects)
    body_gravity = body_gravity_func(effects)
    surface_loads = surface_func(effects.drag, effects.wind, effects.light, effects.eclipse)
    magnetic_field = magnetic_field_func(effects.field or 1)
    surfaces_on = effects.drag or effects.light
    velocity_on = surfaces_on or effects.devices

    @wp.kernel(module="unique", enable_backward=False)
    def _wrench(
        # Model:
        opt_timestep: wp.array[float],
        central: CentralBody,
        environment_model: EnvironmentModel,
        field: MagneticFieldModel,
        parts: Parts,
        # Data in:
        bodies: BodyState,
        clock: Clock,
        commands: Commands,
        environment: EnvironmentState,
        # In:
        stage: int,
        # Data out:
        orbit: OrbitState,
        hardware: HardwareState,
        wrench_out: wp.array2d[wp.spatial_vector],
    ):
        """Force [N] and torque about the body's COM [N·m], world axes, at RK4 stage ``stage`` (−1 outside a step).

        The world body carries no load, so its thread stores V_k and A_k of the orbit for the next stage: no launch of
        its own, and no other thread reads them now.
        """
        worldid, bodyid = wp.tid()
        dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
        r = wp.vec3d()
        v = wp.vec3d()
        pole = wp.vec3d()
        if wp.static(effects.orbit):
            r, v = stage_origin(orbit, stage, stage_fraction(stage) * dt, worldid)
            pole = orbit.pole[worldid % orbit.pole.shape[0]]

        if bodyid == 0:
            if wp.static(effects.orbit):
                k = wp.max(stage, 0)
                orbit.stage_v[k, worldid] = v
                orbit.stage_a[k, worldid] = gravity(r, central, pole, environment_model, environment, worldid)
            wrench_out[worldid, 0] = wp.spatial_vector()
            return

        com = bodies.xipos[worldid, bodyid]
        force = wp.vec3(0.0)
        torque = wp.vec3(0.0)
        if wp.static(effects.orbit):
            force, torque = body_gravity(
                r,
                pole,
                central,
                environment_model,
                environment,
                worldid,
                com,
                bodies.ximat[worldid, bodyid],
                bodies.mass[worldid % bodies.mass.shape[0], bodyid],
                bodies.inertia[worldid % bodies.inertia.shape[0], bodyid],
            )
        gravity_torque = torque

        omega = wp.vec3(0.0)
        com_vel = wp.vec3(0.0)
        if wp.static(velocity_on):
            cvel = bodies.cvel[worldid, bodyid]
            omega = wp.spatial_top(cvel)
            arm = com - bodies.subtree_com[worldid, bodies.rootid[bodyid]]
            com_vel = wp.spatial_bottom(cvel) + wp.cross(omega, arm)

        external = wp.vec3(0.0)
        if wp.static(surfaces_on):
            f, t = surface_loads(
                parts.surfaces,
                environment_model,
                environment,
                worldid,
                bodyid,
                r,
                v,
                pole,
                central.radius[worldid % central.radius.shape[0]],
                com,
                com_vel,
                omega,
                bodies.site_xpos,
                bodies.site_xmat,
            )
            external += f
            torque += t
        if wp.static(effects.thrusters):
            f, t = thruster_loads(
                parts.thrusters,
                commands,
                worldid,
                bodyid,
                stage,
                clock.time[worldid],
                dt,
                com,
                bodies.site_xpos,
                bodies.site_xmat,
                hardware,
                wp.static(effects.coupled),
            )
            external += f
            torque += t
        if wp.static(effects.field > 0):
            dipole = body_dipole(
                parts.rods, parts.dipoles, commands, worldid, bodyid, bodies.site_xmat, wp.static(effects.rods)
            )
            if wp.length_sq(dipole) > 0.0:
                axes = environment.ecef[worldid]
                years = field_years(environment.t[worldid], worldid, field)
                b = magnetic_field(axes @ (r + wp.vec3d(com)), years, worldid, field)
                torque += wp.cross(dipole, wp.vec3(wp.transpose(axes) @ b))
        if wp.static(effects.keep_torque):
            hardware.torque[worldid, bodyid] = torque - gravity_torque
        if wp.static(effects.devices):
            momentum = wp.vec3(0.0)
            if wp.static(effects.wheels):
                t, h = wheel_loads(
                    parts.wheels,
                    commands,
                    worldid,
                    bodyid,
                    stage,
                    float(dt),
                    omega,
                    bodies.site_xmat,
                    hardware,
                )
                torque += t
                momentum += h
                if wp.static(effects.orbit and effects.gravity_gradient):
                    at = r + wp.vec3d(com)
                    distance = wp.length(at)
                    mu = central.mu[worldid % central.mu.shape[0]]
                    rate2 = float(wp.float64(3.0) * mu / (distance * distance * distance))
                    n = wp.vec3(at / distance)
                    torque += rate2 * wheel_gravity_gradient(parts.wheels, worldid, bodyid, n, bodies.site_xmat)
            if wp.static(effects.cmgs):
                t, h = cmg_loads(parts.cmgs, commands, worldid, bodyid, stage, float(dt), bodies.site_xmat, hardware)
                torque += t
                momentum += h
            rate = omega
            if wp.static(not effects.coupled):
                if wp.length_sq(momentum) > 0.0:
                    rate = midpoint_rate(omega, momentum, composite_inertia(bodies.crb[worldid, bodyid]), float(dt))
            torque -= wp.cross(rate, momentum)

        if wp.static(surfaces_on or effects.thrusters):
            hardware.force[worldid, bodyid] = external
        wrench_out[worldid, bodyid] = wp.spatial_vector(force + external, torque)

    return _wrench
