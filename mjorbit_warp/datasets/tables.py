"""Tables as frozen dataclasses, strictly: what is not known is refused, with what is."""

import dataclasses
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

_NAMES = {int: "an integer", float: "a number", str: "a text", bool: "true or false"}


def _value(kind: Any, value: Any, where: str) -> Any:
    """``value`` as the annotation of a field wants it."""
    if kind is Any:
        return tuple(value) if isinstance(value, list) else value
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        listed = [part for part in parts if typing.get_origin(part) in (tuple, Iterable)]
        plain_parts = [part for part in parts if part is not type(None) and part not in listed]
        return _value((listed or plain_parts)[0] if isinstance(value, list) else plain_parts[0], value, where)
    if origin is Literal:
        if value not in parts:
            raise ValueError(f"{where} is {value!r}: allowed are {', '.join(map(str, parts))}")
        return value
    if origin in (tuple, Iterable):
        if not isinstance(value, list):
            raise ValueError(f"{where} is {value!r}: a list is expected")
        return tuple(_value(parts[0], part, f"{where}[{i}]") for i, part in enumerate(value))
    if dataclasses.is_dataclass(kind) or origin is not None:
        if not isinstance(value, dict):
            raise ValueError(f"{where} is {value!r}: a table is expected")
        return value if origin is not None else read_table(kind, value, where)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{where} is {value!r}: {_NAMES[kind]} is expected")
    return value


def read_table(cls: Any, table: dict[str, Any], where: str) -> Any:
    """A dataclass from a table; keys that it does not have are refused with those that it has."""
    kinds = typing.get_type_hints(cls)
    known = [f.name for f in dataclasses.fields(cls) if f.name != "folder"]
    for key in table:
        if key not in known:
            raise ValueError(f"{where or 'the configuration'} has no key {key!r}: allowed are {', '.join(known)}")
    for f in dataclasses.fields(cls):
        if f.name not in table and f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise ValueError(f"{where or 'the configuration'} needs the key {f.name!r}")
    dot = f"{where}." if where else ""
    return cls(**{key: _value(kinds[key], value, dot + key) for key, value in table.items()})


def positive(owner: Any, where: str, *names: str) -> None:
    """ValueError unless these attributes are positive and finite."""
    for name in names:
        value = getattr(owner, name)
        if not 0 < value < np.inf:
            kind = "integer" if isinstance(value, int) else "number"
            label = f"{where} {name}" if where.endswith(":") else f"{where}.{name}"
            raise ValueError(f"{label} is {value!r}: a positive {kind} is expected")


def plain(value: Any) -> Any:
    """Dataclasses as tables and tuples as lists, as JSON has them."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def without_none(value: Any) -> Any:
    """Tables without keys that have no value, which TOML does not know."""
    if isinstance(value, dict):
        return {key: without_none(part) for key, part in value.items() if part is not None}
    return [without_none(part) for part in value] if isinstance(value, list) else value
