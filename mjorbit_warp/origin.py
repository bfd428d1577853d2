"""Moving the origin of MuJoCo's world: what it needs, and its launches."""

import dataclasses
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import warp as wp

from mjorbit_warp.kernels.recenter import Centre, _adopt_state, _centre, _recenter
from mjorbit_warp.kernels.shadow import Shadow
from mjorbit_warp.momentum import TreeMomentum, _tree_model, make_momentum
from mjorbit_warp.orbit_data import refresh_orbit

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


def check_recenter(mj: mujoco.MjModel, has_orbit: bool) -> None:
    """ValueError, in one sentence, where moving the origin would move bodies in space."""
    if not has_orbit:
        raise ValueError("the model has no orbit, so its origin cannot be moved: set spec.orbit before compile()")
    moving = mj.body_treeid >= 0
    free = mj.jnt_bodyid[mj.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
    tied = sorted(set(mj.body_rootid[moving]) - set(free))
    if not free.size or tied:
        what = f"body {mj.body(tied[0]).name!r} hangs on the world" if tied else "the model has no free joint"
        raise ValueError(f"{what}, so the origin cannot be moved: every moving tree needs a free joint at its root")
    fixed = ~moving & (mj.body_mocapid < 0)
    touchable = fixed[mj.geom_bodyid] & ((mj.geom_contype != 0) | (mj.geom_conaffinity != 0))
    if touchable.any():
        name = mj.geom(int(np.flatnonzero(touchable)[0])).name
        raise ValueError(f"geom {name!r} is fixed to the world and can be touched, so the origin cannot be moved")
    for kind, obj, ends in zip(mj.eq_type, mj.eq_objtype, zip(mj.eq_obj1id, mj.eq_obj2id, strict=True), strict=True):
        if kind in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
            bodies = mj.site_bodyid[list(ends)] if obj == mujoco.mjtObj.mjOBJ_SITE else np.array(ends)
            if fixed[bodies].any():
                raise ValueError("an equality ties a body to the world, so the origin cannot be moved")


@dataclasses.dataclass(frozen=True)
class RecenterData:
    """Scratch; ``shadow`` is the data's own where it has one, and ``everywhere`` a mask of all worlds."""

    momentum: TreeMomentum
    centre: Any
    shadow: Any
    everywhere: wp.array


def make_recenter(m: "MjoModel", d: "MjoData") -> RecenterData:
    """Arrays for all free trees of the model."""
    check_recenter(m.mj, d.orbit is not None)
    roots = m.mj.jnt_bodyid[m.mj.jnt_type == mujoco.mjtJoint.mjJNT_FREE].tolist()
    momentum = make_momentum(m.mj, d.nworld, roots)
    assert momentum is not None
    centre: Any = Centre()
    tree = (d.nworld, len(roots))
    centre.mass = wp.zeros(tree, dtype=wp.float64)
    centre.com, centre.linear = wp.zeros(tree, dtype=wp.vec3d), wp.zeros(tree, dtype=wp.vec3d)
    shadow: Any = d.shadow
    if shadow is None:
        shadow = Shadow()
        shadow.qpos = wp.zeros(d.mjw.qpos.shape, dtype=wp.float64)
        shadow.qvel = wp.zeros(d.mjw.qvel.shape, dtype=wp.float64)
        shadow.act = wp.zeros((d.nworld, 0), dtype=wp.float64)
        shadow.stage_qacc = wp.zeros((0, d.nworld, 0), dtype=float)
    return RecenterData(momentum, centre, shadow, wp.full(d.nworld, True, dtype=bool))


def recenter(m: "MjoModel", d: "MjoData", mask: wp.array | None, threshold: float) -> None:
    """Masked worlds (None: all) whose COM is farther than ``threshold`` [m] from the origin: four launches."""
    if d._recenter is None:
        d._recenter = make_recenter(m, d)
    c, dd = d._recenter, d.mjw
    model = _tree_model(m, c.momentum)
    chosen = c.everywhere if mask is None else mask
    wp.launch(_adopt_state, dim=dd.qpos.shape, inputs=[chosen, dd.qpos, dd.qvel], outputs=[c.shadow])
    wp.launch(_centre, dim=c.centre.mass.shape, inputs=[model, c.shadow], outputs=[c.momentum.target, c.centre])
    wp.launch(
        _recenter,
        dim=d.nworld,
        inputs=[model, chosen, wp.float64(threshold), c.centre],
        outputs=[c.shadow, dd.qpos, dd.qvel, dd.mocap_pos, d.orbit.state],
    )
    refresh_orbit(d)
