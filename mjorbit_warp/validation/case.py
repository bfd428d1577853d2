"""What a validation case is, and what a run of it gives."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
VARIANTS = ("reference", "warp", "shadow", "host")
BACKENDS: Mapping[str, tuple[str, ...]] = {
    "reference": ("reference", "host"),
    "warp": ("warp", "shadow", "host"),
    "both": VARIANTS,
}


class Skipped(Exception):
    """A case that cannot run here; the text says what is missing."""


@dataclasses.dataclass(frozen=True)
class Series:
    """A quantity over time.

    Attributes:
      t: [s], or the step [s] of a study over steps     (n,)
      value: in the unit of the quantity's Limit, ≥ 0   (n,)
    """

    t: F64
    value: F64

    @property
    def worst(self) -> float:
        """The largest value; not finite if any is not."""
        return float(np.max(self.value)) if np.isfinite(self.value).all() else float("nan")


Growth = dict[str, Series]


@dataclasses.dataclass(frozen=True)
class Limit:
    """What a quantity must keep to.

    Attributes:
      unit: of the quantity.
      below: largest value that passes, by variant; a variant that is not here has no such quantity.
      reason: why that much is allowed.
      above: smallest value that passes, for orders and for effects that must be there; None for no such bound.
    """

    unit: str
    below: Mapping[str, float]
    reason: str
    above: float | None = None

    def passes(self, series: Series, variant: str) -> bool:
        """Whether all values are finite and within the bounds."""
        worst = series.worst
        low = float(np.min(series.value)) if self.above is not None else 0.0
        return bool(np.isfinite(worst) and worst <= self.below[variant] and (self.above is None or low >= self.above))


@dataclasses.dataclass(frozen=True)
class Case:
    """A comparison with an independent truth.

    Attributes:
      name: on the command line.
      title: what is compared, in a sentence.
      frame, epoch, forces, integrator, step: what is simulated.
      truth: what it is compared with, and where that comes from.
      limits: by quantity.
      run: gives the errors of a variant over time.
      fast: takes seconds, so the tests run it.
    """

    name: str
    title: str
    frame: str
    forces: str
    integrator: str
    step: str
    truth: str
    limits: Mapping[str, Limit]
    run: Callable[[str], Growth]
    epoch: str = "none (nothing depends on the date)"
    fast: bool = False

    @property
    def variants(self) -> tuple[str, ...]:
        """Those that some limit names."""
        return tuple(v for v in VARIANTS if any(v in limit.below for limit in self.limits.values()))

    def describe(self) -> dict[str, Any]:
        """The texts, for a report."""
        names = ("title", "frame", "epoch", "forces", "integrator", "step", "truth")
        return {name: getattr(self, name) for name in names}


def measured(t: Any, **columns: Any) -> Growth:
    """Series over common times."""
    times = np.asarray(t, dtype=np.float64)
    return {name: Series(times, np.abs(np.asarray(values, dtype=np.float64))) for name, values in columns.items()}


def figure(value: float, t: float = 0.0) -> Series:
    """A quantity that is one number."""
    return Series(np.array([t]), np.array([float(value)]))
