"""Interleaved timing: every contender runs in every round, so that drift of the machine cancels in ratios."""

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from mjorbit_warp.bench.metrics import replays_for

HORIZON = 1000  # steps after which a sample ends at the latest: scenes are made to last that long from their start


def calibrate(contender: Any, wanted: float) -> int:
    """Replays of a contender that make a sample of at least ``wanted`` seconds, within the horizon."""
    contender.restart()
    contender.sample(1)
    seconds = statistics.median(contender.sample(1) for _ in range(3))
    return replays_for(seconds, wanted, max(1, HORIZON // contender.nstep))


def interleave(
    contenders: Sequence[Any],
    replays: Sequence[int],
    repeat: int,
    after: Callable[[Any], None] | None = None,
) -> dict[str, list[float]]:
    """Raw seconds of each contender's samples, one per round.

    Every sample begins at the scene's start, after one replay that is not timed; the order rotates from round to round.

    Args:
      replays: replays per sample of each contender.
      repeat: rounds that count; one more comes before them.
      after: called with the contender after each sample.

    Raises:
      metrics.Refused: a sample must not be reported.
    """
    samples: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for count in range(repeat + 1):
        first = count % len(contenders)
        for k in [*range(first, len(contenders)), *range(first)]:
            contender = contenders[k]
            contender.restart()
            contender.sample(1)
            seconds = contender.sample(replays[k])
            contender.check()
            if count:
                samples[contender.name].append(seconds)
                if after is not None:
                    after(contender)
    return samples


def seconds_per_step(contenders: Sequence[Any], repeat: int, wanted: float) -> dict[str, list[float]]:
    """Seconds per step of all worlds of each contender, one per round; each has samples of ``wanted`` seconds."""
    replays = [calibrate(contender, wanted) for contender in contenders]
    raw = interleave(contenders, replays, repeat)
    return {c.name: [s / (count * c.nstep) for s in raw[c.name]] for c, count in zip(contenders, replays, strict=True)}
