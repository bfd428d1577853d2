"""Grouped arguments of the sensor kernel. Leading dimension ``*`` is 1 or nworld; n is the number of sensors."""

import warp as wp

vec6d = wp.types.vector(length=6, dtype=wp.float64)


@wp.struct
class Sensors:
    """Sensors of the model, see hardware.compiled_sensors.SensorList.

    Attributes:
      kind, id, adr, dim, datatype, site, wheel, held: as in SensorList   (n,)
      ecef: gps in body-fixed axes                                        (n,)
      cutoff: outputs are limited to ± this, 0 for none                   (n,)
      noise, bias, walk, quantum: of each component                       (*, n)
      rate: samples per second, 0 for all steps [Hz]                      (*, n)
      half_angle: field of view of sun sensors [rad]                      (*, n)
      flattening: of the ellipsoid that altitude is above [-]             (*,)
    """

    kind: wp.array[int]
    id: wp.array[int]
    adr: wp.array[int]
    dim: wp.array[int]
    datatype: wp.array[int]
    site: wp.array[int]
    wheel: wp.array[int]
    held: wp.array[int]
    ecef: wp.array[bool]
    cutoff: wp.array[float]
    noise: wp.array2d[vec6d]
    bias: wp.array2d[vec6d]
    walk: wp.array2d[vec6d]
    quantum: wp.array2d[vec6d]
    rate: wp.array2d[wp.float64]
    half_angle: wp.array2d[float]
    flattening: wp.array[wp.float64]


@wp.struct
class SensorState:
    """State of the sensors in each world, and their outputs.

    Attributes:
      seed: key of the world's random numbers                       (nworld,)
      stream: which of the seed's streams the world has             (nworld,)
      count: steps that each sensor has seen                        (nworld, n)
      drift: random walk of each sensor's bias                      (nworld, n)
      tick: number of the sample that is held, −1 for none          (nworld, nheld)
      hold: that sample                                             (nworld, nheld)
      value: outputs in float64                                     (nworld, n)
    """

    seed: wp.array[wp.int64]
    stream: wp.array[int]
    count: wp.array2d[wp.int64]
    drift: wp.array2d[vec6d]
    tick: wp.array2d[wp.int64]
    hold: wp.array2d[vec6d]
    value: wp.array2d[vec6d]


@wp.struct
class Motion:
    """MJWarp's arrays that sensors read: kinematics, velocities and accelerations of an evaluation."""

    rootid: wp.array[int]
    parentid: wp.array[int]
    dofadr: wp.array[int]
    dofnum: wp.array[int]
    site_bodyid: wp.array[int]
    site_quat: wp.array2d[wp.quat]
    xquat: wp.array2d[wp.quat]
    site_xpos: wp.array2d[wp.vec3]
    site_xmat: wp.array2d[wp.mat33]
    subtree_com: wp.array2d[wp.vec3]
    cvel: wp.array2d[wp.spatial_vector]
    cdof: wp.array2d[wp.spatial_vector]
    cdof_dot: wp.array2d[wp.spatial_vector]
    qvel: wp.array2d[float]
    qacc: wp.array2d[float]
    act: wp.array2d[float]


@wp.kernel(module="unique", enable_backward=False)
def _reset_sensors(mask_in: wp.array[bool], state: SensorState):
    """Masked worlds: no drift, nothing held, outputs 0. The count goes on, so that noise does not repeat."""
    worldid = wp.tid()
    if mask_in[worldid]:
        for i in range(state.drift.shape[1]):
            state.drift[worldid, i] = vec6d()
            state.value[worldid, i] = vec6d()
        for i in range(state.tick.shape[1]):
            state.tick[worldid, i] = wp.int64(-1)
            state.hold[worldid, i] = vec6d()
