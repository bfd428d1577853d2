"""Arrays of a shard as Zarr v3: a group, each array in one file with chunks inside."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.extras import need

NAME = "data.zarr"
CHUNK = 1 << 20  # bytes, about


def _zarr() -> Any:
    return need("zarr", "data", "format zarr")


def check() -> None:
    """ImportError, in one sentence, if zarr is missing."""
    _zarr()


def write(folder: str, arrays: Mapping[str, NDArray[Any]], attributes: Mapping[str, Mapping[str, Any]]) -> None:
    """Write all arrays and their attributes into a new group in the folder."""
    zarr = _zarr()
    group = zarr.open_group(os.path.join(folder, NAME), mode="w-", zarr_format=3)
    for name, values in arrays.items():
        values = np.ascontiguousarray(values)
        count = max(1, values.shape[0] if values.ndim else 1)
        some = min(count, max(1, CHUNK * count // max(values.nbytes, 1)))
        chunks, whole = (some, *values.shape[1:]), (-(-count // some) * some, *values.shape[1:])
        array = group.create_array(
            name,
            shape=values.shape,
            dtype=values.dtype,
            chunks=tuple(max(1, size) for size in chunks),
            shards=tuple(max(1, size) for size in whole),
            attributes=dict(attributes.get(name, {})),
        )
        if values.size:
            array[...] = values


class Reader:
    """Lazy access to the arrays of a shard."""

    def __init__(self, folder: str) -> None:
        self._group = _zarr().open_group(os.path.join(folder, NAME), mode="r")

    def read(self, name: str, index: Any = ...) -> NDArray[Any]:
        """Values of an array, or a part of its episodes."""
        return np.asarray(self._group[name][index])
