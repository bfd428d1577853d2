"""Random starts, on the host: a world's depends on the seed and its own number alone."""

import mujoco
import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
_JOINTS = 1  # after the seed and the world in the key of the joints' numbers


def scatter(
    mj: mujoco.MjModel, nworld: int, seed: int, spread: float, spin: float, first: int = 0, joints: float = 0.0
) -> tuple[F64, F64]:
    """Starts (nworld, nq), (nworld, nv) drawn from (seed, world): a world is the same however many others there are.

    All free bodies of a world are moved by the same offset; each turns, with all that hangs on it, about its own axis
    through its tree's centre of mass as it is in the model.

    Args:
      spread: largest offset from the model's start [m].
      spin: angular rate of each free body [rad/s].
      first: number of the first world.
      joints: largest change of each hinge's angle [rad] and slide's position [m], within the joint's limits.
    """
    data = mujoco.MjData(mj)
    mujoco.mj_kinematics(mj, data)
    mujoco.mj_comPos(mj, data)
    qpos, qvel = np.tile(mj.qpos0, (nworld, 1)), np.zeros((nworld, mj.nv))
    free = np.flatnonzero(mj.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE))
    for w in range(nworld):
        rng = np.random.default_rng([seed, first + w])
        direction = rng.normal(size=3)
        offset = spread * rng.uniform() ** (1.0 / 3.0) * direction / np.linalg.norm(direction)
        for joint in free:
            q, v, body = int(mj.jnt_qposadr[joint]), int(mj.jnt_dofadr[joint]), int(mj.jnt_bodyid[joint])
            axis = rng.normal(size=3)
            omega = spin * axis / np.linalg.norm(axis)
            arm = data.xpos[body] - data.subtree_com[body]
            qpos[w, q : q + 3] += offset
            qvel[w, v : v + 3] = np.cross(data.xmat[body].reshape(3, 3) @ omega, arm)
            qvel[w, v + 3 : v + 6] = omega
        if joints:
            _bend(mj, qpos[w], np.random.default_rng([seed, first + w, _JOINTS]), joints)
    return qpos, qvel


def _bend(mj: mujoco.MjModel, qpos: F64, rng: np.random.Generator, most: float) -> None:
    scalar = np.isin(mj.jnt_type, [int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)])
    at = mj.jnt_qposadr[scalar]
    limited = mj.jnt_limited[scalar].astype(bool)[:, None]
    low, high = np.where(limited, mj.jnt_range[scalar], [-np.inf, np.inf]).T
    qpos[at] = np.clip(qpos[at] + rng.uniform(-most, most, at.size), low, high)
