"""Errors of sensors: added to the truth, rounded, and on MuJoCo's own sensors."""

import mujoco
import warp as wp

from mjorbit_warp.kernels.noise import WHITE, normal4
from mjorbit_warp.kernels.sensor_motion import quat_turned
from mjorbit_warp.kernels.sensor_types import vec6d
from mjorbit_warp.sensor_effects import KINDS

_POSITIVE = int(mujoco.mjtDataType.mjDATATYPE_POSITIVE)
_AXIS = int(mujoco.mjtDataType.mjDATATYPE_AXIS)
_QUATERNION = int(mujoco.mjtDataType.mjDATATYPE_QUATERNION)


@wp.func
def add_errors(truth: vec6d, kind: int, error: vec6d, quantum: vec6d) -> vec6d:
    """quantum · round((truth + error)/quantum); see hardware.Sensor for quaternions and unit vectors.

    A sun sensor that sees no Sun puts out 0 0 0, whatever its errors are.
    """
    value = truth + error
    if kind == wp.static(KINDS["star_tracker"]):
        turn = wp.vec3(float(error[0]), float(error[1]), float(error[2]))
        q = quat_turned(wp.quat(float(truth[0]), float(truth[1]), float(truth[2]), float(truth[3])), turn)
        return vec6d(
            wp.float64(q[0]),
            wp.float64(q[1]),
            wp.float64(q[2]),
            wp.float64(q[3]),
            wp.float64(0.0),
            wp.float64(0.0),
        )
    if kind == wp.static(KINDS["fine_sun_sensor"]) or kind == wp.static(KINDS["nadir"]):
        if wp.length_sq(truth) == wp.float64(0.0):
            return truth
        value = wp.normalize(value)
    for j in range(6):
        if quantum[j] > wp.float64(0.0):
            value[j] = wp.rint(value[j] / quantum[j]) * quantum[j]
    return value


@wp.func
def noisy_native(
    sensordata: wp.array2d[float],
    worldid: int,
    adr: int,
    dim: int,
    datatype: int,
    cutoff: float,
    noise: float,
    seed: wp.int64,
    stream: int,
    count: wp.int64,
    sensorid: int,
):
    """White noise on a sensor of MuJoCo's own, in place.

    Quaternions are turned by ``noise`` [rad] about each of their axes, unit vectors stay unit, values that cannot be
    negative do not become so, and those that are (a rangefinder without a hit) stay as they are.
    """
    if datatype == wp.static(_QUATERNION):
        z = normal4(seed, stream, count, sensorid, wp.static(WHITE), 0)
        q = wp.quat(
            sensordata[worldid, adr],
            sensordata[worldid, adr + 1],
            sensordata[worldid, adr + 2],
            sensordata[worldid, adr + 3],
        )
        q = quat_turned(q, noise * wp.vec3(z[0], z[1], z[2]))
        for j in range(4):
            sensordata[worldid, adr + j] = q[j]
        return
    total = float(0.0)
    for block in range((dim + 3) // 4):
        z = normal4(seed, stream, count, sensorid, wp.static(WHITE), block)
        for c in range(4):
            j = 4 * block + c
            if j < dim:
                x = sensordata[worldid, adr + j]
                noisy = x + noise * z[c]
                if datatype == wp.static(_POSITIVE):
                    noisy = wp.max(noisy, 0.0)
                    if x < 0.0:
                        noisy = x
                    if cutoff > 0.0:
                        noisy = wp.min(noisy, cutoff)
                elif cutoff > 0.0 and datatype != wp.static(_AXIS):
                    noisy = wp.clamp(noisy, -cutoff, cutoff)
                sensordata[worldid, adr + j] = noisy
                total += noisy * noisy
    if datatype == wp.static(_AXIS) and total > 0.0:
        scale = 1.0 / wp.sqrt(total)
        for j in range(dim):
            sensordata[worldid, adr + j] = sensordata[worldid, adr + j] * scale
