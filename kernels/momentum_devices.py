"""Wheels and CMGs of one body: torque on the body, and the rates of their momentum and angle."""

import warp as wp

from mjorbit_warp.kernels.hardware import Cmgs, Commands, HardwareState, Wheels, command
from mjorbit_warp.kernels.wheel import wheel_bounds, wheel_friction


@wp.func
def wheel_loads(
    wheels: Wheels,
    commands: Commands,
    worldid: int,
    bodyid: int,
    stage: int,
    dt: float,
    omega: wp.vec3,
    site_xmat: wp.array2d[wp.mat33],
    state: HardwareState,
):
    """(motor torque on the body [N·m], stored momentum [N·m·s]) of its wheels, world axes; keeps the rotor torques.

    ḣ = T, torque −T a on the body, T = clamp(u + friction) within bounds that hold for the whole step (design
    section 9): per axis Δh + ∫ torque dt = 0 to rounding, saturation included.
    """
    torque = wp.vec3(0.0)
    momentum = wp.vec3(0.0)
    for i in range(wheels.adr[bodyid], wheels.adr[bodyid + 1]):
        axis = site_xmat[worldid, wheels.site[i]] @ wheels.axis[i]
        h = commands.act[worldid, wheels.act[i]]
        inertia = wheels.inertia[worldid % wheels.inertia.shape[0], i]
        speed = h / inertia - wp.dot(axis, omega)
        if stage <= 0:
            limit = wheels.max_speed[worldid % wheels.max_speed.shape[0], i]
            state.wheel_bounds[worldid, i] = wheel_bounds(speed, limit, inertia, dt)
        bounds = state.wheel_bounds[worldid, i]
        friction = wheel_friction(
            speed,
            wheels.coulomb[worldid % wheels.coulomb.shape[0], i],
            wheels.viscous[worldid % wheels.viscous.shape[0], i],
            wheels.stiction_speed[worldid % wheels.stiction_speed.shape[0], i],
            inertia,
            dt,
        )
        t = wp.clamp(command(commands, worldid, wheels.ctrl[i]) + friction, bounds[0], bounds[1])
        state.wheel_torque[worldid, i] = t
        torque -= t * axis
        momentum += h * axis
    return torque, momentum


@wp.func
def wheel_gravity_gradient(
    wheels: Wheels, worldid: int, bodyid: int, n: wp.vec3, site_xmat: wp.array2d[wp.mat33]
) -> wp.vec3:
    """Σ n × (J_s a aᵀ n) [kg·m²]: the rotors' axial inertia, which the body's own excludes; n unit vector up."""
    total = wp.vec3(0.0)
    for i in range(wheels.adr[bodyid], wheels.adr[bodyid + 1]):
        axis = site_xmat[worldid, wheels.site[i]] @ wheels.axis[i]
        inertia = wheels.inertia[worldid % wheels.inertia.shape[0], i]
        total += wp.cross(n, axis) * (inertia * wp.dot(axis, n))
    return total


@wp.func
def cmg_loads(
    cmgs: Cmgs,
    commands: Commands,
    worldid: int,
    bodyid: int,
    stage: int,
    dt: float,
    site_xmat: wp.array2d[wp.mat33],
    state: HardwareState,
):
    """(torque of the gimbals' motion on the body [N·m], stored momentum [N·m·s]) of its CMGs, world axes.

    s(δ) = cos δ s0 + sin δ (g×s0); torque −h0 δ̇ (g×s) (design section 4). The gimbal rate is bounded so that the angle
    ends the step within its limits.
    """
    torque = wp.vec3(0.0)
    momentum = wp.vec3(0.0)
    for i in range(cmgs.adr[bodyid], cmgs.adr[bodyid + 1]):
        xmat = site_xmat[worldid, cmgs.site[i]]
        gimbal = cmgs.axis[i]
        angle = commands.act[worldid, cmgs.act[i]]
        h0 = cmgs.momentum[worldid % cmgs.momentum.shape[0], i]
        if stage <= 0:
            lowest = cmgs.min_angle[worldid % cmgs.min_angle.shape[0], i]
            highest = cmgs.max_angle[worldid % cmgs.max_angle.shape[0], i]
            low = wp.min(0.0, (lowest - angle) / dt)
            state.gimbal_bounds[worldid, i] = wp.vec2(low, wp.max(0.0, (highest - angle) / dt))
        bounds = state.gimbal_bounds[worldid, i]
        rate = wp.clamp(command(commands, worldid, cmgs.ctrl[i]), bounds[0], bounds[1])
        state.gimbal_rate[worldid, i] = rate
        side = wp.cross(gimbal, cmgs.spin_axis[i])
        spin = wp.cos(angle) * cmgs.spin_axis[i] + wp.sin(angle) * side
        torque -= xmat @ (wp.cross(gimbal, spin) * (h0 * rate))
        momentum += xmat @ (spin * h0)
    return torque, momentum


@wp.kernel(enable_backward=False)
def _act_dot(
    # Model:
    wheels: Wheels,
    cmgs: Cmgs,
    # Data in:
    state: HardwareState,
    # Data out:
    act_dot_out: wp.array2d[float],
):
    """In MJWarp's actuation (world × part): activations advance by the torque and rate that the body has felt."""
    worldid, i = wp.tid()
    if i < state.wheel_torque.shape[1]:
        act_dot_out[worldid, wheels.act[i]] = state.wheel_torque[worldid, i]
    if i < state.gimbal_rate.shape[1]:
        act_dot_out[worldid, cmgs.act[i]] = state.gimbal_rate[worldid, i]
