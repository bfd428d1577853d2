"""Records that go to the host while a rollout runs: two buffers of a chunk of rows, however long the rollout is."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.rollout_arrays import write

if TYPE_CHECKING:
    from mjorbit_warp.rollout import Rollout

Rows = dict[str, NDArray[Any]]


class _HostCopies:
    """Copies of a ring's two halves to the host: on CUDA through pinned memory, on a stream beside the steps'."""

    def __init__(self, rings: dict[str, wp.array], chunk: int, device: Any) -> None:
        self._rings, self._chunk, self._device = rings, chunk, device
        self._pinned: list[dict[str, Any]] = [{}, {}]
        if device.is_cuda:
            self._stream = wp.Stream(device)
            self._copied = [wp.Event(device), wp.Event(device)]
            for name, ring in rings.items():
                for pinned in self._pinned:
                    shape = (chunk, *ring.shape[1:])
                    pinned[name] = wp.empty(shape, dtype=ring.dtype, device="cpu", pinned=True)

    def _part(self, name: str, half: int, nrow: int) -> Any:
        start = half * self._chunk
        return self._rings[name][start : start + nrow]

    def start(self, half: int, nrow: int) -> None:
        """Copy the first rows of a half once the steps that are under way have written them."""
        if not self._device.is_cuda:
            return
        self._stream.wait_stream(self._device.stream)
        for name, pinned in self._pinned[half].items():
            if pinned.size:
                wp.copy(pinned[:nrow], self._part(name, half, nrow), stream=self._stream)
        self._stream.record_event(self._copied[half])

    def finish(self, half: int, nrow: int) -> Rows:
        """The rows that ``start`` copied, in arrays of their own."""
        if self._device.is_cuda:
            wp.synchronize_event(self._copied[half])
            return {name: pinned.numpy()[:nrow].copy() for name, pinned in self._pinned[half].items()}
        return {name: ring.numpy()[half * self._chunk :][:nrow].copy() for name, ring in self._rings.items()}


def stream_rows(plan: "Rollout", controls: Any) -> Generator[tuple[int, Rows], None, None]:
    """Run the rollout from the data's present state, a chunk ahead of what is yielded; see Rollout.stream."""
    device, chunk, pending = plan.data.device, plan.chunk, None
    copies = _HostCopies(plan.rings, chunk, device)
    plan.begin()
    try:
        for first in range(0, plan.nrow, chunk):
            nrow, half = min(chunk, plan.nrow - first), first // chunk % 2
            if plan.tape is not None and plan.tape.size:
                write(plan.tape[:nrow], controls[first : first + nrow], "controls")
            plan.rows(nrow)
            copies.start(half, nrow)
            if pending is not None:
                yield pending[0], copies.finish(*pending[1:])
            pending = (first, half, nrow)
        if pending is not None:
            yield pending[0], copies.finish(*pending[1:])
    finally:
        wp.synchronize_device(device)  # no copy is under way when the buffers go
