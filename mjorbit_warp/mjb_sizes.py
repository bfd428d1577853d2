"""How long a compiled model must be by the sizes it starts with, so that a damaged one does not ask for all memory.

MuJoCo allocates what the sizes say before it finds that they do not fit together.
"""

import functools
import math
import struct

import mujoco
import numpy as np

_HEADER = struct.Struct("<5i")  # identity, bytes of a number, how many sizes, version, how many arrays
_BYTES = {"mjtNum": np.dtype(mujoco.MJTNUM_DTYPE).itemsize, "float": 4, "int": 4, "mjtSize": 8}  # others: 1


@functools.cache
def _constant(name: str) -> int:
    """A number of MuJoCo: its own, or a member of one of its enumerations."""
    from mujoco.introspect import enums

    if hasattr(mujoco, name):
        return int(getattr(mujoco, name))
    return int(next(enum.values[name] for enum in enums.ENUMS.values() if name in enum.values))


def _count(extent: object, sizes: dict[str, int]) -> int:
    """A dimension of an array: a number, a size, a constant of MuJoCo, or a product of those."""
    out = 1
    for part in str(extent).split("*"):
        out *= int(part) if part.isdigit() else sizes[part] if part in sizes else _constant(part)
    return out


@functools.cache
def _layout() -> tuple[list[str], list[tuple[int, tuple[object, ...]]]]:
    """Names of the sizes in their order; bytes and dimensions of each array."""
    from mujoco.introspect import ast_nodes, structs

    fields = structs.STRUCTS["mjModel"].fields
    sizes = [f.name for f in fields if isinstance(f.type, ast_nodes.ValueType) and f.type.name in ("mjtSize", "int")]
    arrays = []
    for field in fields:
        if isinstance(field.type, ast_nodes.PointerType) and field.array_extent is not None:
            arrays.append((_BYTES.get(field.type.inner_type.name, 1), tuple(field.array_extent)))
    return sizes, arrays


def _array_bytes(sizes: dict[str, int]) -> int:
    """Of all arrays; a negative dimension counts as none, MuJoCo names it."""
    dims = [(width, [max(_count(extent, sizes), 0) for extent in shape]) for width, shape in _layout()[1]]
    return sum(width * math.prod(shape) for width, shape in dims)


def length_by_sizes(data: bytes) -> int | None:
    """Bytes that a file with this beginning must have; None if it is not of this version, or too short to say."""
    try:
        names, arrays = _layout()
    except (ImportError, AttributeError, KeyError):  # a MuJoCo without a description of its structures
        return None
    start = _HEADER.size
    end = start + 8 * len(names)
    if len(data) < end:
        return None
    _, _, nsize, version, narray = _HEADER.unpack_from(data)
    if (nsize, version, narray) != (len(names), mujoco.mj_version(), len(arrays)):
        return None
    sizes = dict(zip(names, struct.unpack_from(f"<{len(names)}q", data, start), strict=True))
    plain = mujoco.MjSpec().compile()  # what else is in a file: options, visual settings, statistics
    rest = mujoco.mj_sizeModel(plain) - _array_bytes({name: int(getattr(plain, name)) for name in names})
    return rest + _array_bytes(sizes)
