"""Shards as tasks on Ray: on many machines that share a folder, or on this one. Ray redoes a task whose worker died."""

import json
import logging
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mjorbit_warp.datasets.progress import Progress
from mjorbit_warp.datasets.shard import clean, read_manifest, shard_path
from mjorbit_warp.extras import need
from mjorbit_warp.quiet import start_warp

if TYPE_CHECKING:
    from mjorbit_warp.datasets.job import Job, ShardMaker

TRIES = 3  # besides the first
WAIT = 0.2  # s between looks at ``stop``
_makers: "dict[str, ShardMaker]" = {}  # of a worker's process, which Ray uses for many tasks


def _make(job: "Job", index: int) -> dict[str, Any]:
    """A task: the manifest's bad episodes of a shard that is there afterwards."""
    from mjorbit_warp.datasets.job import ShardMaker, is_made

    if not os.path.isdir(job.out):
        raise FileNotFoundError(f"{job.out!r} is not on the machine of a Ray worker: all must share that folder")
    if is_made(job.out, index):  # by a task whose worker died after its work
        return dict(read_manifest(shard_path(job.out, index))["bad"])
    key = json.dumps([dict(job.config), job.folder, job.out, job.batch, job.device], sort_keys=True)
    if key not in _makers:
        start_warp()
        _makers.clear()
        _makers[key] = ShardMaker(job)
    return dict(_makers[key].make(index)["bad"])


def run_ray(
    job: "Job", shards: Sequence[int], workers: int, address: str, progress: Progress, stop: Callable[[], bool]
) -> None:
    """Make all shards.

    Args:
      workers: of a Ray that is started here.
      address: of a Ray cluster, as "auto"; "local" starts one on this machine.

    Raises:
      KeyboardInterrupt: ``stop`` said so.
      ChildProcessError: a shard has killed its workers again and again.
      OSError, ValueError …: what went wrong in a task.
    """
    ray = need("ray", "ray", "making shards on Ray")
    ours = not ray.is_initialized()
    if ours:
        options: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if address == "local" else {}
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **options)
    try:
        task = ray.remote(num_cpus=1, max_retries=TRIES)(_make)
        given = ray.put(job)
        waiting = {task.remote(given, index): index for index in shards}
        while waiting:
            ready, _ = ray.wait(list(waiting), timeout=WAIT)
            for reference in ready:
                index = waiting.pop(reference)
                progress.shard(index, _result(ray, reference, index))
                progress.steps(_steps(job, index))
            if stop():
                raise KeyboardInterrupt
    finally:
        for reference in list(waiting):
            ray.cancel(reference, force=True)
        if ours:
            ray.shutdown()
        clean(job.out)


def _result(ray: Any, reference: Any, index: int) -> dict[str, Any]:
    try:
        return dict(ray.get(reference))
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, Exception) else RuntimeError(str(error))) from None
    except ray.exceptions.RayError as error:
        text = str(error).strip().splitlines()[0]
        raise ChildProcessError(f"shard {index} was given up after {TRIES + 1} tries: {text}") from None


def _steps(job: "Job", index: int) -> int:
    episodes = job.about["config"]["episodes"]
    first = index * episodes["per_shard"]
    count = min(episodes["per_shard"], episodes["count"] - first)
    return int(count * job.about["rows"] * job.about["decimation"])
