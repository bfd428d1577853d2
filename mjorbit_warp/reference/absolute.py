"""Absolute states of the bodies."""

import dataclasses
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _vector
from mjorbit_warp.worlds import check_reference

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class AbsoluteState:
    """As mjorbit_warp.AbsoluteState, in NumPy arrays."""

    r: F64
    v: F64
    quat: F64
    omega: F64


def absolute_state(m: "MjoModel", d: "MjoData") -> AbsoluteState:
    """Positions, velocities and attitudes of all bodies in ECI at the current time (design equation 8)."""
    check_reference(m, d)
    if d.orbit is None:
        raise ValueError(
            "the model has no orbit, so its bodies have no absolute state: set spec.orbit before compile()"
        )
    d.batch.forward(stage=mujoco.mjtStage.mjSTAGE_VEL.value)
    omega = d.cvel[..., :3].copy()
    arm = d.xipos - d.subtree_com[:, m.mj.body_rootid]
    velocity = d.cvel[..., 3:] + _vector.cross(omega, arm)
    r = d.orbit.r[:, None] + d.xipos
    return AbsoluteState(r=r, v=d.orbit.v[:, None] + velocity, quat=d.xquat.copy(), omega=omega)
