"""Replay of a dumped world: step it again from its oldest state and find where and in what it goes bad."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import reference, state
from mjorbit_warp.dump import Dump
from mjorbit_warp.status import Status, worlds_by_status
from mjorbit_warp.step import mjo_forward, mjo_step
from mjorbit_warp.values import host

BACKENDS = ("reference", "warp")
# what a user or a policy may write between two steps
INPUTS = ("ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat", "eq_active", "userdata")
MOTION = ("qpos", "qvel", "act", "orbit.r", "orbit.v")
# of an evaluation, causes before effects
RESULTS = ("qfrc_passive", "qfrc_bias", "qfrc_actuator", "qfrc_constraint", "qacc")


@dataclasses.dataclass(frozen=True)
class Bad:
    """The first entry that is not finite, causes before effects.

    Attributes:
      step: of the replay, from 0.
      time: elapsed time at its start [s].
      quantity: name of the array, as ``ctrl``, ``qfrc_bias`` or ``qvel``.
      element: whose entry it is.
      when: "begins with" a state, command or force; "finds" by evaluating the dynamics there; "ends with"; or
        "is given" a state that the step before it did not end with, so that somebody wrote it.
      value: the entry.
      largest: the largest finite entry of state and commands at the step's start, in words.
    """

    step: int
    time: float
    quantity: str
    element: str
    when: str
    value: float
    largest: str

    @property
    def sentence(self) -> str:
        """In words."""
        what = f"{self.quantity} of {self.element} = {self.value}"
        return f"step {self.step} ({self.time:.6g} s) {self.when} {what}; largest before it: {self.largest}"


@dataclasses.dataclass(frozen=True)
class Replay:
    """What a backend made of the dump.

    Attributes:
      backend: "reference" or "warp".
      nstep: steps that were made.
      bad: where it went bad first, or None.
      conditions: names of the bits by the steps after which they were first set.
      difference: largest difference of motion to the recorded states (n,); NaN where one of them is not finite.
      same: whether every recorded state came again bit for bit.
      nsame: how many of the first ones did.
      states: before the first step and after each                   (nstep + 1, size)
      layout: columns of each component in ``states``.
    """

    backend: str
    nstep: int
    bad: Bad | None
    conditions: dict[str, int]
    difference: NDArray[np.float64]
    same: bool
    nsame: int
    states: NDArray[np.float64]
    layout: dict[str, slice]


class _Stepper:
    """One backend with one world."""

    def __init__(self, dump: Dump, backend: str) -> None:
        self.model, data = dump.restore()
        self.data: Any = data
        if backend == "warp":
            self.step, self.forward = mjo_step, mjo_forward
            self.get, self.set, layout = state.get_state, state.set_state, state.state_layout(data)
        else:
            self.data = reference.from_warp(self.model, data)
            self.step, self.forward = reference.mjo_step, reference.mjo_forward  # type: ignore[assignment]
            self.get, self.set = reference.get_state, reference.set_state  # type: ignore[assignment]
            layout = reference.state_layout(self.data)
        self.layout = layout

    def array(self, name: str) -> NDArray[np.float64]:
        owner, _, field = name.rpartition(".")
        value = getattr(self.data.orbit if owner else self.data, field)
        return np.array(host(value), dtype=np.float64)[0].ravel()

    def read(self) -> NDArray[np.float64]:
        return np.array(host(self.get(self.model, self.data)))[0]

    def write(self, values: NDArray[np.float64]) -> None:
        self.set(self.model, self.data, values[None])

    def names(self, quantities: Sequence[str]) -> list[str]:
        return [name for name in quantities if not name.startswith("orbit") or self.data.orbit is not None]


def element(mj: mujoco.MjModel, quantity: str, i: int) -> str:
    """Whose entry ``i`` of an array is: a joint, a body, an actuator or the orbit."""
    if quantity in ("qpos", "qvel", *RESULTS, "qfrc_applied"):
        starts = mj.jnt_qposadr if quantity == "qpos" else mj.jnt_dofadr
        joint = int(np.searchsorted(starts, i, side="right")) - 1
        body = int(mj.jnt_bodyid[joint])
        name = mj.joint(joint).name or f"joint {joint} of {mj.body(body).name or f'body {body}'}"
        return f"{name}, entry {i - int(starts[joint])}"
    if quantity == "xfrc_applied":
        return f"{mj.body(i // 6).name or f'body {i // 6}'}, entry {i % 6}"
    if quantity in ("ctrl", "act"):
        starts = mj.actuator_ctrladr if quantity == "ctrl" else mj.actuator_actadr
        owner = int(np.flatnonzero(starts == starts[starts <= i].max())[0]) if (starts <= i).any() else 0
        return str(mj.actuator(owner).name or f"actuator {owner}")
    return f"the orbit, entry {i}" if quantity.startswith("orbit") else f"entry {i}"


def _first(run: _Stepper, names: Sequence[str], finite: bool) -> tuple[str, int, float] | None:
    """(array, entry, value): the first that is not finite, or the largest that is, the orbit left out."""
    largest = None
    for name in run.names(names):
        values = run.array(name)
        good = np.isfinite(values)
        if not finite and not good.all():
            i = int(np.flatnonzero(~good)[0])
            return name, i, float(values[i])
        if finite and good.any() and not name.startswith("orbit"):
            i = int(np.argmax(np.where(good, np.abs(values), -1.0)))
            if largest is None or abs(values[i]) > abs(largest[2]):
                largest = name, i, float(values[i])
    return largest


def _look(run: _Stepper, before: NDArray[np.float64], after: NDArray[np.float64], step: int) -> Bad:
    """Where a step first goes bad: in what it begins with, in its first evaluation, or in where it ends."""
    mj = run.model.mj
    run.write(before)
    time, largest = float(run.array("time")[0]), _first(run, (*INPUTS, *MOTION), finite=True)
    when, found = "begins with", _first(run, (*INPUTS, *MOTION), finite=False)
    if found is None:
        run.forward(run.model, run.data)
        when, found = "finds", _first(run, RESULTS, finite=False)
    if found is None:
        run.write(after)
        when, found = "ends with", _first(run, MOTION, finite=False)
    assert found is not None
    said = "none" if largest is None else f"{largest[0]} of {element(mj, *largest[:2])} = {largest[2]:.6g}"
    return Bad(step, time, found[0], element(mj, *found[:2]), when, found[2], said)


def replay(dump: Dump, backend: str = "reference", nstep: int | None = None) -> Replay:
    """Step the world of a dump from its oldest state, with the commands and forces that were recorded.

    After the last recorded state its commands are held. Stops at the first step that begins with a command or force,
    or ends with a state, that is not finite.

    Args:
      backend: "reference" (float64) or "warp" (on Warp's CPU device).
      nstep: number of steps, default as many as lead to the state of the dump.

    Raises:
      ValueError: no such backend, or a dump that cannot be restored.
    """
    if backend not in BACKENDS:
        raise ValueError(f"backend is {backend!r}: allowed are {', '.join(BACKENDS)}")
    recorded = np.concatenate([dump.states[1:], dump.last[None]]) if len(dump.states) else dump.states
    if nstep is not None and nstep < 1:
        raise ValueError(f"nstep is {nstep}: at least one step is needed")
    count = max(1, len(recorded)) if nstep is None else nstep
    run = _Stepper(dump, backend)
    theirs = dump.layout
    motion = [name for name in MOTION if name in run.layout and name in theirs]
    states, difference, bad, same, nsame = [run.read()], [], None, True, 0
    conditions: dict[str, int] = {}
    for k in range(count):
        before = states[-1]
        if not all(np.isfinite(before[run.layout[name]]).all() for name in INPUTS if name in run.layout):
            bad = _look(run, before, before, k)  # MuJoCo C would take such a command as 0
            break
        run.step(run.model, run.data)
        now = run.read()
        lost = _first(run, MOTION, finite=False) is not None
        for name in worlds_by_status(host(run.data.status), Status(sum(Status))):
            conditions.setdefault(name, k)
        if k < len(recorded):
            want = recorded[k]
            pairs = [(now[run.layout[n]], want[theirs[n]]) for n in motion]
            difference.append(max(float(np.abs(a - b).max(initial=0.0)) for a, b in pairs))
            same = same and all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)
            nsame += same
            for name in INPUTS:
                if name in run.layout and name in theirs:
                    now[run.layout[name]] = want[theirs[name]]
            written = [n for n in motion if not np.isfinite(want[theirs[n]]).all()]
            if written and not lost:
                for name in written:
                    now[run.layout[name]] = want[theirs[name]]
                states.append(now)
                bad = dataclasses.replace(_look(run, now, now, k + 1), when="is given")
                break
        states.append(now)
        if lost:
            bad = _look(run, before, now, k)
            break
        run.write(now)
    return Replay(
        backend,
        len(states) - 1,
        bad,
        conditions,
        np.array(difference),
        same and len(difference) > 0,
        nsame,
        np.array(states),
        run.layout,
    )
