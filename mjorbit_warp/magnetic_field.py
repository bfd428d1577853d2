"""Internal magnetic fields as Gauss coefficients: tilted dipole, IGRF, WMM, or your numbers."""

import functools
import itertools
import math
import os
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib.resources import files

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjorbit_warp.constants import SECONDS_PER_CENTURY

F64 = NDArray[np.float64]

RADIUS = 6371.2e3  # geomagnetic reference radius of IGRF and WMM [m]
MAX_DEGREE = 13
_NANO = 1e-9
_PER_SECOND = 100.0 / SECONDS_PER_CENTURY  # [Julian years/s]
_J2000 = datetime(2000, 1, 1, 12)


def coefficient_index(degree: int, n: int, m: int) -> int:
    """Place of degree n ≥ 1, order m ≤ n: by order, then by degree, so that the sum reads along the array."""
    return n - 1 if m == 0 else degree + (m - 1) * degree - (m - 1) * (m - 2) // 2 + n - m


def decimal_year(epoch_seconds: float) -> float:
    """Calendar year and its elapsed fraction at ``epoch_seconds`` past J2000 TT: how IGRF and WMM count time."""
    try:
        time = _J2000 + timedelta(seconds=float(epoch_seconds))
        start, end = datetime(time.year, 1, 1), datetime(time.year + 1, 1, 1)
    except (OverflowError, ValueError):
        raise ValueError(f"epoch_seconds is {epoch_seconds!r}: seconds past J2000 TT of the years 1 to 9998") from None
    return time.year + (time - start) / (end - start)


def seconds_from_decimal_year(year: float) -> float:
    """Seconds past J2000 TT of a decimal year: inverse of decimal_year."""
    whole = math.floor(year)
    start, end = datetime(whole, 1, 1), datetime(whole + 1, 1, 1)
    return ((start - _J2000) + (end - start) * (year - whole)).total_seconds()


@dataclass(frozen=True, eq=False)
class GaussCoefficients:
    """Schmidt semi-normalised coefficients, linear in time: g(t) = g + g_rate·(years past ``year``).

    Attributes:
      g, h: at ``year``, of degree n and order m [T]       (…, degree + 1, degree + 1)
      g_rate, h_rate: secular variation [T/year]           (…, degree + 1, degree + 1)
      radius: reference radius [m]                         (…)
      year: reference epoch, decimal year; None if the field does not vary
      elapsed: years are Julian years since the epoch (IGRF is interpolated in time), not a difference of calendar years
    """

    g: F64
    h: F64
    g_rate: F64
    h_rate: F64
    radius: float | F64
    year: float | None
    elapsed: bool = False

    @property
    def degree(self) -> int:
        """Highest degree."""
        return self.g.shape[-1] - 1

    @property
    def epoch(self) -> float:
        """Reference epoch in seconds past J2000 TT; 0 if the field does not vary."""
        return 0.0 if self.year is None else seconds_from_decimal_year(self.year)

    def years(self, epoch_seconds: float | None) -> float:
        """Years from the reference epoch to ``epoch_seconds`` past J2000 TT; 0 if the field does not vary."""
        if self.year is None:
            return 0.0
        if epoch_seconds is None:
            raise ValueError("the magnetic field varies with time, so the orbit needs an epoch")
        if self.elapsed:
            return (epoch_seconds - self.epoch) * _PER_SECOND
        return decimal_year(epoch_seconds) - self.year

    def truncated(self, degree: int) -> "GaussCoefficients":
        """The same up to ``degree``."""
        end = _check_degree(degree, self.degree) + 1
        cut = {name: getattr(self, name)[..., :end, :end] for name in ("g", "h", "g_rate", "h_rate")}
        return replace(self, **cut)

    def packed(self) -> tuple[F64, F64]:
        """``value`` [T] and ``rate`` [T/year] of kernels.magnetic_field.MagneticFieldModel, each (…, ncoef, 2)."""
        n, m, scale = _packing(self.degree)
        pairs = ((self.g, self.h), (self.g_rate, self.h_rate))
        value, rate = (np.stack([g[..., n, m], h[..., n, m]], axis=-1) * scale[:, None] for g, h in pairs)
        return value, rate

    @classmethod
    def from_packed(cls, value: F64, rate: F64, radius: float | F64, year: float | None) -> "GaussCoefficients":
        """Inverse of packed."""
        degree = math.isqrt(9 + 8 * value.shape[-2]) // 2 - 1
        n, m, scale = _packing(degree)
        tables = np.zeros((4, *value.shape[:-2], degree + 1, degree + 1))
        for i, pair in enumerate((value, rate)):
            tables[2 * i][..., n, m], tables[2 * i + 1][..., n, m] = np.moveaxis(pair / scale[:, None], -1, 0)
        g, h, g_rate, h_rate = tables
        return cls(g, h, g_rate, h_rate, radius, year)


@functools.cache
def _packing(degree: int) -> tuple[NDArray[np.intp], NDArray[np.intp], F64]:
    """n, m and scale in the order of coefficient_index.

    The scale turns Schmidt's P_nm into (sin θ)^m Q_nm with the highest power of Q_nm at 1: √((2 − δ_m0)(n−m)!/(n+m)!)
    is Schmidt's norm and (2n−1)!!/(n−m)! the factor of the highest power.
    """
    pairs = sorted(
        ((n, m) for n in range(1, degree + 1) for m in range(n + 1)), key=lambda nm: coefficient_index(degree, *nm)
    )
    scale = [
        math.sqrt((1 if m == 0 else 2) * math.factorial(n - m) / math.factorial(n + m))
        * (math.prod(range(1, 2 * n, 2)) / math.factorial(n - m))
        for n, m in pairs
    ]
    n, m = np.array(pairs).T
    return n, m, np.array(scale)


def _check_degree(degree: int, highest: int) -> int:
    if not 1 <= degree <= highest:
        raise ValueError(f"degree of the magnetic field is {degree}: 1 to {highest} are available")
    return int(degree)


@dataclass(frozen=True, eq=False)
class MagneticField:
    """An internal magnetic field, fixed to the rotating body. Two fields are equal if their texts are.

    Attributes:
      kind: "dipole", "igrf" or "gauss" (numbers of one's own, WMM files)
      name: in messages and files
      pieces: coefficients, each from its ``year`` to the next one's
      first, last: validity [decimal years]
      extrapolate: whether times outside the validity are allowed, with the nearest piece
    """

    kind: str
    name: str
    pieces: tuple[GaussCoefficients, ...]
    first: float = -math.inf
    last: float = math.inf
    extrapolate: bool = False

    @classmethod
    def dipole(cls, g10: float, g11: float, h11: float, radius: float = RADIUS) -> "MagneticField":
        """A centred, tilted dipole, constant in time: g10, g11, h11 [T] at ``radius`` [m]."""
        g, h = np.zeros((2, 2)), np.zeros((2, 2))
        g[1], h[1, 1] = (g10, g11), h11
        field = cls.gauss(g, h, radius=radius, name="dipole")
        return replace(field, kind="dipole")

    @classmethod
    def gauss(
        cls,
        g: ArrayLike,
        h: ArrayLike,
        *,
        g_rate: ArrayLike | None = None,
        h_rate: ArrayLike | None = None,
        year: float | None = None,
        radius: float = RADIUS,
        name: str = "gauss",
        first: float = -math.inf,
        last: float = math.inf,
        extrapolate: bool = False,
    ) -> "MagneticField":
        """Schmidt semi-normalised coefficients [T] and rates [T/year], indexed (n, m), valid ``first`` to ``last``."""
        shape = np.shape(g)
        if len(shape) != 2 or shape[0] != shape[1] or not 2 <= shape[0] <= MAX_DEGREE + 1:
            raise ValueError(f"g has shape {shape}: (degree + 1, degree + 1) is expected, degree 1 to {MAX_DEGREE}")
        tables = {}
        for key, table in (("g", g), ("h", h), ("g_rate", g_rate), ("h_rate", h_rate)):
            array = np.zeros(shape) if table is None else np.array(table, dtype=np.float64)
            if array.shape != shape or not np.isfinite(array).all():
                raise ValueError(f"{key} of the magnetic field is not a {shape} array of finite numbers")
            if np.abs(array).max() > 0.1:
                raise ValueError(
                    f"{key} of the magnetic field reaches {np.abs(array).max():g}: tesla are expected, not nT"
                )
            array[0] = 0.0
            tables[key] = np.tril(array)
        if year is None and (g_rate is not None or h_rate is not None):
            raise ValueError("the magnetic field has rates but no year to count them from")
        for key, years in (("year", year), ("first", first), ("last", last)):
            if years is not None and (math.isnan(years) or (key == "year" and not 1.0 <= years < 9999.0)):
                raise ValueError(f"{key} of the magnetic field is {years}: a decimal year is expected")
        if not (math.isfinite(radius) and radius > 0.0):
            raise ValueError(f"radius of the magnetic field is {radius}: a positive number is expected")
        g_table, h_table, g_rates, h_rates = tables.values()
        piece = GaussCoefficients(g_table, h_table, g_rates, h_rates, float(radius), year)
        return cls("gauss", "_".join(name.split()), (piece,), first, last, extrapolate)

    @classmethod
    def igrf(cls, degree: int = MAX_DEGREE, extrapolate: bool = False) -> "MagneticField":
        """IGRF-14, 1900 to 2030: linear between its five-yearly epochs, the last five years by secular variation.

        Until 1995 its degree is 10, from 2000 on 13; the predicted secular variation has degree 8.
        """
        pieces = tuple(piece.truncated(degree) for piece in _igrf_pieces())
        return cls("igrf", "igrf14", pieces, pieces[0].year or 0.0, _IGRF_LAST, extrapolate)

    @classmethod
    def from_cof(
        cls, path: str | os.PathLike[str], degree: int | None = None, extrapolate: bool = False
    ) -> "MagneticField":
        """A World Magnetic Model file (``WMM.COF``: n, m, g, h, and rates, nT), valid for five years from its epoch."""
        year, name, (g, h, g_rate, h_rate) = _read_cof(path)
        field = cls.gauss(
            g,
            h,
            g_rate=g_rate,
            h_rate=h_rate,
            year=year,
            name=name,
            first=year,
            last=year + 5.0,
            extrapolate=extrapolate,
        )
        return field if degree is None else field.truncated(degree)

    @property
    def degree(self) -> int:
        """Highest degree."""
        return self.pieces[0].degree

    def truncated(self, degree: int) -> "MagneticField":
        """The same field up to ``degree``; a dipole has nothing to leave out."""
        return replace(self, pieces=tuple(piece.truncated(degree) for piece in self.pieces))

    def at(self, epoch_seconds: float | None) -> GaussCoefficients:
        """The coefficients and rates that hold at ``epoch_seconds`` past J2000 TT; None only if nothing varies."""
        if self.pieces[0].year is None and math.isinf(self.first) and math.isinf(self.last):
            return self.pieces[0]
        if epoch_seconds is None:
            raise ValueError(f"the magnetic field {self.name} varies with time, so the orbit needs an epoch")
        year = decimal_year(epoch_seconds)
        if not (self.extrapolate or self.first <= year <= self.last):
            raise ValueError(
                f"the year {year:.3f} is outside {self.first} to {self.last}, where the magnetic field {self.name} is "
                "valid: extrapolate=True takes it all the same"
            )
        begun = [piece for piece in self.pieces if piece.year is None or piece.year <= year]
        return begun[-1] if begun else self.pieces[0]

    def to_text(self) -> str:
        """One line that from_text reads, for an MJCF's ``<custom>``; SI units, digits in full."""
        flag = f"extrapolate={int(self.extrapolate)}"
        if self.kind == "igrf":
            return f"igrf degree={self.degree} {flag}"
        (c,) = self.pieces
        if self.kind == "dipole":
            g10, g11, h11 = float(c.g[1, 0]), float(c.g[1, 1]), float(c.h[1, 1])
            return f"dipole g10={g10!r} g11={g11!r} h11={h11!r} radius={c.radius!r}"
        n, m = np.tril_indices(c.degree + 1)
        tables = (f"{k}={','.join(repr(x) for x in getattr(c, k)[n, m].tolist())}" for k in _TABLES)
        year = "" if c.year is None else f"year={c.year!r} "
        return (
            f"gauss name={self.name} {year}first={self.first!r} last={self.last!r} radius={c.radius!r} {flag} "
            + " ".join(tables)
        )

    @classmethod
    def from_text(cls, text: str) -> "MagneticField":
        """The field of a line such as "igrf degree=6", "dipole g10=… g11=… h11=…" or what to_text wrote."""
        kind, *words = text.split() or [""]
        if kind not in _KEYS:
            raise ValueError(f"magnetic field {text!r} is not known: it must begin with {', '.join(_KEYS)}")
        given = dict(word.partition("=")[::2] for word in words)
        for key in given:
            if key not in _KEYS[kind]:
                raise ValueError(f"{key} of magnetic field {kind} is not known: allowed are {', '.join(_KEYS[kind])}")
        name, flag = given.pop("name", "gauss"), given.pop("extrapolate", "0")
        if flag not in ("0", "1"):
            raise ValueError(f"extrapolate of magnetic field {kind} is {flag!r}: 0 or 1 expected")
        extrapolate = flag == "1"
        try:
            if kind == "igrf":
                return cls.igrf(int(given.get("degree", MAX_DEGREE)), extrapolate)
            tables = {key: _triangle(given.pop(key)) for key in _TABLES if key in given}
            numbers = {key: float(value) for key, value in given.items()}
            if kind == "dipole":
                return cls.dipole(**numbers)
            return cls.gauss(**tables, name=name, extrapolate=extrapolate, **numbers)  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise ValueError(f"magnetic field {text!r} cannot be read: {error}") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MagneticField) and self.to_text() == other.to_text()

    def __hash__(self) -> int:
        return hash(self.to_text())


_TABLES = ("g", "h", "g_rate", "h_rate")
_KEYS = {
    "dipole": ("g10", "g11", "h11", "radius"),
    "igrf": ("degree", "extrapolate"),
    "gauss": ("name", "year", "first", "last", "radius", "extrapolate", *_TABLES),
}
_IGRF_LAST = 2030.0


def _triangle(text: str) -> F64:
    """(degree + 1, degree + 1) from its lower triangle, row by row."""
    values = np.array([float(word) for word in text.split(",")])
    size = math.isqrt(8 * values.size + 1) // 2
    table = np.zeros((size, size))
    table[np.tril_indices(size)] = values
    return table


def _read_cof(path: str | os.PathLike[str]) -> tuple[float, str, F64]:
    """Epoch, name and tables of g, h and their rates [T], [T/year] of a WMM file, which must be complete."""
    try:
        with open(path, encoding="ascii") as file:
            lines = [(i, line.split()) for i, line in enumerate(file, 1) if line.strip()]
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a WMM coefficient file: it has characters that are not ASCII") from None
    try:
        year, name = float(lines[0][1][0]), lines[0][1][1]
    except (IndexError, ValueError):
        raise ValueError(
            f"{path} is not a WMM coefficient file: a line 'year name date', then lines of n, m, g, h and their rates "
            "are expected"
        ) from None
    found: dict[tuple[int, int], list[float]] = {}
    for i, words in lines[1:]:
        if words[0].startswith("9999"):  # the file's end
            break
        try:
            n, m = int(words[0]), int(words[1])
            g, h, g_rate, h_rate = map(float, words[2:])
        except (IndexError, ValueError):
            raise ValueError(f"{path}, line {i}: n, m, g, h and their rates are expected") from None
        if not 1 <= n <= MAX_DEGREE or not 0 <= m <= n:
            raise ValueError(f"{path}, line {i}: there is no order {m} of degree {n}, up to degree {MAX_DEGREE}")
        if (n, m) in found:
            raise ValueError(f"{path}, line {i}: degree {n} and order {m} come twice")
        found[n, m] = [g, h, g_rate, h_rate]
    degree = max((n for n, _ in found), default=1)
    for n in range(1, degree + 1):
        for m in range(n + 1):
            if (n, m) not in found:
                raise ValueError(f"{path} has no line of degree {n} and order {m}, but others up to degree {degree}")
    tables = np.zeros((4, degree + 1, degree + 1))
    for (n, m), values in found.items():
        tables[:, n, m] = values
    return year, name, tables * _NANO


@functools.cache
def _igrf_pieces() -> tuple[GaussCoefficients, ...]:
    """IGRF of the shipped SHC file: lines of n, m (negative for h), then a value [nT] for each epoch."""
    text = files("mjorbit_warp.models").joinpath("igrf14.shc").read_text(encoding="ascii")
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    years = [float(word) for word in rows[1]]
    g, h = np.zeros((2, len(years), MAX_DEGREE + 1, MAX_DEGREE + 1))
    for row in rows[2:]:
        n, m = int(row[0]), int(row[1])
        (g if m >= 0 else h)[:, n, abs(m)] = [float(word) * _NANO for word in row[2:]]
    pieces = []
    for i, (start, end) in enumerate(itertools.pairwise(years)):
        span = (seconds_from_decimal_year(end) - seconds_from_decimal_year(start)) * _PER_SECOND
        rates = (g[i + 1] - g[i]) / span, (h[i + 1] - h[i]) / span
        pieces.append(GaussCoefficients(g[i], h[i], *rates, RADIUS, year=start, elapsed=True))
    return tuple(pieces)
