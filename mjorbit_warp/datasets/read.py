"""Reading a dataset: lazily, over all shards."""

import dataclasses
import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.datasets.shard import FORMAT, STORES, check_shard, read_manifest, shard_path

DATASET = "dataset.json"


class Array:
    """An array of a dataset: its first dimension are the episodes of all shards, and only what is asked for is read.

    Attributes:
      name: of the field
      shape, dtype: as of a NumPy array
      attributes: units, frame, description, when and elements of a field
    """

    def __init__(self, dataset: "Dataset", name: str, shape: tuple[int, ...], dtype: Any) -> None:
        self.name, self.shape, self.dtype = name, shape, np.dtype(dtype)
        self.attributes: Mapping[str, Any] = dataset.about["fields"].get(name, {})
        self._dataset = dataset

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        units = f", {self.attributes['units']}" if self.attributes else ""
        return f"Array({self.name!r}, shape={self.shape}, dtype={self.dtype}{units})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError(f"{self.name} is on the disk: it cannot be had without a copy")
        return self[:] if dtype is None else self[:].astype(dtype)

    def __getitem__(self, key: Any) -> NDArray[Any]:
        """Episodes by number, slice or list, and what follows of their dimensions, as in NumPy."""
        first, rest = (key[0], key[1:]) if isinstance(key, tuple) else (key, ())
        if first is Ellipsis:
            first, rest = slice(None), (Ellipsis, *rest)
        if isinstance(first, int | np.integer):
            return self._read(np.array([self._number(int(first))]))[0][rest]
        if isinstance(first, slice):
            chosen = np.arange(*first.indices(len(self)))
        else:
            chosen = np.asarray(first)
            if chosen.dtype == np.bool_ and chosen.shape == (len(self),):
                chosen = np.flatnonzero(chosen)
            chosen = np.array([self._number(int(i)) for i in chosen], dtype=np.int64)
        return self._read(chosen)[(slice(None), *rest)]

    def _number(self, index: int) -> int:
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self.name} has no episode {index}: it has {len(self)}")
        return index % len(self)

    def _read(self, chosen: NDArray[np.int64]) -> NDArray[Any]:
        out = np.empty((len(chosen), *self.shape[1:]), dtype=self.dtype)
        for reader, start, stop in self._dataset.parts:
            here = np.flatnonzero((chosen >= start) & (chosen < stop))
            if here.size:
                local = chosen[here] - start
                low, high = int(local.min()), int(local.max()) + 1
                out[here] = reader.read(self.name, slice(low, high))[local - low]
        return out


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Dataset:
    """A dataset that is complete, or the shards that there are of it.

    ``dataset["qpos"]`` is an Array over the episodes: fields are (episodes, rows + 1, …) with the start first, ``ctrl``
    is (episodes, rows, nu), row k being held from row k of the fields to row k + 1.

    Attributes:
      path: its folder
      about: config, versions, fields … as the manifests have them
      manifests: of the shards that there are, by number
      missing: numbers of the shards that there are not
      parts: (reader, first, last + 1) position of each shard's episodes
    """

    path: pathlib.Path
    about: Mapping[str, Any]
    manifests: Mapping[int, Mapping[str, Any]]
    missing: tuple[int, ...]
    parts: tuple[tuple[Any, int, int], ...]

    def __repr__(self) -> str:
        there = f"{len(self.manifests)} of {len(self.manifests) + len(self.missing)} shards"
        return f"Dataset({os.fspath(self.path)!r}, {len(self)} episodes in {there}, arrays {', '.join(self.names)})"

    def __len__(self) -> int:
        """Number of episodes that are there."""
        return self.parts[-1][2] if self.parts else 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        return tuple(next(iter(self.manifests.values()))["arrays"]) if self.manifests else ()

    @property
    def bad(self) -> dict[int, Mapping[str, Any]]:
        """Episodes that are not as they should be, by index: status, length, notes."""
        return {int(i): what for m in self.manifests.values() for i, what in m["bad"].items()}

    @property
    def fields(self) -> Mapping[str, Mapping[str, Any]]:
        """Units, frame, description and time of each recorded field."""
        return dict(self.about["fields"])

    @property
    def xml(self) -> str | None:
        """The model's MJCF with the orbit in its <custom>; None before there is a shard."""
        for index in self.manifests:
            return (shard_path(self.path, index) / "model.xml").read_text(encoding="utf-8")
        return None

    def __getitem__(self, name: str) -> Array:
        if name not in self.names:
            raise KeyError(f"{name!r} is not in the dataset: it has {', '.join(self.names) or 'no shard yet'}")
        shape, dtype = next(iter(self.manifests.values()))["arrays"][name]
        return Array(self, name, (len(self), *shape[1:]), dtype)

    def episode(self, position: int) -> dict[str, NDArray[Any]]:
        """All arrays of an episode by its position, fields up to the last row that counts."""
        length = int(self["episode/length"][position])
        found = {name: self[name][position] for name in self.names}
        for name, values in found.items():
            if "/" not in name or name in self.fields:
                found[name] = values[: length - 1] if name == "ctrl" else values[:length]
        return found

    def verify(self) -> list[str]:
        """What is wrong, in words: shards that miss, files that differ from their checksums, episodes; or nothing."""
        wrong = [f"shard {index} is missing" for index in self.missing]
        per = self.about["config"]["episodes"]["per_shard"]
        for index, manifest in self.manifests.items():
            wrong += check_shard(shard_path(self.path, index))
            first, last = manifest["episodes"]
            count = min(per, self.about["config"]["episodes"]["count"] - index * per)
            if (first, last) != (index * per, index * per + count):
                wrong.append(f"shard {index} has episodes {first} to {last - 1}, not those from {index * per} on")
        known = {shard_path(self.path, i).name for i in [*self.manifests, *self.missing]}
        others = sorted(p.name for p in self.path.iterdir() if p.is_dir() and p.name not in known)
        return wrong + [f"{name} does not belong there" for name in others]


def open_dataset(path: str | os.PathLike[str]) -> Dataset:
    """Open a dataset of ``mjorbit-warp generate``, finished or not; arrays are read when they are asked for.

    Raises:
      FileNotFoundError: there is none.
      ValueError: it is damaged, or of a newer format.
    """
    folder = pathlib.Path(path)
    file = folder / DATASET
    if not file.is_file():
        raise FileNotFoundError(f"no dataset at {os.fspath(path)!r}: a folder with {DATASET} is expected")
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
        episodes, version = about["config"]["episodes"], about["format"]
        count = -(-episodes["count"] // episodes["per_shard"])
        store = STORES[about["config"]["format"]]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{str(file)!r} is damaged: {error}") from None
    if version > FORMAT:
        raise ValueError(f"{str(file)!r} has format {version}: this mjorbit-warp reads up to {FORMAT}, upgrade it")
    manifests = {i: read_manifest(shard_path(folder, i)) for i in range(count) if shard_path(folder, i).is_dir()}
    parts, start = [], 0
    for index, manifest in manifests.items():
        stop = start + manifest["episodes"][1] - manifest["episodes"][0]
        parts.append((_Lazy(store, shard_path(folder, index)), start, stop))
        start = stop
    missing = tuple(i for i in range(count) if i not in manifests)
    return Dataset(folder, about, manifests, missing, tuple(parts))


class _Lazy:
    """A shard's reader, opened at the first read."""

    def __init__(self, store: Any, path: pathlib.Path) -> None:
        self._store, self._path = store, path
        self._reader: Any = None

    def read(self, name: str, index: Any) -> NDArray[Any]:
        if self._reader is None:
            self._reader = self._store.Reader(os.fspath(self._path))
        return np.asarray(self._reader.read(name, index))
