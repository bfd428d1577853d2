"""Quaternions (w, x, y, z) over leading dimensions; q takes vectors from its frame by v' = q v q*."""

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp._vector import cross

F64 = NDArray[np.float64]


def mul(a: F64, b: F64) -> F64:
    """Hamilton product."""
    w = a[..., 0] * b[..., 0] - np.sum(a[..., 1:] * b[..., 1:], axis=-1)
    vector = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w[..., None], vector], axis=-1)


def conj(q: F64) -> F64:
    """Inverse of a unit quaternion."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: F64, v: F64) -> F64:
    """q v q* for unit quaternions."""
    t = 2.0 * cross(q[..., 1:], v)
    return v + q[..., :1] * t + cross(q[..., 1:], t)


def to_matrix(q: F64) -> F64:
    """Rotation matrix (…, 3, 3) of a unit quaternion; its columns are the rotated axes."""
    axes = np.broadcast_to(np.eye(3), (*q.shape[:-1], 3, 3))
    return np.swapaxes(rotate(q[..., None, :], axes), -1, -2)


def from_matrix(matrix: F64) -> F64:
    """Unit quaternion of a rotation matrix, w ≥ 0 (Shepperd's method: the largest component first)."""
    m = matrix
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    diagonal = np.stack([m[..., i, i] for i in range(3)], axis=-1)
    squares = np.concatenate([1.0 + trace[..., None], 1.0 - trace[..., None] + 2.0 * diagonal], axis=-1)
    # rows: 4 q_i q for each i
    skew = [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]]
    mixed = {(i, j): m[..., i, j] + m[..., j, i] for i, j in ((0, 1), (0, 2), (1, 2))}
    rows = np.stack(
        [
            np.stack([squares[..., 0], skew[0], skew[1], skew[2]], axis=-1),
            np.stack([skew[0], squares[..., 1], mixed[0, 1], mixed[0, 2]], axis=-1),
            np.stack([skew[1], mixed[0, 1], squares[..., 2], mixed[1, 2]], axis=-1),
            np.stack([skew[2], mixed[0, 2], mixed[1, 2], squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(squares, axis=-1)[..., None, None]
    q = np.take_along_axis(rows, best, axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., :1] < 0.0, -q, q)
