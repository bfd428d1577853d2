"""What the compiler made of a model: masses, joints, actuators, integrator and orbit, as text or as a dictionary."""

import dataclasses
import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.model import MjoModel
from mjorbit_warp.orbit import Orbit

if TYPE_CHECKING:
    from mjorbit_warp.spec import MjoSpec

INTEGRATOR_COST = {
    "RK4": "coupled to the orbit and fourth order; keeps |H| to rounding; four dynamics evaluations per step",
    "implicitfast": (
        "first order, one evaluation per step; measured on a tumbling body at dt 0.01 |H| loses 2.8 % in 100 s, and at "
        "dt 0.1 the attitude error reaches 0.7 m at the arm tips over half an orbit"
    ),
    "Euler": "first order, one evaluation per step; measured on a tumbling body at dt 0.01 |H| gains 3 % in 100 s",
}
INTEGRATOR_COST["implicit"] = INTEGRATOR_COST["implicitfast"]
NO_FORCE = "gain 0: exerts no force in plain MuJoCo"


def _name(item: Any, kind: str, index: int) -> str:
    return str(item.name) or f"{kind} {index}"


def _enum(value: Any, kind: Any, prefix: str) -> str:
    return kind(int(value)).name.removeprefix(prefix)


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
class ModelReport:
    """What ``inspect_model`` found; ``str(report)`` is readable text.

    Attributes:
      name: the model's name.
      mass: total mass [kg].
      com: centre of mass of everything, in the world, at qpos0 [m].
      nbody, nq, nv, nu, na: sizes; nbody without the world.
      bodies, joints, actuators: in the model's order.
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


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(float(x) for x in np.ravel(values))


def _bodies(mj: mujoco.MjModel) -> tuple[BodyReport, ...]:
    out = []
    for b in range(1, mj.nbody):
        parent = int(mj.body_parentid[b])
        out.append(
            BodyReport(
                name=_name(mj.body(b), "body", b),
                parent="world" if parent == 0 else _name(mj.body(parent), "body", parent),
                mass=float(mj.body_mass[b]),
                com=_floats(mj.body_ipos[b]),
                inertia=_floats(mj.body_inertia[b]),
                ndof=int(mj.body_dofnum[b]),
                fixed=int(mj.body_weldid[b]) == 0,
            )
        )
    return tuple(out)


def _joints(mj: mujoco.MjModel) -> tuple[JointReport, ...]:
    out = []
    for j in range(mj.njnt):
        kind = _enum(mj.jnt_type[j], mujoco.mjtJoint, "mjJNT_").lower()
        dof = int(mj.jnt_dofadr[j])
        body = int(mj.jnt_bodyid[j])
        out.append(
            JointReport(
                name=_name(mj.joint(j), "joint", j),
                type=kind,
                body=_name(mj.body(body), "body", body),
                axis=_floats(mj.jnt_axis[j]) if kind in ("hinge", "slide") else None,
                range=_floats(mj.jnt_range[j]) if mj.jnt_limited[j] else None,
                damping=float(mj.dof_damping[dof]),
                stiffness=float(np.ravel(mj.jnt_stiffness[j])[0]),
                armature=float(mj.dof_armature[dof]),
            )
        )
    return tuple(out)


def _target(mj: mujoco.MjModel, a: int) -> str:
    kind = mujoco.mjtTrn(int(mj.actuator_trntype[a]))
    index = int(mj.actuator_trnid[a, 0])
    owners = {
        mujoco.mjtTrn.mjTRN_JOINT: ("joint", mj.joint),
        mujoco.mjtTrn.mjTRN_JOINTINPARENT: ("joint", mj.joint),
        mujoco.mjtTrn.mjTRN_SITE: ("site", mj.site),
        mujoco.mjtTrn.mjTRN_SLIDERCRANK: ("site", mj.site),
        mujoco.mjtTrn.mjTRN_TENDON: ("tendon", mj.tendon),
        mujoco.mjtTrn.mjTRN_BODY: ("body", mj.body),
    }
    if kind not in owners or index < 0:
        return kind.name.removeprefix("mjTRN_").lower()
    word, lookup = owners[kind]
    return f"{word} {str(lookup(index).name) or index}"


def _actuators(mj: mujoco.MjModel) -> tuple[ActuatorReport, ...]:
    out = []
    for a in range(len(mj.actuator_trntype)):
        first, count = int(mj.actuator_ctrladr[a]), int(mj.actuator_ctrlnum[a])
        gain = mj.actuator_gainprm[a]
        bias = mj.actuator_biasprm[a]
        has_bias = int(mj.actuator_biastype[a]) != int(mujoco.mjtBias.mjBIAS_NONE) and bool(np.any(bias))
        inert = not np.any(gain) and not has_bias
        limited = count > 0 and bool(mj.actuator_ctrllimited[first])
        out.append(
            ActuatorReport(
                name=_name(mj.actuator(a), "actuator", a),
                target=_target(mj, a),
                gain=float(gain[0]),
                bias=_floats(bias[:3]) if has_bias else (0.0, 0.0, 0.0),
                dynamics=_enum(mj.actuator_dyntype[a], mujoco.mjtDyn, "mjDYN_").lower(),
                ctrl=tuple(range(first, first + count)),
                ctrlrange=_floats(mj.actuator_ctrlrange[first]) if limited else None,
                note=NO_FORCE if inert else "",
            )
        )
    return tuple(out)


def _volume(kind: int, size: NDArray[np.float64]) -> float | None:
    """Volume of a primitive [m³]; None for meshes and the like."""
    geom = mujoco.mjtGeom
    a, b, c = (float(x) for x in size)
    volumes = {
        int(geom.mjGEOM_SPHERE): 4.0 / 3.0 * math.pi * a**3,
        int(geom.mjGEOM_CAPSULE): math.pi * a * a * (4.0 / 3.0 * a + 2.0 * b),
        int(geom.mjGEOM_CYLINDER): math.pi * a * a * 2.0 * b,
        int(geom.mjGEOM_ELLIPSOID): 4.0 / 3.0 * math.pi * a * b * c,
        int(geom.mjGEOM_BOX): 8.0 * a * b * c,
        int(geom.mjGEOM_PLANE): 0.0,
        int(geom.mjGEOM_HFIELD): 0.0,
    }
    return volumes.get(kind)


def _density_geoms(model: MjoModel, spec: "MjoSpec") -> tuple[DensityGeom, ...]:
    """Geoms without a mass on bodies whose inertia MuJoCo takes from their geoms."""
    mj, source = model.mj, spec.mj
    low, high = (int(x) for x in source.compiler.inertiagrouprange)
    mode = source.compiler.inertiafromgeom
    if mode == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE:
        return ()
    always = mode == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    out: list[DensityGeom] = []
    for body in source.bodies:
        if body.name == "world" or (body.explicitinertial and not always):
            continue
        for geom in body.geoms:
            given = not math.isnan(geom.mass)
            if given or geom.density == 0.0 or not low <= geom.group <= high:
                continue
            index = int(geom.id)
            if not 0 <= index < mj.ngeom:  # discarded by the compiler
                continue
            volume = _volume(int(mj.geom_type[index]), mj.geom_size[index])
            if geom.typeinertia == mujoco.mjtGeomInertia.mjINERTIA_SHELL:
                volume = None
            mass = None if volume is None else float(geom.density) * volume
            if mass == 0.0:
                continue
            owner = int(mj.geom_bodyid[index])
            out.append(
                DensityGeom(
                    geom=_name(mj.geom(index), "geom", index),
                    body=_name(mj.body(owner), "body", owner),
                    density=float(geom.density),
                    mass=mass,
                )
            )
    return tuple(out)


def _contact_pairs(mj: mujoco.MjModel) -> int:
    """Pairs of geoms that MuJoCo's filters let touch: explicit pairs, and those allowed by contype and conaffinity."""
    off = int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    if mj.opt.disableflags & off:
        return 0
    active = np.flatnonzero((mj.geom_contype != 0) | (mj.geom_conaffinity != 0))
    filter_parent = not mj.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in mj.exclude_signature}
    weld = mj.body_weldid
    parent = weld[mj.body_parentid[weld]]
    count = int(mj.npair)
    for k, one in enumerate(active):
        others = active[k + 1 :]
        body, bodies = mj.geom_bodyid[one], mj.geom_bodyid[others]
        w, ws = weld[body], weld[bodies]
        masks = (mj.geom_contype[one] & mj.geom_conaffinity[others]) | (
            mj.geom_contype[others] & mj.geom_conaffinity[one]
        )
        allowed = (masks != 0) & (w != ws)
        if filter_parent:
            related = ((parent[body] == ws) & (ws != 0)) | ((parent[bodies] == w) & (w != 0))
            allowed &= ~related
        if excluded:
            hidden = [(int(min(body, b)), int(max(body, b))) in excluded for b in bodies]
            allowed &= ~np.array(hidden, dtype=bool)
        count += int(np.count_nonzero(allowed))
    return count


def utc_from_epoch(seconds: float) -> str:
    """UTC of an epoch in seconds past J2000 TT, to the millisecond."""
    from mjorbit_warp.epoch import time_from_seconds

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a year far from now is "dubious" only in its leap seconds
        return str(time_from_seconds(seconds).utc.isot)


def _orbit(orbit: Orbit) -> OrbitReport:
    elements: dict[str, float] | None
    period: float | None
    try:
        e = orbit.elements
        period = orbit.period if math.isfinite(orbit.period) else None
        elements = {
            "semi_major_axis": e.semi_major_axis,
            "eccentricity": e.eccentricity,
            "inclination_deg": math.degrees(e.inclination),
            "raan_deg": math.degrees(e.raan),
            "argument_of_periapsis_deg": math.degrees(e.argument_of_periapsis),
            "true_anomaly_deg": math.degrees(e.true_anomaly),
        }
    except ValueError:  # a parabola or a straight line
        elements, period = None, None
    epoch = None if orbit.epoch is None else utc_from_epoch(orbit.epoch)
    return OrbitReport(orbit.body.name, orbit.altitude, period, epoch, elements)


def inspect_model(model: MjoModel, spec: "MjoSpec | None" = None) -> ModelReport:
    """Report what was compiled, on the host; the model is not placed on a device.

    Args:
      model: a compiled model.
      spec: the spec that ``model`` was compiled from. Only the spec knows which geoms had no mass of their own.
    """
    mj = model.mj
    data = mujoco.MjData(mj)
    mujoco.mj_kinematics(mj, data)
    mujoco.mj_comPos(mj, data)
    integrator = _enum(mj.opt.integrator, mujoco.mjtIntegrator, "mjINT_")
    integrator = integrator if integrator == "RK4" else {"EULER": "Euler"}.get(integrator, integrator.lower())
    options = {field.name: getattr(model.options, field.name) for field in dataclasses.fields(model.options)}
    options = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in options.items()}
    pairs = _contact_pairs(mj)
    return ModelReport(
        name=str(mj.names[: mj.names.index(b"\0")].decode()),
        mass=float(mj.body_mass.sum()),
        com=_floats(data.subtree_com[0]),
        nbody=int(mj.nbody) - 1,
        nq=int(mj.nq),
        nv=int(mj.nv),
        nu=int(mj.nu),
        na=int(mj.na),
        bodies=_bodies(mj),
        joints=_joints(mj),
        actuators=_actuators(mj),
        density_geoms=None if spec is None else _density_geoms(model, spec),
        contact_pairs=pairs,
        contacts=pairs > 0,
        timestep=float(mj.opt.timestep),
        integrator=integrator,
        integrator_cost=INTEGRATOR_COST[integrator],
        orbit=None if model.orbit is None else _orbit(model.orbit),
        options=options,
        notes=tuple(model.notes),
    )


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
    pairs = "1 pair" if report.contact_pairs == 1 else f"{report.contact_pairs} pairs"
    possible = f"possible, {pairs} of geoms may touch" if report.contacts else "not possible"
    lines += ["", f"contacts: {possible}"]
    lines.append(f"timestep: {report.timestep:g} s")
    lines.append(f"integrator: {report.integrator}: {report.integrator_cost}")
    lines += ["", *_orbit_text(report.orbit)]
    shown = ", ".join(
        f"{key} {('on' if value else 'off') if isinstance(value, bool) else value}"
        for key, value in report.options.items()
    )
    lines.append(f"options: {shown}")
    lines += [f"note: {note}" for note in report.notes]
    return lines
