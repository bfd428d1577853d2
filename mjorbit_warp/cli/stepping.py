"""Stepping of a run: captured graphs, records, checkpoints, and stopping without losing what was computed."""

import dataclasses
import functools
import pathlib
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console

from mjorbit_warp.cli.common import progress_bar
from mjorbit_warp.cli.watch import Watch
from mjorbit_warp.run_file import Steps, save_run

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.recorder import Recorder

RECORDS = 200  # by default
RECORDED = 64  # worlds, by default
GRAPH = 20  # steps of a captured graph, at most
LAUNCH = 65536  # world-steps of a captured graph, at most: a launch cannot be stopped
QUEUE = 16  # launches until the device is waited for


@dataclasses.dataclass
class Plan:
    """What to step: from ``start`` to ``nstep`` steps, a record after each ``every`` steps and after the last."""

    dt: float
    nstep: int
    every: int
    worlds: int
    start: int = 0

    def pieces(self, most: int) -> Iterator[int]:
        """Sizes of the graphs to launch: at most ``most`` steps, none across a record."""
        done = self.start
        while done < self.nstep:
            size = min(most, self.every - done % self.every, self.nstep - done)
            yield size
            done += size

    def sizes(self, most: int) -> list[int]:
        """Distinct sizes among the pieces, from the first and last records and one between."""
        last = (self.nstep - 1) // self.every * self.every
        parts = [(self.start, min(self.nstep, (self.start // self.every + 1) * self.every))]
        parts += [(max(self.start, last), self.nstep)]
        if last - self.every >= self.start:
            parts += [(last - self.every, last)]
        return sorted({size for a, b in parts for size in (min(most, b - a), (b - a) % most)} - {0})


@dataclasses.dataclass
class Job:
    """All of a run: what is stepped, what is kept of it, and where."""

    xml: str
    model: "MjoModel"
    data: "MjoData"
    recorder: "Recorder"
    plan: Plan
    options: dict[str, Any]
    out: pathlib.Path | None
    plot: pathlib.Path | None
    watch: Watch = dataclasses.field(default_factory=Watch)

    @property
    def part(self) -> pathlib.Path:
        """The checkpoint: beside the run file, which is only there when it is whole."""
        assert self.out is not None
        return checkpoint_of(self.out)

    def save(self, path: pathlib.Path, done: int) -> None:
        """Write the run file, or a checkpoint of it, after ``done`` steps."""
        save_run(
            path,
            self.xml,
            self.data,
            self.recorder,
            options=self.options,
            command=command_of(self.options),
            seed=self.options["seed"],
            steps=Steps(done, self.plan.nstep, self.plan.every),
        )


def checkpoint_of(out: pathlib.Path) -> pathlib.Path:
    """Where the checkpoints of a run file are."""
    return out.with_name(out.name + ".part")


def command_of(options: dict[str, Any]) -> list[str]:
    """The command line that repeats a run."""
    words = ["mjorbit-warp", "run", str(options["model"])]
    for name, value in options.items():
        if name != "model" and value is not None and value is not False:
            option = "--" + name.replace("_", "-")
            words += [option] if value is True else [option, str(value)]
    return words


class Stop:
    """Ctrl-C and SIGTERM: noted while ``gentle``, at the second one or else raised as KeyboardInterrupt."""

    def __init__(self) -> None:
        self.gentle = False
        self.asked = False

    def _handle(self, number: int, frame: Any) -> None:
        if self.asked or not self.gentle:
            raise KeyboardInterrupt
        self.asked = True

    @contextmanager
    def watching(self) -> Iterator["Stop"]:
        """Take the two signals over, as far as this thread may."""
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        before = {number: signal.signal(number, self._handle) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _checkpoint(job: Job, done: int) -> None:
    try:
        job.save(job.part, done)
    except OSError as error:  # the disk may have room again at the end
        from mjorbit_warp.check import MjoWarning

        warnings.warn(f"no checkpoint at {str(job.part)!r}: {error.strerror or error}", MjoWarning, stacklevel=2)


def _keep(job: Job, done: int) -> str:
    """Write a checkpoint of a run that is given up; how to look at it."""
    if job.out is None:
        return ""
    job.save(job.part, done)
    return f"; the run until {done * job.plan.dt:.6g} s is in {job.part}"


def simulate(job: Job, stop: Stop, checkpoint_every: float) -> tuple[float, float]:
    """Step through captured graphs, record, and write checkpoints; the seconds of compiling and of stepping.

    Raises:
      KeyboardInterrupt: stopped before the end, with a sentence that says how to go on.
      MjoError: a world went bad, with --strict.
    """
    import warp as wp

    from mjorbit_warp.graph import capture

    data, plan = job.data, job.plan
    console = Console(stderr=True)
    most = max(1, min(GRAPH, plan.every, LAUNCH // data.nworld))
    began = time.perf_counter()
    with console.status("compiling kernels, about a minute the first time"):
        graphs = {size: capture(job.model, data, nstep=size) for size in plan.sizes(most)}
    compiled = time.perf_counter() - began

    if plan.start == 0:
        job.recorder.record()
    stop.gentle = job.out is not None
    began = saved = time.perf_counter()
    done, queued = plan.start, 0
    with progress_bar(console) as progress:
        task = progress.add_task("stepping", total=plan.nstep, completed=done, rate="")
        for size in plan.pieces(most):
            graphs[size]()
            done += size
            queued += 1
            if done % plan.every == 0 or done == plan.nstep:
                job.recorder.record()
            elif queued < QUEUE and not stop.asked:
                continue
            wp.synchronize_device(data.device)
            queued, now = 0, time.perf_counter()
            rate = data.nworld * (done - plan.start) / (now - began)
            progress.update(task, completed=done, rate=f"{rate:,.0f} world-steps/s")
            if new := job.watch.look(job.model, data):
                job.watch.raise_for(job.model, data, new, functools.partial(_keep, job, done))
            if done == plan.nstep:
                break
            if stop.asked:
                job.save(job.part, done)
                raise KeyboardInterrupt(
                    f"stopped at {done * plan.dt:.6g} of {plan.nstep * plan.dt:.6g} s: "
                    f"go on with mjorbit-warp run --resume {job.part}"
                )
            if job.out is not None and now - saved >= checkpoint_every:
                _checkpoint(job, done)
                saved = time.perf_counter()
    return compiled, time.perf_counter() - began
