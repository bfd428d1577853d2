"""Momentum of each free tree in float64, and the shadow's velocities held to it."""

import warp as wp

from mjorbit_warp.kernels.shadow import BALL, FREE, Shadow
from mjorbit_warp.kernels.stages import stage_weight

wp.set_module_options({"enable_backward": False})

SLIDE = wp.constant(2)  # mjtJoint


@wp.struct
class TreeModel:
    """Kinematics of the trees with a free base; batched fields as in MJWarp's Model.

    Attributes:
      root: body of each tree's free joint                   (ntree,)
    """

    root: wp.array[int]
    body_parentid: wp.array[int]
    body_subtreenum: wp.array[int]
    body_jntadr: wp.array[int]
    body_jntnum: wp.array[int]
    body_dofadr: wp.array[int]
    jnt_type: wp.array[int]
    jnt_qposadr: wp.array[int]
    jnt_dofadr: wp.array[int]
    qpos0: wp.array2d[float]
    body_pos: wp.array2d[wp.vec3]
    body_quat: wp.array2d[wp.quat]
    body_ipos: wp.array2d[wp.vec3]
    body_iquat: wp.array2d[wp.quat]
    body_mass: wp.array2d[float]
    body_inertia: wp.array2d[wp.vec3]
    jnt_pos: wp.array2d[wp.vec3]
    jnt_axis: wp.array2d[wp.vec3]


@wp.struct
class Momentum:
    """Targets and scratch.

    Attributes:
      linear, angular: momentum of the tree [kg·m/s] and about its COM [N·m·s], world axes   (nworld, ntree)
      xmat: the root's axes at the last stage                                                (nworld, ntree)
      arm: COM of the tree relative to the root's origin at the last stage [m]               (nworld, ntree)
      pos, quat: frame of each body, quaternion (w, x, y, z)                                 (nworld, nbody)
      omega, vel: its angular velocity and that of its point at the root's origin            (nworld, nbody)
    """

    linear: wp.array2d[wp.vec3d]
    angular: wp.array2d[wp.vec3d]
    xmat: wp.array2d[wp.mat33]
    arm: wp.array2d[wp.vec3]
    pos: wp.array2d[wp.vec3d]
    quat: wp.array2d[wp.vec4d]
    omega: wp.array2d[wp.vec3d]
    vel: wp.array2d[wp.vec3d]


@wp.func
def quat_product(a: wp.vec4d, b: wp.vec4d) -> wp.vec4d:
    """Hamilton product of (w, x, y, z) quaternions, normalised."""
    u = wp.vec3d(a[1], a[2], a[3])
    v = wp.vec3d(b[1], b[2], b[3])
    w = a[0] * b[0] - wp.dot(u, v)
    x = a[0] * v + b[0] * u + wp.cross(u, v)
    return wp.normalize(wp.vec4d(w, x[0], x[1], x[2]))


@wp.func
def rotate(q: wp.vec4d, x: wp.vec3d) -> wp.vec3d:
    """x turned by a unit quaternion."""
    u = wp.vec3d(q[1], q[2], q[3])
    t = wp.float64(2.0) * wp.cross(u, x)
    return x + q[0] * t + wp.cross(u, t)


@wp.func
def stored_quat(q: wp.quat) -> wp.vec4d:
    """MJWarp keeps (w, x, y, z) in the slots of a Warp quaternion."""
    return wp.normalize(wp.vec4d(wp.float64(q[0]), wp.float64(q[1]), wp.float64(q[2]), wp.float64(q[3])))


@wp.func
def place_body(model: TreeModel, shadow: Shadow, scratch: Momentum, worldid: int, bodyid: int, origin: wp.vec3d):
    """Frame and velocity of a body from its parent's and its joints (MuJoCo's mj_kinematics, in float64)."""
    first = model.body_jntadr[bodyid]
    njnt = model.body_jntnum[bodyid]
    if njnt > 0 and model.jnt_type[first] == FREE:
        qadr = model.jnt_qposadr[first]
        vadr = model.jnt_dofadr[first]
        quat = wp.vec4d()
        for i in range(4):
            quat[i] = shadow.qpos[worldid, qadr + 3 + i]
        quat = wp.normalize(quat)
        rate = wp.vec3d(shadow.qvel[worldid, vadr + 3], shadow.qvel[worldid, vadr + 4], shadow.qvel[worldid, vadr + 5])
        scratch.pos[worldid, bodyid] = origin
        scratch.quat[worldid, bodyid] = quat
        scratch.omega[worldid, bodyid] = rotate(quat, rate)
        scratch.vel[worldid, bodyid] = wp.vec3d(
            shadow.qvel[worldid, vadr], shadow.qvel[worldid, vadr + 1], shadow.qvel[worldid, vadr + 2]
        )
        return
    parent = model.body_parentid[bodyid]
    pquat = scratch.quat[worldid, parent]
    pos = scratch.pos[worldid, parent] + rotate(
        pquat, wp.vec3d(model.body_pos[worldid % model.body_pos.shape[0], bodyid])
    )
    quat = quat_product(pquat, stored_quat(model.body_quat[worldid % model.body_quat.shape[0], bodyid]))
    omega = scratch.omega[worldid, parent]
    vel = scratch.vel[worldid, parent]
    for j in range(first, first + njnt):
        qadr = model.jnt_qposadr[j]
        vadr = model.jnt_dofadr[j]
        offset = wp.vec3d(model.jnt_pos[worldid % model.jnt_pos.shape[0], j])
        local = wp.normalize(wp.vec3d(model.jnt_axis[worldid % model.jnt_axis.shape[0], j]))
        anchor = pos + rotate(quat, offset)
        if model.jnt_type[j] == SLIDE:
            axis = rotate(quat, local)
            q = shadow.qpos[worldid, qadr] - wp.float64(model.qpos0[worldid % model.qpos0.shape[0], qadr])
            pos += q * axis
            vel += shadow.qvel[worldid, vadr] * axis
        else:
            rate = wp.vec3d()
            if model.jnt_type[j] == BALL:
                turn = wp.vec4d()
                for i in range(4):
                    turn[i] = shadow.qpos[worldid, qadr + i]
                quat = quat_product(quat, turn)
                rate = rotate(
                    quat,
                    wp.vec3d(
                        shadow.qvel[worldid, vadr], shadow.qvel[worldid, vadr + 1], shadow.qvel[worldid, vadr + 2]
                    ),
                )
            else:
                q = shadow.qpos[worldid, qadr] - wp.float64(model.qpos0[worldid % model.qpos0.shape[0], qadr])
                half = wp.float64(0.5) * q
                rate = shadow.qvel[worldid, vadr] * rotate(quat, local)
                x = wp.sin(half) * local
                quat = quat_product(quat, wp.vec4d(wp.cos(half), x[0], x[1], x[2]))
            pos = anchor - rotate(quat, offset)
            omega += rate
            vel += wp.cross(rate, origin - anchor)
    scratch.pos[worldid, bodyid] = pos
    scratch.quat[worldid, bodyid] = quat
    scratch.omega[worldid, bodyid] = omega
    scratch.vel[worldid, bodyid] = vel


@wp.func
def outer_part(d: wp.vec3d) -> wp.mat33d:
    """(d·d) 1 − d dᵀ: the inertia of a unit point mass at d."""
    return wp.dot(d, d) * wp.identity(n=3, dtype=wp.float64) - wp.outer(d, d)


@wp.func
def tree_momentum(model: TreeModel, shadow: Shadow, scratch: Momentum, worldid: int, root: int):
    """(mass, COM − root origin, P, H about the COM, inertia about the COM) of a free tree at the shadow, world axes."""
    qadr = model.jnt_qposadr[model.body_jntadr[root]]
    origin = wp.vec3d(shadow.qpos[worldid, qadr], shadow.qpos[worldid, qadr + 1], shadow.qpos[worldid, qadr + 2])
    mass = wp.float64(0.0)
    moment = wp.vec3d()
    linear = wp.vec3d()
    angular = wp.vec3d()
    inertia = wp.mat33d()
    for bodyid in range(root, root + model.body_subtreenum[root]):
        place_body(model, shadow, scratch, worldid, bodyid, origin)
        quat = scratch.quat[worldid, bodyid]
        omega = scratch.omega[worldid, bodyid]
        m = wp.float64(model.body_mass[worldid % model.body_mass.shape[0], bodyid])
        ipos = wp.vec3d(model.body_ipos[worldid % model.body_ipos.shape[0], bodyid])
        arm = scratch.pos[worldid, bodyid] + rotate(quat, ipos) - origin
        p = m * (scratch.vel[worldid, bodyid] + wp.cross(omega, arm))
        principal = quat_product(quat, stored_quat(model.body_iquat[worldid % model.body_iquat.shape[0], bodyid]))
        x = rotate(principal, wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0)))
        y = rotate(principal, wp.vec3d(wp.float64(0.0), wp.float64(1.0), wp.float64(0.0)))
        z = wp.cross(x, y)
        moments = wp.vec3d(model.body_inertia[worldid % model.body_inertia.shape[0], bodyid])
        own = moments[0] * wp.outer(x, x) + moments[1] * wp.outer(y, y) + moments[2] * wp.outer(z, z)
        mass += m
        moment += m * arm
        linear += p
        angular += own @ omega + wp.cross(arm, p)
        inertia += own + m * outer_part(arm)
    com = moment / mass
    return mass, com, linear, angular - wp.cross(com, linear), inertia - mass * outer_part(com)


@wp.func
def base_wrench(linear: wp.vec3, rotational: wp.vec3, xmat: wp.mat33, arm: wp.vec3):
    """(force, torque about the COM), world axes, of a free joint's generalised force (its rotations: body axes)."""
    return wp.vec3d(linear), wp.vec3d(xmat @ rotational - wp.cross(arm, linear))


@wp.kernel
def _momentum_start(
    # Model:
    model: TreeModel,
    # Data in:
    shadow: Shadow,
    # Data out:
    target: Momentum,
):
    """Stage 0 (world × tree): what the momentum is before the step."""
    worldid, tree = wp.tid()
    _mass, _com, linear, angular, _inertia = tree_momentum(model, shadow, target, worldid, model.root[tree])
    target.linear[worldid, tree] = linear
    target.angular[worldid, tree] = angular


@wp.func
def add_base_forces(
    target: Momentum,
    worldid: int,
    tree: int,
    first: wp.array2d[float],
    second: wp.array2d[float],
    dof: int,
    h: wp.float64,
):
    """Impulse over h of two sets of generalised forces on a free joint, at the stage whose axes are kept."""
    linear = wp.vec3()
    rotational = wp.vec3()
    for i in range(3):
        linear[i] = first[worldid, dof + i] + second[worldid, dof + i]
        rotational[i] = first[worldid, dof + 3 + i] + second[worldid, dof + 3 + i]
    force, torque = base_wrench(linear, rotational, target.xmat[worldid, tree], target.arm[worldid, tree])
    target.linear[worldid, tree] += h * force
    target.angular[worldid, tree] += h * torque


@wp.kernel
def _momentum_stage(
    # Model:
    opt_timestep: wp.array[float],
    model: TreeModel,
    # Data in:
    qfrc_passive_in: wp.array2d[float],
    qfrc_applied_in: wp.array2d[float],
    qfrc_actuator_in: wp.array2d[float],
    qfrc_constraint_in: wp.array2d[float],
    xfrc_applied_in: wp.array2d[wp.spatial_vector],
    xpos_in: wp.array2d[wp.vec3],
    xmat_in: wp.array2d[wp.mat33],
    xipos_in: wp.array2d[wp.vec3],
    subtree_com_in: wp.array2d[wp.vec3],
    # In:
    stage: int,
    # Data out:
    target: Momentum,
):
    """End of an evaluation's passive forces (world × tree): impulse of the external forces, weighted as in RK4.

    Actuators and constraints are computed later: those of the stage before are added here.
    """
    worldid, tree = wp.tid()
    root = model.root[tree]
    dof = model.body_dofadr[root]
    dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
    if stage > 0:
        before = stage_weight(stage - 1) * dt
        add_base_forces(target, worldid, tree, qfrc_actuator_in, qfrc_constraint_in, dof, before)
    h = stage_weight(stage) * dt
    com = subtree_com_in[worldid, root]
    target.xmat[worldid, tree] = xmat_in[worldid, root]
    target.arm[worldid, tree] = com - xpos_in[worldid, root]
    add_base_forces(target, worldid, tree, qfrc_passive_in, qfrc_applied_in, dof, h)
    force = wp.vec3d()
    torque = wp.vec3d()
    for bodyid in range(root, root + model.body_subtreenum[root]):
        f = wp.spatial_top(xfrc_applied_in[worldid, bodyid])
        force += wp.vec3d(f)
        torque += wp.vec3d(
            wp.spatial_bottom(xfrc_applied_in[worldid, bodyid]) + wp.cross(xipos_in[worldid, bodyid] - com, f)
        )
    target.linear[worldid, tree] += h * force
    target.angular[worldid, tree] += h * torque


@wp.func
def turn_base(
    shadow: Shadow,
    qvel: wp.array2d[float],
    worldid: int,
    dof: int,
    quat: wp.vec4d,
    dv: wp.vec3d,
    domega: wp.vec3d,
):
    """Adds a rigid motion, in world axes, to the velocity of a free base, in the shadow and rounded in ``qvel``."""
    body = rotate(wp.vec4d(quat[0], -quat[1], -quat[2], -quat[3]), domega)
    for i in range(3):
        v = shadow.qvel[worldid, dof + i] + dv[i]
        shadow.qvel[worldid, dof + i] = v
        qvel[worldid, dof + i] = float(v)
        w = shadow.qvel[worldid, dof + 3 + i] + body[i]
        shadow.qvel[worldid, dof + 3 + i] = w
        qvel[worldid, dof + 3 + i] = float(w)


@wp.kernel
def _momentum_correct(
    # Model:
    opt_timestep: wp.array[float],
    model: TreeModel,
    # Data in:
    qfrc_actuator_in: wp.array2d[float],
    qfrc_constraint_in: wp.array2d[float],
    # Data out:
    target: Momentum,
    shadow: Shadow,
    qvel_out: wp.array2d[float],
):
    """After the float64 step (world × tree): the base takes up the difference to the integrated momentum.

    Joints keep their rates: Δω = I⁻¹ ΔH and Δv_COM = ΔP/m are the rigid motion that changes P and H alone. Both
    momenta are fourth-order results, so the order stays; what is removed is float32 rounding in the accelerations.
    """
    worldid, tree = wp.tid()
    root = model.root[tree]
    dof = model.body_dofadr[root]
    dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
    add_base_forces(target, worldid, tree, qfrc_actuator_in, qfrc_constraint_in, dof, stage_weight(3) * dt)
    mass, com, linear, angular, inertia = tree_momentum(model, shadow, target, worldid, root)
    domega = wp.inverse(inertia) @ (target.angular[worldid, tree] - angular)
    dv = (target.linear[worldid, tree] - linear) / mass - wp.cross(domega, com)
    turn_base(shadow, qvel_out, worldid, dof, target.quat[worldid, root], dv, domega)
