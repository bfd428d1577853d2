"""The origin moved onto the system's centre of mass, as in mjorbit_warp.recenter."""

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from mjorbit_warp.origin import check_recenter
from mjorbit_warp.reference.orbit import compensated_add
from mjorbit_warp.reference.state import _refresh, masked_worlds
from mjorbit_warp.worlds import check_reference

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.reference.data import MjoData


def mjo_recenter(m: "MjoModel", d: "MjoData", mask: Any = None) -> None:
    """Move the origin onto the system's COM: the orbit takes up the COM's position and velocity.

    Free bases and mocap bodies are shifted, absolute states stay to the rounding of r.

    Args:
      mask: (nworld,) bool; None moves all.
    """
    check_reference(m, d)
    check_recenter(m.mj, d.orbit is not None)
    ids = masked_worlds(d, mask)
    if not ids.size:
        return
    d.batch.forward(stage=mujoco.mjtStage.mjSTAGE_VEL.value)
    free = np.flatnonzero(m.mj.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    moving = np.isin(m.mj.body_rootid, m.mj.jnt_bodyid[free])
    mass = (np.broadcast_to(d.parameter("body_mass"), (d.nworld, m.mj.nbody)) * moving)[ids, :, None]
    arm = d.xipos - d.subtree_com[:, m.mj.body_rootid]
    velocity = d.cvel[..., 3:] + np.cross(d.cvel[..., :3], arm)
    offset = (mass * d.xipos[ids]).sum(axis=1) / mass.sum(axis=1)
    drift = (mass * velocity[ids]).sum(axis=1) / mass.sum(axis=1)
    keep = np.isfinite(offset).all(axis=1) & np.isfinite(drift).all(axis=1)
    ids, offset, drift = ids[keep], offset[keep], drift[keep]
    o = d.orbit
    o.r[ids], o.r_carry[ids] = compensated_add(o.r[ids], o.r_carry[ids], offset)
    o.v[ids], o.v_carry[ids] = compensated_add(o.v[ids], o.v_carry[ids], drift)
    for j in free:
        q, v = m.mj.jnt_qposadr[j], m.mj.jnt_dofadr[j]
        d.qpos[ids, q : q + 3] -= offset
        d.qvel[ids, v : v + 3] -= drift
    if m.mj.nmocap:
        d.batch.bind("mocap_pos").reshape(d.nworld, -1, 3)[ids] -= offset[:, None]
    _refresh(d)
