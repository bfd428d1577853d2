"""Masked reset of what MJWarp's reset does not know."""

import warp as wp

from mjorbit_warp.kernels.frames import lvlh_axes
from mjorbit_warp.kernels.status import Faults, clear_status
from mjorbit_warp.kernels.types import Clock, OrbitState

wp.set_module_options({"enable_backward": False})


@wp.func
def reset_clock(clock: Clock, worldid: int, start: wp.float64):
    """Elapsed time back to ``start`` [s]; the epoch stays."""
    clock.time[worldid] = start
    clock.base[worldid] = start
    clock.nstep[worldid] = wp.int64(0)
    clock.dt[worldid] = wp.float64(0.0)
    clock.t[worldid] = clock.epoch[worldid] + start


@wp.kernel
def _reset_clock(
    # In:
    mask_in: wp.array[bool],
    start: wp.float64,
    # Data out:
    clock: Clock,
    faults: Faults,
    status_out: wp.array[int],
):
    """Clock and status of the masked worlds."""
    worldid = wp.tid()
    if mask_in[worldid]:
        reset_clock(clock, worldid, start)
        clear_status(worldid, faults, status_out)


@wp.kernel
def _chosen_key(mask_in: wp.array[bool], key: int, key_out: wp.array[int]):
    """Keyframe of each world, −1 (untouched) where the mask is off."""
    worldid = wp.tid()
    key_out[worldid] = -1
    if mask_in[worldid]:
        key_out[worldid] = key


@wp.kernel
def _reset_hardware(mask_in: wp.array[bool], fire_until_out: wp.array2d[wp.float64]):
    """No thruster of the masked worlds is firing."""
    worldid = wp.tid()
    if mask_in[worldid]:
        for i in range(fire_until_out.shape[1]):
            fire_until_out[worldid, i] = wp.float64(0.0)


@wp.kernel
def _reset_orbit(
    # In:
    mask_in: wp.array[bool],
    r0_in: wp.array[wp.vec3d],
    v0_in: wp.array[wp.vec3d],
    # Data out:
    orbit: OrbitState,
    lvlh_out: wp.array[wp.mat33d],
):
    """Initial orbit of the masked worlds."""
    worldid = wp.tid()
    if mask_in[worldid]:
        orbit.r[worldid] = r0_in[worldid]
        orbit.v[worldid] = v0_in[worldid]
        orbit.r_carry[worldid] = wp.vec3d()
        orbit.v_carry[worldid] = wp.vec3d()
        lvlh_out[worldid] = lvlh_axes(r0_in[worldid], v0_in[worldid])
