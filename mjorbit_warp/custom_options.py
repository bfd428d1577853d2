"""OrbitOptions as ``<custom>`` texts."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.atmosphere import Atmosphere
from mjorbit_warp.magnetic_field import MagneticField
from mjorbit_warp.options import OrbitOptions


def numbers(text: str, name: str, size: int) -> NDArray[np.float64]:
    """``size`` finite numbers of a text."""
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.empty(0)
    if values.size != size or not np.isfinite(values).all():
        raise ValueError(f"<custom> {name} is {text!r}: {size} finite number{'s' if size > 1 else ''} expected")
    return values


def _flag(text: str, name: str) -> bool:
    if text.strip() in ("0", "1", "0.0", "1.0"):
        return float(text) == 1.0
    raise ValueError(f"<custom> {name} is {text!r}: 0 or 1 expected")


def _words(values: Any) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(values))


def _orientation(text: str, name: str) -> Any:
    return text.strip() if len(text.split()) == 1 else numbers(text, name, 9).reshape(3, 3)


Reader = Callable[[str, str], Any]
Writer = Callable[[Any], str]
_FLAG: tuple[Reader, Writer] = (_flag, lambda x: str(int(x)))
_NUMBER: tuple[Reader, Writer] = (lambda text, name: float(numbers(text, name, 1)[0]), _words)
_VECTOR: tuple[Reader, Writer] = (lambda text, name: tuple(numbers(text, name, 3)), _words)
_WORD: tuple[Reader, Writer] = (lambda text, name: text.strip(), str)
_CODECS: dict[str, tuple[Reader, Writer]] = {
    "gravity_gradient": _FLAG,
    "j2": _FLAG,
    "zonal_degree": (lambda text, name: float(numbers(text, name, 1)[0]), str),
    "third_bodies": (lambda text, name: tuple(text.split()), " ".join),
    "orientation": (_orientation, lambda x: x if isinstance(x, str) else _words(x)),
    "atmosphere": (lambda text, name: Atmosphere.from_text(text), lambda x: x.to_text()),
    "corotation": _FLAG,
    "wind": _VECTOR,
    "solar_pressure": _FLAG,
    "solar_flux": _NUMBER,
    "eclipse": _WORD,
    "sun": _VECTOR,
    "sun_radius": _NUMBER,
    "eclipse_radius": _NUMBER,
    "magnetic_field": (lambda text, name: MagneticField.from_text(text), lambda x: x.to_text()),
    "feedback": _FLAG,
}
OPTION_NAMES = tuple(f"mjo_{field}" for field in _CODECS)


def read_options(found: Mapping[str, str]) -> OrbitOptions:
    """Options from texts by name; names that are not options are left alone."""
    values = {}
    for field, (read, _) in _CODECS.items():
        name = f"mjo_{field}"
        if name in found:
            try:
                values[field] = read(found[name], name)
            except ValueError as error:
                message = str(error)
                raise ValueError(message if name in message else f"<custom> {name}: {message}") from None
    return OrbitOptions(**values)


def option_texts(options: OrbitOptions) -> dict[str, str]:
    """Texts of the options that differ from their defaults."""
    default = OrbitOptions()
    changed = {}
    for field in dataclasses.fields(OrbitOptions):
        value, usual = getattr(options, field.name), getattr(default, field.name)
        same = isinstance(value, type(usual)) and not isinstance(value, np.ndarray) and value == usual
        if value is not None and not same:
            changed[f"mjo_{field.name}"] = _CODECS[field.name][1](value)
    return changed
