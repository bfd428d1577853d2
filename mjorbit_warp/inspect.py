"""What the compiler made of a model: masses, joints, actuators, integrator and orbit."""

import dataclasses
import math
import warnings
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.inspect_parts import parts_of
from mjorbit_warp.model import MjoModel
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.report import (
    ActuatorReport,
    BodyReport,
    DensityGeom,
    JointReport,
    ModelReport,
    OrbitReport,
)

if TYPE_CHECKING:
    from mjorbit_warp.spec import MjoSpec

INTEGRATOR_COST = {
    "RK4": "coupled to the orbit and fourth order; keeps |H| to rounding; four dynamics evaluations per step",
    "implicitfast": (
        "first order, one evaluation per step; measured on a tumbling body at dt 0.01 |H| loses 2.8 % in 100 s, and at "
        "dt 0.1 moving arms end 0.4 m off after half an orbit"
    ),
    "Euler": "first order, one evaluation per step; measured on a tumbling body at dt 0.01 |H| gains 3 % in 100 s",
}
INTEGRATOR_COST["implicit"] = INTEGRATOR_COST["implicitfast"]
NO_FORCE = "gain 0: exerts no force in plain MuJoCo"


def _name(item: Any, kind: str, index: int) -> str:
    return str(item.name) or f"{kind} {index}"


def _enum(value: Any, kind: Any, prefix: str) -> str:
    return kind(int(value)).name.removeprefix(prefix)


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


def _plain_option(value: Any) -> Any:
    """An option as numbers or text: models of the air and of the field by the line that describes them."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.to_text() if hasattr(value, "to_text") else value


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
    options = {key: _plain_option(value) for key, value in options.items()}
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
        parts=parts_of(model),
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
