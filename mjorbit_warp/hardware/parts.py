"""Spacecraft hardware and surfaces: the parameters that MuJoCo's elements have no field for. SI units throughout.

A part belongs to an element of the MJCF of the same name: wheels, CMGs, magnetorquers and thrusters to an actuator at a
site, surfaces and residual dipoles to a site, tanks to a body. Limits of a command are the actuator's ``ctrlrange``.
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mjorbit_warp.values import flag, number, vector


def _coerce(part: Any) -> None:
    """Fields into Python's own numbers, by their declared types."""
    for field in dataclasses.fields(part):
        value: Any = getattr(part, field.name)
        if field.type is float:
            value = number(value, field.name)
        elif field.type is bool:
            value = flag(value, field.name)
        elif field.type is str:
            _check(isinstance(value, str), f"{field.name} is {value!r}: a name is expected")
        else:
            value = tuple(float(x) for x in vector(value, field.name))
        object.__setattr__(part, field.name, value)


def _check(ok: bool, message: str) -> None:
    if not ok:
        raise ValueError(message)


@dataclass(frozen=True)
class ReactionWheel:
    """A balanced wheel that spins about the site's axis (the actuator's torque ``gear``). ``act`` is its momentum.

    The momentum h = J_s (Ω + a·ω) [N·m·s] is absolute; the command is the motor torque on the rotor [N·m]. The inertia
    of the body that carries it includes the rotor's mass and transverse inertia, not J_s a aᵀ.

    Attributes:
      inertia: J_s, of the rotor about its axis [kg·m²]
      max_speed: limit of |Ω| relative to the body [rad/s]
      coulomb: friction torque [N·m]
      viscous: friction torque per speed [N·m·s/rad]
      stiction_speed: |Ω| below which the Coulomb torque is proportional to Ω [rad/s]
    """

    inertia: float
    max_speed: float = math.inf
    coulomb: float = 0.0
    viscous: float = 0.0
    stiction_speed: float = 1e-4
    KIND: ClassVar[str] = "reaction_wheel"
    ELEMENT: ClassVar[str] = "actuator"

    def __post_init__(self) -> None:
        _coerce(self)
        _check(0.0 < self.inertia < math.inf, f"inertia is {self.inertia!r} kg·m²: it must be positive")
        _check(self.max_speed > 0.0, f"max_speed is {self.max_speed!r} rad/s: it must be positive")
        _check(0.0 <= self.coulomb < math.inf, f"coulomb is {self.coulomb!r} N·m: it cannot be negative")
        _check(0.0 <= self.viscous < math.inf, f"viscous is {self.viscous!r} N·m·s/rad: it cannot be negative")
        _check(0.0 < self.stiction_speed < math.inf, f"stiction_speed is {self.stiction_speed!r}: positive expected")


@dataclass(frozen=True)
class ControlMomentGyro:
    """A single-gimbal control moment gyro: a rotor of constant momentum that turns about the gimbal axis.

    ``act`` is the gimbal angle.

    The gimbal axis is the actuator's torque ``gear`` in the site's frame; the command is the gimbal rate [rad/s].

    Attributes:
      momentum: h0 of the rotor, absolute [N·m·s]
      spin_axis: direction of the rotor's momentum at gimbal angle 0, in the site's frame, orthogonal to the gimbal axis
      min_angle, max_angle: limits of the gimbal angle [rad]
    """

    momentum: float
    spin_axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    min_angle: float = -math.inf
    max_angle: float = math.inf
    KIND: ClassVar[str] = "cmg"
    ELEMENT: ClassVar[str] = "actuator"

    def __post_init__(self) -> None:
        _coerce(self)
        _check(0.0 < self.momentum < math.inf, f"momentum is {self.momentum!r} N·m·s: it must be positive")
        _check(bool(np.linalg.norm(self.spin_axis)), "spin_axis is zero: a direction is expected")
        _check(self.min_angle < self.max_angle, f"min_angle {self.min_angle!r} is not below {self.max_angle!r}")


@dataclass(frozen=True)
class Magnetorquer:
    """A torque rod or coil: the command is its dipole [A·m²] along the site's axis (the actuator's torque ``gear``)."""

    KIND: ClassVar[str] = "magnetorquer"
    ELEMENT: ClassVar[str] = "actuator"


@dataclass(frozen=True)
class Thruster:
    """A thruster at a site: the command is its force [N], 0 or more, along the actuator's force ``gear``.

    Attributes:
      on_off: a command of at least half of the largest force fires at the largest force, a smaller one not at all
      min_pulse: shortest time that an on-off thruster fires [s]
      specific_impulse: 0, no propellant is used, or the effective exhaust velocity divided by 9.80665 m/s² [s]
      tank: body that holds the propellant, which then has a part "tank"
    """

    on_off: bool = False
    min_pulse: float = 0.0
    specific_impulse: float = 0.0
    tank: str = ""
    KIND: ClassVar[str] = "thruster"
    ELEMENT: ClassVar[str] = "actuator"

    def __post_init__(self) -> None:
        _coerce(self)
        _check(0.0 <= self.min_pulse < math.inf, f"min_pulse is {self.min_pulse!r} s: it cannot be negative")
        _check(self.on_off or self.min_pulse == 0.0, "min_pulse needs on_off=1")
        _check(
            0.0 <= self.specific_impulse < math.inf,
            f"specific_impulse is {self.specific_impulse!r} s: it cannot be negative",
        )
        _check(
            bool(self.tank) == (self.specific_impulse > 0.0),
            "specific_impulse and tank belong together: give both, or neither for a thruster that uses no propellant",
        )


@dataclass(frozen=True)
class Tank:
    """Propellant in a body: its mass is part of the body's, and mass and inertia shrink with it, the COM staying.

    Attributes:
      propellant: mass at the start [kg], less than the body's
    """

    propellant: float
    KIND: ClassVar[str] = "tank"
    ELEMENT: ClassVar[str] = "body"

    def __post_init__(self) -> None:
        _coerce(self)
        _check(0.0 < self.propellant < math.inf, f"propellant is {self.propellant!r} kg: it must be positive")


@dataclass(frozen=True)
class ResidualDipole:
    """A constant magnetic dipole at a site.

    Attributes:
      dipole: in the site's frame [A·m²]
    """

    dipole: tuple[float, float, float]
    KIND: ClassVar[str] = "residual_dipole"
    ELEMENT: ClassVar[str] = "site"

    def __post_init__(self) -> None:
        _coerce(self)


@dataclass(frozen=True)
class Surface:
    """A flat plate at a site, whose z axis is its normal, or a sphere ("cannonball"), under air drag and sunlight.

    Attributes:
      area: [m²]; 0 takes it from the site: 4 sx sy of a box, π r² of a sphere
      drag: drag coefficient C_D [-]
      specular, diffuse: reflected fractions of the light [-], a plate's; the rest is absorbed
      reflectivity: C_r of a sphere [-]: 1 absorbs all
      two_sided: the back of a plate counts too
      sphere: no normal: the force is along the wind or the light
    """

    area: float = 0.0
    drag: float = 2.2
    specular: float = 0.0
    diffuse: float = 0.0
    reflectivity: float = 1.0
    two_sided: bool = False
    sphere: bool = False
    KIND: ClassVar[str] = "surface"
    ELEMENT: ClassVar[str] = "site"

    def __post_init__(self) -> None:
        _coerce(self)
        for name in ("area", "drag", "specular", "diffuse", "reflectivity"):
            value = getattr(self, name)
            _check(0.0 <= value < math.inf, f"{name} is {value!r}: it cannot be negative")
        total = self.specular + self.diffuse
        _check(total <= 1.0, f"specular + diffuse is {total:g}: at most 1 of the light is reflected")
        _check(not (self.sphere and total), "specular and diffuse are a plate's: a sphere has reflectivity")
        _check(self.sphere or self.reflectivity == 1.0, "reflectivity is a sphere's: a plate has specular and diffuse")


KINDS: dict[str, type[Any]] = {
    part.KIND: part
    for part in (ReactionWheel, ControlMomentGyro, Magnetorquer, Thruster, Tank, ResidualDipole, Surface)
}
