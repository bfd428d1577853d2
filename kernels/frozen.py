"""Worlds that are not finite stay as they were found."""

import warp as wp

from mjorbit_warp.kernels.shadow import Shadow
from mjorbit_warp.kernels.status import NONFINITE, Faults, add_status, finite
from mjorbit_warp.kernels.types import Clock, OrbitState

wp.set_module_options({"enable_backward": False})


@wp.struct
class Held:
    """State at the start of the step of worlds that were not finite by then; of other worlds something older.

    Attributes:
      frozen: the world is not finite and is not stepped    (nworld,)
      qpos, qvel, act: as in MJWarp's Data                   (nworld, …)
    """

    frozen: wp.array[bool]
    qpos: wp.array2d[float]
    qvel: wp.array2d[float]
    act: wp.array2d[float]


@wp.kernel
def _hold(
    # Data in:
    qpos_in: wp.array2d[float],
    qvel_in: wp.array2d[float],
    act_in: wp.array2d[float],
    orbit: OrbitState,
    # Data out:
    held: Held,
):
    """Start of a step (world): note which worlds are not finite, and keep their state."""
    worldid = wp.tid()
    good = finite(worldid, qpos_in, qvel_in)
    if orbit.r.shape[0] > 0:
        good = good and wp.isfinite(wp.length(orbit.r[worldid])) and wp.isfinite(wp.length(orbit.v[worldid]))
    held.frozen[worldid] = not good
    if not good:
        for i in range(qpos_in.shape[1]):
            held.qpos[worldid, i] = qpos_in[worldid, i]
        for i in range(qvel_in.shape[1]):
            held.qvel[worldid, i] = qvel_in[worldid, i]
        for i in range(act_in.shape[1]):
            held.act[worldid, i] = act_in[worldid, i]


@wp.func
def stays_frozen(
    worldid: int,
    held: Held,
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    act: wp.array2d[float],
    shadow: Shadow,
    clock: Clock,
    time_out: wp.array[float],
    faults: Faults,
    status_out: wp.array[int],
) -> bool:
    """End of a step: whether a world is frozen; its state, shadow and time are then what they were before the step."""
    if not held.frozen[worldid]:
        return False
    shadowed = shadow.qpos.shape[0] > 0
    for i in range(qpos.shape[1]):
        qpos[worldid, i] = held.qpos[worldid, i]
        if shadowed:
            shadow.qpos[worldid, i] = wp.float64(held.qpos[worldid, i])
    for i in range(qvel.shape[1]):
        qvel[worldid, i] = held.qvel[worldid, i]
        if shadowed:
            shadow.qvel[worldid, i] = wp.float64(held.qvel[worldid, i])
    for i in range(act.shape[1]):
        act[worldid, i] = held.act[worldid, i]
        if shadowed:
            shadow.act[worldid, i] = wp.float64(held.act[worldid, i])
    time_out[worldid] = float(clock.time[worldid])
    add_status(worldid, NONFINITE, clock, faults, status_out)
    return True
