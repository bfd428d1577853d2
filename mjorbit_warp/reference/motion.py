"""Velocities of the bodies and composite inertias, from the positions that MuJoCo computed."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _vector

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


class BodyMotion:
    """Angular velocity [rad/s] and velocity of the COM [m/s] of each body, world axes (nworld, nbody, 3).

    Jacobian times rates: the dofs that move a body, each with its ``cdof`` about the COM of the tree's root.
    """

    def __init__(self, d: "MjoData") -> None:
        twist = d.moved_by.T @ (d.cdof * d.qvel[..., None])
        self.omega: F64 = twist[..., :3]
        arm = d.xipos - d.subtree_com[:, d.model.mj.body_rootid]
        self.velocity: F64 = twist[..., 3:] + _vector.cross(self.omega, arm)


def inertia_tensors(d: "MjoData") -> F64:
    """Inertia of each body about its COM (nworld, nbody, 3, 3) [kg·m²], world axes: X diag(I) Xᵀ, X the ``ximat``."""
    return (d.ximat * d.parameter("body_inertia")[..., None, :]) @ np.swapaxes(d.ximat, -1, -2)


def composite_inertia(d: "MjoData", bodies: NDArray[np.int32]) -> F64:
    """Inertia tensors of the subtrees of ``bodies`` about their own COMs (nworld, n, 3, 3) [kg·m²], world axes."""
    inside = d.inside[bodies].astype(np.float64)  # (n, nbody)
    mass = d.parameter("body_mass")
    total = mass @ inside.T
    com = (inside @ (mass[..., None] * d.xipos)) / total[..., None]
    own = inertia_tensors(d)
    arm = d.xipos[:, None] - com[:, :, None]  # (nworld, n, nbody, 3)
    moments = np.einsum("nb,wb,wnbi,wnbj->wnij", inside, np.broadcast_to(mass, d.xipos.shape[:2]), arm, arm)
    trace = np.einsum("wnii->wn", moments)[..., None, None]
    return np.einsum("nb,wbij->wnij", inside, own) + trace * np.eye(3) - moments
