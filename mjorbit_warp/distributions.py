"""Distributions of a parameter over worlds, drawn on the host."""

import math
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.values import number

F64 = NDArray[np.float64]
PER = ("element", "component", "world")


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """What all distributions share.

    Attributes:
      relative: draws are factors of the nominal value
      offset: draws are added to the nominal value
      per: "element" (a body, a wheel: one draw for all components of its vectors), "component" (one for each number) or
        "world" (one for all elements of a world); default: "element" for factors, "component" otherwise
      names: elements that are drawn, by name: bodies, geoms, actuators, wheels …; None takes all
    """

    relative: bool = False
    offset: bool = False
    per: str | None = None
    names: str | Iterable[str] | None = None
    NUMBERS: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        where = type(self).__name__
        for name in self.NUMBERS:
            x = number(getattr(self, name), f"{where}: {name}")
            if not np.isfinite(x):
                raise ValueError(f"{where}: {name} is {x}: a finite number is expected")
            object.__setattr__(self, name, x)
        if self.relative and self.offset:
            raise ValueError(f"{where}: relative and offset exclude each other")
        if self.per is not None and self.per not in PER:
            raise ValueError(f"{where}: per is {self.per!r}: allowed are {', '.join(map(repr, PER))}")
        if self.names is not None:
            names = (self.names,) if isinstance(self.names, str) else tuple(self.names)
            object.__setattr__(self, "names", names)

    def transform(self, u: F64, v: F64) -> F64:
        """Draws from two arrays of uniform numbers in [0, 1)."""
        raise NotImplementedError


@dataclass(frozen=True)
class Uniform(Distribution):
    """Between ``low`` and ``high``."""

    low: float
    high: float
    NUMBERS: ClassVar[tuple[str, ...]] = ("low", "high")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low > self.high:
            raise ValueError(f"Uniform: low {self.low:g} is above high {self.high:g}")

    def transform(self, u: F64, v: F64) -> F64:
        return self.low + (self.high - self.low) * u


def _standard_normal(u: F64, v: F64) -> F64:
    """Box & Muller (1958); 1 − u is never 0."""
    return np.sqrt(-2.0 * np.log1p(-u)) * np.cos(2.0 * np.pi * v)


@dataclass(frozen=True)
class Normal(Distribution):
    """Gaussian with ``mean`` and standard deviation ``std``."""

    mean: float
    std: float
    NUMBERS: ClassVar[tuple[str, ...]] = ("mean", "std")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.std < 0.0:
            raise ValueError(f"Normal: std is {self.std:g}: it cannot be negative")

    def transform(self, u: F64, v: F64) -> F64:
        return self.mean + self.std * _standard_normal(u, v)


@dataclass(frozen=True)
class LogNormal(Distribution):
    """``median`` · exp(sigma · a standard normal number)."""

    median: float
    sigma: float
    NUMBERS: ClassVar[tuple[str, ...]] = ("median", "sigma")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.median <= 0.0 or self.sigma < 0.0:
            raise ValueError(
                f"LogNormal: median is {self.median:g} and sigma {self.sigma:g}: a positive median and a sigma that is "
                "not negative are expected"
            )

    def transform(self, u: F64, v: F64) -> F64:
        return self.median * np.exp(self.sigma * _standard_normal(u, v))


@dataclass(frozen=True)
class Choice(Distribution):
    """One of ``values``, with ``probabilities`` that are alike if not given."""

    values: Any
    probabilities: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        values = _list(self.values, "Choice: values")
        weights = np.ones(values.size) if self.probabilities is None else _list(self.probabilities, "probabilities")
        if weights.size != values.size or (weights < 0.0).any() or weights.sum() <= 0.0:
            raise ValueError(
                f"Choice: {values.size} values have probabilities {weights.tolist()}: as many are expected, 0 or more"
            )
        object.__setattr__(self, "values", tuple(values.tolist()))
        object.__setattr__(self, "probabilities", tuple((weights / weights.sum()).tolist()))

    def transform(self, u: F64, v: F64) -> F64:
        edges = np.cumsum(self.probabilities)
        edges[-1] = 1.0
        return np.array(self.values)[np.searchsorted(edges, u, side="right")]


def _list(values: Any, name: str) -> F64:
    array = np.asarray(values)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise ValueError(f"{name} is {values!r}: a list of finite numbers is expected")
    return array.astype(np.float64)


def draw(distribution: Distribution, seed: int, name: str, nworld: int, shape: tuple[int, ...], first: int = 0) -> F64:
    """Draws (nworld, *shape) of parameter ``name``.

    They are keyed by (seed, name, world): a world's do not depend on nworld, on other parameters or their order, nor on
    which elements are selected.

    Args:
      first: the world that the first row belongs to.
    """
    bits = np.random.Philox(np.random.SeedSequence([seed, zlib.crc32(name.encode())]))
    per = distribution.per or ("element" if distribution.relative else "component")
    size = {"world": (1,) * len(shape), "element": shape[:1] + (1,) * (len(shape) - 1), "component": shape}[per]
    generator = np.random.Generator(bits)
    blocks, rest = divmod(first * 2 * math.prod(size), 4)  # Philox gives four numbers per count
    bits.advance(blocks)
    generator.random(rest)
    uniform = generator.random((nworld, 2, *size))
    u, v = np.ascontiguousarray(uniform[:, 0]), np.ascontiguousarray(uniform[:, 1])  # one loop for all sizes
    return np.broadcast_to(distribution.transform(u, v), (nworld, *shape))
