"""Vectors (…, 3) and matrices (…, 3, 3) over leading dimensions, written out by component.

Each is a few operations on whole components, which NumPy does at full speed where a component lies together in memory
(``by_component``) and at half of it elsewhere; einsum, numpy.cross and matmul take two to five times as long on stacks
of three numbers. The order of the sums is fixed.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]


def by_component(x: ArrayLike) -> F64:
    """The same array with each component together in memory, leading dimensions last; a copy only where needed."""
    return np.asfortranarray(x, dtype=np.float64)


def dot(a: F64, b: F64) -> F64:
    """Scalar product (…, 1)."""
    return a[..., :1] * b[..., :1] + a[..., 1:2] * b[..., 1:2] + a[..., 2:] * b[..., 2:]


def norm(a: F64) -> F64:
    """Length (…, 1)."""
    return np.sqrt(dot(a, a))


def cross(a: F64, b: F64) -> F64:
    """Vector product."""
    out = np.empty_like(a if a.shape == b.shape else np.add(a, b))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.subtract(a[..., j] * b[..., k], a[..., k] * b[..., j], out=out[..., i])
    return out


def turn(matrix: F64, x: F64) -> F64:
    """Matrix times vector."""
    return matrix[..., 0] * x[..., :1] + matrix[..., 1] * x[..., 1:2] + matrix[..., 2] * x[..., 2:]


def turn_back(matrix: F64, x: F64) -> F64:
    """Transposed matrix times vector."""
    return matrix[..., 0, :] * x[..., :1] + matrix[..., 1, :] * x[..., 1:2] + matrix[..., 2, :] * x[..., 2:]
