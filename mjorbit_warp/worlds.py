"""Checks of world indices and masks, on the host."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def world_index(world_ids: Any, nworld: int) -> NDArray[np.int64]:
    """Distinct indices (n,) of existing worlds; None is all of them."""
    ids = np.arange(nworld) if world_ids is None else np.asarray(world_ids)
    if ids.size == 0:
        ids = ids.astype(np.int64)
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise ValueError(f"world_ids has shape {ids.shape} and dtype {ids.dtype}: a list of integers is expected")
    if ids.size and (ids.min() < 0 or ids.max() >= nworld):
        raise ValueError(f"world_ids reaches from {ids.min()} to {ids.max()}: 0 to {nworld - 1} are allowed")
    if np.unique(ids).size != ids.size:
        raise ValueError("world_ids names a world twice")
    return ids.astype(np.int64)


def check_owner(m: Any, d: Any) -> None:
    """ValueError unless the data was made from the model."""
    if getattr(d, "model", None) is not m:
        raise ValueError("this data was made from another model: pass the model given to make_data")


def check_warp(m: Any, d: Any) -> None:
    """As check_owner; ValueError for data of the reference too."""
    check_owner(m, d)
    if not hasattr(d, "mjw"):
        raise ValueError("this data is of the reference backend: data of mjorbit_warp.make_data is expected here")


def check_reference(m: Any, d: Any) -> None:
    """As check_owner; ValueError for data of the Warp backend too."""
    check_owner(m, d)
    if not hasattr(d, "batch"):
        raise ValueError("this data is of the Warp backend: data of mjorbit_warp.reference.make_data is expected here")
