"""Which effects a model's kernels are built for: what is off is not in them."""

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True)
class Effects:
    """A key for the cached kernel factories.

    Attributes:
      orbit: there is a reference orbit
      body: name of the central body
      j2, gravity_gradient: as in OrbitOptions
      zonal: highest zonal harmonic, 2 if none but J2
      sun, moon: as third bodies
      moving_sun: the Sun is needed and moves
      drag, wind: air drag on surfaces, wind in it
      light: solar pressure on surfaces
      eclipse: "none", "conical" or "cylindrical"
      field: degree of the magnetic field, 0 if nothing needs it
      wheels, cmgs, thrusters, rods: there are some
      feedback: the origin follows the system under non-gravitational forces
      keep_torque: external torques are kept apart from gravity's and from those of wheels and CMGs
      coupled: the integrator is RK4; single-stage ones need the midpoint form of the gyroscopic torque
    """

    orbit: bool = True
    body: str = "earth"
    j2: bool = True
    gravity_gradient: bool = True
    zonal: int = 2
    sun: bool = False
    moon: bool = False
    moving_sun: bool = False
    drag: bool = False
    wind: bool = False
    light: bool = False
    eclipse: str = "none"
    field: int = 0
    wheels: bool = False
    cmgs: bool = False
    thrusters: bool = False
    rods: bool = False
    feedback: bool = False
    keep_torque: bool = False
    coupled: bool = True

    @property
    def environment(self) -> bool:
        """Whether an evaluation needs the Sun, the Moon or the body's axes at its own time."""
        return self.moving_sun or self.moon or self.field > 0

    @property
    def devices(self) -> bool:
        """Whether momentum is stored in the bodies."""
        return self.wheels or self.cmgs

    @property
    def origin(self) -> "Effects":
        """The part that the reference orbit's own acceleration depends on."""
        return Effects(
            orbit=self.orbit,
            body=self.body,
            j2=self.j2,
            gravity_gradient=False,
            zonal=self.zonal,
            sun=self.sun,
            moon=self.moon,
            feedback=self.feedback,
        )

    def without_hardware(self) -> "Effects":
        """With actuation disabled."""
        return dataclasses.replace(self, wheels=False, cmgs=False, thrusters=False, rods=False)
