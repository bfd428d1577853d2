"""Arrays of a shard as one HDF5 file."""

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.extras import need

NAME = "data.h5"
CHUNK = 1 << 20  # bytes, about


def _h5py() -> Any:
    return need("h5py", "hdf5", "format hdf5")


def check() -> None:
    """ImportError, in one sentence, if h5py is missing."""
    _h5py()


def write(folder: str, arrays: Mapping[str, NDArray[Any]], attributes: Mapping[str, Mapping[str, Any]]) -> None:
    """Write all arrays and their attributes into a new file in the folder; attributes that are lists are JSON.

    The file is made in memory: the HDF5 library ends the process when a disk is full.
    """
    with _h5py().File(NAME, "w", driver="core", backing_store=False, track_order=True) as file:
        for name, values in arrays.items():
            some = min(len(values), max(1, CHUNK * len(values) // max(values.nbytes, 1))) if values.size else 1
            packed = {
                "chunks": (some, *values.shape[1:]),
                "compression": "gzip",
                "compression_opts": 1,
                "shuffle": True,
            }
            made = file.create_dataset(name, data=values, track_times=False, **(packed if values.size else {}))
            for key, value in attributes.get(name, {}).items():
                made.attrs[key] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        file.flush()
        image = file.id.get_file_image()
    with open(os.path.join(folder, NAME), "xb") as out:
        out.write(image)


class Reader:
    """Lazy access to the arrays of a shard."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, NAME)

    def read(self, name: str, index: Any = ...) -> NDArray[Any]:
        """Values of an array, or a part of its episodes."""
        with _h5py().File(self._path, "r") as file:
            return np.asarray(file[name][index])
