"""Per-world status bits, and when each was first set."""

import warp as wp
from mujoco_warp import OverflowType

from mjorbit_warp.kernels.hardware import HardwareState, Wheels
from mjorbit_warp.kernels.types import Clock
from mjorbit_warp.status import Status

NBIT = wp.constant(len(Status))

NONFINITE = wp.constant(int(Status.NONFINITE))
BELOW_SURFACE = wp.constant(int(Status.BELOW_SURFACE))
TOO_FAR = wp.constant(int(Status.TOO_FAR))
OVERFLOW = wp.constant(int(Status.OVERFLOW))
WHEEL_SATURATED = wp.constant(int(Status.WHEEL_SATURATED))
# a solver that ran out of iterations has dropped nothing
DROPPED = wp.constant(~int(OverflowType.ITERATIONS | OverflowType.LS_ITERATIONS))


@wp.struct
class Counts:
    """What MJWarp counted in the last evaluation, dropped ones included.

    Attributes:
      overflow: bits of MJWarp's OverflowType since the last reset     (nworld,)
      nefc: constraint rows                                            (nworld,)
      nacon: contacts of all worlds                                    (1,)
      ncollision: pairs of geoms that may touch, of all worlds         (1,)
    """

    overflow: wp.array[int]
    nefc: wp.array[int]
    nacon: wp.array[int]
    ncollision: wp.array[int]


@wp.struct
class Faults:
    """When each bit of a world's status was first set, and the largest counts since its reset.

    Attributes:
      first_step: steps of the clock by then, −1 for never             (nworld, number of bits)
      first_time: elapsed time by then [s], NaN for never              (nworld, number of bits)
      needed: constraint rows, contacts, pairs: the last two of all worlds   (nworld,)
    """

    first_step: wp.array2d[int]
    first_time: wp.array2d[wp.float64]
    needed: wp.array[wp.vec3i]


@wp.func
def finite(worldid: int, qpos: wp.array2d[float], qvel: wp.array2d[float]) -> bool:
    """Whether every coordinate and velocity is finite."""
    total = float(0.0)  # 0·x is 0 for finite x, NaN otherwise: one sum instead of a branch per entry
    for i in range(qpos.shape[1]):
        total += 0.0 * qpos[worldid, i]
    for i in range(qvel.shape[1]):
        total += 0.0 * qvel[worldid, i]
    return wp.isfinite(total)


@wp.func
def state_status(worldid: int, qpos: wp.array2d[float], qvel: wp.array2d[float], overflow: int) -> int:
    """NONFINITE coordinate or velocity; OVERFLOW where MJWarp dropped contacts or constraints."""
    status = int(0)
    if not finite(worldid, qpos, qvel):
        status |= NONFINITE
    if (overflow & DROPPED) != 0:
        status |= OVERFLOW
    return status


@wp.func
def count_needed(worldid: int, counts: Counts, faults: Faults):
    """Keep the largest counts; most steps write nothing."""
    now = wp.vec3i(counts.nefc[worldid], counts.nacon[0], counts.ncollision[0])
    known = faults.needed[worldid]
    if now[0] > known[0] or now[1] > known[1] or now[2] > known[2]:
        faults.needed[worldid] = wp.max(now, known)


@wp.func
def add_status(worldid: int, found: int, clock: Clock, faults: Faults, status_out: wp.array[int]):
    """Set bits; step and time of those that were not set are noted."""
    before = status_out[worldid]
    new = found & ~before
    if new != 0:
        status_out[worldid] = before | found
        for bit in range(NBIT):
            if ((new >> bit) & 1) != 0:
                faults.first_step[worldid, bit] = int(clock.nstep[worldid])
                faults.first_time[worldid, bit] = clock.time[worldid]


@wp.func
def clear_status(worldid: int, faults: Faults, status_out: wp.array[int]):
    """As in a new world."""
    status_out[worldid] = 0
    faults.needed[worldid] = wp.vec3i()
    for bit in range(NBIT):
        faults.first_step[worldid, bit] = -1
        faults.first_time[worldid, bit] = wp.float64(wp.nan)


@wp.func
def orbit_status(worldid: int, r: wp.vec3d, v: wp.vec3d, radius: wp.float64, xipos: wp.array2d[wp.vec3]) -> int:
    """NONFINITE orbit, BELOW_SURFACE origin, TOO_FAR: a body's COM farther than 10 % of |r_c| from the origin."""
    status = int(0)
    distance = wp.length(r)
    if not (wp.isfinite(distance) and wp.isfinite(wp.length(v))):
        status |= NONFINITE
    if distance < radius:
        status |= BELOW_SURFACE
    limit = float(wp.float64(0.01) * distance * distance)
    for i in range(1, xipos.shape[1]):
        if wp.length_sq(xipos[worldid, i]) > limit:
            status |= TOO_FAR
    return status


@wp.func
def wheel_status(worldid: int, wheels: Wheels, hardware: HardwareState, dt: float) -> int:
    """WHEEL_SATURATED: a wheel began the step within 1e-6 of its largest speed."""
    for i in range(wheels.act.shape[0]):
        inertia = wheels.inertia[worldid % wheels.inertia.shape[0], i]
        least = 1.0e-6 * inertia * wheels.max_speed[worldid % wheels.max_speed.shape[0], i] / dt
        bounds = hardware.wheel_bounds[worldid, i]
        if bounds[1] < least or bounds[0] > -least:
            return WHEEL_SATURATED
    return 0
