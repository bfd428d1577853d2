"""Parameters of a spacecraft part as the text of an MJCF ``<custom><text>``: ``key=value key="1 2 3"`` …

The text is named ``mjo_<kind>:<element>``, after the actuator, site, body or sensor that it describes. Numbers are
written with all their digits.
"""

import dataclasses
import re
from typing import Any, TypeVar

import numpy as np

PREFIX = "mjo_"
_NAME = re.compile(rf"(.*?){PREFIX}(\w+?):(.*)", re.DOTALL)
T = TypeVar("T")
_PAIR = re.compile(r"\s*(\w+)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"']+)")


def part_name(kind: str, element: str) -> str:
    """Name of the text of a part."""
    return f"{PREFIX}{kind}:{element}"


def is_part(name: str) -> bool:
    """Whether a ``<custom>`` name is that of a part."""
    return _NAME.fullmatch(name) is not None


def split_name(name: str) -> tuple[str, str, str]:
    """(kind, element, prefix) of a part's text name.

    ``MjSpec.attach`` gives every name of the attached model a prefix and a suffix, so the text of wheel ``rw`` is then
    ``<prefix>mjo_reaction_wheel:rw<suffix>`` and the wheel ``<prefix>rw<suffix>``, which is what is returned.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"<custom> {name!r} is not the text of a part")
    prefix, kind, element = match.groups()
    return kind, prefix + element, prefix


def _word(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if isinstance(value, str):
        plain = re.fullmatch(r"[^\s\"']+", value)
        return value if plain else f"'{value}'" if '"' in value else f'"{value}"'
    if isinstance(value, tuple):
        return '"' + " ".join(repr(float(x)) for x in value) + '"'
    return repr(float(value))


def encode(part: Any) -> str:
    """The fields of a dataclass that differ from their defaults."""
    words = []
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if value != field.default:
            words.append(f"{field.name}={_word(value)}")
    return " ".join(words) or "-"  # MuJoCo refuses an empty text


def _value(word: str, kind: Any, where: str, key: str) -> Any:
    text = word[1:-1] if word[0] in "\"'" else word
    if kind is str or kind == str | None:
        return text
    if kind is bool:
        if text not in ("0", "1"):
            raise ValueError(f"{where}: {key} is {text!r}: 0 or 1 is expected")
        return text == "1"
    try:
        numbers = tuple(float(x) for x in text.split())
    except ValueError:
        numbers = ()
    if kind == tuple[float, ...]:
        if not numbers:
            raise ValueError(f"{where}: {key} is {text!r}: numbers are expected")
        return numbers
    many = "tuple" in str(kind)
    if len(numbers) != (3 if many else 1):
        raise ValueError(f"{where}: {key} is {text!r}: {'three numbers are' if many else 'a number is'} expected")
    return numbers if many else numbers[0]


def decode(cls: type[T], text: str, where: str) -> T:
    """A dataclass from its text.

    Args:
      where: what errors name, e.g. "reaction wheel rw1".
    """
    kinds = {field.name: field.type for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    rest = text.strip()
    if rest == "-":
        rest = ""
    while rest:
        pair = _PAIR.match(rest)
        if pair is None:
            raise ValueError(f"{where}: {rest!r} is not understood: key=value pairs are expected")
        key, word = pair.groups()
        if key not in kinds:
            raise ValueError(f"{where} has no parameter {key!r}: allowed are {', '.join(kinds) or 'none'}")
        if key in values:
            raise ValueError(f"{where}: {key} is given twice")
        values[key] = _value(word, kinds[key], where, key)
        rest = rest[pair.end() :].strip()
    try:
        return cls(**values)
    except TypeError:
        missing = [
            field.name
            for field in dataclasses.fields(cls)  # type: ignore[arg-type]
            if field.default is dataclasses.MISSING and field.name not in values
        ]
        raise ValueError(f"{where} lacks {', '.join(missing)}") from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
