"""Status bits of the reference backend, when each was first set, and worlds that stay as they were found."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp._vector import dot, norm
from mjorbit_warp.reference.dropped import dropped
from mjorbit_warp.reference.wheel import wheel_saturated
from mjorbit_warp.status import Status

if TYPE_CHECKING:
    from mjorbit_warp.effects import Effects
    from mjorbit_warp.reference.data import MjoData

_CLOCK = ("time", "base", "nstep", "dt")
_ORBIT = ("r", "v", "r_carry", "v_carry", "lvlh")


class FaultsData:
    """As in the Warp backend, without ``needed``: MuJoCo C has no such buffers.

    Attributes:
      first_step: steps of the clock when a bit was first set, −1 for never   (nworld, number of bits)
      first_time: elapsed time by then [s], NaN for never                     (nworld, number of bits)
    """

    def __init__(self, nworld: int) -> None:
        self.first_step = np.full((nworld, len(Status)), -1)
        self.first_time = np.full((nworld, len(Status)), np.nan)

    def clear(self, ids: NDArray[np.intp]) -> None:
        """As in new worlds."""
        self.first_step[ids] = -1
        self.first_time[ids] = np.nan


def finite(d: "MjoData") -> NDArray[np.bool_]:
    """Worlds whose coordinates, velocities and orbit are finite."""
    with np.errstate(invalid="ignore", over="ignore"):  # a sum is finite if all are, and takes a fifth of the time
        good = np.isfinite(d.qpos @ np.ones(d.qpos.shape[1])) & np.isfinite(d.qvel @ np.ones(d.qvel.shape[1]))
    if d.orbit is not None:
        good &= np.isfinite(norm(d.orbit.r)[:, 0]) & np.isfinite(d.orbit.v).all(axis=1)
    return good


class Frozen:
    """State of the worlds that are not finite at the start of a step, to be put back at its end."""

    def __init__(self, d: "MjoData") -> None:
        self.ids = np.flatnonzero(~finite(d))
        self.kept: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        if self.ids.size:
            arrays = [d.qpos, d.qvel, d.act, *(getattr(d.clock, name) for name in _CLOCK)]
            if d.orbit is not None:
                arrays += [getattr(d.orbit, name) for name in _ORBIT]
            self.kept = [(array, array[self.ids].copy()) for array in arrays if array.size]

    def burn_nothing(self, d: "MjoData") -> None:
        """The worlds' thrusters use no propellant in this step."""
        if d.hardware.tanks is not None:
            d.hardware.tanks.impulse[self.ids] = 0.0

    def put_back(self) -> None:
        """The worlds are as they were."""
        for array, values in self.kept:
            array[self.ids] = values


def update_status(d: "MjoData", effects: "Effects", frozen: Frozen) -> None:
    """At the end of a step; a frozen world is not looked at any more."""
    found = np.zeros(d.nworld, dtype=np.int32)
    if d.orbit is not None:
        distance = norm(d.orbit.r)[:, 0]
        found[distance < d.central_radius] |= Status.BELOW_SURFACE
        away = dot(d.xipos, d.xipos)[:, 1:, 0].max(axis=1, initial=0.0)
        found[away > (0.1 * distance) ** 2] |= Status.TOO_FAR
    if effects.wheels:
        found[wheel_saturated(d)] |= Status.WHEEL_SATURATED
    found[dropped(d)] |= Status.OVERFLOW
    found[frozen.ids] = 0
    found[~finite(d)] |= Status.NONFINITE
    new = found & ~d.status
    if not new.any():
        return
    for column, bit in enumerate(Status):
        ids = np.flatnonzero(new & bit)
        d.faults.first_step[ids, column] = d.clock.nstep[ids]
        d.faults.first_time[ids, column] = d.clock.time[ids]
    d.status |= found
