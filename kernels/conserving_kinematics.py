"""Where the bodies of a free tree are at an RK4 stage, in float64."""

import warp as wp

from mjorbit_warp.kernels.momentum import SLIDE, TreeModel, rotate, stored_quat
from mjorbit_warp.kernels.shadow import BALL, FREE, Shadow, expmap_rate, stage_velocity
from mjorbit_warp.kernels.stages import stage_fraction

wp.set_module_options({"enable_backward": False})


@wp.struct
class Places:
    """Bodies at the stage under way.

    Attributes:
      pos, quat: frame of each body, quaternion (w, x, y, z)   (nworld, nbody)
      com: its COM [m]                                         (nworld, nbody)
    """

    pos: wp.array2d[wp.vec3d]
    quat: wp.array2d[wp.vec4d]
    com: wp.array2d[wp.vec3d]


@wp.func
def multiply(a: wp.vec4d, b: wp.vec4d) -> wp.vec4d:
    """Hamilton product of unit quaternions (w, x, y, z); a chain of a dozen keeps its norm to 1e-15."""
    return wp.vec4d(
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@wp.func
def stage_coordinate(shadow: Shadow, worldid: int, qadr: int, dof: int, stage: int, dt: wp.float64) -> wp.float64:
    """q_k = q_0 + c_k dt v_(k−1) of a linear coordinate."""
    q = shadow.qpos[worldid, qadr]
    if stage > 0:
        q += stage_fraction(stage) * dt * stage_velocity(shadow, worldid, dof, stage - 1, dt)
    return q


@wp.func
def stage_quat(shadow: Shadow, worldid: int, qadr: int, dof: int, stage: int, dt: wp.float64) -> wp.vec4d:
    """Quaternion of a free or ball joint at a stage: q_0 turned by θ_k = c_k dt·(corrected rate before it)."""
    q = wp.vec4d(
        shadow.qpos[worldid, qadr],
        shadow.qpos[worldid, qadr + 1],
        shadow.qpos[worldid, qadr + 2],
        shadow.qpos[worldid, qadr + 3],
    )
    if stage == 0:
        return wp.normalize(q)
    rate = wp.vec3d()
    for k in range(stage):
        omega = wp.vec3d(
            stage_velocity(shadow, worldid, dof, k, dt),
            stage_velocity(shadow, worldid, dof + 1, k, dt),
            stage_velocity(shadow, worldid, dof + 2, k, dt),
        )
        rate = expmap_rate(stage_fraction(k) * dt * rate, omega)
    theta = stage_fraction(stage) * dt * rate
    angle = wp.length(theta)
    half = wp.float64(0.5) * angle
    scale = wp.float64(0.5)
    if angle > wp.float64(0.0):
        scale = wp.sin(half) / angle
    return wp.normalize(multiply(q, wp.vec4d(wp.cos(half), scale * theta[0], scale * theta[1], scale * theta[2])))


@wp.func
def place_at_stage(
    model: TreeModel, shadow: Shadow, places: Places, worldid: int, bodyid: int, stage: int, dt: wp.float64
):
    """Frame and COM of a body from its parent's and its joints (MuJoCo's mj_kinematics), kept in ``places``."""
    first = model.body_jntadr[bodyid]
    njnt = model.body_jntnum[bodyid]
    pos = wp.vec3d()
    quat = wp.vec4d()
    free = False
    if njnt > 0:
        free = model.jnt_type[first] == FREE
    if free:
        qadr = model.jnt_qposadr[first]
        vadr = model.jnt_dofadr[first]
        for i in range(3):
            pos[i] = stage_coordinate(shadow, worldid, qadr + i, vadr + i, stage, dt)
        quat = stage_quat(shadow, worldid, qadr + 3, vadr + 3, stage, dt)
    else:
        parent = model.body_parentid[bodyid]
        pquat = places.quat[worldid, parent]
        offset = wp.vec3d(model.body_pos[worldid % model.body_pos.shape[0], bodyid])
        pos = places.pos[worldid, parent] + rotate(pquat, offset)
        quat = multiply(pquat, stored_quat(model.body_quat[worldid % model.body_quat.shape[0], bodyid]))
        for j in range(first, first + njnt):
            qadr = model.jnt_qposadr[j]
            vadr = model.jnt_dofadr[j]
            anchor = wp.vec3d(model.jnt_pos[worldid % model.jnt_pos.shape[0], j])
            if model.jnt_type[j] == BALL:
                turned = multiply(quat, stage_quat(shadow, worldid, qadr, vadr, stage, dt))
                pos += rotate(quat, anchor) - rotate(turned, anchor)
                quat = turned
            else:
                axis = wp.normalize(wp.vec3d(model.jnt_axis[worldid % model.jnt_axis.shape[0], j]))
                q = stage_coordinate(shadow, worldid, qadr, vadr, stage, dt)
                q -= wp.float64(model.qpos0[worldid % model.qpos0.shape[0], qadr])
                if model.jnt_type[j] == SLIDE:
                    pos += q * rotate(quat, axis)
                else:
                    x = wp.sin(wp.float64(0.5) * q) * axis
                    turned = multiply(quat, wp.vec4d(wp.cos(wp.float64(0.5) * q), x[0], x[1], x[2]))
                    pos += rotate(quat, anchor) - rotate(turned, anchor)
                    quat = turned
    places.pos[worldid, bodyid] = pos
    places.quat[worldid, bodyid] = quat
    ipos = wp.vec3d(model.body_ipos[worldid % model.body_ipos.shape[0], bodyid])
    places.com[worldid, bodyid] = pos + rotate(quat, ipos)
