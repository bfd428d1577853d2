"""Per-world status bits."""

import warp as wp
from mujoco_warp import OverflowType

from mjorbit_warp.kernels.hardware import HardwareState, Wheels
from mjorbit_warp.status import Status

NONFINITE = wp.constant(int(Status.NONFINITE))
BELOW_SURFACE = wp.constant(int(Status.BELOW_SURFACE))
TOO_FAR = wp.constant(int(Status.TOO_FAR))
OVERFLOW = wp.constant(int(Status.OVERFLOW))
WHEEL_SATURATED = wp.constant(int(Status.WHEEL_SATURATED))
# a solver that ran out of iterations has dropped nothing
DROPPED = wp.constant(~int(OverflowType.ITERATIONS | OverflowType.LS_ITERATIONS))


@wp.func
def state_status(worldid: int, qpos: wp.array2d[float], qvel: wp.array2d[float], overflow: int) -> int:
    """NONFINITE coordinate or velocity; OVERFLOW where MJWarp dropped contacts or constraints."""
    status = int(0)
    total = float(0.0)  # 0·x is 0 for finite x, NaN otherwise: one sum instead of a branch per entry
    for i in range(qpos.shape[1]):
        total += 0.0 * qpos[worldid, i]
    for i in range(qvel.shape[1]):
        total += 0.0 * qvel[worldid, i]
    if not wp.isfinite(total):
        status |= NONFINITE
    if (overflow & DROPPED) != 0:
        status |= OVERFLOW
    return status


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
