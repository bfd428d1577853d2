"""Where the bodies are, and how the dofs move them: what loads and their projection need."""

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp._vector import by_component

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Poses:
    """Positions of the worlds' bodies, world axes, by component.

    Attributes:
      xipos: COM of each body [m]                                                     (nworld, nbody, 3)
      ximat: principal axes of each body; None if nobody asked                        (nworld, nbody, 3, 3)
      cdof: rotation and translation of each dof, at a point of its tree              (nworld, nv, 6)
      arm: from that point to the COM of each body [m]                                (nworld, nbody, 3)
    """

    xipos: F64
    ximat: F64 | None
    cdof: F64
    arm: F64


def mujoco_poses(d: "MjoData") -> Poses:
    """The fields of MuJoCo's position stage as they are now; its point is the COM of the tree's root."""
    arm = by_component(d.xipos - d.subtree_com[:, d.model.mj.body_rootid])
    return Poses(by_component(d.xipos), by_component(d.ximat), d.cdof, arm)
