"""Captured steps."""

import dataclasses
import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from mjorbit_warp.state import state_components
from mjorbit_warp.step import check_pair, mjo_step

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


def _arrays(root: Any) -> Iterator[wp.array]:
    """All Warp arrays of a dataclass or object, nested dataclasses included."""
    for value in vars(root).values():
        if isinstance(value, wp.array):
            yield value
        elif dataclasses.is_dataclass(value):  # contact and efc of MJWarp's Data
            yield from _arrays(value)


@contextmanager
def _no_gc() -> Iterator[None]:
    """Suspend garbage collection: freeing an old graph or array inside a capture would become part of the graph."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class CapturedStep:
    """A graph of ``nstep`` steps, or of a function of launches; calling it replays them. Made by ``capture``.

    Arrays are read through the graph, so whatever is written into them between calls takes effect. If an array of the
    model or of the data was replaced (``model.expand``), or an option or a callback changed, the next call captures
    again.

    Attributes:
      model, data: what is stepped.
      nstep: steps per call.
      body: what is captured, by default ``nstep`` steps.
      extra: arrays besides the data's that the body writes; capturing leaves them as they are.
      graph: the Warp graph of the last capture.
      ncapture: number of captures so far.
    """

    def __init__(
        self,
        model: "MjoModel",
        data: "MjoData",
        nstep: int,
        body: Callable[[], None] | None = None,
        extra: Sequence[wp.array] = (),
    ) -> None:
        self.body = self._steps if body is None else body
        self.extra = tuple(extra)
        self.model = model
        self.data = data
        self.nstep = nstep
        self.ncapture = 0
        self.graph: Any = None
        self._signature: list[Any] = []
        self._warm_up()
        self._capture()

    def _steps(self) -> None:
        for _ in range(self.nstep):
            mjo_step(self.model, self.data)

    def _identity(self) -> list[Any]:
        m, d = self.model, self.data
        ours = [array for parameters in m.parameters.values() for array in parameters.arrays()]
        owners = [m.mjw, m.mjw.opt, d.mjw, d.mjw.contact, d.mjw.efc]
        values = [value for owner in owners for value in vars(owner).values()] + ours
        values += [
            d.sensors.enabled,
            d.latch is not None and d.latch.used,
            *vars(m.callback).values(),
            *vars(m.mjw.callback).values(),
        ]
        # the objects themselves are kept, so an identity cannot be reused by a new array
        return values

    def _same(self, values: list[Any]) -> bool:
        old = self._signature
        if len(values) != len(old):
            return False
        return all(a is b or (isinstance(a, int | float) and a == b) for a, b in zip(values, old, strict=True))

    def _warm_up(self) -> None:
        """Compile every kernel of a step, then put back every array that the step changed."""
        m, d = self.model, self.data
        check_pair(m, d)
        owners = [d.mjw, d, d.hardware, d.sensors, d.faults, *([] if d.orbit is None else [d.orbit])]
        arrays = [array for owner in owners for array in _arrays(owner)] + list(state_components(d).values())
        if d.hardware.tanks is not None:  # a step burns mass
            arrays += [m.mjw.body_mass, m.mjw.body_inertia, m.mjw.body_subtreemass]
            arrays += [d.hardware.tanks.applied, d.hardware.tanks.written]
        if d.ring is not None:
            arrays += [d.ring.states, d.ring.count]
        arrays += self.extra
        saved = {a.ptr: (a, a.numpy().copy()) for a in arrays if a.size}
        try:
            mjo_step(m, d) if self.body == self._steps else self.body()
        finally:  # a hook that raises must not leave the state at an RK4 stage
            for array, values in saved.values():
                array.assign(values)

    def _capture(self) -> None:
        m, d = self.model, self.data
        check_pair(m, d)
        if d.device.is_cuda and not wp.is_mempool_enabled(d.device):
            raise RuntimeError(
                f"capture needs the memory pool of {d.device}: call warp.set_mempool_enabled(device, True)"
            )
        self.graph = None
        with wp.ScopedDevice(d.device), _no_gc(), wp.ScopedCapture(device=d.device) as captured:
            self.body()
        self.graph = captured.graph
        self.ncapture += 1
        self._signature = self._identity()

    def __call__(self) -> None:
        """Advance every world by ``nstep`` steps."""
        if self.graph is None or not self._same(self._identity()):
            self._warm_up()
            self._capture()
        wp.capture_launch(self.graph)


def capture(model: "MjoModel", data: "MjoData", nstep: int = 1) -> CapturedStep:
    """Capture ``nstep`` calls of mjo_step in a graph, on a CUDA device or on Warp's CPU device.

    The state is not advanced: the kernels are warmed up with one step that is undone. Nothing falls back: what cannot
    be captured raises.
    """
    if not isinstance(nstep, int | np.integer) or nstep < 1:
        raise ValueError(f"nstep is {nstep!r}: a positive integer is expected")
    return CapturedStep(model, data, nstep)
