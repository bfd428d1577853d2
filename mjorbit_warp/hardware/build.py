"""Adding spacecraft parts to a spec: native MJCF elements, and one text each for what MJCF has no field for."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.hardware.parts import (
    ControlMomentGyro,
    Magnetorquer,
    ReactionWheel,
    ResidualDipole,
    Surface,
    Tank,
    Thruster,
)
from mjorbit_warp.hardware.text import encode, part_name
from mjorbit_warp.values import number, positive, vector

Vector = Sequence[float] | NDArray[np.float64]
_TORQUE = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
_FORCE = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def _direction(axis: Vector, where: str, name: str = "axis") -> NDArray[np.float64]:
    unit = vector(axis, f"{where}: {name}")
    largest = float(np.abs(unit).max())
    if largest == 0.0:
        raise ValueError(f"{where}: {name} is {axis!r}: a direction is expected")
    unit = unit / largest  # so that squares neither overflow nor vanish
    return unit / np.linalg.norm(unit)


def _frame(z: NDArray[np.float64], x: NDArray[np.float64] | None = None) -> list[float]:
    """Quaternion of a frame with the given z axis, and x axis if one is given."""
    if x is None:
        x = np.cross([0.0, 1.0, 0.0], z) if abs(z[1]) < 0.9 else np.cross([0.0, 0.0, 1.0], z)
        x /= np.linalg.norm(x)
    matrix, quat = np.stack([x, np.cross(z, x), z], axis=1), np.zeros(4)
    mujoco.mju_mat2Quat(quat, matrix.ravel())
    return quat.tolist()


def _limit(value: Any, name: str, where: str) -> float | None:
    return None if value is None else positive(value, f"{where}: {name}")


def _part(cls: Any, where: str, **values: Any) -> Any:
    try:
        return cls(**values)
    except TypeError:
        fields = [field.name for field in dataclasses.fields(cls)]
        wrong = ", ".join(key for key in values if key not in fields)
        raise ValueError(f"{where} has no parameter {wrong}: allowed are {', '.join(fields)}") from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


class PartsBuilder:
    """The ``add_…`` methods of MjoSpec. Each returns the actuator, site or body that it made or used.

    A part gets a site of its own name on ``body`` at ``pos`` [m, body frame].
    """

    mj: mujoco.MjSpec

    def _body(self, body: str, where: str) -> Any:
        found = self.mj.body(body) if isinstance(body, str) else None
        if found is None:
            known = ", ".join(b.name for b in self.mj.bodies if b.name and b.name != "world")
            raise ValueError(f"{where}: there is no body {body!r}: allowed are {known or 'none in this model'}")
        return found

    def _place(self, kind: str, name: str, body: str, pos: Vector) -> tuple[Any, NDArray[np.float64], str]:
        """(body, position, what errors name) of a new part, before anything is changed."""
        where = f"{kind} {name}"
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"{kind}: its name is {name!r}: a name is expected")
        taken = [what for what in ("site", "actuator") if getattr(self.mj, what)(name) is not None]
        if taken:
            raise ValueError(f"{where}: the {taken[0]} {name!r} exists already: give the part another name")
        return self._body(body, where), vector(pos, f"{where}: pos"), where

    def _actuator(self, part: Any, name: str, gear: list[float], limits: tuple[float, float] | None) -> Any:
        stateful = part.KIND in ("reaction_wheel", "cmg")
        actuator = self.mj.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_SITE, gear=gear)
        actuator.gainprm = np.zeros(10)
        actuator.biasprm = np.zeros(10)
        actuator.dyntype = mujoco.mjtDyn.mjDYN_INTEGRATOR if stateful else mujoco.mjtDyn.mjDYN_NONE
        if limits is not None:
            actuator.ctrllimited = True
            actuator.ctrlrange = limits
        self._text(part, name)
        return actuator

    def _text(self, part: Any, name: str) -> None:
        self.mj.add_text(name=part_name(part.KIND, name), data=encode(part))

    def add_reaction_wheel(
        self,
        name: str,
        body: str,
        axis: Vector = (0.0, 0.0, 1.0),
        *,
        inertia: float | None = None,
        max_speed: float | None = None,
        max_momentum: float | None = None,
        max_torque: float | None = None,
        coulomb: float = 0.0,
        viscous: float = 0.0,
        pos: Vector = (0.0, 0.0, 0.0),
        inertia_includes_rotor: bool = False,
    ) -> Any:
        """A reaction wheel; ``ctrl`` is the motor torque on the rotor [N·m], ``act`` its absolute momentum [N·m·s].

        Args:
          axis: of spin, body frame.
          inertia: J_s of the rotor about its axis [kg·m²]; any two of ``inertia``, ``max_speed`` [rad/s] and
            ``max_momentum`` [N·m·s] give the third, ``inertia`` alone has no limit of speed.
          max_torque: of the motor [N·m].
          coulomb, viscous: friction [N·m], [N·m·s/rad].
          inertia_includes_rotor: the body's inertia has J_s a aᵀ in it, which is then taken out.
        """
        found, at, where = self._place("reaction wheel", name, body, pos)
        unit = _direction(axis, where)
        torque = _limit(max_torque, "max_torque", where)
        js = _limit(inertia, "inertia", where)
        speed, momentum = _limit(max_speed, "max_speed", where), _limit(max_momentum, "max_momentum", where)
        if js is None:
            if speed is None or momentum is None:
                raise ValueError(f"{where}: give inertia, or max_momentum and max_speed")
            js = momentum / speed
        elif momentum is not None:
            if speed is not None and not math.isclose(js * speed, momentum, rel_tol=1e-6):
                raise ValueError(f"{where}: inertia · max_speed is {js * speed:g}, not {momentum:g} N·m·s")
            speed = momentum / js
        largest = math.inf if speed is None else speed
        part = _part(ReactionWheel, where, inertia=js, max_speed=largest, coulomb=coulomb, viscous=viscous)
        if inertia_includes_rotor:
            self._take_out(body, js * np.outer(unit, unit), where)
        found.add_site(name=name, pos=at, quat=_frame(unit))
        return self._actuator(part, name, _TORQUE, None if torque is None else (-torque, torque))

    def _take_out(self, body: str, tensor: NDArray[np.float64], where: str) -> None:
        """Subtract from a body's inertia, whatever it was made from."""
        model = self.mj.copy().compile()
        b = model.body(body).id
        if self.mj.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE:
            raise ValueError(f'{where}: inertiafromgeom="true" leaves no inertia to take the rotor out of')
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, model.body_iquat[b])
        axes = matrix.reshape(3, 3)
        rest = axes @ np.diag(model.body_inertia[b]) @ axes.T - tensor
        moments = np.linalg.eigvalsh(rest)
        if moments[0] <= 0.0 or moments[0] + moments[1] < moments[2] * (1.0 - 1e-9):
            raise ValueError(
                f"{where}: the inertia of body {body} does not include the rotor's: without it principal "
                f"moments of {', '.join(f'{x:.6g}' for x in moments)} kg·m² are left, which no rigid body has"
            )
        found = self._body(body, where)
        found.explicitinertial = True
        found.mass, found.ipos = float(model.body_mass[b]), model.body_ipos[b]
        found.iquat, found.inertia = [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        found.fullinertia = [rest[0, 0], rest[1, 1], rest[2, 2], rest[0, 1], rest[0, 2], rest[1, 2]]

    def add_cmg(
        self,
        name: str,
        body: str,
        gimbal_axis: Vector,
        spin_axis: Vector,
        *,
        momentum: float,
        max_rate: float | None = None,
        min_angle: float = -math.inf,
        max_angle: float = math.inf,
        pos: Vector = (0.0, 0.0, 0.0),
    ) -> Any:
        """A single-gimbal control moment gyro; ``ctrl`` is the gimbal rate [rad/s], ``act`` the gimbal angle [rad].

        Args:
          gimbal_axis, spin_axis: orthogonal; the latter is the rotor's direction at angle 0, body frame.
          momentum: of the rotor, absolute [N·m·s].
          max_rate: of the gimbal [rad/s].
          min_angle, max_angle: of the gimbal [rad].
        """
        found, at, where = self._place("cmg", name, body, pos)
        rate = _limit(max_rate, "max_rate", where)
        g, s = _direction(gimbal_axis, where, "gimbal_axis"), _direction(spin_axis, where, "spin_axis")
        if abs(float(g @ s)) > 1e-6:
            angle = np.degrees(np.arccos(np.clip(g @ s, -1.0, 1.0)))
            raise ValueError(f"{where}: spin_axis is {angle:.4g}° from the gimbal axis, not orthogonal to it")
        part = _part(ControlMomentGyro, where, momentum=momentum, min_angle=min_angle, max_angle=max_angle)
        spin = s - float(g @ s) * g
        found.add_site(name=name, pos=at, quat=_frame(g, spin / np.linalg.norm(spin)))
        return self._actuator(part, name, _TORQUE, None if rate is None else (-rate, rate))

    def add_cmg_pyramid(
        self,
        name: str,
        body: str,
        *,
        momentum: float,
        max_rate: float | None = None,
        skew: float = math.atan(math.sqrt(2)),
    ) -> list[Any]:
        """Four CMGs ``name_0`` … ``name_3`` around the body's z axis.

        The gimbal axis of the k-th is tilted by ``skew`` [rad] from z towards azimuth k·90°, its rotor at angle 0 in
        the xy plane at right angles to that; 54.74° makes the envelope of momentum nearly a sphere (H. Kurokawa,
        "A Geometric Study of Single Gimbal Control Moment Gyros", 1998).
        """
        tilt = number(skew, f"cmg pyramid {name}: skew")
        for k in range(4):  # all of them, or none
            self._place("cmg", f"{name}_{k}", body, (0.0, 0.0, 0.0))
        out = []
        for k in range(4):
            c, s = round(math.cos(k * math.pi / 2)), round(math.sin(k * math.pi / 2))
            gimbal = np.array([c * math.sin(tilt), s * math.sin(tilt), math.cos(tilt)])
            spin = np.array([-s, c, 0.0])
            out.append(self.add_cmg(f"{name}_{k}", body, gimbal, spin, momentum=momentum, max_rate=max_rate))
        return out

    def add_magnetorquer(
        self, name: str, body: str, axis: Vector, *, max_dipole: float | None = None, pos: Vector = (0.0, 0.0, 0.0)
    ) -> Any:
        """A torque rod along ``axis`` (body frame); ``ctrl`` is its dipole [A·m²]."""
        found, at, where = self._place("magnetorquer", name, body, pos)
        dipole = _limit(max_dipole, "max_dipole", where)
        found.add_site(name=name, pos=at, quat=_frame(_direction(axis, where)))
        return self._actuator(Magnetorquer(), name, _TORQUE, None if dipole is None else (-dipole, dipole))

    def add_thruster(
        self,
        name: str,
        body: str,
        pos: Vector,
        direction: Vector,
        *,
        max_force: float,
        on_off: bool = False,
        min_pulse: float = 0.0,
        specific_impulse: float = 0.0,
        tank: str = "",
    ) -> Any:
        """A thruster at ``pos``; ``ctrl`` is its force [N] on the body along ``direction`` (body frame).

        The direction is that of the force, not of the plume.
        """
        found, at, where = self._place("thruster", name, body, pos)
        force = positive(max_force, f"{where}: max_force")
        values = {"on_off": on_off, "min_pulse": min_pulse, "specific_impulse": specific_impulse, "tank": tank}
        part = _part(Thruster, where, **values)
        found.add_site(name=name, pos=at, quat=_frame(_direction(direction, where, "direction")))
        return self._actuator(part, name, _FORCE, (0.0, force))

    def add_tank(self, body: str, *, propellant: float) -> Any:
        """Declare that ``propellant`` [kg] of a body's mass is burnt by the thrusters that name it."""
        where = f"tank {body}"
        found = self._body(body, where)
        part = _part(Tank, where, propellant=propellant)
        if any(text.name == part_name(Tank.KIND, body) for text in self.mj.texts):
            raise ValueError(f"{where}: body {body} is a tank already")
        self._text(part, body)
        return found

    def add_residual_dipole(self, name: str, body: str, dipole: Vector, *, pos: Vector = (0.0, 0.0, 0.0)) -> Any:
        """A constant magnetic dipole [A·m²], body frame."""
        found, at, where = self._place("residual dipole", name, body, pos)
        part = _part(ResidualDipole, where, dipole=dipole)
        site = found.add_site(name=name, pos=at, quat=[1.0, 0.0, 0.0, 0.0])
        self._text(part, name)
        return site

    def add_surface(
        self,
        name: str,
        body: str,
        pos: Vector,
        normal: Vector = (0.0, 0.0, 1.0),
        *,
        size: tuple[float, float] | None = None,
        surface: Surface | None = None,
        **coefficients: Any,
    ) -> Any:
        """A plate at ``pos`` with its ``normal`` (body frame) under drag and sunlight, or a sphere.

        Args:
          size: lengths of the plate's sides [m], which the site then shows; or give ``area`` [m²].
          surface: coefficients as a hardware.Surface, in place of the keywords.
          coefficients: of hardware.Surface: area, drag, specular, diffuse, reflectivity, two_sided, sphere.
        """
        if surface is not None:
            if coefficients:
                raise ValueError(f"surface {name}: give either surface or {', '.join(coefficients)}")
            coefficients = dataclasses.asdict(surface)
        found, at, where = self._place("surface", name, body, pos)
        part = _part(Surface, where, **coefficients)
        unit = _direction(normal, where, "normal")
        more: dict[str, Any] = {}
        if size is not None:
            if part.sphere or part.area:
                raise ValueError(f"{where}: size is a plate's, in place of area: give one of them")
            if np.shape(size) != (2,):
                raise ValueError(f"{where}: size is {size!r}: the lengths of two sides are expected")
            a, b = (positive(side, f"{where}: size") for side in size)
            more = {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [0.5 * a, 0.5 * b, 1e-3]}
        elif part.area == 0.0:
            raise ValueError(f"{where}: give size or area")
        site = found.add_site(name=name, pos=at, quat=_frame(unit), **more)
        self._text(part, name)
        return site
