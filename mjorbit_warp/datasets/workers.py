"""Shards by several processes of this machine; one that dies is replaced, and its shard made anew."""

import multiprocessing
import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Sequence
from multiprocessing import connection, resource_tracker
from typing import TYPE_CHECKING, Any

from mjorbit_warp.datasets.progress import Progress
from mjorbit_warp.datasets.shard import clean
from mjorbit_warp.quiet import start_warp

if TYPE_CHECKING:
    from mjorbit_warp.datasets.job import Job

TRIES = 3  # of a shard whose workers die
WAIT = 0.2  # s between looks at ``stop``
_ERRORS: dict[str, type[Exception]] = {
    kind.__name__: kind for kind in (ValueError, TypeError, KeyError, OSError, ImportError, MemoryError)
}


def _work(job: "Job", pipe: Any) -> None:
    """A worker: shards by number from the pipe until None comes, or the process that asks for them is gone."""
    import warnings

    from mjorbit_warp.check import MjoWarning
    from mjorbit_warp.datasets.job import ShardMaker

    warnings.simplefilter("ignore", MjoWarning)  # the first process says them
    parent: Any = multiprocessing.parent_process()

    def report(steps: int) -> None:
        if not parent.is_alive():
            os._exit(1)
        pipe.send(("steps", steps))

    try:
        start_warp()
        maker = ShardMaker(job)
        while (index := pipe.recv()) is not None:
            manifest = maker.make(index, report)
            pipe.send(("shard", manifest["bad"]))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(1)
    except Exception as error:
        name = next((kind.__name__ for kind in type(error).__mro__ if kind.__name__ in _ERRORS), "RuntimeError")
        pipe.send(("error", name, str(error) or type(error).__name__))


class _Worker:
    """A process, the pipe to it, and the shard it is at."""

    def __init__(self, context: Any, job: "Job") -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(job, theirs), daemon=True)
        # Ctrl-C reaches all processes, and the first one decides: a child inherits what is blocked
        resource_tracker.ensure_running()  # it unblocks when it starts
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        theirs.close()
        self.shard: int | None = None
        self.steps = 0  # of the shard so far

    def give(self, shard: int) -> None:
        """Have it make a shard."""
        self.shard, self.steps = shard, 0
        self.pipe.send(shard)


class Workers:
    """Hands out shards to processes until all are made."""

    def __init__(self, job: "Job", shards: Sequence[int], count: int, progress: Progress) -> None:
        self._job, self._progress = job, progress
        self._open = deque(shards)
        self._context = multiprocessing.get_context("spawn")
        self._deaths: Counter[int] = Counter()
        self._crew: list[_Worker] = []
        self._count = count

    def run(self, stop: Callable[[], bool]) -> None:
        """Make all shards.

        Raises:
          KeyboardInterrupt: ``stop`` said so.
          ChildProcessError: a shard has killed its workers again and again.
          OSError, ValueError …: what went wrong in a worker.
        """
        try:
            while self._open or any(worker.shard is not None for worker in self._crew):
                self._fill()
                waiting = [worker.pipe for worker in self._crew]
                for pipe in connection.wait(waiting, timeout=WAIT):
                    worker = next(w for w in self._crew if w.pipe is pipe)
                    self._hear(worker)
                if stop():
                    raise KeyboardInterrupt
        finally:
            for worker in self._crew:
                worker.process.terminate()
            for worker in self._crew:
                worker.process.join()
                clean(self._job.out, worker.process.pid)

    def _fill(self) -> None:
        while self._open and len(self._crew) < self._count:
            self._crew.append(_Worker(self._context, self._job))
        for worker in self._crew:
            if worker.shard is None and self._open:
                try:
                    worker.give(self._open.popleft())
                except (BrokenPipeError, ConnectionResetError):
                    self._bury(worker)
                    return

    def _hear(self, worker: _Worker) -> None:
        try:
            kind, *values = worker.pipe.recv()
        except (EOFError, ConnectionResetError):
            self._bury(worker)
            return
        if kind == "steps":
            worker.steps += values[0]
            self._progress.steps(values[0])
        elif kind == "shard":
            assert worker.shard is not None
            self._progress.shard(worker.shard, values[0])
            worker.shard = None
        else:
            raise _ERRORS.get(values[0], RuntimeError)(values[1])

    def _bury(self, worker: _Worker) -> None:
        """A worker has died: say so, and put its shard back."""
        worker.process.join()
        self._crew.remove(worker)
        clean(self._job.out, worker.process.pid)
        shard, code = worker.shard, worker.process.exitcode or 0
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        if shard is None:
            self._progress.note(f"a worker {how} between two shards: another one takes its place")
            return
        self._deaths[shard] += 1
        if self._deaths[shard] >= TRIES:
            raise ChildProcessError(f"shard {shard} was given up: {TRIES} workers died in it, the last one {how}")
        self._progress.steps(-worker.steps)
        self._progress.note(f"the worker that made shard {shard} {how}: the shard is made anew")
        self._open.appendleft(shard)
