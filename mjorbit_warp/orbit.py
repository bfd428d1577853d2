"""Reference orbits: where a spacecraft is, in which frame, about which body, and when."""

import math
import numbers
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjorbit_warp.constants import EARTH, CentralBody, central_body
from mjorbit_warp.elements import OrbitalElements, elements_from_state, state_from_elements
from mjorbit_warp.epoch import check_time, gcrs_from_itrs, gcrs_from_teme, is_time, seconds_from_time

if TYPE_CHECKING:
    from astropy.time import Time

F64 = NDArray[np.float64]
# The axes of J2000 differ from those of GCRS by the frame bias, 0.02 arcsec: 0.6 m in LEO, neglected.
_INERTIAL = ("GCRS", "GCRF", "ICRF", "ECI", "J2000")
FRAMES = ("GCRS", "TEME", "ITRS")


def _vector(x: ArrayLike, name: str) -> F64:
    try:
        vector = np.array(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {x!r}: three numbers are expected") from None
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ValueError(f"{name} is {vector.tolist()}: three finite numbers are expected")
    vector.flags.writeable = False
    return vector


@dataclass(frozen=True, eq=False)
class Orbit:
    """State of the reference orbit at the start, in ECI (GCRS) axes centred on the body.

    Attributes:
      r: position [m]                     (3,)
      v: velocity [m/s]                   (3,)
      epoch: seconds past J2000 TT, or None if the date does not matter.
      body: central body.
    """

    r: F64
    v: F64
    epoch: float | None = None
    body: CentralBody = EARTH

    def __post_init__(self) -> None:
        object.__setattr__(self, "r", _vector(self.r, "r"))
        object.__setattr__(self, "v", _vector(self.v, "v"))
        object.__setattr__(self, "body", central_body(self.body))
        if is_time(self.epoch):
            object.__setattr__(self, "epoch", seconds_from_time(self.epoch))
        if self.epoch is not None and not (isinstance(self.epoch, numbers.Real) and math.isfinite(self.epoch)):
            raise ValueError(f"epoch is {self.epoch!r}: seconds past J2000 TT, an astropy Time or None is expected")
        distance = float(np.linalg.norm(self.r))
        if distance <= self.body.radius:
            raise ValueError(
                f"the orbit is {(self.body.radius - distance) / 1e3:.3f} km below the surface of {self.body.name}: "
                f"|r| must exceed {self.body.radius} m (are r and v in m and m/s?)"
            )

    @classmethod
    def circular(
        cls,
        *,
        altitude: float,
        inclination: float = 0.0,
        raan: float = 0.0,
        argument_of_latitude: float = 0.0,
        epoch: "Time | None" = None,
        body: str | CentralBody = "earth",
    ) -> "Orbit":
        """A circular two-body orbit ``altitude`` [m] above the body's reference radius; angles in radians."""
        about = central_body(body)
        if not isinstance(altitude, numbers.Real) or not altitude > 0.0:
            raise ValueError(f"altitude is {altitude!r}: a positive number of metres is expected")
        elements = OrbitalElements(about.radius + altitude, 0.0, inclination, raan, 0.0, argument_of_latitude)
        return cls._of_elements(elements, epoch, about)

    @classmethod
    def from_elements(
        cls,
        *,
        semi_major_axis: float,
        eccentricity: float,
        inclination: float,
        raan: float,
        argument_of_periapsis: float,
        true_anomaly: float,
        epoch: "Time | None" = None,
        body: str | CentralBody = "earth",
    ) -> "Orbit":
        """From osculating elements [m, -, rad] (see OrbitalElements); never mean elements, as of a TLE."""
        elements = OrbitalElements(
            semi_major_axis, eccentricity, inclination, raan, argument_of_periapsis, true_anomaly
        )
        return cls._of_elements(elements, epoch, central_body(body))

    @classmethod
    def _of_elements(cls, elements: OrbitalElements, epoch: "Time | None", body: CentralBody) -> "Orbit":
        r, v = state_from_elements(elements, body.mu)
        return cls(r=r, v=v, epoch=None if epoch is None else seconds_from_time(epoch), body=body)

    @classmethod
    def from_state(
        cls, r: ArrayLike, v: ArrayLike, *, frame: str, epoch: "Time | None" = None, body: str | CentralBody = "earth"
    ) -> "Orbit":
        """From a position [m] and velocity [m/s] in a named frame.

        Args:
          frame: "GCRS" (or GCRF, ICRF, ECI, J2000: the same axes here), "TEME" or "ITRS".
          epoch: astropy Time; mandatory for TEME and ITRS, which exist for Earth only.
        """
        position, velocity, about = _vector(r, "r"), _vector(v, "v"), central_body(body)
        name = frame.upper() if isinstance(frame, str) else frame
        if name not in (*_INERTIAL, "TEME", "ITRS"):
            raise ValueError(f"frame is {frame!r}: allowed are {', '.join((*_INERTIAL, 'TEME', 'ITRS'))}")
        if name in ("TEME", "ITRS"):
            if about.name != EARTH.name:
                raise ValueError(f"frame {name} belongs to Earth, not to {about.name}: use GCRS")
            if epoch is None:
                raise ValueError(f"frame {name} turns with time: give its epoch, an astropy Time")
            convert = gcrs_from_teme if name == "TEME" else gcrs_from_itrs
            position, velocity = convert(position, velocity, check_time(epoch))
        return cls(r=position, v=velocity, epoch=None if epoch is None else seconds_from_time(epoch), body=about)

    @classmethod
    def from_tle(cls, tle: str | os.PathLike[str], *, at: "Time | None" = None) -> "Orbit":
        """From a two-line element set, a file or its text, by SGP4 at its own epoch or ``at``; needs the extra ``cli``.

        The mean elements of a TLE only mean something to SGP4, which gives a TEME state that is then turned to GCRS.
        """
        from mjorbit_warp.tle import state_from_tle

        r, v, time = state_from_tle(tle, at)
        return cls.from_state(r, v, frame="TEME", epoch=time)

    @property
    def elements(self) -> OrbitalElements:
        """Osculating elements."""
        return elements_from_state(self.r, self.v, self.body.mu)

    @property
    def mean_motion(self) -> float:
        """√(μ/|a|³) [rad/s]."""
        return math.sqrt(self.body.mu / abs(self.elements.semi_major_axis) ** 3)

    @property
    def period(self) -> float:
        """Two-body period [s]; infinite on a hyperbola."""
        return 2.0 * math.pi / self.mean_motion if self.elements.eccentricity < 1.0 else math.inf

    @property
    def altitude(self) -> float:
        """|r| less the body's reference radius [m]."""
        return float(np.linalg.norm(self.r)) - self.body.radius

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Orbit):
            return NotImplemented
        same = np.array_equal(self.r, other.r) and np.array_equal(self.v, other.v)
        return same and self.epoch == other.epoch and self.body == other.body

    def __hash__(self) -> int:
        return hash((*self.r.tolist(), *self.v.tolist(), self.epoch, self.body))  # not the bytes: -0.0 == 0.0

    def __repr__(self) -> str:
        try:
            e = self.elements
            a, i = e.semi_major_axis / 1e3, math.degrees(e.inclination)
            shape = f"a={a:.3f} km, e={e.eccentricity:.6f}, i={i:.4f}°"
        except ValueError:  # a parabola or a straight line
            shape = f"r={self.r.tolist()}, v={self.v.tolist()}"
        return f"Orbit(body={self.body.name}, altitude={self.altitude / 1e3:.3f} km, {shape}, epoch={self.epoch})"
