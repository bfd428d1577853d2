"""Momentum, COM and base of each free tree held to their float64 integrals.

The step of MuJoCo is float32 and RK4; what must come out of it is known better: P and H change by the external forces
alone, and the COM moves by P. So external forces are evaluated in float64 at float64 positions of each stage (gravity
whole; surfaces, rods and thrusters as float32 gives them, at 1e-7 of what they are), and after the step the base takes
up the difference. Momentum stored in wheels and CMGs is part of H: their torques cancel exactly.
"""

from functools import cache

import warp as wp

from mjorbit_warp.kernels.conserving_kinematics import Places, place_at_stage
from mjorbit_warp.kernels.hardware import Cmgs, Wheels
from mjorbit_warp.kernels.momentum import Momentum, TreeModel, rotate, stored_quat, tree_momentum, turn_base
from mjorbit_warp.kernels.shadow import Shadow
from mjorbit_warp.kernels.stages import stage_weight

wp.set_module_options({"enable_backward": False})


@wp.struct
class Conserving:
    """Targets and scratch of a step.

    Attributes:
      linear, angular: momentum of the tree [kg·m/s] and about its COM with wheels [N·m·s], world axes (nworld, ntree)
      start_linear: linear at the start of the step [kg·m/s]                    (nworld, ntree)
      com: COM at the start of the step [m]                                    (nworld, ntree)
      mass: of the tree [kg]                                                   (nworld, ntree)
      push: forces of stages 0, 1, 2, which move the COM, added up [N]         (nworld, ntree)
      centre: COM at the evaluation under way [m]                              (nworld, ntree)
      touch_linear, touch_angular, touch_moment: impulse of the constraints [N·s], about the COM and about the origin
        [N·m·s]                                                                (nworld, ntree)
      force, torque: external wrench of the evaluation on each body about its COM [N], [N·m]   (nworld, nbody)
    """

    linear: wp.array2d[wp.vec3d]
    angular: wp.array2d[wp.vec3d]
    start_linear: wp.array2d[wp.vec3d]
    com: wp.array2d[wp.vec3d]
    mass: wp.array2d[wp.float64]
    push: wp.array2d[wp.vec3d]
    centre: wp.array2d[wp.vec3d]
    touch_linear: wp.array2d[wp.vec3d]
    touch_angular: wp.array2d[wp.vec3d]
    touch_moment: wp.array2d[wp.vec3d]
    force: wp.array2d[wp.vec3d]
    torque: wp.array2d[wp.vec3d]


@wp.struct
class SiteModel:
    """Sites that carry wheels and CMGs, MJWarp's arrays."""

    quat: wp.array2d[wp.quat]


@wp.func
def base_load(qfrc: wp.array2d[float], quat: wp.vec4d, arm: wp.vec3d, worldid: int, dof: int):
    """(force, torque about a point ``arm`` from the joint) of a generalised force on a free joint, world axes."""
    f = wp.vec3d(wp.vec3(qfrc[worldid, dof], qfrc[worldid, dof + 1], qfrc[worldid, dof + 2]))
    t = wp.vec3d(wp.vec3(qfrc[worldid, dof + 3], qfrc[worldid, dof + 4], qfrc[worldid, dof + 5]))
    return f, rotate(quat, t) - wp.cross(arm, f)


@wp.func
def collect(
    model: TreeModel,
    places: Places,
    qfrc_actuator: wp.array2d[float],
    qfrc_constraint: wp.array2d[float],
    target: Conserving,
    worldid: int,
    tree: int,
    stage: int,
    dt: wp.float64,
):
    """Impulses of a stage that is over, its actuators and constraints known by now."""
    root = model.root[tree]
    dof = model.body_dofadr[root]
    centre = target.centre[worldid, tree]
    quat = places.quat[worldid, root]
    arm = centre - places.pos[worldid, root]
    force, torque = base_load(qfrc_actuator, quat, arm, worldid, dof)
    for bodyid in range(root, root + model.body_subtreenum[root]):
        f = target.force[worldid, bodyid]
        force += f
        torque += target.torque[worldid, bodyid] + wp.cross(places.com[worldid, bodyid] - centre, f)
    touch, turn = base_load(qfrc_constraint, quat, arm, worldid, dof)
    h = stage_weight(stage) * dt
    target.linear[worldid, tree] += h * force
    target.angular[worldid, tree] += h * torque
    target.touch_linear[worldid, tree] += h * touch
    target.touch_angular[worldid, tree] += h * turn
    target.touch_moment[worldid, tree] += h * (turn + wp.cross(centre, touch))
    if stage < 3:
        target.push[worldid, tree] += force + touch


@cache
def stored_momentum_func(wheels_on: bool, cmgs_on: bool):
    """Func of the momentum that a tree's wheels and CMGs hold."""

    @wp.func
    def stored_momentum(
        model: TreeModel,
        sites: SiteModel,
        wheels: Wheels,
        cmgs: Cmgs,
        shadow: Shadow,
        scratch: Momentum,
        worldid: int,
        root: int,
    ) -> wp.vec3d:
        """Σ h a of wheels and Σ h0 s(δ) of CMGs [N·m·s], world axes, at the float64 attitudes in ``scratch``."""
        total = wp.vec3d()
        for bodyid in range(root, root + model.body_subtreenum[root]):
            quat = scratch.quat[worldid, bodyid]
            if wp.static(wheels_on):
                for i in range(wheels.adr[bodyid], wheels.adr[bodyid + 1]):
                    local = stored_quat(sites.quat[worldid % sites.quat.shape[0], wheels.site[i]])
                    axis = rotate(quat, rotate(local, wp.vec3d(wheels.axis[i])))
                    total += shadow.act[worldid, wheels.act[i]] * axis
            if wp.static(cmgs_on):
                for i in range(cmgs.adr[bodyid], cmgs.adr[bodyid + 1]):
                    local = stored_quat(sites.quat[worldid % sites.quat.shape[0], cmgs.site[i]])
                    angle = shadow.act[worldid, cmgs.act[i]]
                    start = wp.vec3d(cmgs.spin_axis[i])
                    side = wp.cross(wp.vec3d(cmgs.axis[i]), start)
                    spin = rotate(quat, rotate(local, wp.cos(angle) * start + wp.sin(angle) * side))
                    total += wp.float64(cmgs.momentum[worldid % cmgs.momentum.shape[0], i]) * spin
        return total

    return stored_momentum


@cache
def start_kernel(wheels_on: bool, cmgs_on: bool):
    """Kernel of what holds before the step."""
    stored_momentum = stored_momentum_func(wheels_on, cmgs_on)

    @wp.kernel(module="unique", enable_backward=False)
    def _conserving_start(
        # Model:
        model: TreeModel,
        sites: SiteModel,
        wheels: Wheels,
        cmgs: Cmgs,
        # Data in:
        shadow: Shadow,
        # Data out:
        scratch: Momentum,
        places: Places,
        target: Conserving,
    ):
        """Stage 0 (world × tree): momenta and COM, and where the bodies are."""
        worldid, tree = wp.tid()
        root = model.root[tree]
        mass, arm, linear, angular, _inertia = tree_momentum(model, shadow, scratch, worldid, root)
        for bodyid in range(root, root + model.body_subtreenum[root]):
            quat = scratch.quat[worldid, bodyid]
            pos = scratch.pos[worldid, bodyid]
            places.quat[worldid, bodyid] = quat
            places.pos[worldid, bodyid] = pos
            ipos = wp.vec3d(model.body_ipos[worldid % model.body_ipos.shape[0], bodyid])
            places.com[worldid, bodyid] = pos + rotate(quat, ipos)
        if wp.static(wheels_on or cmgs_on):
            angular += stored_momentum(model, sites, wheels, cmgs, shadow, scratch, worldid, root)
        com = scratch.pos[worldid, root] + arm
        target.mass[worldid, tree] = mass
        target.com[worldid, tree] = com
        target.centre[worldid, tree] = com
        target.linear[worldid, tree] = linear
        target.start_linear[worldid, tree] = linear
        target.angular[worldid, tree] = angular
        target.push[worldid, tree] = wp.vec3d()
        target.touch_linear[worldid, tree] = wp.vec3d()
        target.touch_angular[worldid, tree] = wp.vec3d()
        target.touch_moment[worldid, tree] = wp.vec3d()

    return _conserving_start


@wp.kernel
def _conserving_place(
    # Model:
    opt_timestep: wp.array[float],
    model: TreeModel,
    # Data in:
    shadow: Shadow,
    qfrc_actuator_in: wp.array2d[float],
    qfrc_constraint_in: wp.array2d[float],
    # In:
    stage: int,
    # Data out:
    places: Places,
    target: Conserving,
):
    """Stages 1 to 3 (world × tree): impulses of the stage before, then where the bodies are."""
    worldid, tree = wp.tid()
    dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
    collect(model, places, qfrc_actuator_in, qfrc_constraint_in, target, worldid, tree, stage - 1, dt)
    root = model.root[tree]
    moment = wp.vec3d()
    for bodyid in range(root, root + model.body_subtreenum[root]):
        place_at_stage(model, shadow, places, worldid, bodyid, stage, dt)
        mass = wp.float64(model.body_mass[worldid % model.body_mass.shape[0], bodyid])
        moment += mass * (places.com[worldid, bodyid] - places.pos[worldid, root])
    target.centre[worldid, tree] = places.pos[worldid, root] + moment / target.mass[worldid, tree]


@wp.kernel
def _conserving_collect(
    # Model:
    opt_timestep: wp.array[float],
    model: TreeModel,
    # Data in:
    qfrc_actuator_in: wp.array2d[float],
    qfrc_constraint_in: wp.array2d[float],
    places: Places,
    # Data out:
    target: Conserving,
):
    """After the step (world × tree): impulses of stage 3."""
    worldid, tree = wp.tid()
    dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
    collect(model, places, qfrc_actuator_in, qfrc_constraint_in, target, worldid, tree, 3, dt)


@wp.func
def touch_excess(target: Conserving, worldid: int, ntree: int):
    """(ΣF, ΣM about the origin with ΣF taken off at the COMs, total mass) of the internal constraint impulses."""
    force = wp.vec3d()
    moment = wp.vec3d()
    mass = wp.float64(0.0)
    centre = wp.vec3d()
    for i in range(ntree):
        force += target.touch_linear[worldid, i]
        moment += target.touch_moment[worldid, i]
        mass += target.mass[worldid, i]
        centre += target.mass[worldid, i] * target.centre[worldid, i]
    return force, moment - wp.cross(centre / mass, force), mass


@cache
def correct_kernel(wheels_on: bool, cmgs_on: bool, closed: bool):
    """Kernel of the correction; ``closed``: constraints act between the trees alone, their impulses add up to zero."""
    stored_momentum = stored_momentum_func(wheels_on, cmgs_on)

    @wp.kernel(module="unique", enable_backward=False)
    def _conserving_correct(
        # Model:
        opt_timestep: wp.array[float],
        model: TreeModel,
        sites: SiteModel,
        wheels: Wheels,
        cmgs: Cmgs,
        # Data in:
        target: Conserving,
        # Data out:
        scratch: Momentum,
        shadow: Shadow,
        qpos_out: wp.array2d[float],
        qvel_out: wp.array2d[float],
    ):
        """After the float64 step and the last collection (world × tree): the base takes up what differs.

        Joints keep their angles and rates; Δω = I⁻¹ ΔH, Δv and Δx of the COM are the rigid motion that changes H, P
        and the COM alone. The target of the COM is RK4's own: x + dt P/m + dt²/6 (F_0 + F_1 + F_2)/m.
        """
        worldid, tree = wp.tid()
        root = model.root[tree]
        dof = model.body_dofadr[root]
        qadr = model.jnt_qposadr[model.body_jntadr[root]]
        dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
        mass, arm, linear, angular, inertia = tree_momentum(model, shadow, scratch, worldid, root)
        push = target.push[worldid, tree]
        end_linear = target.linear[worldid, tree]
        end_angular = target.angular[worldid, tree]
        old_linear = target.start_linear[worldid, tree]
        touch = target.touch_linear[worldid, tree]
        turn = target.touch_angular[worldid, tree]
        if wp.static(closed):
            force, moment, total = touch_excess(target, worldid, model.root.shape[0])
            share = mass / total
            touch -= share * force
            turn -= share * moment
            if model.root.shape[0] == 1:
                touch = wp.vec3d()
                turn = wp.vec3d()
        end_linear += touch
        end_angular += turn
        if wp.static(wheels_on or cmgs_on):
            end_angular -= stored_momentum(model, sites, wheels, cmgs, shadow, scratch, worldid, root)
        domega = wp.inverse(inertia) @ (end_angular - angular)
        dv = (end_linear - linear) / mass - wp.cross(domega, arm)
        step = dt / mass
        com = target.com[worldid, tree] + step * (old_linear + (dt / wp.float64(6.0)) * push)
        turn_base(shadow, qvel_out, worldid, dof, scratch.quat[worldid, root], dv, domega)
        for i in range(3):
            x = com[i] - arm[i]
            shadow.qpos[worldid, qadr + i] = x
            qpos_out[worldid, qadr + i] = float(x)

    return _conserving_correct
