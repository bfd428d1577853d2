"""Small datasets for tests, and what they are compared by."""

import dataclasses
import functools
import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import datasets
from mjorbit_warp.datasets.config import Config, read_config

SMALL: dict[str, Any] = {
    "scenario": {"model": "two_arm", "orbit": {"altitude": 4e5, "inclination": 0.9}},
    "episodes": {"count": 7, "duration": 2.0, "rate": 2.0, "per_shard": 3},
}


def changed(**parts: Any) -> dict[str, Any]:
    """The small configuration with keys of its tables replaced."""
    table = json.loads(json.dumps(SMALL))
    for name, value in parts.items():
        table[name] = table.get(name, {}) | value if isinstance(value, dict) else value
    return table


FULL: dict[str, Any] = {
    "policy": {"kind": "smooth", "amplitude": 0.7, "interval": 1.0},
    "start": {"spread": 5.0, "spin": 0.02, "joints": 0.4},
    "record": {"fields": ["time", "qpos", "qvel", "xipos", "orbit.r", "sensor:gyro"]},
    "sensors": {"add": [{"name": "gyro", "type": "gyro", "body": "bus", "noise": 1e-3, "walk": 1e-3}]},
    "randomize": {"body_mass": {"distribution": "normal", "mean": 1.0, "std": 0.05, "relative": True}},
}


def config_of(folder: str | os.PathLike[str] = ".", **parts: Any) -> Config:
    """The small configuration with all that is random."""
    return read_config(changed(**(FULL | parts)), os.fspath(folder))


def arrays_of(folder: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """All of a dataset in memory."""
    data = datasets.open(folder)
    return {name: np.asarray(data[name]) for name in data.names}


def same(a: dict[str, NDArray[Any]], b: dict[str, NDArray[Any]]) -> bool:
    """To the bit."""
    return a.keys() == b.keys() and all(
        a[n].dtype == b[n].dtype and a[n].shape == b[n].shape and a[n].tobytes() == b[n].tobytes() for n in a
    )


@functools.cache
def whole_dataset(folder: pathlib.Path) -> pathlib.Path:
    """The dataset of ``config_of()``, made in one go: 7 episodes in shards of 3."""
    out = folder / "whole_dataset"
    done = datasets.generate(config_of(), out)
    assert (done.shards, done.episodes, done.made, done.bad, done.notes) == (3, 7, 3, {}, ())
    return out


KILLER = """
import os, signal, pathlib
HERE = pathlib.Path(__file__).parent

def policy(model, data, episodes, seed):
    if 3 in episodes and (once := HERE / "once").exists():
        once.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    if 3 in episodes and (HERE / "always").exists():
        os._exit(7)
    return lambda d: [[0.1] * model.nu] * d.nworld
"""


def toml(path: pathlib.Path, config: datasets.Config) -> str:
    """The configuration as a file, for a process of its own."""

    def is_tables(value: Any) -> bool:
        return isinstance(value, list) and bool(value) and isinstance(value[0], dict)

    def lines(table: dict[str, Any], name: str) -> Iterator[str]:
        yield f"[{name}]"
        for key, value in table.items():
            if value is not None and not isinstance(value, dict) and not is_tables(value):
                yield f"{key} = {json.dumps(value)}"
        for key, value in table.items():
            if isinstance(value, dict):
                yield from lines(value, f"{name}.{key}")
            elif is_tables(value):
                for part in value:
                    yield from lines(part, f"[{name}.{key}]")

    tables = {key: value for key, value in config.to_dict().items() if isinstance(value, dict)}
    path.write_text("\n".join(line for name, table in tables.items() for line in lines(table, name)) + "\n")
    assert dataclasses.replace(datasets.load_config(path), folder=config.folder) == config
    return str(path)
