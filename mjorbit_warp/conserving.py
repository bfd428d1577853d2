"""Precision "conserving": what it needs, and its launches.

On top of the float64 shadow, each tree with a free base keeps its linear and angular momentum and its COM on their own
float64 integrals. Nothing is added to the state: targets are formed anew in each step from the shadow.

What holds when trees touch: contacts are float32 forces on each tree, as in precision "shadow". Where all constraints
act between free trees (no fixed geometry that can be touched, no weld to the world), their impulses are made to cancel,
so that the total P is exact and the total H about the system's COM is that of RK4; the share of each tree is not better
than float32 there. Otherwise each tree keeps the float32 impulse of its constraints.
"""

import dataclasses
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import warp as wp

from mjorbit_warp.kernels.conserving import (
    Conserving,
    SiteModel,
    _conserving_collect,
    _conserving_place,
    correct_kernel,
    start_kernel,
)
from mjorbit_warp.kernels.conserving_kinematics import Places
from mjorbit_warp.kernels.conserving_loads import UserLoads, loads_kernel
from mjorbit_warp.loads import _environment, effects_now, external_torque
from mjorbit_warp.momentum import TreeMomentum, _tree_model, free_trees, make_momentum

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


def check_conserving(mj: mujoco.MjModel) -> None:
    """Refuse, in one sentence, a model without a tree whose momentum could be kept."""
    if not free_trees(mj):
        raise ValueError(
            'precision "conserving" needs a body with a free joint without armature: use precision="shadow"'
        )


def closed(mj: mujoco.MjModel) -> bool:
    """Whether constraints can only act between and inside free trees, so that their impulses add up to zero."""
    trees = free_trees(mj)
    moving = mj.body_treeid >= 0
    if not np.isin(mj.body_rootid[moving], trees).all():
        return False
    fixed = ~moving[mj.geom_bodyid]
    if (fixed & ((mj.geom_contype != 0) | (mj.geom_conaffinity != 0))).any():
        return False
    pairs = np.concatenate([mj.pair_geom1, mj.pair_geom2])
    if fixed[pairs].any():
        return False
    for kind, first, second, obj in zip(mj.eq_type, mj.eq_obj1id, mj.eq_obj2id, mj.eq_objtype, strict=True):
        if kind in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
            ends = np.array([first, second])
            bodies = mj.site_bodyid[ends] if obj == mujoco.mjtObj.mjOBJ_SITE else ends
            if not moving[bodies].all():
                return False
    free = [mj.body_dofadr[root] + i for root in trees for i in range(6)]
    return not mj.dof_frictionloss[free].any()


@dataclasses.dataclass(frozen=True)
class ConservingData:
    """Arrays of a step, and what the model allows."""

    momentum: TreeMomentum
    places: Any
    target: Any
    closed: bool


def make_conserving(mj: mujoco.MjModel, nworld: int) -> ConservingData:
    """Arrays for the trees of a model."""
    check_conserving(mj)
    momentum = make_momentum(mj, nworld)
    assert momentum is not None
    tree, body = (nworld, momentum.root.size), (nworld, mj.nbody)
    target: Any = Conserving()
    for name in ("linear", "angular", "start_linear", "com", "push", "centre"):
        setattr(target, name, wp.zeros(tree, dtype=wp.vec3d))
    for name in ("touch_linear", "touch_angular", "touch_moment"):
        setattr(target, name, wp.zeros(tree, dtype=wp.vec3d))
    target.mass = wp.zeros(tree, dtype=wp.float64)
    target.force, target.torque = wp.zeros(body, dtype=wp.vec3d), wp.zeros(body, dtype=wp.vec3d)
    places: Any = Places()
    places.pos, places.com = wp.zeros(body, dtype=wp.vec3d), wp.zeros(body, dtype=wp.vec3d)
    places.quat = wp.zeros(body, dtype=wp.vec4d)
    return ConservingData(momentum, places, target, closed(mj))


def _devices(m: "MjoModel") -> tuple[Any, Any, Any]:
    sites: Any = SiteModel()
    sites.quat = m.mjw.site_quat
    return sites, m.parameters["wheel"].struct, m.parameters["cmg"].struct


def _user_loads(d: "MjoData") -> Any:
    user: Any = UserLoads()
    dd = d.mjw
    user.passive, user.orbit = dd.qfrc_passive, d.qfrc_orbit
    user.applied, user.wrench = dd.qfrc_applied, dd.xfrc_applied
    return user


def conserving_stage(m: "MjoModel", d: "MjoData", stage: int) -> None:
    """At the end of an evaluation's passive forces: two launches."""
    c, dd, effects = d.conserving, d.mjw, effects_now(m)
    model, dim = _tree_model(m, c.momentum), (d.nworld, c.momentum.root.size)
    sites, wheels, cmgs = _devices(m)
    if stage == 0:
        wp.launch(
            start_kernel(effects.wheels, effects.cmgs),
            dim=dim,
            inputs=[model, sites, wheels, cmgs, d.shadow],
            outputs=[c.momentum.target, c.places, c.target],
        )
    else:
        wp.launch(
            _conserving_place,
            dim=dim,
            inputs=[m.mjw.opt.timestep, model, d.shadow, dd.qfrc_actuator, dd.qfrc_constraint, stage],
            outputs=[c.places, c.target],
        )
    central, environment_model, environment, _, orbit = _environment(m, d)
    wp.launch(
        loads_kernel(effects, external_torque(effects)),
        dim=(d.nworld, m.mjw.nbody),
        inputs=[
            m.mjw.opt.timestep,
            central,
            environment_model,
            model,
            sites,
            wheels,
            environment,
            orbit,
            d.hardware.state,
            c.places,
            _user_loads(d),
            stage,
        ],
        outputs=[c.target],
    )


def conserving_correct(m: "MjoModel", d: "MjoData") -> None:
    """After the float64 step: two launches."""
    c, dd, effects = d.conserving, d.mjw, effects_now(m)
    model, dim = _tree_model(m, c.momentum), (d.nworld, c.momentum.root.size)
    wp.launch(
        _conserving_collect,
        dim=dim,
        inputs=[m.mjw.opt.timestep, model, dd.qfrc_actuator, dd.qfrc_constraint, c.places],
        outputs=[c.target],
    )
    wp.launch(
        correct_kernel(effects.wheels, effects.cmgs, c.closed),
        dim=dim,
        inputs=[m.mjw.opt.timestep, model, *_devices(m), c.target],
        outputs=[c.momentum.target, d.shadow, dd.qpos, dd.qvel],
    )
