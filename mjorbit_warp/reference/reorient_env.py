"""Task reorient, and what all tasks share, over leading dimensions; see kernels.env_episode and env_reorient."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjorbit_warp import _quat
from mjorbit_warp.reference.noise import keyed, uniform

F64 = NDArray[np.float64]
START = 0x73746172


def start_uniform(seed: ArrayLike, world: ArrayLike, number: ArrayLike, n: int) -> F64:
    """n numbers in (0, 1] of a world's episode (…, n)."""
    blocks = [uniform(keyed(seed, number, block, world, START)) for block in range(-(-n // 4))]
    return np.concatenate(blocks, axis=-1)[..., :n]


def read_action(action: F64, limits: F64) -> tuple[F64, F64, NDArray[np.bool_]]:
    """(clipped actions, commands, which worlds' actions were not finite) of actions (nworld, nact)."""
    bad = ~np.isfinite(action)
    applied = np.clip(np.where(bad, 0.0, action), -1.0, 1.0)
    share = 0.5 + 0.5 * applied
    return applied, (1.0 - share) * limits[:, 0] + share * limits[:, 1], np.any(bad, axis=-1)


def attitude_error(q: F64, goal: F64) -> F64:
    """Rotation vector [rad] in body axes (…, 3) that takes ``q`` to the goal."""
    e = _quat.mul(_quat.conj(q), goal)
    e = np.where(e[..., :1] < 0.0, -e, e)
    angle = 2.0 * np.arccos(np.minimum(e[..., :1], 1.0))
    n = np.linalg.norm(e[..., 1:], axis=-1, keepdims=True)
    return np.where(n > 0.0, e[..., 1:] * angle / np.where(n > 0.0, n, 1.0), 0.0)


def clearance(xpos: F64, xquat: F64, bus: int, body: ArrayLike, point: ArrayLike, half: float, radius: float) -> F64:
    """Distance [m] of the arms' surface about their points from the bus (…, npoint), of body frames (…, nbody, n)."""
    body = np.asarray(body)
    world = xpos[..., body, :] + _quat.rotate(xquat[..., body, :], np.asarray(point, dtype=np.float64))
    axes = _quat.to_matrix(xquat[..., bus, :])
    local = np.einsum("...ji,...kj->...ki", axes, world - xpos[..., bus : bus + 1, :])
    nearest = np.clip(local, -half, half)
    return np.linalg.norm(local - nearest, axis=-1) - radius


def start(random: F64, goal: F64, largest_angle: float, largest_bend: float) -> tuple[F64, F64]:
    """(attitudes (…, 4), joint angles (…, n) [rad]) of a start, from its random numbers (…, 3 + n)."""
    z, phi = 1.0 - 2.0 * random[..., 0], 2.0 * np.pi * random[..., 1]
    r = np.sqrt(np.maximum(1.0 - z**2, 0.0))
    axis = np.stack([r * np.cos(phi), r * np.sin(phi), z], axis=-1)
    half = 0.5 * largest_angle * random[..., 2:3]
    turn = np.concatenate([np.cos(half), np.sin(half) * axis], axis=-1)
    return _quat.mul(goal, turn), largest_bend * (2.0 * random[..., 3:] - 1.0)


def observation(qpos: F64, qvel: F64, goal: F64, length: NDArray[np.int64], max_length: int) -> F64:
    """Observation (nworld, 7 + 2n)."""
    q = qpos[:, 3:7] / np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    left = 1.0 - np.asarray(length, dtype=np.float64) / max_length
    return np.concatenate([attitude_error(q, goal), qvel[:, 3:6], qpos[:, 7:], qvel[:, 6:], left[:, None]], axis=1)


def reward(
    qpos: F64, qvel: F64, distance: F64, applied: F64, goal: F64, weights: Any, dt: float
) -> tuple[F64, NDArray[np.bool_]]:
    """(terms of the reward (nworld, 5), worlds that it terminates), of the distances (nworld, npoint) of ``clearance``.

    Args:
      weights: envs.reorient.Weights.
      dt: of the step [s].
    """
    q = qpos[:, 3:7] / np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    angle = np.linalg.norm(attitude_error(q, goal), axis=1)
    touch = np.any(distance < 0.0, axis=1)
    rates = np.stack(
        [
            weights.attitude / (1.0 + (angle / weights.near) ** 2),
            -weights.rate * np.sum(qvel[:, 6:] ** 2, axis=1),
            -weights.clearance * np.sum(np.maximum(weights.margin - distance, 0.0), axis=1),
            -weights.control * np.sum(applied**2, axis=1),
        ],
        axis=1,
    )
    return np.concatenate([dt * rates, np.where(touch, -weights.failure, 0.0)[:, None]], axis=1), touch
