"""What the demo compares with: momenta by MuJoCo on the host, and closed forms; NumPy, float64, no Warp."""

import dataclasses
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Motion:
    """The spacecraft as a whole, in world axes (OF = ECI), over leading dimensions.

    Attributes:
      com: centre of mass [m]                                     (…, 3)
      velocity: its velocity [m/s]                                (…, 3)
      momentum: angular momentum about the COM, arms included [N·m·s]   (…, 3)
      inertia: of all bodies about the COM [kg·m²]                (…, 3, 3)
    """

    com: F64
    velocity: F64
    momentum: F64
    inertia: F64


def whole_motion(mj: mujoco.MjModel, qpos: Any, qvel: Any) -> Motion:
    """Motion of the whole at (…, nq) positions and (…, nv) velocities, by MuJoCo C."""
    qpos, qvel = np.asarray(qpos, dtype=np.float64), np.asarray(qvel, dtype=np.float64)
    lead = qpos.shape[:-1]
    com, velocity, momentum = (np.full((*lead, 3), np.nan) for _ in range(3))
    inertia = np.full((*lead, 3, 3), np.nan)
    data = mujoco.MjData(mj)
    for index in np.ndindex(*lead):
        if not (np.isfinite(qpos[index]).all() and np.isfinite(qvel[index]).all()):
            continue
        data.qpos[:], data.qvel[:] = qpos[index], qvel[index]
        mujoco.mj_kinematics(mj, data)
        mujoco.mj_comPos(mj, data)
        mujoco.mj_comVel(mj, data)
        mujoco.mj_subtreeVel(mj, data)
        com[index] = data.subtree_com[0]
        velocity[index] = data.subtree_linvel[0]
        momentum[index] = data.subtree_angmom[0]
        axes = data.ximat.reshape(-1, 3, 3)
        own = np.einsum("bij,bj,bkj->ik", axes, mj.body_inertia, axes)
        arm = data.xipos - data.subtree_com[0]
        spread = np.einsum("b,bi,bj->ij", mj.body_mass, arm, arm)
        inertia[index] = own + np.trace(spread) * np.eye(3) - spread
    return Motion(com, velocity, momentum, inertia)


def clohessy_wiltshire(n: float, x0: F64, v0: F64, t: Any) -> F64:
    """Position in LVLH (radial, in-track, cross-track) [m] at time ``t`` [s] after the state (…, 3) ``x0``, ``v0``.

    Closed form for a circular orbit of mean motion ``n`` [rad/s] about a point mass (Clohessy and Wiltshire 1960).
    """
    s, c = np.sin(n * t), np.cos(n * t)
    x, y, z = x0[..., 0], x0[..., 1], x0[..., 2]
    u, v, w = v0[..., 0], v0[..., 1], v0[..., 2]
    radial = (4.0 - 3.0 * c) * x + s / n * u + 2.0 / n * (1.0 - c) * v
    along = 6.0 * (s - n * t) * x + y - 2.0 / n * (1.0 - c) * u + (4.0 * s - 3.0 * n * t) / n * v
    cross = c * z + s / n * w
    return np.stack([radial, along, cross], axis=-1)


def gravity_gradient_torque(mu: float, r: F64, inertia: F64) -> F64:
    """3μ/r³ r̂ × (J r̂) [N·m] of a rigid body at ``r`` (…, 3) from a point mass, J (…, 3, 3) in the same axes."""
    distance = np.linalg.norm(r, axis=-1, keepdims=True)
    unit = r / distance
    return 3.0 * mu / distance**3 * np.cross(unit, np.einsum("...ij,...j->...i", inertia, unit))


def impulse(times: F64, torque: F64) -> F64:
    """Running integral over the first axis by the trapezoidal rule, zero at the start."""
    steps = np.diff(times).reshape(-1, *[1] * (torque.ndim - 1))
    parts = 0.5 * (torque[1:] + torque[:-1]) * steps
    return np.concatenate([np.zeros_like(torque[:1]), np.cumsum(parts, axis=0)])
