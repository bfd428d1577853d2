"""Thrusters of one body."""

import warp as wp

from mjorbit_warp.kernels.hardware import Commands, HardwareState, Thrusters, command
from mjorbit_warp.kernels.stages import stage_weight


@wp.func
def on_off_thrust(u: float, largest: float, min_pulse: wp.float64, now: wp.float64, until: wp.float64, dt: wp.float64):
    """(mean force over the step, time up to which the pulse lasts) of an on-off thruster.

    It fires at the largest force where at least half of it is commanded, and for ``min_pulse`` at least; what is left
    of a pulse after the command has ended is spread over the step, so that its impulse is right at any step.
    """
    left = wp.clamp((until - now) / dt, wp.float64(0.0), wp.float64(1.0))
    end = until
    if u >= 0.5 * largest and largest > 0.0:
        if until <= now:
            end = now + min_pulse
        left = wp.float64(1.0)
    return largest * float(left), end


@wp.func
def thruster_loads(
    thrusters: Thrusters,
    commands: Commands,
    worldid: int,
    bodyid: int,
    stage: int,
    now: wp.float64,
    dt: wp.float64,
    com: wp.vec3,
    site_xpos: wp.array2d[wp.vec3],
    site_xmat: wp.array2d[wp.mat33],
    state: HardwareState,
    coupled: bool,
):
    """(force [N], torque about ``com`` [N·m]) of a body's thrusters, world axes: force ≥ 0 along the site's axis.

    An on-off thruster decides at the step's start, ``now`` [s], and keeps its force over the step; outside a step
    (stage −1) it shows what it would do. An empty tank gives none. ``coupled``: RK4, whose stages add to the step's
    impulse by their weights.
    """
    force = wp.vec3(0.0)
    torque = wp.vec3(0.0)
    for i in range(thrusters.adr[bodyid], thrusters.adr[bodyid + 1]):
        index = thrusters.ctrl[i]
        thrust = wp.max(command(commands, worldid, index), 0.0)
        if thrusters.on_off[i]:
            if stage <= 0:
                largest = commands.range[worldid % commands.range.shape[0], index][1]
                pulse = wp.float64(thrusters.min_pulse[worldid % thrusters.min_pulse.shape[0], i])
                thrust, until = on_off_thrust(thrust, largest, pulse, now, state.fire_until[worldid, i], dt)
                if stage == 0:
                    state.fire_until[worldid, i] = until
            else:
                thrust = state.thrust[worldid, i]
        if thrusters.tank[i] >= 0:
            if state.propellant[worldid, thrusters.tank[i]] <= wp.float64(0.0):
                thrust = 0.0
        state.thrust[worldid, i] = thrust
        share = wp.float64(thrust) * dt
        if coupled:
            share *= stage_weight(stage)
        if stage > 0:
            share += state.impulse[worldid, i]
        state.impulse[worldid, i] = share
        f = site_xmat[worldid, thrusters.site[i]] @ (thrusters.axis[i] * thrust)
        force += f
        torque += wp.cross(site_xpos[worldid, thrusters.site[i]] - com, f)
    return force, torque
