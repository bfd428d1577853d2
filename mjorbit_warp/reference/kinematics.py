"""Poses of the bodies from their coordinates: MuJoCo's mj_kinematics, and the rotation part of mj_comPos, in NumPy.

MuJoCo's own position stage also factors the mass matrix and looks for contacts, which loads do not need. Arrays are
(component, body, world) here, so that a component lies together in memory.
"""

import os
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp._vector import cross
from mjorbit_warp.reference.poses import Poses

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]
_FREE, _BALL, _SLIDE, _HINGE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{k}")) for k in ("FREE", "BALL", "SLIDE", "HINGE"))
_BODY, _BODYROT = int(mujoco.mjtSameFrame.mjSAMEFRAME_BODY), int(mujoco.mjtSameFrame.mjSAMEFRAME_BODYROT)
_PARAMETERS = ("body_sameframe", "body_pos", "body_quat", "body_ipos", "body_iquat", "jnt_pos", "jnt_axis", "qpos0")
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


def _unit(q: F64) -> F64:
    """Quaternion (4, …) divided by its length."""
    length = np.sqrt((q * q).sum(axis=0))
    none = length < _TINY
    if none.any():
        q, length = np.where(none, np.eye(4)[:1].reshape(4, *[1] * (q.ndim - 1)), q), np.where(none, 1.0, length)
    return q / length


class _Vector:
    """Vectors of bodies or joints (3, m, 1 or nworld); components that are zero everywhere cost nothing."""

    def __init__(self, x: F64) -> None:
        self.x = x
        self.used = [k for k in range(3) if x[k].any()]

    def turned(self, matrix: F64) -> F64 | float:
        """Matrix (3, 3, m, nworld) times vector, 0 if nothing is left of it."""
        parts = [matrix[:, k] * self.x[k] for k in self.used]
        for part in parts[1:]:
            parts[0] += part
        return parts[0] if parts else 0.0


def _hinged(q: F64, angle: F64, axis: _Vector) -> F64:
    """Quaternions (4, m, nworld) turned about axes of their own."""
    c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
    if len(axis.used) != 1:
        return _product(q, np.concatenate([c[None], s * axis.x]))
    # about a coordinate axis half of the terms are zero
    k = axis.used[0]
    i, j, k = 1 + (k + 1) % 3, 1 + (k + 2) % 3, 1 + k
    s = s * axis.x[k - 1]
    out = np.empty_like(q)
    out[0] = q[0] * c - q[k] * s
    out[k] = q[k] * c + q[0] * s
    out[i] = q[i] * c + q[j] * s
    out[j] = q[j] * c - q[i] * s
    return out


def _rotation(q: F64) -> F64 | None:
    """Quaternions (4, …), None if none of them turns anything."""
    return None if (q[0] == 1.0).all() else q


def _index(ids: NDArray[np.int64]) -> Any:
    """The ids, as a slice if they are evenly spaced: NumPy then copies nothing."""
    if ids.size == 1 or (ids[1] > ids[0] and (np.diff(ids) == ids[1] - ids[0]).all()):
        return slice(int(ids[0]), int(ids[-1]) + 1, int(ids[1] - ids[0]) if ids.size > 1 else None)
    return ids


class _Joints:
    """Joints of one type, at most one of each body of a level, with their vectors.

    Attributes:
      type: MuJoCo's.
      where: their bodies in the level; ``whole`` if those are all of it.
      qpos, dof: indices of the k-th coordinate and of the k-th dof of each, by k.
      place, axis: in the body.
    """

    def __init__(self, mj: mujoco.MjModel, where: Any, joint: Any, whole: bool, jnt_pos: F64, jnt_axis: F64) -> None:
        self.type, self.where, self.whole = int(mj.jnt_type[joint[0]]), _index(where), whole
        self.qpos = [_index(mj.jnt_qposadr[joint].astype(int) + k) for k in range(7)]
        self.dof = [_index(mj.jnt_dofadr[joint].astype(int) + k) for k in range(6)]
        self.place, self.axis = _Vector(jnt_pos[:, joint]), _Vector(jnt_axis[:, joint])


class _Level:
    """Bodies of one depth, where they are in their parents, and their joints in rounds, all first joints first."""

    def __init__(self, mj: mujoco.MjModel, bodies: Any, shift: F64, tilt: F64, jnt_pos: F64, jnt_axis: F64) -> None:
        self.bodies, self.parents = _index(bodies), _index(mj.body_parentid[bodies].astype(int))
        self.shift, self.tilt = _Vector(shift[:, bodies]), _rotation(tilt[:, bodies])
        self.rounds = []
        for k in range(int(mj.body_jntnum[bodies].max())):
            has = np.flatnonzero(mj.body_jntnum[bodies] > k)
            joint = mj.body_jntadr[bodies[has]] + k
            for kind in np.unique(mj.jnt_type[joint]):
                of = mj.jnt_type[joint] == kind
                whole = int(of.sum()) == bodies.size
                self.rounds.append(_Joints(mj, has[of], joint[of], whole, jnt_pos, jnt_axis))


class _Plan:
    """A tree with the parameters that it was made for."""

    def __init__(self, mj: mujoco.MjModel, levels: list[Any], values: tuple[F64, ...]) -> None:
        self.values = tuple(x.copy() for x in values)
        same, shift, tilt, ipos, iquat, jnt_pos, jnt_axis, self.qpos0 = (x.T for x in self.values)
        # by these flags MuJoCo leaves the inertial frame's offset or rotation out
        self.com = _Vector(np.where(same == _BODY, 0.0, ipos))
        self.principal = _rotation(np.where((same == _BODY) | (same == _BODYROT), np.eye(4)[0][:, None, None], iquat))
        self.levels = [_Level(mj, bodies, shift, tilt, jnt_pos, jnt_axis) for bodies in levels]

    def is_for(self, values: tuple[F64, ...]) -> bool:
        return all(np.array_equal(a, b) for a, b in zip(self.values, values, strict=True))


def can_follow(mj: mujoco.MjModel) -> bool:
    """Whether ``Kinematics`` covers the model: mocap bodies are not placed by coordinates."""
    return int(mj.nmocap) == 0


def is_faster(nworld: int, nthread: int) -> bool:
    """Whether one thread of NumPy beats MuJoCo's stage on ``nthread`` threads, 0 for all CPUs.

    Measured on models of 2 to 13 bodies: a call costs 0.3 to 0.6 ms and 1.5 µs a world, MuJoCo's 2 to 5 µs a world.
    """
    return nworld >= 512 and (nthread or os.cpu_count() or 1) <= 2


class Kinematics:
    """The tree of a model by depth; a call gives the poses at the worlds' ``qpos``."""

    def __init__(self, mj: mujoco.MjModel) -> None:
        depth = np.zeros(mj.nbody, dtype=int)
        for body in range(1, mj.nbody):
            depth[body] = depth[mj.body_parentid[body]] + 1
        self.mj = mj
        self.depths = [np.flatnonzero(depth == k) for k in range(1, int(depth.max(initial=0)) + 1)]
        self._plan: _Plan | None = None
        # a free root turns about the point that its tree's cdof are taken at
        root = mj.body_rootid[mj.dof_bodyid]
        kind = mj.jnt_type[mj.dof_jntid]
        levers = np.flatnonzero((kind != _SLIDE) & ~((kind == _FREE) & (mj.dof_bodyid == root)))
        self.levers, self.lever_roots = levers, root[levers]
        self.roots = 1 if (mj.body_rootid[1:] == 1).all() else mj.body_rootid

    def __call__(self, d: "MjoData", axes: bool) -> Poses:
        """Poses, with ``ximat`` if ``axes``; what is not finite goes on to the forces, and so to the status."""
        values = tuple(d.parameter(name) for name in _PARAMETERS)
        if self._plan is None or not self._plan.is_for(values):
            self._plan = _Plan(self.mj, self.depths, values)
        with np.errstate(invalid="ignore", over="ignore"):
            return self._poses(self._plan, np.ascontiguousarray(d.qpos.T), axes)

    def _poses(self, plan: _Plan, q: F64, axes: bool) -> Poses:
        mj, n = self.mj, q.shape[1]
        bent = q - plan.qpos0
        xpos, xquat, xmat = np.zeros((3, mj.nbody, n)), np.zeros((4, mj.nbody, n)), np.empty((3, 3, mj.nbody, n))
        xquat[0, 0], xmat[:, :, 0] = 1.0, np.eye(3)[:, :, None]
        cdof, anchor = np.zeros((6, mj.nv, n)), np.empty((3, mj.nv, n))
        for level in plan.levels:
            mat, quat = xmat[:, :, level.parents], xquat[:, level.parents]
            pos = xpos[:, level.parents] + level.shift.turned(mat)
            if level.tilt is not None:
                quat = _product(quat, level.tilt)
                mat = _matrix(quat)
            for joints in level.rounds:
                pos, quat, mat = _move(joints, q, bent, pos, quat, mat, cdof, anchor)
            xpos[:, level.bodies], xquat[:, level.bodies], xmat[:, :, level.bodies] = pos, quat, mat
            for joints in level.rounds:  # in the body's axes, as they are after all its joints
                if joints.type in (_FREE, _BALL):
                    for k in range(3):
                        cdof[:3, joints.dof[k + 3 * (joints.type == _FREE)]] = mat[:, k, joints.where]
        lever = xpos[:, self.lever_roots] - anchor[:, self.levers]
        cdof[3:, self.levers] += cross(cdof[:3, self.levers].T, lever.T).T
        xipos = xpos + plan.com.turned(xmat)
        ximat = None
        if axes:
            turned = xmat if plan.principal is None else _matrix(_product(xquat, plan.principal))
            ximat = turned.transpose(3, 2, 0, 1)
        arm = xipos - (xpos[:, 1:2] if isinstance(self.roots, int) else xpos[:, self.roots])
        return Poses(xipos.T, ximat, cdof.T, arm.T)


def _move(
    joints: _Joints, q: F64, bent: F64, pos: F64, quat: F64, mat: F64, cdof: F64, anchor: F64
) -> tuple[F64, F64, F64]:
    """Poses of a level after one round of joints, whose axes and anchors go into ``cdof`` and ``anchor``."""
    if joints.type == _SLIDE:
        direction = joints.axis.turned(mat[:, :, joints.where])
        cdof[3:, joints.dof[0]] = direction
        pos = pos.copy()
        pos[:, joints.where] += direction * bent[joints.qpos[0]]
        return pos, quat, mat
    if joints.type == _FREE:
        place = np.stack([q[joints.qpos[k]] for k in range(3)])
        turned = _unit(np.stack([q[joints.qpos[k]] for k in range(3, 7)]))
        now = _matrix(turned)
        for k in range(3):
            cdof[3 + k, joints.dof[k]] = 1.0
            anchor[:, joints.dof[3 + k]] = place
        return _put(joints, pos, place), _put(joints, quat, turned), _put(joints, mat, now)
    at = pos[:, joints.where] + joints.place.turned(mat[..., joints.where, :])
    if joints.type == _HINGE:
        turned = _hinged(quat[:, joints.where], bent[joints.qpos[0]], joints.axis)
    else:
        turned = _product(quat[:, joints.where], _unit(np.stack([q[joints.qpos[k]] for k in range(4)])))
    now = _matrix(turned)
    if joints.type == _HINGE:
        cdof[:3, joints.dof[0]], anchor[:, joints.dof[0]] = joints.axis.turned(now), at
    else:
        for k in range(3):
            anchor[:, joints.dof[k]] = at
    if joints.place.used:
        pos = _put(joints, pos, at - joints.place.turned(now))
    return pos, _put(joints, quat, turned), _put(joints, mat, now)


def _put(joints: _Joints, whole: F64, part: F64) -> F64:
    """``whole`` (…, m, nworld) with the part of these joints' bodies, never written into: it may be their parents'."""
    if joints.whole:
        return part
    whole = whole.copy()
    whole[..., joints.where, :] = part
    return whole
