"""Poses of the bodies from their coordinates: MuJoCo's mj_kinematics, and the rotation part of mj_comPos, in NumPy.

MuJoCo's own position stage also factors the mass matrix and looks for contacts, which loads do not need. Arrays are
(component, body, world) here, so that a component lies together in memory.
"""

import dataclasses
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.reference.poses import Poses

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]
_FREE, _BALL, _SLIDE, _HINGE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{k}")) for k in ("FREE", "BALL", "SLIDE", "HINGE"))
_BODY, _BODYROT = int(mujoco.mjtSameFrame.mjSAMEFRAME_BODY), int(mujoco.mjtSameFrame.mjSAMEFRAME_BODYROT)
_PARAMETERS = ("body_pos", "body_quat", "body_ipos", "body_iquat", "jnt_pos", "jnt_axis", "qpos0")
_TINY = 1e-15  # MuJoCo takes a shorter quaternion for no rotation


def _product(a: F64, b: F64) -> F64:
    """Product of quaternions (4, …)."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    out = np.empty((4, *np.broadcast_shapes(a.shape[1:], b.shape[1:])))
    out[0] = aw * bw - ax * bx - ay * by - az * bz
    out[1] = aw * bx + ax * bw + ay * bz - az * by
    out[2] = aw * by - ax * bz + ay * bw + az * bx
    out[3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def _matrix(q: F64) -> F64:
    """Rotation matrix (3, 3, …) of a unit quaternion (4, …)."""
    w, x, y, z = q
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    out = np.empty((3, 3, *q.shape[1:]))
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - (yy + zz), xy - wz, xz + wy
    out[1, 0], out[1, 1], out[1, 2] = xy + wz, 1.0 - (xx + zz), yz - wx
    out[2, 0], out[2, 1], out[2, 2] = xz - wy, yz + wx, 1.0 - (xx + yy)
    return out


def _turned(matrix: F64, x: F64) -> F64:
    """Matrix (3, 3, …) times vector (3, …); components that are zero everywhere cost nothing."""
    parts = [matrix[:, k] * x[k] for k in range(3) if x[k].any()]
    return sum(parts[1:], parts[0]) if parts else np.zeros(matrix.shape[1:])


def _cross(a: F64, b: F64) -> F64:
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.subtract(a[j] * b[k], a[k] * b[j], out=out[i])
    return out


def _unit(q: F64) -> F64:
    """Quaternion (4, …) divided by its length."""
    length = np.sqrt((q * q).sum(axis=0))
    none = length < _TINY
    if none.any():
        q, length = np.where(none, np.eye(4)[:1].reshape(4, *[1] * (q.ndim - 1)), q), np.where(none, 1.0, length)
    return q / length


def _turns(q: F64) -> bool:
    """Whether any of the quaternions (4, …) is a rotation."""
    return not (q[0] == 1.0).all()


@dataclasses.dataclass(frozen=True)
class _Joints:
    """Joints of one type, at most one of each body of a level.

    Attributes:
      where: indices of their bodies in the level.
      joint, qpos, dof: ids, and first addresses.
    """

    type: int
    where: NDArray[np.int64]
    joint: NDArray[np.int64]
    qpos: NDArray[np.int64]
    dof: NDArray[np.int64]


def _rounds(mj: mujoco.MjModel, bodies: NDArray[np.int64]) -> list[_Joints]:
    """The joints of a level's bodies, the first of each body before the second."""
    out = []
    for k in range(int(mj.body_jntnum[bodies].max())):
        has = np.flatnonzero(mj.body_jntnum[bodies] > k)
        joint = mj.body_jntadr[bodies[has]] + k
        for kind in np.unique(mj.jnt_type[joint]):
            of = mj.jnt_type[joint] == kind
            j = joint[of]
            out.append(_Joints(int(kind), has[of], j, mj.jnt_qposadr[j].astype(int), mj.jnt_dofadr[j].astype(int)))
    return out


def can_follow(mj: mujoco.MjModel) -> bool:
    """Whether ``Kinematics`` covers the model: mocap bodies are not placed by coordinates."""
    return int(mj.nmocap) == 0


class Kinematics:
    """The tree of a model by depth; a call gives the poses at the worlds' ``qpos``."""

    def __init__(self, mj: mujoco.MjModel) -> None:
        depth = np.zeros(mj.nbody, dtype=int)
        for body in range(1, mj.nbody):
            depth[body] = depth[mj.body_parentid[body]] + 1
        levels = [np.flatnonzero(depth == k) for k in range(1, int(depth.max(initial=0)) + 1)]
        self.mj = mj
        self.levels = [(bodies, mj.body_parentid[bodies], _rounds(mj, bodies)) for bodies in levels]
        # a free root turns about the point that its tree's cdof are taken at
        root = mj.body_rootid[mj.dof_bodyid]
        kind = mj.jnt_type[mj.dof_jntid]
        self.levers = np.flatnonzero((kind != _SLIDE) & ~((kind == _FREE) & (mj.dof_bodyid == root)))
        self.lever_roots = root[self.levers]

    def __call__(self, d: "MjoData", axes: bool) -> Poses:
        """Poses, with ``ximat`` if ``axes``; what is not finite goes on to the forces, and so to the status."""
        with np.errstate(invalid="ignore", over="ignore"):
            return self._poses(d, axes)

    def _poses(self, d: "MjoData", axes: bool) -> Poses:
        mj, n = self.mj, d.nworld
        shift, tilt, ipos, iquat, jnt_pos, jnt_axis, qpos0 = (d.parameter(name).T for name in _PARAMETERS)
        same = d.parameter("body_sameframe").T  # MuJoCo does not look at what these flags say is nothing
        ipos = np.where(same == _BODY, 0.0, ipos)
        iquat = np.where((same == _BODY) | (same == _BODYROT), np.eye(4)[0][:, None, None], iquat)
        q = np.ascontiguousarray(d.qpos.T)
        bent = q - qpos0
        xpos, xquat, xmat = np.zeros((3, mj.nbody, n)), np.zeros((4, mj.nbody, n)), np.empty((3, 3, mj.nbody, n))
        xquat[0, 0], xmat[:, :, 0] = 1.0, np.eye(3)[:, :, None]
        cdof, anchor = np.zeros((6, mj.nv, n)), np.empty((3, mj.nv, n))
        for bodies, parents, rounds in self.levels:
            mat, quat = xmat[:, :, parents], xquat[:, parents]
            pos = xpos[:, parents] + _turned(mat, shift[:, bodies])
            if _turns(tilt[:, bodies]):
                quat = _product(quat, tilt[:, bodies])
                mat = _matrix(quat)
            for joints in rounds:
                where, dof = joints.where, joints.dof
                place, axis = jnt_pos[:, joints.joint], jnt_axis[:, joints.joint]
                if joints.type == _FREE:
                    pos[:, where] = q[joints.qpos + np.arange(3)[:, None]]
                    quat[:, where] = _unit(q[joints.qpos + np.arange(3, 7)[:, None]])
                    mat[:, :, where] = _matrix(quat[:, where])
                    for k in range(3):
                        cdof[3 + k, dof + k] = 1.0
                        anchor[:, dof + 3 + k] = pos[:, where]
                    continue
                at = pos[:, where] + _turned(mat[:, :, where], place)
                if joints.type == _SLIDE:
                    cdof[3:, dof] = direction = _turned(mat[:, :, where], axis)
                    pos[:, where] += direction * bent[joints.qpos]
                    continue
                if joints.type == _HINGE:
                    half = 0.5 * bent[joints.qpos]
                    turn = np.concatenate([np.cos(half)[None], np.sin(half) * axis])
                else:
                    turn = _unit(q[joints.qpos + np.arange(4)[:, None]])
                quat[:, where] = turned = _product(quat[:, where], turn)
                mat[:, :, where] = now = _matrix(turned)
                if place.any():
                    pos[:, where] = at - _turned(now, place)
                if joints.type == _HINGE:
                    cdof[:3, dof], anchor[:, dof] = _turned(now, axis), at
                else:
                    for k in range(3):
                        anchor[:, dof + k] = at
            xpos[:, bodies], xquat[:, bodies], xmat[:, :, bodies] = pos, quat, mat
            for joints in rounds:  # in the body's axes, as they are after all its joints
                if joints.type in (_FREE, _BALL):
                    for k in range(3):
                        cdof[:3, joints.dof + (3 if joints.type == _FREE else 0) + k] = mat[:, k, joints.where]
        lever = xpos[:, self.lever_roots] - anchor[:, self.levers]
        cdof[3:, self.levers] += _cross(cdof[:3, self.levers], lever)
        xipos = xpos + _turned(xmat, ipos)
        ximat = None
        if axes:
            ximat = (_matrix(_product(xquat, iquat)) if _turns(iquat) else xmat).transpose(3, 2, 0, 1)
        return Poses(xipos.T, ximat, cdof.T, (xipos - xpos[:, mj.body_rootid]).T)
