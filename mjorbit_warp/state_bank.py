"""States to reset worlds to, on the device."""

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from mjorbit_warp.kernels.state_bank import _clear_status, restore_kernel
from mjorbit_warp.reset import world_mask
from mjorbit_warp.state import get_state, scalars, state_components, state_layout, state_written
from mjorbit_warp.step import refresh_velocities
from mjorbit_warp.worlds import check_warp

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

# as in mjo_reset: the noise of a world goes on, so that its episodes differ
_KEPT = ("sensors.seed", "sensors.stream", "sensors.count")


class StateBank:
    """Whole states that masked worlds can be put back to by launches alone, so that a reset can be part of a graph.

    Attributes:
      states: as from get_state                                      (nstate, state_size) float64
      row: the state of each world; write into it before ``restore``  (nworld,) int32
    """

    def __init__(self, model: "MjoModel", data: "MjoData", states: Any = None) -> None:
        """Keep states.

        Args:
          states: (nstate, state_size) from get_state; None takes the data's present ones, a row for each world.
        """
        check_warp(model, data)
        self.model, self.data = model, data
        now = get_state(model, data)
        given = now if states is None else states
        if not isinstance(given, wp.array):
            given = wp.array(np.asarray(given, dtype=np.float64), dtype=wp.float64, device=data.device)
        if given.ndim != 2 or given.shape[1] != now.shape[1] or not given.shape[0] or given.dtype != wp.float64:
            raise ValueError(
                f"states has shape {tuple(given.shape)} and dtype {given.dtype.__name__}: (nstate, {now.shape[1]}) and "
                "float64 are expected"
            )
        self.states = wp.clone(given)
        rows = np.arange(data.nworld) % given.shape[0]
        self.row: Any = wp.array(rows, dtype=int, device=data.device)
        self._layout = {name: part for name, part in state_layout(data).items() if name not in _KEPT}

    def restore(self, mask: Any = None) -> None:
        """Put each masked world to its row's state and clear its status; others keep their bits.

        Positions and velocities of bodies are fresh afterwards in all worlds. Outside a graph it reads the rows, and
        waits for the device. In a graph nothing can raise: a world whose row does not exist becomes NaN there, so that
        it is NONFINITE and frozen from the next step on.

        Args:
          mask: (nworld,) bool, a Warp array on the data's device or array-like; None restores all.

        Raises:
          ValueError: a masked world's row does not exist; the mask does not fit.
        """
        m, d = self.model, self.data
        chosen = world_mask(d, mask)
        if not d.device.is_capturing:
            self._check_rows(chosen)
        with wp.ScopedDevice(d.device):
            components = state_components(d)
            for name, part in self._layout.items():
                array = components[name]
                inputs = [self.states, self.row, chosen, part.start]
                wp.launch(restore_kernel(array.dtype), dim=array.shape, inputs=inputs, outputs=[array])
            time, start = scalars(d.mjw.time), self._layout["time"].start
            inputs = [self.states, self.row, chosen, start]
            wp.launch(restore_kernel(time.dtype), dim=time.shape, inputs=inputs, outputs=[time])
            outputs = [d.mjw.overflow, d.faults.state, d.status]
            wp.launch(_clear_status, dim=d.nworld, inputs=[chosen], outputs=outputs)
            d._fresh.put(d, chosen)
            if d.ring is not None:
                d.ring.forget(d, chosen)
            state_written(m, d)
            refresh_velocities(m, d)

    def _check_rows(self, mask: Any) -> None:
        rows, count = self.row.numpy(), self.states.shape[0]
        wrong = np.flatnonzero(mask.numpy() & ((rows < 0) | (rows >= count)))
        if wrong.size:
            raise ValueError(f"row of world {wrong[0]} is {rows[wrong[0]]}: the bank has states 0 to {count - 1}")
