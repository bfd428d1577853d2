"""Which orbit effects a model has."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.atmosphere import Atmosphere
from mjorbit_warp.magnetic_field import MagneticField
from mjorbit_warp.values import flag, positive, vector

ORIENTATIONS = ("iau", "inertial")
ECLIPSES = ("conical", "cylindrical", "none")
THIRD_BODIES = ("sun", "moon")


@dataclass
class OrbitOptions:
    """Effects that are chosen when a model is compiled; one that is off costs nothing.

    Attributes:
      gravity_gradient: torque of the central body's point mass on each body about its own COM.
      j2: second zonal harmonic, on the reference orbit and on each body.
      zonal_degree: highest zonal harmonic, 2 to 6; J3 … J6 are those of constants.ZONAL. Needs j2.
      third_bodies: "sun", "moon" or both.
      orientation: axes of the central body: "iau" (its real pole and rotation at the epoch), "inertial" (ECI axes, not
        rotating), or a (3, 3) rotation matrix from ECI to the body's axes at the epoch.
      atmosphere: density of the air, for drag on surfaces; None for no drag.
      corotation: the air turns with the central body; not with orientation "inertial", whose axes do not turn.
      wind: velocity of the air in its rotating frame, east, north, up [m/s]  (3,).
      solar_pressure: sunlight pushes surfaces.
      solar_flux: at 1 AU [W/m²]; 1361 (Kopp & Lean, Geophys. Res. Lett. 38, 2011).
      eclipse: shadow of the central body on surfaces: "conical", "cylindrical" or "none".
      sun: position of a Sun that stands still, from the central body, ECI [m]  (3,); None for the real one.
      sun_radius: of its disc [m]; 6.957e8 (IAU 2015 resolution B3).
      eclipse_radius: radius of the central body's disc [m]; None for its reference radius.
      magnetic_field: field of the central body, for magnetorquers, dipoles and magnetometers.
      feedback: the orbit's origin follows the system under drag, sunlight and thrust (design equation 9); absolute
        states do not depend on it.
    """

    gravity_gradient: bool = True
    j2: bool = True
    orientation: str | NDArray[np.float64] = "iau"
    zonal_degree: int = 2
    third_bodies: tuple[str, ...] = ()
    atmosphere: Atmosphere | None = None
    corotation: bool = True
    wind: Any = (0.0, 0.0, 0.0)
    solar_pressure: bool = False
    solar_flux: float = 1361.0
    eclipse: str = "conical"
    sun: Any = None
    sun_radius: float = 6.957e8
    eclipse_radius: float | None = None
    magnetic_field: MagneticField | None = None
    feedback: bool = True

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__dataclass_fields__:
            raise AttributeError(f"no option {name!r}: allowed are {', '.join(self.__dataclass_fields__)}")
        if "_compiled" in self.__dict__:
            raise AttributeError(f"{name} is compiled into the model: change spec.options and compile again")
        object.__setattr__(self, name, value)

    def compiled(self) -> "OrbitOptions":
        """A checked copy that cannot be changed."""
        copy = dataclasses.replace(self)
        object.__setattr__(copy, "_compiled", True)
        return copy

    def __post_init__(self) -> None:
        for name in ("gravity_gradient", "j2", "corotation", "solar_pressure", "feedback"):
            setattr(self, name, flag(getattr(self, name), name))
        self._check_orientation()
        if isinstance(self.zonal_degree, bool) or self.zonal_degree not in (2, 3, 4, 5, 6):
            raise ValueError(f"zonal_degree is {self.zonal_degree!r}: 2 to 6 is allowed")
        self.zonal_degree = int(self.zonal_degree)
        if self.zonal_degree > 2 and not self.j2:
            raise ValueError(f"zonal_degree is {self.zonal_degree} without j2: J3 and higher need j2=True")
        self._check_third_bodies()
        if self.eclipse not in ECLIPSES:
            raise ValueError(f"eclipse is {self.eclipse!r}: allowed are {', '.join(map(repr, ECLIPSES))}")
        for name, kind in (("atmosphere", Atmosphere), ("magnetic_field", MagneticField)):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise TypeError(f"{name} is a {type(value).__name__}: {kind.__name__} or None is expected")
        self.wind = tuple(vector(self.wind, "wind").tolist())
        self.solar_flux = positive(self.solar_flux, "solar_flux")
        self.sun_radius = positive(self.sun_radius, "sun_radius")
        if self.eclipse_radius is not None:
            self.eclipse_radius = positive(self.eclipse_radius, "eclipse_radius")
        if self.sun is not None:
            self.sun = tuple(vector(self.sun, "sun").tolist())
            if np.linalg.norm(self.sun) <= self.sun_radius:
                raise ValueError(f"sun is {self.sun}: its position in metres, farther than sun_radius, is expected")

    def _check_third_bodies(self) -> None:
        bodies = (self.third_bodies,) if isinstance(self.third_bodies, str) else self.third_bodies
        try:
            self.third_bodies = tuple(dict.fromkeys(bodies))
        except TypeError:
            raise ValueError(f"third_bodies is {bodies!r}: allowed are 'sun', 'moon' or both") from None
        for body in self.third_bodies:
            if body not in THIRD_BODIES:
                raise ValueError(f"third body {body!r} is not known: allowed are 'sun', 'moon' or both")

    def air_rate(self, rotation_rate: float) -> float:
        """Rotation rate of the air about the pole [rad/s]."""
        still = isinstance(self.orientation, str) and self.orientation == "inertial"
        return rotation_rate if self.corotation and not still else 0.0

    def _check_orientation(self) -> None:
        if isinstance(self.orientation, str):
            if self.orientation not in ORIENTATIONS:
                raise ValueError(
                    f"orientation is {self.orientation!r}: allowed are {', '.join(map(repr, ORIENTATIONS))} "
                    "or a (3, 3) rotation matrix from ECI to the body's axes"
                )
            return
        try:
            matrix = np.asarray(self.orientation, dtype=np.float64)
        except (TypeError, ValueError):
            matrix = np.empty(0)
        if matrix.shape != (3, 3):
            raise ValueError(f"orientation has shape {matrix.shape}: a rotation matrix is (3, 3)")
        if not np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-9) or np.linalg.det(matrix) < 0.0:
            raise ValueError("orientation is not a rotation: an orthonormal, right-handed matrix is expected")
        self.orientation = matrix

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OrbitOptions):
            return NotImplemented
        names = [field.name for field in dataclasses.fields(self) if field.name != "orientation"]
        same = all(_same(getattr(self, name), getattr(other, name)) for name in names)
        return same and np.array_equal(self.orientation, other.orientation)


def _same(a: Any, b: Any) -> bool:
    """Equality by value; models of the air and of the field compare by their text."""
    if hasattr(a, "to_text") and hasattr(b, "to_text"):
        return a.to_text() == b.to_text()
    return bool(a == b)
