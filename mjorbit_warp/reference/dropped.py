"""Worlds of the reference whose contacts or constraints did not fit into MuJoCo C's arena."""

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.status import Status

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

_FULL = (int(mujoco.mjtWarning.mjWARN_CONTACTFULL), int(mujoco.mjtWarning.mjWARN_CNSTRFULL))
_NO_EQUALITIES = int(mujoco.mjtDisableBit.mjDSBL_EQUALITY) | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)


def bind_counts(mj: mujoco.MjModel, data: "MjoData") -> bool:
    """Have the batch keep the numbers of contacts and rows; False for a model that can have none.

    Limits and friction alone need so little of the arena that they are not watched.
    """
    if mj.ngeom < 2 and not mj.neq:
        return False
    for name in ("ncon", "nefc"):
        data._field(name)
    return True


def dropped(d: "MjoData") -> NDArray[np.intp]:
    """Worlds that lost contacts or rows in the last evaluation.

    MuJoCo C leaves out every row when one does not fit, and a batch keeps no warnings: a world with contacts or active
    constraints and without rows is evaluated once more by itself, which says whether they were dropped, or were none
    (contacts within a gap, an equality that is switched off).
    """
    if not d.counts:
        return np.empty(0, dtype=np.intp)
    mj = d.batch.model
    suspected = (d.nefc == 0) & (d.ncon > 0)
    if mj.neq and not mj.opt.disableflags & _NO_EQUALITIES:
        suspected |= (d.nefc == 0) & d.eq_active.any(axis=1)
    suspected &= (d.status & Status.OVERFLOW) == 0  # known already
    ids = np.flatnonzero(suspected)
    return ids[[_is_full(d.batch, int(k)) for k in ids]] if ids.size else ids


def _is_full(batch: Any, world: int) -> bool:
    data = batch.get_data(world)
    mujoco.mj_forward(batch.get_model(world), data)
    return any(data.warning[kind].number > 0 for kind in _FULL)
