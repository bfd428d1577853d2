"""Precision "shadow": the momentum of each free tree follows its external forces, to float64."""

import dataclasses
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import warp as wp

from mjorbit_warp.kernels.momentum import Momentum, TreeModel, _momentum_correct, _momentum_stage, _momentum_start

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

_FIELDS = (
    "body_parentid",
    "body_subtreenum",
    "body_jntadr",
    "body_jntnum",
    "body_dofadr",
    "jnt_type",
    "jnt_qposadr",
    "jnt_dofadr",
    "qpos0",
    "body_pos",
    "body_quat",
    "body_ipos",
    "body_iquat",
    "body_mass",
    "body_inertia",
    "jnt_pos",
    "jnt_axis",
)


def free_trees(mj: mujoco.MjModel) -> list[int]:
    """Bodies with a free joint whose six dofs are pure momentum: armature there would add inertia that is no body's."""
    roots = []
    for j in np.flatnonzero(mj.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
        dof = mj.jnt_dofadr[j]
        if not mj.dof_armature[dof : dof + 6].any():
            roots.append(int(mj.jnt_bodyid[j]))
    return roots


@dataclasses.dataclass(frozen=True)
class TreeMomentum:
    """Roots of the trees, and the arrays that kernels share."""

    root: Any
    target: Any


def make_momentum(mj: mujoco.MjModel, nworld: int, roots: list[int] | None = None) -> TreeMomentum | None:
    """Arrays for the trees of a model (by default those of free_trees), None if it has none."""
    roots = free_trees(mj) if roots is None else roots
    if not roots:
        return None
    target: Any = Momentum()
    tree, body = (nworld, len(roots)), (nworld, mj.nbody)
    target.linear, target.angular = wp.zeros(tree, dtype=wp.vec3d), wp.zeros(tree, dtype=wp.vec3d)
    target.xmat, target.arm = wp.zeros(tree, dtype=wp.mat33), wp.zeros(tree, dtype=wp.vec3)
    for name in ("pos", "omega", "vel"):
        setattr(target, name, wp.zeros(body, dtype=wp.vec3d))
    target.quat = wp.zeros(body, dtype=wp.vec4d)
    return TreeMomentum(wp.array(roots, dtype=int), target)


def _tree_model(m: "MjoModel", momentum: TreeMomentum) -> Any:
    """Made anew at each call: expand() replaces arrays."""
    struct: Any = TreeModel()
    struct.root = momentum.root
    for name in _FIELDS:
        setattr(struct, name, getattr(m.mjw, name))
    return struct


def momentum_stage(m: "MjoModel", d: "MjoData", stage: int) -> None:
    """At the end of an evaluation's passive forces: one launch, at stage 0 another before it."""
    if d.momentum is None:
        return
    dd, model, dim = d.mjw, _tree_model(m, d.momentum), (d.nworld, d.momentum.root.size)
    if stage == 0:
        wp.launch(_momentum_start, dim=dim, inputs=[model, d.shadow], outputs=[d.momentum.target])
    forces = [dd.qfrc_passive, dd.qfrc_applied, dd.qfrc_actuator, dd.qfrc_constraint, dd.xfrc_applied]
    frames = [dd.xpos, dd.xmat, dd.xipos, dd.subtree_com]
    wp.launch(
        _momentum_stage,
        dim=dim,
        inputs=[m.mjw.opt.timestep, model, *forces, *frames, stage],
        outputs=[d.momentum.target],
    )


def momentum_correct(m: "MjoModel", d: "MjoData") -> None:
    """After the float64 step: one launch."""
    if d.momentum is None:
        return
    dd = d.mjw
    wp.launch(
        _momentum_correct,
        dim=(d.nworld, d.momentum.root.size),
        inputs=[m.mjw.opt.timestep, _tree_model(m, d.momentum), dd.qfrc_actuator, dd.qfrc_constraint],
        outputs=[d.momentum.target, d.shadow, dd.qvel],
    )
