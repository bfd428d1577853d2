"""What an .npz file of ours must hold, so that a damaged or foreign one is refused when it is read."""

import json
import os
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

# what zipfile, zlib and NumPy raise for damaged files, besides ValueError
DAMAGED = (
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    OSError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
    SyntaxError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
_KINDS = {"f": "numbers", "i": "integers", "u": "bytes", "U": "a text"}


def read_npz(path: str, what: str, mark: str, newest: int, names: Iterable[str]) -> dict[str, Any]:
    """All arrays of an .npz file of ours.

    Args:
      what: what to call it in errors.
      mark: the array with its format, by which it is known as ours.
      newest: the newest format that can be read.
      names: other arrays without which it is none of ours.

    Raises:
      FileNotFoundError: no such file.
      ValueError: none of ours, of a newer format, or damaged.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no {what} at {path!r}")
    if not zipfile.is_zipfile(path):
        with open(path, "rb") as file:
            begun = file.read(4) == b"PK\x03\x04"
        if begun:  # the table of a zip file is at its end
            raise ValueError(f"{path!r} is a damaged {what}: its end is missing")
        raise ValueError(f"{path!r} is not a {what} of mjorbit-warp: an .npz file is expected")
    try:
        with np.load(path, allow_pickle=False) as file:
            ours = {mark, *names} <= set(file.files)
            version = int(file[mark]) if ours else 0
            arrays = {name: file[name] for name in file.files} if ours and version <= newest else {}
    except (*DAMAGED, ValueError) as error:
        raise damaged(path, what, error) from error
    if not ours:
        raise ValueError(f"{path!r} is an .npz file, but not a {what} of mjorbit-warp")
    if version > newest:
        raise ValueError(
            f"{path!r} has format {version} and this mjorbit-warp reads up to {newest}: upgrade mjorbit-warp"
        )
    return arrays


def check_arrays(arrays: Mapping[str, Any], expected: Mapping[str, tuple[str, int]]) -> None:
    """ValueError for the first array that is not of its NumPy kind and number of dimensions."""
    for name, (kind, ndim) in expected.items():
        array = np.asarray(arrays[name])
        if array.dtype.kind != kind or array.ndim != ndim:
            raise ValueError(
                f"{name} is {array.dtype} of shape {array.shape}: {_KINDS[kind]} of {ndim} dimensions are expected"
            )


def read_meta(text: Any, expected: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a JSON text; ValueError unless each entry is of a type that is expected, ``layout`` included."""
    meta = json.loads(str(text))
    if not isinstance(meta, dict):
        raise ValueError("its meta is no table")
    for name, kinds in expected.items():
        if not isinstance(meta[name], kinds) or isinstance(meta[name], bool):
            raise ValueError(f"{name} is {meta[name]!r:.60}")
    for name, ends in meta["layout"].items():
        if not (isinstance(ends, list) and len(ends) == 2 and all(type(end) is int and end >= 0 for end in ends)):
            raise ValueError(f"columns of {name} are {ends!r:.60}: two integers are expected")
    return meta


def damaged(path: str, what: str, error: BaseException | str) -> ValueError:
    """The error to raise, in one sentence."""
    words = " ".join(str(error).split()) or type(error).__name__
    return ValueError(f"{path!r} is a damaged {what}: {words[:300]}")


def same_length(arrays: Mapping[str, Any], names: Iterable[str], axis: int = 0) -> None:
    """ValueError unless these arrays have as many entries along an axis."""
    lengths = {name: int(np.shape(arrays[name])[axis]) for name in names}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"lengths differ: {', '.join(f'{name} {n}' for name, n in lengths.items())}")
