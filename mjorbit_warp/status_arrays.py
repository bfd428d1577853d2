"""What goes with the status bits on the device: when each was set, what was needed, and the state of frozen worlds."""

from typing import TYPE_CHECKING, Any

import mujoco_warp as mjw
import numpy as np
import warp as wp

from mjorbit_warp.kernels.frozen import Held, _hold
from mjorbit_warp.kernels.status import Counts, Faults
from mjorbit_warp.kernels.types import OrbitState
from mjorbit_warp.status import Status

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData


class FaultsData:
    """Since a world's last reset; read by mjo_status.

    Attributes:
      first_step: steps of the clock when a bit was first set, −1 for never       (nworld, number of bits)
      first_time: elapsed time by then [s], NaN for never                         (nworld, number of bits)
      needed: largest counts of constraint rows, contacts, pairs of geoms that may touch; the last two are those of
        all worlds together, as their buffer is                                   (nworld, 3)
      frozen: worlds that were not finite at the start of the last step and were not stepped   (nworld,)
    """

    def __init__(self, d: mjw.Data) -> None:
        n, faults, held = d.nworld, Faults(), Held()
        self.state: Any = faults
        self.held: Any = held
        self.first_step: Any = wp.full((n, len(Status)), -1, dtype=int)
        self.first_time: Any = wp.full((n, len(Status)), np.nan, dtype=wp.float64)
        self.needed: Any = wp.zeros(n, dtype=wp.vec3i)
        self.frozen: Any = wp.zeros(n, dtype=bool)
        for name in ("first_step", "first_time", "needed"):
            setattr(faults, name, getattr(self, name))
        held.frozen = self.frozen
        for name in ("qpos", "qvel", "act"):
            setattr(held, name, wp.zeros_like(getattr(d, name)))
        counts: Any = Counts()
        counts.overflow, counts.nefc, counts.nacon, counts.ncollision = d.overflow, d.nefc, d.nacon, d.ncollision
        self.counts = counts


def hold(d: "MjoData") -> None:
    """One launch at the start of a step: worlds that are not finite are put back at its end as they are now."""
    dd = d.mjw
    orbit = OrbitState() if d.orbit is None else d.orbit.state
    wp.launch(_hold, dim=d.nworld, inputs=[dd.qpos, dd.qvel, dd.act, orbit], outputs=[d.faults.held])
