"""Orbit loads on the bodies and their generalised forces."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _quat
from mjorbit_warp.reference.gravity import encke_difference, gravity_gradient_torque, j2_difference

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


def wrench(d: "MjoData", r_c: F64) -> F64:
    """Force [N] and torque about each body's COM [N·m], world axes, (nworld, nbody, 6), with the origin at ``r_c``."""
    rho = d.xipos
    origin = r_c[:, None]
    mu = d.central_mu[:, None]
    acceleration = encke_difference(origin, rho, mu)
    if d.model.options.j2:
        radius, j2, pole = d.central_radius[:, None], d.central_j2[:, None], d.orbit.pole[:, None]
        acceleration = acceleration + j2_difference(origin, rho, mu, radius, j2, pole)
    out = np.zeros((d.nworld, rho.shape[1], 6))
    out[:, 1:, :3] = (d.parameter("body_mass")[..., None] * acceleration)[:, 1:]
    if d.model.options.gravity_gradient:
        out[:, 1:, 3:] = gravity_gradient_torque(origin + rho, mu, d.ximat, d.parameter("body_inertia"))[:, 1:]
    return out


def project(d: "MjoData", wrenches: F64) -> F64:
    """Σ Jᵀ f (design equation 12), (nworld, nv): each dof times the resultant on the bodies that it moves.

    The body Jacobian comes from ``cdof`` (rotation, translation) at the COM of the tree's root.
    """
    mj = d.model.mj
    root = mj.body_rootid
    arm = d.xipos - d.subtree_com[:, root]
    moment = wrenches[..., 3:] + _quat.cross(arm, wrenches[..., :3])
    resultant = np.einsum("ib,wbk->wik", d.moved_by, np.concatenate([moment, wrenches[..., :3]], axis=-1))
    return np.einsum("wik,wik->wi", d.cdof, resultant)


def bodies_moved_by_dof(parent: NDArray[np.int32], dof_body: NDArray[np.int32]) -> F64:
    """(nv, nbody), 1 where the dof's body is the body itself or an ancestor of it."""
    nbody = parent.size
    ancestor = np.eye(nbody, dtype=bool)
    for body in range(1, nbody):
        ancestor[body] |= ancestor[parent[body]]
    return ancestor.T[dof_body].astype(np.float64)
