"""Numbers, vectors and flags as callers give them, into Python's own; what is not one raises in one sentence."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def host(array: Any) -> NDArray[Any]:
    """A NumPy array of a Warp array, on the CPU a view, or of anything that NumPy reads."""
    return np.asarray(array.numpy() if hasattr(array, "numpy") else array)


def number(value: Any, name: str) -> float:
    """A Python float from a number of any kind, 0-d arrays included; NaN and infinities pass."""
    array = np.asarray(value)
    if array.shape == () and array.dtype.kind in "iuf":
        return float(array)
    raise ValueError(f"{name} is {value!r}: a number is expected")


def vector(value: Any, name: str) -> F64:
    """Three finite numbers (3,)."""
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        array = np.empty(0)
    if array.shape != (3,) or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise ValueError(f"{name} is {value!r}: three finite numbers are expected")
    return array.astype(np.float64)


def flag(value: Any, name: str) -> bool:
    """A Python bool."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ValueError(f"{name} is {value!r}: True or False is expected")


def positive(value: Any, name: str) -> float:
    """A positive, finite number."""
    x = number(value, name)
    if not 0.0 < x < np.inf:
        raise ValueError(f"{name} is {value!r}: a positive number is expected")
    return x
