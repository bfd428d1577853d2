"""mjo_status: which worlds went bad, when, and what to do about it, in words and numbers."""

import dataclasses
import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.check import MjoWarning
from mjorbit_warp.status import FAULTS, Status, worlds_by_status
from mjorbit_warp.status_remedies import REMEDIES
from mjorbit_warp.values import host
from mjorbit_warp.worlds import check_owner

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel

NAMED = 8  # worlds in a sentence


class MjoError(RuntimeError):
    """Worlds of a simulation went bad, and its user had asked to be stopped by that."""


@dataclasses.dataclass(frozen=True)
class Condition:
    """One bit of the status in the worlds that have it.

    Attributes:
      status: the bit.
      worlds: indices, in rising order.
      first_step: steps of each world's clock by then (it starts at its reset, or at a time or dt that was written).
      first_time: elapsed time of each world by then [s].
      remedy: what to do, with numbers.
    """

    status: Status
    worlds: tuple[int, ...]
    first_step: tuple[int, ...]
    first_time: tuple[float, ...]
    remedy: str

    @property
    def name(self) -> str:
        """Name of the bit."""
        return str(self.status.name)

    @property
    def fault(self) -> bool:
        """Whether the worlds are not to be trusted; a saturated wheel is no fault."""
        return bool(self.status & FAULTS)

    @property
    def sentence(self) -> str:
        """Where and when, and what to do."""
        first = ", ".join(map(str, self.worlds[:NAMED])) + (", …" if len(self.worlds) > NAMED else "")
        which = f"world {first}" if len(self.worlds) == 1 else f"{len(self.worlds)} worlds ({first})"
        k = int(np.argmin(self.first_time)) if all(map(math.isfinite, self.first_time)) else 0
        at = f"step {self.first_step[k]}, {self.first_time[k]:.6g} s"
        if not math.isfinite(self.first_time[k]):  # a status that was written by hand
            at = "an unknown step"
        elif len(self.worlds) > 1:
            at += f" in world {self.worlds[k]}"
        return f"{self.name} in {which}, first at {at}: {self.remedy}"


@dataclasses.dataclass(frozen=True)
class StatusReport:
    """What mjo_status found.

    Attributes:
      nworld: number of worlds.
      conditions: those that some world has, in the order of the bits.
    """

    nworld: int
    conditions: tuple[Condition, ...]

    @property
    def ok(self) -> bool:
        """Whether no world has a fault."""
        return not any(condition.fault for condition in self.conditions)

    @property
    def bad(self) -> tuple[int, ...]:
        """Worlds with a fault, in rising order; mjo_reset takes them as ``np.isin(np.arange(nworld), report.bad)``."""
        return tuple(sorted({world for condition in self.conditions if condition.fault for world in condition.worlds}))

    def __getitem__(self, status: Status | str) -> Condition:
        for condition in self.conditions:
            if status in (condition.status, condition.name):
                return condition
        known = ", ".join(condition.name for condition in self.conditions) or "nothing"
        raise KeyError(f"no world is {status}: the report has {known}")

    def __str__(self) -> str:
        if not self.conditions:
            return f"all {self.nworld} worlds are well"
        return "\n".join(condition.sentence for condition in self.conditions)

    def as_dict(self) -> list[dict[str, Any]]:
        """Conditions as plain values, for JSON; a time that is not known is None."""
        rows = []
        for condition in self.conditions:
            row = dataclasses.asdict(condition) | {"status": condition.name, "fault": condition.fault}
            row["first_time"] = [t if math.isfinite(t) else None for t in condition.first_time]
            rows.append(row)
        return rows

    def warn(self, said: set[str] | None = None) -> None:
        """One MjoWarning for each condition.

        Args:
          said: names of conditions that were warned of before; they are passed over, and new ones are added.
        """
        for condition in self.conditions:
            if said is None or condition.name not in said:
                warnings.warn(condition.sentence, MjoWarning, stacklevel=2)
            if said is not None:
                said.add(condition.name)


def mjo_status(m: "MjoModel", d: Any, *, strict: bool = False) -> StatusReport:
    """Which worlds have which bit of the status, since when, and what to do; of either backend.

    Bits stay until a world is reset. Reads from the device and so waits for it: call it every so many steps, not in
    each one, and not inside a captured graph.

    Args:
      d: data of the model.
      strict: raise where there is a fault.

    Raises:
      MjoError: with ``strict``, a world has a fault: its worlds, when, and what to do, in one sentence.
    """
    check_owner(m, d)
    status = host(d.status)
    steps, times = host(d.faults.first_step), host(d.faults.first_time)
    conditions = []
    for bit, (name, worlds) in _found(status):
        column = bit.bit_length() - 1
        remedy = REMEDIES[Status[name]](m, d, np.asarray(worlds))
        conditions.append(
            Condition(
                Status[name],
                tuple(worlds),
                tuple(steps[worlds, column].tolist()),
                tuple(times[worlds, column].tolist()),
                remedy,
            )
        )
    report = StatusReport(d.nworld, tuple(conditions))
    if strict and not report.ok:
        raise MjoError("; ".join(condition.sentence for condition in report.conditions if condition.fault))
    return report


def _found(status: NDArray[np.int32]) -> list[tuple[int, tuple[str, list[int]]]]:
    every = Status(sum(Status))
    return [(int(Status[name]), (name, worlds)) for name, worlds in worlds_by_status(status, every).items()]
