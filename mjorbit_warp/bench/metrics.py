"""Figures from raw samples, and what is refused; pure functions on numbers."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ITERATION_BITS = (1 << 9) | (1 << 10)  # mujoco_warp.OverflowType.ITERATIONS and LS_ITERATIONS: nothing was dropped


class Refused(ValueError):
    """A run that must not be reported."""


@dataclasses.dataclass(frozen=True)
class Ratio:
    """How much longer one contender takes than another; from rounds in which both ran.

    Attributes:
      median: of the rounds' ratios.
      low, high: their first and third quartile.
      least, most: the extremes.
      rounds: how many there were.
    """

    median: float
    low: float
    high: float
    least: float
    most: float
    rounds: int


def paired_ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """Ratio of two contenders' times, each pair from the same round, so that slow drift of the machine cancels.

    Raises:
      ValueError: different numbers of samples, none, or one that is not a positive number.
    """
    if len(ours) != len(theirs) or not ours:
        raise ValueError(f"{len(ours)} and {len(theirs)} samples: one of each per round is expected")
    pairs = np.array([ours, theirs], dtype=np.float64)
    if not (np.isfinite(pairs).all() and (pairs > 0.0).all()):
        raise ValueError("a sample is not a positive number of seconds")
    ratios = pairs[0] / pairs[1]
    low, median, high = (float(x) for x in np.percentile(ratios, [25.0, 50.0, 75.0]))
    return Ratio(median, low, high, float(ratios.min()), float(ratios.max()), len(ours))


def speed(seconds: Sequence[float], nworld: int, nstep: int) -> dict[str, float]:
    """Throughput of samples that each advance ``nworld`` worlds by ``nstep`` steps.

    Returns:
      ``steps_per_s`` (world steps, at the median), ``ns_per_step`` (of a world, at the median), ``step_ms`` and
      ``step_p95_ms`` (of all worlds: median and 95th percentile).
    """
    times = np.asarray(seconds, dtype=np.float64)
    if times.size == 0 or not (np.isfinite(times).all() and (times > 0.0).all()):
        raise ValueError("samples are missing or not positive numbers of seconds")
    median, p95 = (float(x) / nstep for x in np.percentile(times, [50.0, 95.0]))
    return {
        "steps_per_s": nworld / median,
        "ns_per_step": 1e9 * median / nworld,
        "step_ms": 1e3 * median,
        "step_p95_ms": 1e3 * p95,
    }


def count_summary(counts: NDArray[Any], capacity: int) -> dict[str, float]:
    """Mean, 95th percentile and maximum of a count per world, beside what there is room for."""
    if counts.size == 0:
        raise ValueError("counts of no world")
    return {
        "mean": float(counts.mean()),
        "p95": float(np.percentile(counts, 95.0)),
        "max": int(counts.max()),
        "capacity": int(capacity),
    }


def contacts_per_world(worldid: NDArray[Any], ncontact: int, nworld: int) -> NDArray[np.int64]:
    """Number of contacts of each world, from the world of each of the first ``ncontact`` contacts."""
    return np.bincount(worldid[:ncontact], minlength=nworld).astype(np.int64)


def memory_per_world(sizes: Mapping[str, tuple[int, int]], nworld: int) -> dict[str, float]:
    """Bytes per world by field, largest first.

    Args:
      sizes: bytes and leading dimension of each array, by field.
    """
    shares = {name: size / nworld for name, (size, _) in sizes.items() if size}
    return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))


def converged(finite: NDArray[np.bool_], overflow: NDArray[Any]) -> int:
    """Worlds that are finite and in which the solver stayed within its iterations."""
    return int(np.count_nonzero(finite & (overflow & ITERATION_BITS == 0)))


def refuse_uncaptured(name: str, graph: Any) -> None:
    """Raise Refused unless there is a graph that is replayed."""
    if graph is None:
        raise Refused(f"{name} is not replayed from a graph: its times would be those of Python")


def refuse_overflow(name: str, overflow: NDArray[Any], nconmax: int, njmax: int) -> None:
    """Raise Refused if contacts or constraints were dropped in a world."""
    bad = np.flatnonzero(overflow & ~ITERATION_BITS)
    if bad.size:
        raise Refused(
            f"{name} dropped contacts or constraints in {bad.size} worlds, first {int(bad[0])}: nconmax {nconmax} or "
            f"njmax {njmax} of the scene is too small"
        )


def refuse_nonfinite(name: str, finite: NDArray[np.bool_]) -> None:
    """Raise Refused if the state of a world is not finite."""
    bad = np.flatnonzero(~finite)
    if bad.size:
        raise Refused(f"{name} is not finite in {bad.size} of {finite.size} worlds, first {int(bad[0])}")


def refuse_faults(name: str, faults: Mapping[str, Sequence[int]]) -> None:
    """Raise Refused if worlds have other faults than iterations that ran out."""
    if faults:
        what = ", ".join(f"{fault} in {len(worlds)} worlds" for fault, worlds in faults.items())
        raise Refused(f"{name} has faults: {what}")


def replays_for(seconds: float, wanted: float, most: int = 1000) -> int:
    """How many replays of ``seconds`` each make a sample of at least ``wanted`` seconds, 1 to ``most``."""
    if not seconds > 0.0:
        raise ValueError(f"a replay took {seconds} s")
    return max(1, min(most, math.ceil(wanted / seconds)))
