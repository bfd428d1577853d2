"""Reference trajectories that come with the package."""

from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray


def load(name: str) -> dict[str, NDArray[np.float64]]:
    """Arrays of a file in validation/data, by name."""
    with as_file(files("mjorbit_warp.validation.data").joinpath(f"{name}.npz")) as path, np.load(path) as file:
        return {key: file[key] for key in file.files}
