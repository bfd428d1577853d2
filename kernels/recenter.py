"""The origin moved onto the system's centre of mass, absolute states as they are."""

import warp as wp

from mjorbit_warp.kernels.momentum import Momentum, TreeModel, tree_momentum
from mjorbit_warp.kernels.orbit import compensated_add
from mjorbit_warp.kernels.shadow import Shadow, adopt
from mjorbit_warp.kernels.types import OrbitState

wp.set_module_options({"enable_backward": False})


@wp.struct
class Centre:
    """Of each free tree, in the frame of the orbit's origin, world axes.

    Attributes:
      mass: [kg]                           (nworld, ntree)
      com: COM [m]                         (nworld, ntree)
      linear: linear momentum [kg·m/s]     (nworld, ntree)
    """

    mass: wp.array2d[wp.float64]
    com: wp.array2d[wp.vec3d]
    linear: wp.array2d[wp.vec3d]


@wp.kernel
def _adopt_state(
    # In:
    mask_in: wp.array[bool],
    # Data in:
    qpos_in: wp.array2d[float],
    qvel_in: wp.array2d[float],
    # Data out:
    shadow: Shadow,
):
    """Masked worlds (world × coordinate): the float64 state, or what somebody wrote into MJWarp's arrays since."""
    worldid, i = wp.tid()
    if not mask_in[worldid]:
        return
    shadow.qpos[worldid, i] = adopt(qpos_in[worldid, i], shadow.qpos[worldid, i])
    if i < qvel_in.shape[1]:
        shadow.qvel[worldid, i] = adopt(qvel_in[worldid, i], shadow.qvel[worldid, i])


@wp.kernel
def _centre(
    # Model:
    model: TreeModel,
    # Data in:
    shadow: Shadow,
    # Data out:
    scratch: Momentum,
    centre: Centre,
):
    """(world × tree): mass, COM and momentum in float64."""
    worldid, tree = wp.tid()
    root = model.root[tree]
    mass, arm, linear, _angular, _inertia = tree_momentum(model, shadow, scratch, worldid, root)
    centre.mass[worldid, tree] = mass
    centre.com[worldid, tree] = scratch.pos[worldid, root] + arm
    centre.linear[worldid, tree] = linear


@wp.kernel
def _recenter(
    # Model:
    model: TreeModel,
    # In:
    mask_in: wp.array[bool],
    threshold: wp.float64,
    centre: Centre,
    # Data out:
    shadow: Shadow,
    qpos_out: wp.array2d[float],
    qvel_out: wp.array2d[float],
    mocap_pos_out: wp.array2d[wp.vec3],
    orbit: OrbitState,
):
    """Masked worlds whose COM is farther than ``threshold`` [m] from the origin (world): the orbit takes up offset and
    velocity of the COM, everything else in the world gives them up. A world that is not finite is left alone."""
    worldid = wp.tid()
    if not mask_in[worldid]:
        return
    mass = wp.float64(0.0)
    offset = wp.vec3d()
    velocity = wp.vec3d()
    for tree in range(model.root.shape[0]):
        m = centre.mass[worldid, tree]
        mass += m
        offset += m * centre.com[worldid, tree]
        velocity += centre.linear[worldid, tree]
    offset = offset / mass
    velocity = velocity / mass
    if not (wp.length(offset) > threshold) or not wp.isfinite(wp.length(offset) + wp.length(velocity)):
        return
    r, r_carry = compensated_add(orbit.r[worldid], orbit.r_carry[worldid], offset)
    v, v_carry = compensated_add(orbit.v[worldid], orbit.v_carry[worldid], velocity)
    orbit.r[worldid] = r
    orbit.v[worldid] = v
    orbit.r_carry[worldid] = r_carry
    orbit.v_carry[worldid] = v_carry
    for tree in range(model.root.shape[0]):
        joint = model.body_jntadr[model.root[tree]]
        qadr = model.jnt_qposadr[joint]
        vadr = model.jnt_dofadr[joint]
        for i in range(3):
            x = shadow.qpos[worldid, qadr + i] - offset[i]
            shadow.qpos[worldid, qadr + i] = x
            qpos_out[worldid, qadr + i] = float(x)
            u = shadow.qvel[worldid, vadr + i] - velocity[i]
            shadow.qvel[worldid, vadr + i] = u
            qvel_out[worldid, vadr + i] = float(u)
    for i in range(mocap_pos_out.shape[1]):
        mocap_pos_out[worldid, i] = wp.vec3(wp.vec3d(mocap_pos_out[worldid, i]) - offset)
