"""Stages 3 and 4 of a step (world): reference orbit, clock, LVLH frame and status, in one launch."""

from functools import cache

import warp as wp

from mjorbit_warp.effects import Effects
from mjorbit_warp.kernels.clock import tick
from mjorbit_warp.kernels.environment import EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.frames import lvlh_axes
from mjorbit_warp.kernels.frozen import Held, stays_frozen
from mjorbit_warp.kernels.hardware import HardwareState, Wheels
from mjorbit_warp.kernels.orbit import compensated_add, orbit_funcs
from mjorbit_warp.kernels.shadow import Shadow
from mjorbit_warp.kernels.status import (
    Counts,
    Faults,
    add_status,
    count_needed,
    orbit_status,
    state_status,
    wheel_status,
)
from mjorbit_warp.kernels.types import CentralBody, Clock, OrbitState


@cache
def propagate_kernel(effects: Effects, coupled: bool):
    """Kernel that ends a step with a reference orbit.

    ``coupled``: MuJoCo ran RK4 and the wrench kernel left the orbit's stages, which are combined here. Otherwise the
    orbit makes an RK4 step of its own over the interval.
    """
    _, rk4_orbit = orbit_funcs(effects)

    @wp.kernel(module="unique", enable_backward=False)
    def _propagate(
        # Model:
        opt_timestep: wp.array[float],
        central: CentralBody,
        environment_model: EnvironmentModel,
        wheels: Wheels,
        # Data in:
        environment: EnvironmentState,
        hardware: HardwareState,
        xipos_in: wp.array2d[wp.vec3],
        counts: Counts,
        held: Held,
        # Data out:
        qpos: wp.array2d[float],
        qvel: wp.array2d[float],
        act: wp.array2d[float],
        shadow: Shadow,
        orbit: OrbitState,
        clock: Clock,
        time_out: wp.array[float],
        lvlh_out: wp.array[wp.mat33d],
        faults: Faults,
        status_out: wp.array[int],
    ):
        worldid = wp.tid()
        if stays_frozen(worldid, held, qpos, qvel, act, shadow, clock, time_out, faults, status_out):
            return
        dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
        radius = central.radius[worldid % central.radius.shape[0]]
        r = orbit.r[worldid]
        v = orbit.v[worldid]

        if wp.static(coupled):
            sixth = dt / wp.float64(6.0)
            two = wp.float64(2.0)
            dr = orbit.stage_v[0, worldid] + orbit.stage_v[3, worldid]
            dr = (dr + two * (orbit.stage_v[1, worldid] + orbit.stage_v[2, worldid])) * sixth
            dv = orbit.stage_a[0, worldid] + orbit.stage_a[3, worldid]
            dv = (dv + two * (orbit.stage_a[1, worldid] + orbit.stage_a[2, worldid])) * sixth
        else:
            pole = orbit.pole[worldid % orbit.pole.shape[0]]
            feedback = wp.vec3d()
            if wp.static(effects.feedback):
                feedback = orbit.feedback[worldid]
            dr, dv = rk4_orbit(r, v, dt, feedback, central, pole, environment_model, environment, worldid)

        r, r_carry = compensated_add(r, orbit.r_carry[worldid], dr)
        v, v_carry = compensated_add(v, orbit.v_carry[worldid], dv)
        orbit.r[worldid] = r
        orbit.v[worldid] = v
        orbit.r_carry[worldid] = r_carry
        orbit.v_carry[worldid] = v_carry

        time_out[worldid] = float(tick(clock, worldid, dt))
        lvlh_out[worldid] = lvlh_axes(r, v)
        status = state_status(worldid, qpos, qvel, counts.overflow[worldid])
        status |= wheel_status(worldid, wheels, hardware, float(dt))
        status |= orbit_status(worldid, r, v, radius, xipos_in)
        add_status(worldid, status, clock, faults, status_out)
        count_needed(worldid, counts, faults)

    return _propagate


@wp.kernel(module="unique", enable_backward=False)
def _advance_clock(
    # Model:
    opt_timestep: wp.array[float],
    wheels: Wheels,
    # Data in:
    hardware: HardwareState,
    counts: Counts,
    held: Held,
    # Data out:
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    act: wp.array2d[float],
    shadow: Shadow,
    clock: Clock,
    time_out: wp.array[float],
    faults: Faults,
    status_out: wp.array[int],
):
    """End of a step without an orbit: clock and status only."""
    worldid = wp.tid()
    if stays_frozen(worldid, held, qpos, qvel, act, shadow, clock, time_out, faults, status_out):
        return
    dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
    time_out[worldid] = float(tick(clock, worldid, dt))
    status = state_status(worldid, qpos, qvel, counts.overflow[worldid])
    status |= wheel_status(worldid, wheels, hardware, float(dt))
    add_status(worldid, status, clock, faults, status_out)
    count_needed(worldid, counts, faults)


@wp.kernel(module="unique", enable_backward=False)
def _refresh(
    # Data in:
    orbit: OrbitState,
    # Data out:
    clock: Clock,
    lvlh_out: wp.array[wp.mat33d],
):
    """What follows from the orbit and the clock, after somebody wrote them: the LVLH frame and t."""
    worldid = wp.tid()
    clock.t[worldid] = clock.epoch[worldid] + clock.time[worldid]
    lvlh_out[worldid] = lvlh_axes(orbit.r[worldid], orbit.v[worldid])
