"""What is said of a model, as data; the text is in report_text."""

import dataclasses
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mjorbit_warp.advice.record import Advice


@dataclasses.dataclass(frozen=True)
class BodyReport:
    """One body.

    Attributes:
      name, parent: names; the world is "world".
      mass: [kg].
      com: centre of mass in the body frame [m].
      inertia: principal moments about the centre of mass [kg·m²].
      ndof: degrees of freedom of the body's own joints.
      fixed: no joint between this body and the world.
    """

    name: str
    parent: str
    mass: float
    com: tuple[float, ...]
    inertia: tuple[float, ...]
    ndof: int
    fixed: bool


@dataclasses.dataclass(frozen=True)
class JointReport:
    """One joint; ``axis`` is in the body frame, ``range`` in rad or m, None where it does not apply."""

    name: str
    type: str
    body: str
    axis: tuple[float, ...] | None
    range: tuple[float, ...] | None
    damping: float
    stiffness: float
    armature: float


@dataclasses.dataclass(frozen=True)
class ActuatorReport:
    """One actuator; ``ctrl`` are its entries in ``d.ctrl``, ``note`` what to know about it."""

    name: str
    target: str
    gain: float
    bias: tuple[float, ...]
    dynamics: str
    ctrl: tuple[int, ...]
    ctrlrange: tuple[float, ...] | None
    note: str


@dataclasses.dataclass(frozen=True)
class DensityGeom:
    """A geom without a mass, counted at its density; ``mass`` [kg] is None if only the compiler knows the volume."""

    geom: str
    body: str
    density: float
    mass: float | None


@dataclasses.dataclass(frozen=True)
class OrbitReport:
    """The reference orbit at the start, angles in degrees; ``epoch`` in UTC, elements None where undefined."""

    body: str
    altitude: float
    period: float | None
    epoch: str | None
    elements: dict[str, float] | None


@dataclasses.dataclass(frozen=True)
class PartReport:
    """A wheel, thruster, surface, sensor …

    Attributes:
      name, kind, body: names.
      parameters: those that differ from their defaults, SI units.
      site: the site where it is, None for a tank.
      position: of the site in the body frame [m].
      axis: in the body frame: of the actuator's gear, or a surface's normal; None for other parts.
      limits: of its command [N, N·m, A·m², rad/s]; None without a command or limits.
    """

    name: str
    kind: str
    body: str
    parameters: dict[str, Any]
    site: str | None = None
    position: tuple[float, ...] | None = None
    axis: tuple[float, ...] | None = None
    limits: tuple[float, ...] | None = None


@dataclasses.dataclass(frozen=True)
class SolverReport:
    """MuJoCo's constraint solver: its name, iterations, tolerance, friction cone and form of the Jacobian."""

    solver: str
    iterations: int
    ls_iterations: int
    tolerance: float
    cone: str
    jacobian: str


@dataclasses.dataclass(frozen=True)
class BufferReport:
    """Contacts and rows of constraints that a world can need, against what make_data allocates.

    Attributes:
      contacts, rows: if every pair of geoms that may touch did so with its most contacts, and every limit were reached.
      seen_contacts, seen_rows: the most of them at qpos0 and the keyframes, by MuJoCo C.
      seen_at: where that is.
      nconmax, njmax: what make_data allocates for each world if it is not told.
      reason: how the largest numbers come about.
    """

    contacts: int
    rows: int
    seen_contacts: int
    seen_rows: int
    seen_at: str
    nconmax: int
    njmax: int
    reason: str


@dataclasses.dataclass(frozen=True)
class DriftReport:
    """Relative change of |H| of a free spin, see advice.drift; None where the motion diverges.

    Attributes:
      spin: [rad/s].
      duration: [s].
      integrator: the model's.
      drift: with it.
      rk4: with RK4 at the same step.
    """

    spin: float
    duration: float
    integrator: str
    drift: float | None
    rk4: float | None


@dataclasses.dataclass(frozen=True)
class ModelReport:
    """What ``inspect_model`` found; ``str(report)`` is readable text.

    Attributes:
      name: the model's name.
      mass: total mass [kg].
      com: centre of mass of everything, in the world, at qpos0 [m].
      inertia: tensor of everything about that, world axes, at qpos0 [kg·m²].
      principal: its principal moments, rising [kg·m²].
      nbody, nq, nv, nu, na: sizes; nbody without the world.
      bodies, joints, actuators: in the model's order.
      parts: spacecraft hardware, surfaces and sensors; they do nothing in plain MuJoCo.
      density_geoms: geoms whose mass comes from their density; None if the spec was not given and it is not known.
      contact_pairs: pairs of geoms that may touch, as the filters allow.
      contacts: whether any can.
      timestep: [s].
      integrator: name.
      integrator_cost: what it does, in words.
      gravity: of the file [m/s²]; it is set to 0.
      solver: of the constraints.
      buffers: contacts and rows needed.
      momentum: |H| of a free spin, measured; None without a free body.
      orbit: None in zero gravity.
      options: effects that were compiled in.
      notes: what the compiler reported.
      advice: errors, then warnings, then information; see docs/inspect.md.
    """

    name: str
    mass: float
    com: tuple[float, ...]
    inertia: tuple[tuple[float, ...], ...]
    principal: tuple[float, ...]
    nbody: int
    nq: int
    nv: int
    nu: int
    na: int
    bodies: tuple[BodyReport, ...]
    joints: tuple[JointReport, ...]
    actuators: tuple[ActuatorReport, ...]
    parts: tuple[PartReport, ...]
    density_geoms: tuple[DensityGeom, ...] | None
    contact_pairs: int
    contacts: bool
    timestep: float
    integrator: str
    integrator_cost: str
    gravity: tuple[float, ...]
    solver: SolverReport
    buffers: BufferReport
    momentum: DriftReport | None
    orbit: OrbitReport | None
    options: dict[str, Any]
    notes: tuple[str, ...]
    advice: "tuple[Advice, ...]"

    def of_level(self, level: str) -> "tuple[Advice, ...]":
        """Advice of the level "error", "warning" or "info"."""
        return tuple(a for a in self.advice if a.level == level)

    @property
    def exit_code(self) -> int:
        """0 if there is nothing to warn of, 1 with warnings, 2 with errors."""
        return 2 if self.of_level("error") else 1 if self.of_level("warning") else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, lists, numbers and strings, ready for JSON; a number that is not finite is None."""
        return {key: _plain(value) for key, value in dataclasses.asdict(self).items()}

    def __str__(self) -> str:
        from mjorbit_warp.report_text import report_lines

        return "\n".join(report_lines(self))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
