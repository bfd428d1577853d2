"""Records of chosen worlds over time, on the host."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.data import MjoData

_STATE = ("qpos", "qvel", "act")
_RECORDED = ("time", "t", *_STATE, "ctrl", "r", "v")


class Recorder:
    """Copies the state of chosen worlds, which share one clock, at each call of ``record``.

    A world that is not finite stands still, and its clock with it; the records' time is that of the others.

    Only the state itself is kept, so every value belongs to its record's time: what MuJoCo derives from a state
    (``xipos``, sensors, forces) belongs to the last evaluation, which lies before the end of a step.

    Attributes:
      data: what is recorded; it has an orbit.
      world_ids: chosen worlds   (P,)
    """

    def __init__(self, data: MjoData, world_ids: Sequence[int] | NDArray[np.integer[Any]]) -> None:
        ids = np.asarray(world_ids, dtype=np.int64)
        if ids.ndim != 1 or ids.size == 0 or ids.min() < 0 or ids.max() >= data.nworld:
            raise ValueError(f"world_ids is {ids.tolist()}: a list of worlds from 0 to {data.nworld - 1} is expected")
        if data.orbit is None:
            raise ValueError("the model has no orbit to record: set spec.orbit before compile()")
        self.data = data
        self.world_ids = ids
        self._records: list[dict[str, NDArray[Any]]] = []

    def _chosen(self, array: wp.array) -> NDArray[Any]:
        if array.size == 0:
            return np.zeros((self.world_ids.size, *array.shape[1:]), dtype=np.float32)
        upto = int(self.world_ids.max()) + 1  # only these leave the device
        chosen: NDArray[Any] = array[:upto].numpy()[self.world_ids]
        return chosen

    def _state(self, name: str) -> NDArray[Any]:
        """The shadow's float64 where it is in force, MJWarp's float32 where the user has written since."""
        value = self._chosen(getattr(self.data.mjw, name))
        if self.data.shadow is None:
            return value
        fine = self._chosen(getattr(self.data.shadow, name)).astype(np.float64)
        with np.errstate(over="ignore"):  # a world that goes to infinity
            return np.where(fine.astype(np.float32) == value, fine, value.astype(np.float64))

    def _clock(self) -> dict[str, NDArray[Any]]:
        """Elapsed time of the worlds that go on, as a frozen one stands still, and the first chosen one's date then."""
        times = self.data.time.numpy()
        now = np.asarray(np.fmax.reduce(times))
        return {"time": now, "t": np.asarray(self._chosen(self.data.orbit.epoch)[0] + now)}

    def record(self) -> None:
        """Add the state of now; waits for the device."""
        d = self.data
        values = self._clock()
        values |= {name: self._state(name) for name in _STATE}
        values |= {"ctrl": self._chosen(d.mjw.ctrl), "r": self._chosen(d.orbit.r), "v": self._chosen(d.orbit.v)}
        self._records.append(values)

    def extend(self, arrays: Mapping[str, NDArray[Any]], count: int) -> None:
        """Take over the first ``count`` records of an earlier recorder of the same worlds, from its ``arrays``."""
        if not np.array_equal(arrays["world_ids"], self.world_ids):
            raise ValueError(f"the records are of worlds {arrays['world_ids'].tolist()}, not {self.world_ids.tolist()}")
        self._records += [{name: arrays[name][k] for name in _RECORDED} for k in range(count)]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All records by name, leading dimension K, and ``world_ids``."""
        if not self._records:
            raise ValueError("nothing was recorded yet")
        stacked = {name: np.stack([record[name] for record in self._records]) for name in self._records[0]}
        return {"world_ids": self.world_ids, **stacked}
