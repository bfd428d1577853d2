"""What it takes to make any shard of a dataset, in this process or in another one."""

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import warp as wp

from mjorbit_warp.datasets.batch import BatchMaker
from mjorbit_warp.datasets.config import Config, read_config
from mjorbit_warp.datasets.shard import shard_path, write_shard
from mjorbit_warp.run_file import package_versions

SHOWN = 8  # differences


@dataclasses.dataclass(frozen=True)
class Job:
    """A dataset to be made; a process that gets it can make any of its shards.

    Attributes:
      config: as ``Config.to_dict``
      folder: what the configuration's paths are relative to
      out: folder of the dataset
      batch: episodes stepped at once
      device: Warp device, None for the default one
      about: what each shard says about the dataset, see ``about``
    """

    config: Mapping[str, Any]
    folder: str
    out: str
    batch: int
    device: str | None
    about: Mapping[str, Any]


def about(maker: BatchMaker) -> dict[str, Any]:
    """What a dataset is: configuration, versions and inputs that decide about its bits, and its fields."""
    names = maker.elements()
    fields = {
        name: dataclasses.asdict(field) | ({"elements": names[name]} if name in names else {})
        for name, field in maker.fields().items()
    }
    config = maker.config
    return {
        "config": config.to_dict(),
        "seed": config.episodes.seed,
        "versions": package_versions(),
        "inputs": maker.inputs,
        "device": "cuda" if maker.data.device.is_cuda else "cpu",
        "timestep": float(maker.model.mj.opt.timestep),
        "decimation": maker.decimation,
        "rows": config.episodes.nrow,
        "fields": fields,
    }


def _flat(table: Any, name: str = "") -> dict[str, Any]:
    if not isinstance(table, dict) or not table:
        return {name: table}
    return {k: v for key, value in table.items() for k, v in _flat(value, f"{name}.{key}" if name else key).items()}


def differences(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    """Where two ``about`` differ, "key: theirs → ours"; empty if nowhere. Descriptions of fields do not count."""
    a, b = (_flat({k: v for k, v in table.items() if k not in ("fields",)}) for table in (theirs, ours))
    none = "none"
    lines = [f"{k}: {a.get(k, none)} → {b.get(k, none)}" for k in {**a, **b} if a.get(k, none) != b.get(k, none)]
    more = f"; and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return "; ".join(lines[:SHOWN]) + more


class ShardMaker:
    """Makes shards of a job, one after the other."""

    def __init__(self, job: Job, maker: BatchMaker | None = None) -> None:
        """Load and compile; ValueError if this process would not make what the job wants."""
        self.job = job
        if maker is None:
            config = read_config(job.config, job.folder)
            maker = BatchMaker(config, job.batch, None if job.device is None else wp.get_device(job.device))
        self._maker = maker
        if different := differences(job.about, about(maker)):
            raise ValueError(f"this worker would make other data than the others: {different}")

    @property
    def config(self) -> Config:
        """The configuration."""
        return self._maker.config

    def make(self, index: int, report: Callable[[int], None] | None = None) -> dict[str, Any]:
        """Make and write a shard; its manifest.

        Args:
          report: called now and then with the world-steps since the last call; what it raises leaves no shard.
        """
        episodes = self.config.episodes.shard(index)
        parts = []
        for first in range(episodes.start, episodes.stop, self.job.batch):
            parts.append(self._maker.make(first, min(self.job.batch, episodes.stop - first), report))
        arrays = {name: np.concatenate([part.arrays[name] for part in parts]) for name in parts[0].arrays}
        notes = {episode: texts for part in parts for episode, texts in part.notes.items()}
        return write_shard(self.job.out, index, arrays, notes, self.job.about, self._maker.xml, self._maker.binary)


def is_made(out: str | os.PathLike[str], index: int) -> bool:
    """Whether a shard is there, and so whole."""
    return shard_path(out, index).is_dir()
