"""A report of a model as text."""

import textwrap
from collections.abc import Sequence
from typing import Any

from mjorbit_warp.report import BufferReport, DensityGeom, DriftReport, ModelReport, OrbitReport, PartReport


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
    rows = []
    for p in parts:
        place = "" if p.position is None else f"{p.site} at {_vector(p.position)}"
        axis = "-" if p.axis is None else _vector(tuple(round(x, 9) + 0.0 for x in p.axis))
        limits = "-" if p.limits is None else _vector(p.limits)
        parameters = ", ".join(f"{key} {_short(value)}" for key, value in p.parameters.items())
        rows.append((p.name, p.kind, p.body, place or "-", axis, limits, parameters))
    header = ("name", "kind", "body", "site [m]", "axis, body frame", "ctrl range", "")
    return ["", "spacecraft parts (without effect in plain MuJoCo)", *_table(header, rows)]


def _bodies_text(report: ModelReport) -> list[str]:
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
    return _table(("name", "parent", "mass [kg]", "COM, body frame [m]", "principal moments [kg·m²]", "dofs"), rows)


def _joints_text(report: ModelReport) -> list[str]:
    if not report.joints:
        return ["joints: none"]
    rows = [
        (
            j.name,
            j.type,
            j.body,
            "-" if j.axis is None else _vector(j.axis),
            "-" if j.type == "free" else ("unlimited" if j.range is None else _vector(j.range)),
            f"{j.damping:g}",
            f"{j.stiffness:g}",
            f"{j.armature:g}",
        )
        for j in report.joints
    ]
    header = ("name", "type", "body", "axis", "range [rad, m]", "damping", "stiffness", "armature")
    return ["joints", *_table(header, rows)]


def _actuators_text(report: ModelReport) -> list[str]:
    if not report.actuators:
        return ["actuators: none"]
    rows = [
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
    return ["actuators", *_table(("name", "target", "gain", "bias", "dynamics", "ctrl range", ""), rows)]


def _buffers_text(b: BufferReport) -> list[str]:
    text = (
        f"buffers of a world: at worst {b.contacts} contacts and {b.rows} rows ({b.reason}); at {b.seen_at} "
        f"{b.seen_contacts} and {b.seen_rows}; make_data takes nconmax {b.nconmax} and njmax {b.njmax} if not told"
    )
    return textwrap.wrap(text, 120, subsequent_indent="  ")


def _momentum_text(m: DriftReport | None) -> list[str]:
    if m is None:
        return []
    values = [(m.integrator, m.drift)] if m.integrator == "RK4" else [(m.integrator, m.drift), ("RK4", m.rk4)]
    said = ", ".join(f"{name} {'diverges' if x is None else f'{x:+.1e}'}" for name, x in values)
    return [f"|H| of a free spin of {m.spin:g} rad/s after {m.duration:g} s, relative (measured): {said}"]


def _solver_text(report: ModelReport) -> list[str]:
    s = report.solver
    return [
        f"timestep: {report.timestep:g} s",
        f"integrator: {report.integrator}: {report.integrator_cost}",
        *_momentum_text(report.momentum),
        f"solver: {s.solver}, {s.iterations} iterations of {s.ls_iterations}, tolerance {s.tolerance:g}, "
        f"{s.cone} cone, {s.jacobian} Jacobian",
        f"gravity of the file: {_vector(report.gravity)} m/s²",
    ]


def _advice_text(report: ModelReport) -> list[str]:
    """Each piece on lines of its own, its remedy below it."""
    if not report.advice:
        return ["advice: none"]
    counts = [(len(report.of_level(level)), word) for level, word in (("error", "error"), ("warning", "warning"))]
    said = ", ".join(f"{n} {word}{'s' if n > 1 else ''}" for n, word in counts if n) or "nothing to warn of"
    lines = [f"advice: {said}"]
    for advice in report.advice:
        lines += textwrap.wrap(str(advice), 118, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        if advice.remedy:
            lines += textwrap.wrap(f"→ {advice.remedy}", 116, initial_indent="    ", subsequent_indent="      ")
    return lines


def report_lines(report: ModelReport) -> list[str]:
    """The whole report, line by line."""
    lines = [f"model {report.name or '(no name)'}"]
    lines.append(f"  total mass {report.mass:.6g} kg, centre of mass at qpos0 {_vector(report.com)} m")
    rows = "; ".join(_vector(row) for row in report.inertia)
    lines.append(f"  inertia about it, world axes [{rows}], principal {_vector(report.principal)} kg·m²")
    bodies = "1 body" if report.nbody == 1 else f"{report.nbody} bodies"
    lines.append(f"  {bodies}, nq {report.nq}, nv {report.nv}, nu {report.nu}, na {report.na}")
    lines += ["", "bodies", *_bodies_text(report)]
    lines += ["", *_density_text(report.density_geoms)]
    lines += ["", *_joints_text(report)]
    lines += ["", *_actuators_text(report)]
    lines += _parts_text(report.parts)
    pairs = "1 pair" if report.contact_pairs == 1 else f"{report.contact_pairs} pairs"
    possible = f"possible, {pairs} of geoms may touch" if report.contacts else "not possible"
    lines += ["", f"contacts: {possible}", *_buffers_text(report.buffers)]
    lines += _solver_text(report)
    lines += ["", *_orbit_text(report.orbit)]
    shown = ", ".join(f"{key} {_short(value)}" for key, value in report.options.items())
    lines += textwrap.wrap(f"options: {shown}", 120, subsequent_indent="  ", break_on_hyphens=False)
    lines += [f"note: {note}" for note in report.notes]
    return [*lines, "", *_advice_text(report)]
