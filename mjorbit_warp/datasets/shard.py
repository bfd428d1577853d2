"""A shard on the disk: a folder that is there as a whole, checksummed, or not at all."""

import contextlib
import errno
import hashlib
import json
import os
import pathlib
import shutil
import uuid
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from mjorbit_warp.datasets import hdf5_store, zarr_store
from mjorbit_warp.status import FAULTS, Status

if TYPE_CHECKING:
    from mjorbit_warp.datasets.batch import Arrays

FORMAT = 1
MANIFEST = "manifest.json"
SYNCS = 16  # at once
STORES: dict[str, Any] = {"zarr": zarr_store, "hdf5": hdf5_store}


def shard_name(index: int) -> str:
    """Name of a shard's folder."""
    return f"shard_{index:05d}"


def shard_path(folder: str | os.PathLike[str], index: int) -> pathlib.Path:
    """Where a shard is, once it is whole."""
    return pathlib.Path(folder) / shard_name(index)


def sha256(path: pathlib.Path) -> str:
    """Checksum of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files_of(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """All files below a folder but the manifest, by their path in it."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p for p in files if p.relative_to(folder).as_posix() != MANIFEST}


def _sync(path: pathlib.Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_tree(folder: pathlib.Path) -> None:
    """All files and folders below, and the folder itself, on the disk: a name must not outlive a power cut alone.

    They go at once, as a disk's journal takes many in the time of one.
    """
    paths = [pathlib.Path(root) / name for root, folders, files in os.walk(folder) for name in (*folders, *files)]
    with ThreadPoolExecutor(SYNCS) as pool:
        list(pool.map(_sync, [*paths, folder]))


@contextlib.contextmanager
def _becoming(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """A folder beside ``path`` that takes its name at the end, or disappears after an error.

    Where another process has been faster, its shard stays: it has the same bits. Where one has cleaned, this is lost.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}.part")
    part.mkdir()
    handle = os.open(part, os.O_RDONLY)
    try:
        yield part
        if not os.path.samestat(os.fstat(handle), os.stat(part)):  # a store makes the folders that it misses
            raise FileNotFoundError(errno.ENOENT, "another process has removed it", os.fspath(part))
        sync_tree(part)
        try:
            os.rename(part, path)
        except OSError:
            if not (path / MANIFEST).is_file():
                raise
        _sync(path.parent)
    finally:
        os.close(handle)
        shutil.rmtree(part, ignore_errors=True)


def clean(folder: str | os.PathLike[str], pid: int | None = None) -> None:
    """Remove what processes that were killed, or the one of a number, left half-written."""
    for part in pathlib.Path(folder).glob(".*.part" if pid is None else f".*.{pid}.*.part"):
        if part.is_dir():
            # a worker that outlived its parent may be about to give it the shard's name
            gone = part.with_name(f".{os.getpid()}.{uuid.uuid4().hex}.gone.part")
            with contextlib.suppress(FileNotFoundError):
                os.rename(part, gone)
                shutil.rmtree(gone, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def status_names(bits: int) -> list[str]:
    """Names of the bits of a status."""
    return [str(bit.name) for bit in Status if bits & bit]


def bad_episodes(arrays: "Arrays", notes: Mapping[int, list[str]]) -> dict[str, dict[str, Any]]:
    """Episodes that are not as they should be, by index: their status, length, and what was done about them."""
    found: dict[str, dict[str, Any]] = {}
    rows = zip(*(arrays[f"episode/{n}"].tolist() for n in ("index", "length", "status", "bad_ctrl")), strict=True)
    for index, length, status, bad_ctrl in rows:
        said = list(notes.get(index, []))
        if bad_ctrl:
            said.insert(0, "commands that were not finite were taken as 0")
        if status & FAULTS or said:
            found[str(index)] = {"status": status_names(status), "length": length, "notes": said}
    return found


def write_shard(
    folder: str | os.PathLike[str],
    index: int,
    arrays: "Arrays",
    notes: Mapping[int, list[str]],
    about: Mapping[str, Any],
    xml: str,
    binary: bytes,
) -> dict[str, Any]:
    """Write a shard and its manifest, whole or not at all.

    Args:
      about: of the dataset: config, seed, versions, fields …
      xml, binary: of the model.

    Returns:
      The manifest.

    Raises:
      OSError: it cannot be written, in one sentence; nothing is left then.
    """
    path = shard_path(folder, index)
    indices = arrays["episode/index"]
    try:
        with _becoming(path) as part:
            STORES[about["config"]["format"]].write(os.fspath(part), arrays, about["fields"])
            (part / "model.xml").write_text(xml, encoding="utf-8")
            (part / "model.mjb").write_bytes(binary)
            manifest = {
                "format": FORMAT,
                "shard": index,
                "episodes": [int(indices[0]), int(indices[-1]) + 1],
                "bad": bad_episodes(arrays, notes),
                **about,
                "arrays": {name: [list(a.shape), a.dtype.name] for name, a in arrays.items()},
                "files": {name: {"sha256": sha256(p), "bytes": p.stat().st_size} for name, p in files_of(part).items()},
            }
            (part / MANIFEST).write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise OSError(f"shard {index} cannot be written in {os.fspath(folder)!r}: {error.strerror or error}") from error
    return manifest


def read_manifest(path: pathlib.Path) -> dict[str, Any]:
    """The manifest of a shard.

    Raises:
      ValueError: it is damaged, or of a newer format.
    """
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        version = manifest["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{os.fspath(path)!r} is no shard of a dataset, or damaged: {error}") from None
    if version > FORMAT:
        raise ValueError(
            f"{os.fspath(path)!r} has format {version}, this mjorbit-warp reads up to {FORMAT}: upgrade it"
        )
    return manifest


def check_shard(path: pathlib.Path, checksums: bool = True) -> list[str]:
    """What is wrong with a shard's files, in words; nothing if all is well.

    Args:
      checksums: read all files; otherwise only their sizes are looked at.
    """
    try:
        manifest = read_manifest(path)
    except ValueError as error:
        return [str(error)]
    files, known = files_of(path), manifest["files"]
    wrong = [f"{path.name}: {name} is missing" for name in known if name not in files]
    wrong += [f"{path.name}: {name} does not belong there" for name in files if name not in known]
    for name in known.keys() & files.keys():
        size = files[name].stat().st_size
        if size != known[name]["bytes"]:
            wrong.append(f"{path.name}: {name} has {size} bytes, {known[name]['bytes']} were written")
        elif checksums and sha256(files[name]) != known[name]["sha256"]:
            wrong.append(f"{path.name}: {name} is not what was written: its checksum differs")
    return sorted(wrong)
