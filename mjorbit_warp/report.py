"""What is said of a model, as text or as a dictionary."""

import dataclasses
import textwrap
from collections.abc import Sequence
from typing import Any


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
    """A wheel, thruster, surface, sensor …: ``parameters`` that differ from their defaults, SI units."""

    name: str
    kind: str
    body: str
    parameters: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class ModelReport:
    """What ``inspect_model`` found; ``str(report)`` is readable text.

    Attributes:
      name: the model's name.
      mass: total mass [kg].
      com: centre of mass of everything, in the world, at qpos0 [m].
      nbody, nq, nv, nu, na: sizes; nbody without the world.
      bodies, joints, actuators: in the model's order.
      parts: spacecraft hardware, surfaces and sensors; they do nothing in plain MuJoCo.
      density_geoms: geoms whose mass comes from their density; None if the spec was not given and it is not known.
      contact_pairs: pairs of geoms that may touch, as the filters allow.
      contacts: whether any can.
      timestep: [s].
      integrator: name.
      integrator_cost: what it does, in words.
      orbit: None in zero gravity.
      options: effects that were compiled in.
      notes: what the compiler reported.
    """

    name: str
    mass: float
    com: tuple[float, ...]
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
    orbit: OrbitReport | None
    options: dict[str, Any]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, lists, numbers and strings, ready for JSON."""
        return {key: _plain(value) for key, value in dataclasses.asdict(self).items()}

    def __str__(self) -> str:
        return "\n".join(_text(self))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _vector(values: tuple[float, ...]) -> str:
    return " ".join(f"{x:g}" for x in values)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns padded to their widest entry."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = []
    for row in [header, *rows]:
        lines.append("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return lines


def _orbit_text(orbit: OrbitReport | None) -> list[str]:
    if orbit is None:
        return ["orbit: none, zero gravity"]
    lines = [f"orbit about {orbit.body}"]
    if orbit.period is None:
        lines.append(f"  altitude {orbit.altitude / 1e3:.3f} km, not periodic")
    else:
        lines.append(f"  altitude {orbit.altitude / 1e3:.3f} km, period {orbit.period / 60.0:.3f} min")
    if e := orbit.elements:
        a, ecc = e["semi_major_axis"] / 1e3, e["eccentricity"]
        lines.append(f"  osculating elements: a {a:.3f} km, e {ecc:.7f}, i {e['inclination_deg']:.4f}°")
        lines.append(
            f"    RAAN {e['raan_deg']:.4f}°, argument of periapsis {e['argument_of_periapsis_deg']:.4f}°, "
            f"true anomaly {e['true_anomaly_deg']:.4f}°"
        )
    lines.append(f"  epoch {orbit.epoch} UTC" if orbit.epoch else "  epoch not given")
    return lines


def _density_text(geoms: tuple[DensityGeom, ...] | None) -> list[str]:
    if geoms is None:
        return ["masses inferred from density: not known without the spec"]
    if not geoms:
        return ["masses inferred from density: none"]
    lines = [
        'masses inferred from density (a geom without a mass counts in full, a visual skin too; mass="0" to exclude)'
    ]
    for g in geoms:
        mass = "mass by the compiler" if g.mass is None else f"{g.mass:g} kg"
        lines.append(f"  geom {g.geom} on {g.body}: {mass} at {g.density:g} kg/m³")
    return lines


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return " ".join(_short(x) for x in value) or "none"
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _parts_text(parts: tuple[PartReport, ...]) -> list[str]:
    if not parts:
        return []
    rows = [
        (p.name, p.kind, p.body, ", ".join(f"{key} {_short(value)}" for key, value in p.parameters.items()))
        for p in parts
    ]
    return ["", "spacecraft parts (without effect in plain MuJoCo)", *_table(("name", "kind", "body", ""), rows)]


def _text(report: ModelReport) -> list[str]:
    lines = [f"model {report.name or '(no name)'}"]
    lines.append(f"  total mass {report.mass:.6g} kg, centre of mass at qpos0 {_vector(report.com)} m")
    bodies = "1 body" if report.nbody == 1 else f"{report.nbody} bodies"
    sizes = f"{bodies}, nq {report.nq}, nv {report.nv}, nu {report.nu}, na {report.na}"
    lines.append(f"  {sizes}")
    lines += ["", "bodies"]
    rows = [
        (
            b.name,
            b.parent,
            f"{b.mass:g}",
            _vector(b.com),
            _vector(b.inertia),
            f"{b.ndof}{' (fixed to the origin)' if b.fixed else ''}",
        )
        for b in report.bodies
    ]
    lines += _table(("name", "parent", "mass [kg]", "COM, body frame [m]", "principal moments [kg·m²]", "dofs"), rows)
    lines += ["", *_density_text(report.density_geoms)]
    lines += ["", "joints" if report.joints else "joints: none"]
    if report.joints:
        joints = [
            (
                j.name,
                j.type,
                j.body,
                "-" if j.axis is None else _vector(j.axis),
                "-" if j.type == "free" else ("unlimited" if j.range is None else _vector(j.range)),
                f"{j.damping:g}",
            )
            for j in report.joints
        ]
        lines += _table(("name", "type", "body", "axis", "range [rad, m]", "damping"), joints)
    lines += ["", "actuators" if report.actuators else "actuators: none"]
    if report.actuators:
        commands = [
            (
                a.name,
                a.target,
                f"{a.gain:g}",
                _vector(a.bias),
                a.dynamics,
                "unlimited" if a.ctrlrange is None else _vector(a.ctrlrange),
                a.note,
            )
            for a in report.actuators
        ]
        lines += _table(("name", "target", "gain", "bias", "dynamics", "ctrl range", ""), commands)
    lines += _parts_text(report.parts)
    pairs = "1 pair" if report.contact_pairs == 1 else f"{report.contact_pairs} pairs"
    possible = f"possible, {pairs} of geoms may touch" if report.contacts else "not possible"
    lines += ["", f"contacts: {possible}"]
    lines.append(f"timestep: {report.timestep:g} s")
    lines.append(f"integrator: {report.integrator}: {report.integrator_cost}")
    lines += ["", *_orbit_text(report.orbit)]
    shown = ", ".join(f"{key} {_short(value)}" for key, value in report.options.items())
    lines += textwrap.wrap(f"options: {shown}", 120, subsequent_indent="  ", break_on_hyphens=False)
    lines += [f"note: {note}" for note in report.notes]
    return lines
