"""Adding spacecraft parts to a spec: native MJCF elements, and one text each for what MJCF has no field for."""

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

Vector = Sequence[float] | NDArray[np.float64]
_TORQUE = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
_FORCE = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def _direction(axis: Vector, where: str) -> NDArray[np.float64]:
    vector = np.asarray(axis, dtype=np.float64)
    norm = float(np.linalg.norm(vector)) if vector.shape == (3,) else 0.0
    if not 0.0 < norm < math.inf:
        raise ValueError(f"{where}: axis is {axis!r}: a direction of three numbers is expected")
    return vector / norm


def _frame(z: NDArray[np.float64], x: NDArray[np.float64] | None = None) -> list[float]:
    """Quaternion of a frame with the given z axis, and x axis if one is given."""
    if x is None:
        x = np.cross([0.0, 1.0, 0.0], z) if abs(z[1]) < 0.9 else np.cross([0.0, 0.0, 1.0], z)
        x /= np.linalg.norm(x)
    matrix, quat = np.stack([x, np.cross(z, x), z], axis=1), np.zeros(4)
    mujoco.mju_mat2Quat(quat, matrix.ravel())
    return quat.tolist()


def _positive(value: float | None, name: str, where: str) -> None:
    if value is not None and not 0.0 < value < math.inf:
        raise ValueError(f"{where}: {name} is {value!r}: it must be positive")


class PartsBuilder:
    """The ``add_…`` methods of MjoSpec. Each returns the actuator, site or body that it made or used.

    A part gets a site of its own name on ``body`` at ``pos`` [m, body frame].
    """

    mj: mujoco.MjSpec

    def _body(self, body: str, where: str) -> Any:
        found = self.mj.body(body)
        if found is None:
            known = ", ".join(b.name for b in self.mj.bodies if b.name and b.name != "world")
            raise ValueError(f"{where}: there is no body {body!r}: allowed are {known}")
        return found

    def _site(self, name: str, body: str, pos: Vector, quat: list[float], where: str, **more: Any) -> Any:
        if self.mj.site(name) is not None:
            raise ValueError(f"{where}: there is a site {name!r} already: give the part another name")
        return self._body(body, where).add_site(name=name, pos=np.asarray(pos, dtype=float), quat=quat, **more)

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
        where = f"reaction wheel {name}"
        for key, value in (("inertia", inertia), ("max_speed", max_speed), ("max_momentum", max_momentum)):
            _positive(value, key, where)
        _positive(max_torque, "max_torque", where)
        if inertia is None:
            if max_speed is None or max_momentum is None:
                raise ValueError(f"{where}: give inertia, or max_momentum and max_speed")
            inertia = max_momentum / max_speed
        elif max_momentum is not None:
            if max_speed is not None and not math.isclose(inertia * max_speed, max_momentum, rel_tol=1e-6):
                raise ValueError(f"{where}: inertia · max_speed is {inertia * max_speed:g}, not {max_momentum:g} N·m·s")
            max_speed = max_momentum / inertia
        try:
            part = ReactionWheel(inertia, math.inf if max_speed is None else max_speed, coulomb, viscous)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        unit = _direction(axis, where)
        self._body(body, where)
        if inertia_includes_rotor:
            self._take_out(body, inertia * np.outer(unit, unit), where)
        self._site(name, body, pos, _frame(unit), where)
        return self._actuator(part, name, _TORQUE, None if max_torque is None else (-max_torque, max_torque))

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
        if np.linalg.eigvalsh(rest)[0] <= 0.0:
            raise ValueError(
                f"{where}: the inertia of body {body} is smaller than the rotor's, so it does not include it"
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
        where = f"cmg {name}"
        _positive(max_rate, "max_rate", where)
        g, s = _direction(gimbal_axis, where), _direction(spin_axis, where)
        if abs(float(g @ s)) > 1e-6:
            raise ValueError(
                f"{where}: spin_axis is {np.degrees(np.arccos(g @ s)):.4g}° from the gimbal axis, not orthogonal to it"
            )
        try:
            part = ControlMomentGyro(momentum, min_angle=min_angle, max_angle=max_angle)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        self._site(name, body, pos, _frame(g, s - float(g @ s) * g), where)
        return self._actuator(part, name, _TORQUE, None if max_rate is None else (-max_rate, max_rate))

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
        out = []
        for k in range(4):
            c, s = round(math.cos(k * math.pi / 2)), round(math.sin(k * math.pi / 2))
            gimbal = np.array([c * math.sin(skew), s * math.sin(skew), math.cos(skew)])
            spin = np.array([-s, c, 0.0])
            out.append(self.add_cmg(f"{name}_{k}", body, gimbal, spin, momentum=momentum, max_rate=max_rate))
        return out

    def add_magnetorquer(
        self, name: str, body: str, axis: Vector, *, max_dipole: float | None = None, pos: Vector = (0.0, 0.0, 0.0)
    ) -> Any:
        """A torque rod along ``axis`` (body frame); ``ctrl`` is its dipole [A·m²]."""
        where = f"magnetorquer {name}"
        _positive(max_dipole, "max_dipole", where)
        self._site(name, body, pos, _frame(_direction(axis, where)), where)
        return self._actuator(Magnetorquer(), name, _TORQUE, None if max_dipole is None else (-max_dipole, max_dipole))

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
        where = f"thruster {name}"
        _positive(max_force, "max_force", where)
        try:
            part = Thruster(on_off, min_pulse, specific_impulse, tank)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        self._site(name, body, pos, _frame(_direction(direction, where)), where)
        return self._actuator(part, name, _FORCE, (0.0, max_force))

    def add_tank(self, body: str, *, propellant: float) -> Any:
        """Declare that ``propellant`` [kg] of a body's mass is burnt by the thrusters that name it."""
        where = f"tank {body}"
        found = self._body(body, where)
        try:
            self._text(Tank(propellant), body)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        return found

    def add_residual_dipole(
        self, name: str, body: str, dipole: tuple[float, float, float], *, pos: Vector = (0.0, 0.0, 0.0)
    ) -> Any:
        """A constant magnetic dipole [A·m²], body frame."""
        where = f"residual dipole {name}"
        try:
            part = ResidualDipole(tuple(float(x) for x in dipole))  # type: ignore[arg-type]
        except (ValueError, TypeError) as error:
            raise ValueError(f"{where}: {error}") from None
        site = self._site(name, body, pos, [1.0, 0.0, 0.0, 0.0], where)
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
        **coefficients: Any,
    ) -> Any:
        """A plate at ``pos`` with its ``normal`` (body frame) under drag and sunlight, or a sphere.

        Args:
          size: lengths of the plate's sides [m], which the site then shows; or give ``area`` [m²].
          coefficients: of hardware.Surface: area, drag, specular, diffuse, reflectivity, two_sided, sphere.
        """
        where = f"surface {name}"
        more: dict[str, Any] = {}
        if size is not None:
            for side in size:
                _positive(float(side), "size", where)
            more = {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [0.5 * size[0], 0.5 * size[1], 1e-3]}
        try:
            part = Surface(**coefficients)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{where}: {error}") from None
        if size is None and part.area == 0.0:
            raise ValueError(f"{where}: give size or area")
        site = self._site(name, body, pos, _frame(_direction(normal, where)), where, **more)
        self._text(part, name)
        return site
