"""Rollouts: many steps under a tape of commands or a policy, with records that stay on the device or go to the host."""

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from mjorbit_warp.broadcast import saved
from mjorbit_warp.graph import CapturedStep
from mjorbit_warp.kernels.rollout import (
    _check_ctrl,
    _end_row,
    _next_row,
    _read_tape,
    _stop_worlds,
    record_kernel,
)
from mjorbit_warp.rollout_arrays import device_array, expect_shape, tape_array, write
from mjorbit_warp.rollout_captured import captured_array, check_captured
from mjorbit_warp.rollout_fields import POSED, field_array, flat, record_array
from mjorbit_warp.rollout_stream import Rows, stream_rows
from mjorbit_warp.status import worlds_by_status
from mjorbit_warp.step import mjo_step, refresh_velocities

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

Policy = Callable[["MjoData"], Any]
KEPT = 8  # rollouts that a data keeps for the next call
CHUNK = 64  # rows


class Rollout:
    """A rollout of a fixed shape, made once and run as often as wanted: nothing is allocated or captured again.

    Row k of a record is the state after command k has been held for ``decimation`` steps.

    Attributes:
      tape: commands, write into it before ``run``; None with a policy        (nrow, nworld or 1, nu) float32
      records: by name, of the fields' own types; none with ``chunk``         (nrow, nworld, …)
      rings: what records are kept in; with ``chunk`` two parts, row k at k modulo their length
      length: rows that count in each world; later ones repeat the last       (nworld,)
      done: worlds that have stopped; write into it from a ``stop``           (nworld,)
      status: Status bits after the last row, also where the state was put back after it   (nworld,)
      bad_ctrl: worlds whose command was not finite, and was taken as 0       (nworld,)
      policy, stop: as given; they may be changed between runs unless captured
    """

    def __init__(
        self,
        model: "MjoModel",
        data: "MjoData",
        nrow: int,
        *,
        decimation: int = 1,
        record: Sequence[str] = ("qpos", "qvel"),
        shared_tape: bool = False,
        policy: Policy | None = None,
        stop: Callable[["MjoData"], Any] | None = None,
        captured: bool = False,
        extra: Sequence[wp.array] = (),
        chunk: int | None = None,
    ) -> None:
        """Allocate and capture; the data's state does not change.

        Args:
          nrow: rows of a run.
          shared_tape: one command for all worlds.
          captured: ``policy`` and ``stop`` launch kernels only, and become part of the graph of a row.
          extra: arrays that they write besides the data's, which capturing leaves as they are.
          chunk: rows of a part that ``stream`` gives; the device holds two parts, and as much of the tape.

        Others as in ``rollout``.
        """
        for name, value in (("nrow", nrow), ("decimation", decimation), ("chunk", 1 if chunk is None else chunk)):
            if not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name} is {value!r}: a positive integer is expected")
        self.model, self.data = model, data
        self.nrow, self.decimation = int(nrow), int(decimation)
        self.chunk = 0 if chunk is None else min(int(chunk), self.nrow)
        self.policy, self.stop, self.captured, self._extra = policy, stop, captured, tuple(extra)
        names = (record,) if isinstance(record, str) else record
        self.fields = {name: field_array(model, data, name) for name in dict.fromkeys(names)}
        self._refresh = bool(POSED & self.fields.keys())
        ring = min(2 * self.chunk or self.nrow, self.nrow)
        with wp.ScopedDevice(data.device):
            self.tape: Any = None
            if policy is None:
                shape = (self.chunk or self.nrow, 1 if shared_tape else data.nworld, model.nu)
                self.tape = wp.zeros(shape, dtype=float)
            made = {name: record_array(array, ring) for name, array in self.fields.items()}
            self.length: Any = wp.zeros(data.nworld, dtype=int)
            self.done: Any = wp.zeros(data.nworld, dtype=bool)
            self.status: Any = wp.zeros(data.nworld, dtype=int)
            self.bad_ctrl: Any = wp.zeros(data.nworld, dtype=bool)
            self._row: Any = wp.zeros(1, dtype=int)
        self.rings: dict[str, wp.array] = {name: record for name, (record, _) in made.items()}
        self.records: dict[str, wp.array] = {} if chunk else self.rings
        self._views = {name: view for name, (_, view) in made.items()}
        if captured:
            self._check_captured()
        self._step = CapturedStep(model, data, self.decimation, self._one_row, self.scratch())

    def _check_captured(self) -> None:
        m, d, policy, stop = self.model, self.data, self.policy, self.stop
        with wp.ScopedDevice(d.device):
            if policy is not None:
                check_captured(m, d, lambda: self._command(policy(d)), d.mjw.ctrl, self._extra, "the policy")
            if stop is not None:
                check_captured(m, d, lambda: self._stop(stop(d)), self.done, self._extra, "stop")

    def __getitem__(self, name: str) -> wp.array:
        if name not in self.records:
            raise KeyError(f"{name!r} is not in the records: they have {', '.join(self.records) or 'been streamed'}")
        return self.records[name]

    def _one_row(self) -> None:
        """Launches of one row: command, steps, records."""
        with wp.ScopedDevice(self.data.device):
            self._before_steps()
            for _ in range(self.decimation):
                mjo_step(self.model, self.data)
            self._after_steps()

    def _before_steps(self) -> None:
        d = self.data
        if self.captured and self.policy is not None:
            self._command(self.policy(d))
        if self.model.nu:
            ctrl = d.mjw.ctrl
            if self.tape is not None:
                wp.launch(_read_tape, dim=ctrl.shape, inputs=[self.tape, self._row], outputs=[ctrl, self.bad_ctrl])
            else:
                wp.launch(_check_ctrl, dim=ctrl.shape, outputs=[ctrl, self.bad_ctrl])

    def _after_steps(self) -> None:
        d = self.data
        if self._refresh:
            refresh_velocities(self.model, d)
        for name, array in self.fields.items():
            source, view = flat(array), self._views[name]
            wp.launch(
                record_kernel(view.dtype),
                dim=view.shape[1:],
                inputs=[source, self._row, self.done],
                outputs=[view],
            )
        wp.launch(_end_row, dim=d.nworld, inputs=[d.status], outputs=[self.done, self.length, self.status])
        wp.launch(_next_row, dim=1, outputs=[self._row])
        if self.captured and self.stop is not None:
            self._stop(self.stop(d))

    def scratch(self) -> list[wp.array]:
        """Arrays that a run writes besides the data's."""
        return [self.length, self.done, self.status, self.bad_ctrl, self._row, *self._views.values(), *self._extra]

    def bad_worlds(self) -> dict[str, list[int]]:
        """Worlds by the name of each status bit that was set at the end (reads from the device)."""
        return worlds_by_status(self.status.numpy())

    def begin(self) -> None:
        """Forget the run before: no world has stopped, the next row is the first."""
        for array in (self.length, self.done, self.bad_ctrl, self._row):
            array.zero_()

    def rows(self, nrow: int) -> None:
        """The next rows of a run."""
        with wp.ScopedDevice(self.data.device):
            for _ in range(nrow):
                if self.policy is not None and not self.captured:
                    self._command(self.policy(self.data))
                self._step()
                if self.stop is not None and not self.captured:
                    self._stop(self.stop(self.data))

    def launch(self) -> None:
        """All launches of a run, without graphs: to be captured as part of something larger."""
        if not self.captured and (self.policy is not None or self.stop is not None):
            raise ValueError("launch() leaves out a policy or stop that is not captured: pass captured=True")
        self._whole()
        self.begin()
        for _ in range(self.nrow):
            self._one_row()

    def run(self) -> "Rollout":
        """From the data's present state; records and ``length`` are those of this run."""
        self._whole()
        self.begin()
        self.rows(self.nrow)
        return self

    def _whole(self) -> None:
        if self.chunk:
            raise ValueError("this rollout has chunks for the host: use stream()")

    def stream(self, controls: Any = None) -> Generator[tuple[int, Rows], None, None]:
        """Run from the data's present state and yield the records in order: (first row, {name: (rows, nworld, …)}).

        The arrays are the caller's. The device is one chunk ahead of what is yielded: whoever leaves the loop finds
        the data at the end of that chunk, ready to be stepped on, and ``length`` counts it.

        Args:
          controls: tape (nrow, nworld or 1, nu) of a rollout without a policy, read chunk by chunk.
        """
        if not self.chunk:
            raise ValueError("this rollout keeps its records on the device: make it with chunk=")
        if (controls is None) != (self.tape is None):
            raise ValueError("a streamed rollout takes controls if it has no policy")
        if controls is not None:
            controls = tape_array(controls, self.data.nworld, self.model.nu)
            expect_shape(controls.shape, (self.nrow, *self.tape.shape[1:]), "controls")
        return stream_rows(self, controls)

    def _command(self, ctrl: Any) -> None:
        """What a policy returned; None if it wrote ``data.ctrl`` itself."""
        target = self.data.mjw.ctrl
        if ctrl is not None and self.captured:
            wp.copy(target, captured_array(ctrl, target, "what the policy returned"))
        elif ctrl is not None:
            write(target, ctrl, "what the policy returned")

    def _stop(self, mask: Any) -> None:
        """Worlds that are to stop, besides those that have; None if the function wrote ``done`` itself."""
        if mask is None:
            return
        subject = "what stop returned"
        if self.captured:
            mask = captured_array(mask, self.done, subject)
        else:
            mask = device_array(mask, wp.bool, self.data.device, subject)
            expect_shape(mask.shape, self.done.shape, subject)
        wp.launch(_stop_worlds, dim=self.done.shape, inputs=[mask], outputs=[self.done], device=self.data.device)


def _identity(function: Any) -> Any:
    """What stays the same for one function, and for one object's method, which Python makes anew at each access."""
    owner = getattr(function, "__self__", None)
    return id(function) if owner is None else (id(owner), id(getattr(function, "__func__", function)))


def rollout(
    model: "MjoModel",
    data: "MjoData",
    controls: Any = None,
    *,
    policy: Policy | None = None,
    nstep: int | None = None,
    decimation: int = 1,
    record: Sequence[str] = ("qpos", "qvel"),
    stop: Callable[["MjoData"], Any] | None = None,
    restore: bool = False,
    captured: bool = False,
    stream: Callable[[int, Rows], Any] | None = None,
    chunk: int | None = None,
) -> Rollout:
    """Step all worlds under a tape of commands or a policy, and record fields on the device.

    Args:
      controls: (nrow, nworld, nu), (nrow, 1, nu) or (nrow, nu), each row held for ``decimation`` steps; Warp, torch,
        DLPack or array-like.
      policy: f(data) called before each row, returns commands (nworld, nu) of any of these kinds, or writes
        ``data.ctrl`` and returns None. What was on the device stays there.
      nstep: steps of a policy's rollout, a multiple of ``decimation``.
      record: names of fields; see rollout_fields.field_names. Positions of bodies are fresh where one is recorded.
      stop: f(data) called after each row, returns (nworld,) bool or None: worlds whose records end there. Worlds that
        are not finite stop too. They step on, but their records repeat the row.
      restore: put the state back at the end.
      captured: ``policy`` and ``stop`` do nothing but launch kernels (and return Warp arrays or None): they become part
        of the graph of a row and are called only when it is made. If they write arrays of their own, see Rollout's
        ``extra``.
      stream: f(first_row, {name: (rows, nworld, …)}) gets the records in NumPy, each row once and in order, instead of
        the device keeping them. It is called a chunk behind; what it raises ends the rollout there.
      chunk: rows of a part that ``stream`` gets, 64 unless told; memory on the device does not depend on ``nstep``.

    Returns:
      The Rollout; the next call with the same shapes and record runs the same one and overwrites it.
    """
    if (controls is None) == (policy is None):
        raise ValueError("a rollout needs either controls or a policy")
    if not isinstance(decimation, int | np.integer) or decimation < 1:
        raise ValueError(f"decimation is {decimation!r}: a positive integer is expected")
    if stream is None and chunk is not None:
        raise ValueError(f"chunk is {chunk!r} and nothing takes the chunks: pass stream=")
    tape = None
    if policy is None:
        tape = tape_array(controls, data.nworld, model.nu)
        nrow, shared_tape = int(tape.shape[0]), tape.shape[1] == 1 and data.nworld > 1
        if nstep is not None and nstep != nrow * decimation:
            raise ValueError(
                f"nstep is {nstep}: {nrow} rows of controls at decimation {decimation} make {nrow * decimation}"
            )
    else:
        if nstep is None or nstep < 1 or nstep % decimation:
            raise ValueError(f"nstep is {nstep!r}: a policy's rollout needs a multiple of decimation, {decimation}")
        nrow, shared_tape = nstep // decimation, False
    if stream is not None and chunk is None:
        chunk = CHUNK
    kept = data.rollouts  # the latest last
    baked = (_identity(policy), _identity(stop)) if captured else None  # the plan holds both, so no id comes twice
    key = (nrow, decimation, tuple(record), shared_tape, policy is None, baked, chunk)
    plan = kept.pop(key, None)
    if plan is None:
        plan = Rollout(
            model,
            data,
            nrow,
            decimation=decimation,
            record=record,
            shared_tape=shared_tape,
            policy=policy,
            stop=stop,
            captured=captured,
            chunk=chunk,
        )
    kept[key] = plan
    for old in list(kept)[:-KEPT]:
        del kept[old]
    plan.policy, plan.stop = policy, stop
    with saved(model, data) if restore else contextlib.nullcontext():
        if stream is not None:
            with contextlib.closing(plan.stream(tape)) as parts:
                for first, rows in parts:
                    stream(first, rows)
            return plan
        if tape is not None and model.nu:
            write(plan.tape, tape, "controls")
        return plan.run()
