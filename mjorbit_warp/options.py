"""Which orbit effects a model has."""

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ORIENTATIONS = ("iau", "inertial")


@dataclass
class OrbitOptions:
    """Effects that are chosen when a model is compiled; one that is off costs nothing.

    Attributes:
      gravity_gradient: torque of the central body's point mass on each body about its own COM.
      j2: second zonal harmonic, on the reference orbit and on each body.
      orientation: axes of the central body: "iau" (its real pole and rotation at the epoch), "inertial" (ECI axes, not
        rotating), or a (3, 3) rotation matrix from ECI to the body's axes at the epoch.
    """

    gravity_gradient: bool = True
    j2: bool = True
    orientation: str | NDArray[np.float64] = "iau"

    def __setattr__(self, name: str, value: object) -> None:
        if "_compiled" in self.__dict__:
            raise AttributeError(f"{name} is compiled into the model: change spec.options and compile again")
        object.__setattr__(self, name, value)

    def compiled(self) -> "OrbitOptions":
        """A checked copy that cannot be changed."""
        copy = dataclasses.replace(self)
        object.__setattr__(copy, "_compiled", True)
        return copy

    def __post_init__(self) -> None:
        for name in ("gravity_gradient", "j2"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} is {getattr(self, name)!r}: True or False is expected")
        if isinstance(self.orientation, str):
            if self.orientation not in ORIENTATIONS:
                raise ValueError(
                    f"orientation is {self.orientation!r}: allowed are {', '.join(map(repr, ORIENTATIONS))} "
                    "or a (3, 3) rotation matrix from ECI to the body's axes"
                )
        else:
            matrix = np.asarray(self.orientation, dtype=np.float64)
            if matrix.shape != (3, 3):
                raise ValueError(f"orientation has shape {matrix.shape}: a rotation matrix is (3, 3)")
            self.orientation = matrix

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OrbitOptions):
            return NotImplemented
        same = self.gravity_gradient == other.gravity_gradient and self.j2 == other.j2
        return same and np.array_equal(self.orientation, other.orientation)
