"""The float64 clock of each world."""

import warp as wp

from mjorbit_warp.kernels.stages import stage_fraction
from mjorbit_warp.kernels.types import Clock

wp.set_module_options({"enable_backward": False})


@wp.func
def tick(clock: Clock, worldid: int, dt: wp.float64) -> wp.float64:
    """Advance one world's clock by one step of ``dt`` [s]; return the elapsed time [s].

    Time is base + nstep·dt. A time that somebody wrote into the array, or a new dt, restarts the count from there.
    """
    now = clock.time[worldid]
    base = clock.base[worldid]
    nstep = clock.nstep[worldid]
    counted = clock.dt[worldid]
    if now != base + wp.float64(nstep) * counted or dt != counted:
        base = now
        nstep = wp.int64(0)
        clock.base[worldid] = base
        clock.dt[worldid] = dt
    nstep += wp.int64(1)
    now = base + wp.float64(nstep) * dt
    clock.nstep[worldid] = nstep
    clock.time[worldid] = now
    clock.t[worldid] = clock.epoch[worldid] + now
    return now


@wp.kernel
def _stage_time(
    # Model:
    opt_timestep: wp.array[float],
    # Data in:
    time_in: wp.array[wp.float64],
    # In:
    stage: int,
    # Data out:
    stage_time_out: wp.array[wp.float64],
):
    """Elapsed time of an RK4 stage [s], for control hooks."""
    worldid = wp.tid()
    dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
    stage_time_out[worldid] = time_in[worldid] + stage_fraction(stage) * dt
