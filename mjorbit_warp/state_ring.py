"""StateRing: the last states of every world, so that one can be looked at after it went bad."""

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.kernels.state_ring import Columns, _forget, _push, _pushed
from mjorbit_warp.state import state_components, state_size

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData

_CODES: dict[Any, int] = {wp.float32: 0, wp.float64: 1, wp.int32: 2, wp.int64: 3, wp.bool: 4}
LARGEST = 1024  # states


def check_depth(depth: Any) -> int:
    """ValueError unless it is a number of states."""
    if not isinstance(depth, int | np.integer) or not 1 <= depth <= LARGEST:
        raise ValueError(f"state_ring is {depth!r}: 1 to {LARGEST} states, or None, are allowed")
    return int(depth)


class StateRing:
    """States of all worlds at the start of their last steps; made by ``make_data(..., state_ring=depth)``.

    Two launches at the start of each step, also in graphs. Vectors are those of get_state, commands and applied forces
    included; a world that is not finite is no longer recorded, and a reset forgets the states before it.

    Attributes:
      depth: number of states that are kept.
      states: in the order in which they are overwritten                  (depth, nworld, state_size) float64
      count: states recorded since the world's reset                      (nworld,)
    """

    def __init__(self, d: "MjoData", depth: int) -> None:
        self.depth = check_depth(depth)
        self.count: Any = wp.zeros(d.nworld, dtype=int)
        self.states: Any = wp.zeros((self.depth, d.nworld, state_size(d)), dtype=wp.float64)
        self._columns: Any = None
        self._known: list[tuple[int, Any, int]] = []

    def _table(self, d: "MjoData") -> Any:
        """Addresses of the state's columns; anew if an array was replaced."""
        now = [(array.ptr, array.dtype, array.shape[1]) for array in state_components(d).values()]
        if now != self._known:
            ptr, stride, dtype = [], [], []
            for address, kind, width in now:
                size = wp.types.type_size_in_bytes(kind)
                ptr += [address + i * size for i in range(width)]
                stride += [width * size] * width
                dtype += [_CODES[kind]] * width
            columns: Any = Columns()
            columns.ptr = wp.array(np.array(ptr, dtype=np.uint64), dtype=wp.uint64, device=d.device)
            columns.stride = wp.array(stride, dtype=int, device=d.device)
            columns.dtype = wp.array(dtype, dtype=int, device=d.device)
            self._columns, self._known = columns, now
        return self._columns

    def push(self, d: "MjoData") -> None:
        """Record the state of all worlds that are not frozen; after mjorbit_warp.status_arrays.hold."""
        _, nworld, size = self.states.shape
        frozen = d.faults.frozen
        inputs = [self._table(d), frozen, self.count]
        wp.launch(_push, dim=(nworld, size), inputs=inputs, outputs=[self.states], device=d.device)
        wp.launch(_pushed, dim=nworld, inputs=[frozen], outputs=[self.count], device=d.device)

    def forget(self, d: "MjoData", mask: wp.array) -> None:
        """Masked worlds have no states."""
        wp.launch(_forget, dim=d.nworld, inputs=[mask], outputs=[self.count], device=d.device)

    def of(self, world: int) -> NDArray[np.float64]:
        """(n, state_size) states of a world, the oldest first; reads from the device."""
        count = int(self.count.numpy()[world])
        n = min(count, self.depth)
        slots = np.arange(count - n, count) % self.depth
        out: NDArray[np.float64] = self.states[:, world].numpy()[slots]
        return out
