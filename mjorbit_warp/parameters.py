"""Device arrays that make up a kernel's struct."""

from typing import Any

import numpy as np
import warp as wp


class Parameters:
    """Arrays by name, one attribute each; those in ``batched`` may have one row per world (see MjoModel.expand).

    Attributes:
      batched: names whose leading dimension is ``*``, 1 or nworld
    """

    def __init__(self, struct_type: Any, arrays: dict[str, wp.array], batched: tuple[str, ...] = ()) -> None:
        self._struct_type = struct_type
        self._names = tuple(arrays)
        self.batched = batched
        for name, array in arrays.items():
            setattr(self, name, array)

    def arrays(self) -> list[wp.array]:
        """All arrays."""
        return [getattr(self, name) for name in self._names]

    @property
    def struct(self) -> Any:
        """Made anew at each call: expand() replaces arrays."""
        struct = self._struct_type()
        for name in self._names:
            setattr(struct, name, getattr(self, name))
        return struct

    def __getattr__(self, name: str) -> Any:  # only for names that are not set: keeps type checkers content
        raise AttributeError(f"no parameter {name!r}")


def shared(values: Any, dtype: Any) -> wp.array:
    """A (1, …) array: one row for all worlds."""
    return wp.array(np.asarray(values, dtype=np.float64)[None], dtype=dtype)
