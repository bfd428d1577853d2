"""Rollouts: many steps under a tape of commands or a policy, with records that stay on the device."""

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from mjorbit_warp.broadcast import saved
from mjorbit_warp.graph import CapturedStep
from mjorbit_warp.kernels.rollout import _check_ctrl, _end_row, _next_row, _read_tape, record_kernel
from mjorbit_warp.rollout_fields import POSED, field_array, flat, record_array
from mjorbit_warp.step import mjo_step, refresh_velocities

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

Policy = Callable[["MjoData"], Any]


class Rollout:
    """A rollout of a fixed shape, made once and run as often as wanted: nothing is allocated or captured again.

    Row k of a record is the state after command k has been held for ``decimation`` steps.

    Attributes:
      tape: commands, write into it before ``run``; None with a policy        (nrow, nworld or 1, nu) float32
      records: by name, of the fields' own types                              (nrow, nworld, …)
      length: rows that count in each world; later ones repeat the last       (nworld,)
      done: worlds that have stopped; write into it from a ``stop``           (nworld,)
      bad_ctrl: worlds whose command was not finite, and was taken as 0       (nworld,)
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
    ) -> None:
        for name, value in (("nrow", nrow), ("decimation", decimation)):
            if not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name} is {value!r}: a positive integer is expected")
        self.model, self.data = model, data
        self.nrow, self.decimation = int(nrow), int(decimation)
        self.policy, self.stop = policy, stop
        self.fields = {name: field_array(model, data, name) for name in dict.fromkeys(record)}
        self._refresh = bool(POSED & self.fields.keys())
        with wp.ScopedDevice(data.device):
            self.tape: Any = None
            if policy is None:
                self.tape = wp.zeros((self.nrow, 1 if shared_tape else data.nworld, model.nu), dtype=float)
            made = {name: record_array(array, self.nrow) for name, array in self.fields.items()}
            self.length: Any = wp.zeros(data.nworld, dtype=int)
            self.done: Any = wp.zeros(data.nworld, dtype=bool)
            self.bad_ctrl: Any = wp.zeros(data.nworld, dtype=bool)
            self._row: Any = wp.zeros(1, dtype=int)
        self.records: dict[str, wp.array] = {name: record for name, (record, _) in made.items()}
        self._views = {name: view for name, (_, view) in made.items()}
        self._step = CapturedStep(model, data, self.decimation, self._one_row, self.scratch())

    def __getitem__(self, name: str) -> wp.array:
        return self.records[name]

    def _one_row(self) -> None:
        """Launches of one row: command, steps, records."""
        d = self.data
        if self.model.nu:
            ctrl = d.mjw.ctrl
            if self.tape is not None:
                wp.launch(_read_tape, dim=ctrl.shape, inputs=[self.tape, self._row], outputs=[ctrl, self.bad_ctrl])
            else:
                wp.launch(_check_ctrl, dim=ctrl.shape, outputs=[ctrl, self.bad_ctrl])
        for _ in range(self.decimation):
            mjo_step(self.model, d)
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
        wp.launch(_end_row, dim=d.nworld, inputs=[d.status], outputs=[self.done, self.length])
        wp.launch(_next_row, dim=1, outputs=[self._row])

    def scratch(self) -> list[wp.array]:
        """Arrays that a run writes besides the data's."""
        return [self.length, self.done, self.bad_ctrl, self._row, *self._views.values()]

    def launch(self) -> None:
        """All launches of an open loop, without graphs: to be captured as part of something larger."""
        for array in (self.length, self.done, self.bad_ctrl, self._row):
            array.zero_()
        for _ in range(self.nrow):
            self._one_row()

    def run(self) -> "Rollout":
        """From the data's present state; records and ``length`` are those of this run."""
        for array in (self.length, self.done, self.bad_ctrl, self._row):
            array.zero_()
        for _ in range(self.nrow):
            if self.policy is not None:
                self._command(self.policy(self.data))
            self._step()
            if self.stop is not None:
                self._stop(self.stop(self.data))
        return self

    def _command(self, ctrl: Any) -> None:
        """What a policy returned; None if it wrote ``data.ctrl`` itself."""
        if ctrl is None:
            return
        target = self.data.mjw.ctrl
        if not isinstance(ctrl, wp.array):
            ctrl = wp.from_torch(ctrl) if hasattr(ctrl, "data_ptr") else np.asarray(ctrl, dtype=np.float32)
        if tuple(ctrl.shape) != tuple(target.shape):
            raise ValueError(f"the policy returned commands of shape {tuple(ctrl.shape)}: {target.shape} is expected")
        target.assign(ctrl)

    def _stop(self, mask: Any) -> None:
        """Worlds that are to stop, besides those that have; None if the function wrote ``done`` itself."""
        if mask is None:
            return
        values = np.asarray(mask.numpy() if isinstance(mask, wp.array) else mask)
        if values.shape != (self.data.nworld,) or values.dtype != np.bool_:
            raise ValueError(
                f"stop returned shape {values.shape} and dtype {values.dtype}: ({self.data.nworld},) and bool are "
                "expected"
            )
        self.done.assign(values | self.done.numpy())


def _tape(model: "MjoModel", nworld: int, controls: Any) -> Any:
    """Controls as (nrow, nworld or 1, nu), a Warp array or NumPy."""
    if hasattr(controls, "data_ptr"):
        controls = wp.from_torch(controls.contiguous())
    if not isinstance(controls, wp.array):
        controls = np.asarray(controls, dtype=np.float32)
    shape = tuple(controls.shape)
    if len(shape) == 2 and shape[1] == model.nu:
        return controls.reshape((shape[0], 1, shape[1]))
    if len(shape) != 3 or shape[1] not in (1, nworld) or shape[2] != model.nu or not shape[0]:
        raise ValueError(
            f"controls has shape {shape}: (nrow, {model.nu}), (nrow, 1, {model.nu}) or (nrow, {nworld}, {model.nu}) is "
            "expected"
        )
    return controls


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
) -> Rollout:
    """Step all worlds under a tape of commands or a policy, and record fields on the device.

    Args:
      controls: (nrow, nworld, nu), (nrow, 1, nu) or (nrow, nu), each row held for ``decimation`` steps; Warp, torch or
        array-like.
      policy: f(data) called before each row, returns commands (nworld, nu) or writes ``data.ctrl``.
      nstep: steps of a policy's rollout, a multiple of ``decimation``.
      record: names of fields; see rollout_fields.field_names. Positions of bodies are fresh where one is recorded.
      stop: f(data) called after each row, returns (nworld,) bool or None: worlds whose records end there. Worlds that
        are not finite stop too. They step on, but their records repeat the row.
      restore: put the state back at the end.

    Returns:
      The Rollout; the next call with the same shapes, record, policy and stop runs the same one and overwrites it.
    """
    if (controls is None) == (policy is None):
        raise ValueError("a rollout needs either controls or a policy")
    tape = None
    if policy is None:
        tape = _tape(model, data.nworld, controls)
        nrow, shared_tape = int(tape.shape[0]), tape.shape[1] == 1 and data.nworld > 1
        if nstep is not None and nstep != nrow * decimation:
            raise ValueError(
                f"nstep is {nstep}: {nrow} rows of controls at decimation {decimation} make {nrow * decimation}"
            )
    else:
        if nstep is None or nstep < 1 or nstep % decimation:
            raise ValueError(f"nstep is {nstep!r}: a policy's rollout needs a multiple of decimation, {decimation}")
        nrow, shared_tape = nstep // decimation, False
    key = (nrow, decimation, tuple(record), shared_tape, policy, stop)
    plan = data.rollouts.get(key)
    if plan is None:
        plan = data.rollouts[key] = Rollout(
            model,
            data,
            nrow,
            decimation=decimation,
            record=record,
            shared_tape=shared_tape,
            policy=policy,
            stop=stop,
        )
    if tape is not None and model.nu:
        plan.tape.assign(tape)
    with saved(model, data) if restore else contextlib.nullcontext():
        return plan.run()
