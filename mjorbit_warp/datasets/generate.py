"""Making a dataset: which shards are missing, who makes them, and going on after a stop."""

import contextlib
import dataclasses
import errno
import fcntl
import json
import os
import pathlib
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import warp as wp

from mjorbit_warp.datasets.batch import BatchMaker
from mjorbit_warp.datasets.config import Config, load_config
from mjorbit_warp.datasets.job import Job, ShardMaker, about, differences, is_made
from mjorbit_warp.datasets.progress import Progress
from mjorbit_warp.datasets.ray_backend import run_ray
from mjorbit_warp.datasets.shard import FORMAT, STORES, check_shard, clean, read_manifest, shard_path, sync_tree
from mjorbit_warp.datasets.workers import Workers
from mjorbit_warp.run_file import replacing

DATASET = "dataset.json"
LOCK = ".lock"


@dataclasses.dataclass(frozen=True)
class Generated:
    """What was made.

    Attributes:
      folder: of the dataset
      shards, episodes: in it now
      made: shards that this call made
      steps: world-steps that it took
      wall_s: and the time, after loading and compiling [s]
      bad: episodes that are not as they should be, by index: status, length, notes
      notes: what happened besides, as workers that died
    """

    folder: str
    shards: int
    episodes: int
    made: int
    steps: int
    wall_s: float
    bad: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...]


def _one_sentence(folder: pathlib.Path, error: OSError) -> OSError:
    return OSError(f"the dataset cannot be written in {str(folder)!r}: {error.strerror or error}")


@contextlib.contextmanager
def _locked(folder: pathlib.Path) -> Iterator[None]:
    """The only process that makes this dataset; the lock goes with the process, however it ends."""
    with open(folder / LOCK, "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            raise ValueError(
                f"another process is making the dataset in {str(folder)!r}: wait for it or stop it"
            ) from None
        yield


def _open_folder(folder: pathlib.Path, resume: bool) -> None:
    """The folder, made if there is none; one with something in it only to resume."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--out is {str(folder)!r}: that is a file, a folder is expected")
    if not folder.parent.is_dir():
        raise FileNotFoundError(f"--out is {str(folder)!r}: there is no folder {str(folder.parent)!r}")
    try:
        folder.mkdir(exist_ok=True)
        inside = [p.name for p in folder.iterdir() if p.name != LOCK and not p.name.endswith(".part")]
        with open(folder / LOCK, "a", encoding="utf-8"):
            pass
    except OSError as error:
        raise _one_sentence(folder, error) from error
    if DATASET in inside and not resume:
        raise ValueError(f"{str(folder)!r} has a dataset already: go on with it by --resume, or choose another folder")
    if inside and DATASET not in inside:
        raise ValueError(f"{str(folder)!r} is not empty, and no dataset: choose another folder")


def _describe(folder: pathlib.Path, ours: Mapping[str, Any]) -> None:
    """Write ``dataset.json``, or compare with the one that is there."""
    path = folder / DATASET
    if path.exists():
        try:
            theirs = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise ValueError(f"{str(path)!r} is damaged: it is not JSON") from None
        _same(str(folder), theirs, ours)
        return
    text = json.dumps({"format": FORMAT, **ours}, indent=1, ensure_ascii=False) + "\n"
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
        sync_tree(folder)
    except OSError as error:
        raise _one_sentence(folder, error) from error


def _same(what: str, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
    kept = {key: theirs.get(key) for key in ours}
    if different := differences(kept, ours):
        raise ValueError(f"{what} was made otherwise, so it cannot be gone on with: {different}")


def _present(folder: pathlib.Path, count: int, ours: Mapping[str, Any]) -> list[int]:
    """Shards that are there; ValueError if one of them does not belong to this dataset, or is damaged."""
    found = [index for index in range(count) if is_made(folder, index)]
    for index in found:
        path = shard_path(folder, index)
        if wrong := check_shard(path, checksums=False):
            raise ValueError(f"{wrong[0]}: delete {str(path)!r} to have it made again")
        _same(str(path), read_manifest(path), ours)
    return found


def check_batch(config: Config, batch: int | None) -> int:
    """Episodes stepped at once: what was asked for, by default a whole shard."""
    most = min(config.episodes.per_shard, config.episodes.count)
    if batch is None:
        return most
    if not 1 <= batch <= most:
        raise ValueError(f"--batch is {batch}: 1 to {most}, the episodes of a shard, are allowed")
    return batch


def _serial(maker: ShardMaker, shards: list[int], progress: Progress, stop: Callable[[], bool]) -> None:
    def report(steps: int) -> None:
        if stop():
            raise KeyboardInterrupt
        progress.steps(steps)

    for index in shards:
        progress.shard(index, maker.make(index, report)["bad"])
        if stop():
            raise KeyboardInterrupt


def generate(
    config: Config | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    workers: int = 1,
    resume: bool = False,
    batch: int | None = None,
    device: str | None = None,
    ray: str | None = None,
    progress: Progress | None = None,
    begin: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Generated:
    """Make a dataset, or what is missing of it; each shard is there as a whole or not at all.

    An episode depends on the configuration and its index alone: neither ``workers`` nor ``batch`` nor a stop changes a
    bit of it. A call that was killed is gone on with by ``resume``.

    Args:
      config: a Config, its file, or the name of a shipped one.
      out: folder of the dataset, made if there is none.
      workers: processes; 1 makes shards in this one.
      resume: go on with what is in ``out``.
      batch: episodes stepped at once, at most those of a shard.
      device: Warp device.
      ray: address of a Ray cluster whose machines share ``out``, or "local": shards are its tasks.
      progress: told what happens.
      begin: called with the world-steps and shards to come, after everything was checked.
      stop: asked now and then whether to stop.

    Raises:
      ValueError, FileNotFoundError: an input that cannot be, in one sentence.
      OSError: the disk is full, or the folder cannot be written; what was made stays.
      KeyboardInterrupt: ``stop`` said so.
    """
    if not isinstance(config, Config):
        config = load_config(config)
    if workers < 1:
        raise ValueError(f"--workers is {workers}: a positive integer is expected")
    size = check_batch(config, batch)
    STORES[config.format].check()
    folder, progress = pathlib.Path(out), Progress() if progress is None else progress
    _open_folder(folder, resume)
    with _locked(folder):
        clean(folder)
        here = workers == 1 and ray is None
        maker = BatchMaker(config, size if here else 1, None if device is None else wp.get_device(device))
        ours = about(maker)
        _describe(folder, ours)
        present = _present(folder, config.episodes.nshard, ours)
        missing = [index for index in range(config.episodes.nshard) if index not in set(present)]
        for index in present:
            progress.bad |= read_manifest(shard_path(folder, index))["bad"]
        episodes = sum(len(config.episodes.shard(index)) for index in missing)
        if begin is not None:
            begin(episodes * maker.nstep, len(missing))
        job = Job(ours["config"], os.path.abspath(config.folder), os.fspath(folder.absolute()), size, device, ours)
        began = time.perf_counter()
        if not missing:
            pass
        elif ray is not None:
            run_ray(job, missing, workers, ray, progress, stop)
        elif here:
            _serial(ShardMaker(job, maker), missing, progress, stop)
        else:
            Workers(job, missing, min(workers, len(missing)), progress).run(stop)
        wall = time.perf_counter() - began
    e = config.episodes
    bad = dict(sorted(progress.bad.items(), key=lambda item: int(item[0])))
    return Generated(
        str(folder), e.nshard, e.count, len(missing), episodes * maker.nstep, wall, bad, tuple(progress.notes)
    )
