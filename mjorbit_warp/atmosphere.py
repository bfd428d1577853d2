"""Air density against altitude: one piecewise exponential table, whatever it was made from."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjorbit_warp.epoch import check_time
from mjorbit_warp.extras import need

F64 = NDArray[np.float64]

WGS84_FLATTENING = 1.0 / 298.257223563
# Base altitude [km], density there [kg/m³], scale height [km]: D. Vallado, "Fundamentals of Astrodynamics and
# Applications", 4th ed. (2013), table 8-4. US Standard Atmosphere 1976 at 0 km, CIRA-72 from 25 to 500 km, and CIRA-72
# with an exospheric temperature of 1000 K from 500 to 1000 km. The bands meet within 0.015 %, at 25 km within 0.14 %.
_VALLADO = (
    (0.0, 1.225, 7.249),
    (25.0, 3.899e-2, 6.349),
    (30.0, 1.774e-2, 6.682),
    (40.0, 3.972e-3, 7.554),
    (50.0, 1.057e-3, 8.382),
    (60.0, 3.206e-4, 7.714),
    (70.0, 8.770e-5, 6.549),
    (80.0, 1.905e-5, 5.799),
    (90.0, 3.396e-6, 5.382),
    (100.0, 5.297e-7, 5.877),
    (110.0, 9.661e-8, 7.263),
    (120.0, 2.438e-8, 9.473),
    (130.0, 8.484e-9, 12.636),
    (140.0, 3.845e-9, 16.149),
    (150.0, 2.070e-9, 22.523),
    (180.0, 5.464e-10, 29.740),
    (200.0, 2.789e-10, 37.105),
    (250.0, 7.248e-11, 45.546),
    (300.0, 2.418e-11, 53.628),
    (350.0, 9.518e-12, 53.298),
    (400.0, 3.725e-12, 58.515),
    (450.0, 1.585e-12, 60.828),
    (500.0, 6.967e-13, 63.822),
    (600.0, 1.454e-13, 71.835),
    (700.0, 3.614e-14, 88.667),
    (800.0, 1.170e-14, 124.64),
    (900.0, 5.245e-15, 181.05),
    (1000.0, 3.019e-15, 268.00),
)
# of Atmosphere.msis [m]: between them MSIS is exponential within 2 %, within 0.9 % above 150 km
_MSIS_ALTITUDES = np.concatenate([np.arange(0.0, 200e3, 5e3), np.arange(200e3, 1001e3, 20e3)])


def _check_rows(altitude: F64, density: F64, what: str) -> None:
    if not np.isfinite(altitude).all() or not (np.diff(altitude) > 0.0).all():
        raise ValueError(f"altitudes of the {what} must be finite and strictly increasing")
    if not np.isfinite(density).all() or not (density > 0.0).all():
        raise ValueError(f"densities of the {what} must be finite and positive")


@dataclass(frozen=True)
class Atmosphere:
    """Bands of exponential density: ρ = ρ_k exp(−(h − h_k)/H_k) from h_k to the next base.

    Below the first base the first band goes on, above the last base the last one; a last scale height of 0 means no air
    from its base on, an infinite one a constant density. The air turns with the body (options say otherwise).

    Attributes:
      altitude: base of each band above the ellipsoid [m]
      density: at the base [kg/m³]
      scale_height: [m]; negative where density grows with altitude
      flattening: of the ellipsoid, whose equatorial radius is the central body's [-]; 0 for a sphere
    """

    altitude: tuple[float, ...]
    density: tuple[float, ...]
    scale_height: tuple[float, ...]
    flattening: float = 0.0

    def __post_init__(self) -> None:
        sizes = len(self.altitude), len(self.density), len(self.scale_height)
        if len(set(sizes)) != 1 or sizes[0] == 0:
            raise ValueError(
                f"atmosphere has {sizes[0]} altitudes, {sizes[1]} densities and {sizes[2]} scale heights: "
                "the same number of each is expected, at least 1"
            )
        h, rho, scale = self.bands.T
        _check_rows(h, rho, "atmosphere")
        if np.isnan(scale).any() or (scale[:-1] == 0.0).any() or scale[-1] < 0.0 or (len(h) == 1 and scale[0] == 0.0):
            raise ValueError(
                "scale heights of the atmosphere must not be 0, except the last of several, nor the last one negative"
            )
        if not 0.0 <= self.flattening < 1.0:
            raise ValueError(f"flattening of the atmosphere is {self.flattening}: 0 to below 1 is expected")

    @property
    def bands(self) -> F64:
        """Altitude [m], density [kg/m³] and scale height [m] of each band (n, 3)."""
        return np.array([self.altitude, self.density, self.scale_height]).T

    def at(self, altitude: ArrayLike) -> F64:
        """Density [kg/m³] at altitudes [m], any shape."""
        from mjorbit_warp.reference.atmosphere import density  # not at the top: the reference imports the options

        return density(altitude, *self.bands.T)

    @classmethod
    def _of(cls, altitude: ArrayLike, density: ArrayLike, scale: ArrayLike, flattening: float) -> "Atmosphere":
        h, rho, heights = (tuple(np.asarray(x, dtype=np.float64).tolist()) for x in (altitude, density, scale))
        return cls(h, rho, heights, float(flattening))

    @classmethod
    def exponential(
        cls, density: float, scale_height: float, base_altitude: float = 0.0, flattening: float = 0.0
    ) -> "Atmosphere":
        """One band: ``density`` [kg/m³] at ``base_altitude`` [m], falling by e over ``scale_height`` [m]."""
        return cls._of([base_altitude], [density], [scale_height], flattening)

    @classmethod
    def us76(cls, flattening: float = WGS84_FLATTENING) -> "Atmosphere":
        """Vallado's table 8-4 for Earth, 28 bands to 1000 km and beyond: US76 at the ground, CIRA-72 above 25 km.

        A mean atmosphere: at 400 km MSIS averaged over the globe gives a fifth to four times of it over a solar cycle.
        """
        h, rho, scale = np.array(_VALLADO).T
        return cls._of(1e3 * h, rho, 1e3 * scale, flattening)

    @classmethod
    def table(cls, altitude: ArrayLike, density: ArrayLike, flattening: float = 0.0) -> "Atmosphere":
        """Any table of ``altitude`` [m], strictly increasing, and ``density`` [kg/m³]: log-linear between the rows.

        Above the last row the slope of the last interval goes on, so density must fall there.
        """
        h, rho = (np.asarray(x, dtype=np.float64) for x in (altitude, density))
        if h.ndim != 1 or h.shape != rho.shape or len(h) < 2:
            raise ValueError(
                f"table has altitudes of shape {h.shape} and densities of shape {rho.shape}: "
                "two lists of the same length, at least 2, are expected"
            )
        _check_rows(h, rho, "table")
        if rho[-1] >= rho[-2]:
            raise ValueError("density must fall over the last interval of the table, whose slope goes on above it")
        fall = np.log(rho[:-1] / rho[1:])
        with np.errstate(divide="ignore"):
            scale = np.diff(h) / np.where(fall == 0.0, 0.0, fall)  # equal densities: infinite, a constant band
        return cls._of(h, rho, np.append(scale, scale[-1]), flattening)

    @classmethod
    def msis(
        cls,
        epoch: Any,
        *,
        f107: float,
        f107a: float,
        ap: ArrayLike,
        altitude: ArrayLike = _MSIS_ALTITUDES,
        latitude: float | None = None,
        longitude: float | None = None,
        version: float = 2.1,
        flattening: float = WGS84_FLATTENING,
    ) -> "Atmosphere":
        """NRLMSIS at one instant as a table; needs ``pip install 'mjorbit-warp[env]'``, and never the network.

        Args:
          epoch: an astropy Time.
          f107: solar flux F10.7 of the day before [sfu].
          f107a: its mean over 81 days centred on the epoch [sfu].
          ap: daily Ap, or MSIS's seven values, which then count as in a storm.
          altitude: rows of the table [m]; by default 0 to 200 km by 5 km, to 1000 km by 20 km.
          latitude: geodetic [rad]; None averages the density over the sphere's area.
          longitude: east [rad]; None averages over longitude, that is over local time.
          version: 0 (NRLMSISE-00), 2.0 or 2.1.
        """
        pymsis = need("pymsis", "env", "Atmosphere.msis")
        for name, value in (("f107", f107), ("f107a", f107a)):
            if not (math.isfinite(value) and value > 0.0):
                raise ValueError(f"{name} is {value}: a positive number is expected")
        indices = np.atleast_1d(np.asarray(ap, dtype=np.float64))
        if indices.shape not in ((1,), (7,)) or not np.isfinite(indices).all():
            raise ValueError(f"ap is {ap!r}: one number, or MSIS's seven, are expected")
        rows = np.asarray(altitude, dtype=np.float64)
        # Gauss-Legendre in sin φ weighs by area; 12 nodes and 24 hours give the mean to 1e-6
        sines, weights = (np.array(x) for x in np.polynomial.legendre.leggauss(12))
        latitudes = np.degrees(np.arcsin(sines) if latitude is None else np.array([latitude]))
        longitudes = np.arange(0.0, 360.0, 15.0) if longitude is None else np.degrees([longitude])
        found = pymsis.calculate(
            check_time(epoch).utc.datetime64,
            longitudes,
            latitudes,
            rows / 1e3,
            f107,
            f107a,
            np.broadcast_to(indices, (1, 7)),
            version=version,
            geomagnetic_activity=-1 if len(indices) == 7 else 1,
        )
        density = np.asarray(found[0, ..., pymsis.Variable.MASS_DENSITY], dtype=np.float64).mean(axis=0)
        mean = np.average(density, axis=0, weights=weights if latitude is None else None)
        return cls.table(rows, mean, flattening)

    def to_text(self) -> str:
        """One line that from_text reads back exactly: ``flattening f; h rho H; h rho H; …``."""
        rows = [" ".join(repr(float(x)) for x in row) for row in self.bands]
        return "; ".join([f"flattening {self.flattening!r}", *rows])

    @classmethod
    def from_text(cls, text: str) -> "Atmosphere":
        """The atmosphere that to_text wrote."""
        head, *rows = (part.split() for part in text.split(";"))
        try:
            word, flattening = head
            bands = np.array([[float(x) for x in row] for row in rows])
            if word != "flattening" or bands.ndim != 2 or bands.shape[1] != 3:
                raise ValueError
            number = float(flattening)
        except ValueError:
            raise ValueError(
                f"atmosphere is {text!r}: 'flattening f; altitude density scale_height; …' is expected"
            ) from None
        h, rho, scale = bands.T
        return cls._of(h, rho, scale, number)
