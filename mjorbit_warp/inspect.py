"""What the compiler made of a model: masses, joints, actuators, integrator and orbit, and advice on it."""

import copy
import dataclasses
import math
import warnings
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from mjorbit_warp.advice import advise
from mjorbit_warp.advice.drift import measure
from mjorbit_warp.advice.record import Subject
from mjorbit_warp.hardware.stability import subtree_inertia
from mjorbit_warp.inspect_buffers import buffer_report
from mjorbit_warp.inspect_geoms import contact_pairs, density_geoms
from mjorbit_warp.inspect_parts import parts_of
from mjorbit_warp.inspect_source import Compiled, Source, of_model, read_source
from mjorbit_warp.inspect_tables import NO_FORCE as NO_FORCE
from mjorbit_warp.inspect_tables import (
    actuator_reports,
    body_reports,
    floats,
    integrator_name,
    joint_reports,
    solver_report,
)
from mjorbit_warp.model import MjoModel
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.report import ModelReport, OrbitReport
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
_UNTRIED = "nothing is known here of what it does in orbit"


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


def inspect(model: Source, *, orbit: Orbit | None = None, ignore: str | Sequence[str] = ()) -> ModelReport:
    """Read back what the compiler stored, and say what is probably not meant; on the host, without a device.

    A model that compile() would refuse is reported too, if MuJoCo compiles it; each reason is advice of level "error".
    MuJoCo C is run for up to 10⁴ steps to measure what the integrator does to angular momentum.

    Args:
      model: a file or the name of a shipped model, a spec or a compiled model. Only from a file or a spec is it known
        which masses, units and poses were written and which the compiler made up.
      orbit: replaces the model's.
      ignore: codes of warnings and information to leave out, see docs/inspect.md.

    Returns:
      The report: ``print`` it, take its ``advice`` and ``exit_code``, or ``to_dict()`` for JSON.

    Raises:
      FileNotFoundError: no such file.
      ValueError: MuJoCo refuses the model, or a code to ignore is not known.
    """
    return _report(read_source(model, orbit), [ignore] if isinstance(ignore, str) else ignore)


def inspect_model(model: MjoModel, spec: MjoSpec | None = None) -> ModelReport:
    """As inspect, of a compiled model together with the spec that it was compiled from."""
    return _report(of_model(model, spec), ())


def _whole(mj: mujoco.MjModel) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], COM [m] and inertia about it [kg·m²] at qpos0, without mocap bodies, which weigh nothing in motion."""
    moved = copy.copy(mj)
    moved.body_mass[mj.body_mocapid >= 0] = 0.0
    moved.body_inertia[mj.body_mocapid >= 0] = 0.0
    mass = float(moved.body_mass.sum())
    data = mujoco.MjData(moved)
    mujoco.mj_kinematics(moved, data)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):  # a refused model's masses may be anything
        data.subtree_com[0] = moved.body_mass @ data.xipos / mass if mass else 0.0
        return mass, data.subtree_com[0].copy(), subtree_inertia(moved, data, 0)


def _report(c: Compiled, ignore: Sequence[str]) -> ModelReport:
    mj = c.mj
    mass, com, inertia = _whole(mj)
    principal = floats(np.linalg.eigvalsh(inertia)) if np.isfinite(inertia).all() else (math.nan,) * 3
    integrator = integrator_name(mj.opt.integrator)
    options = {field.name: getattr(c.options, field.name) for field in dataclasses.fields(c.options)}
    options = {key: _plain_option(value) for key, value in options.items()}
    pairs = len(contact_pairs(mj))
    subject = Subject(
        mj,
        c.spec,
        c.gravity,
        c.orbit,
        None if c.sensors is None else c.sensors.names,
        c.refused,
        c.asked_fixed,
    )
    buffers, momentum = buffer_report(mj), measure(subject)
    return ModelReport(
        name=str(mj.names[: mj.names.index(b"\0")].decode()),
        mass=mass,
        com=floats(com),
        inertia=tuple(floats(row) for row in inertia),
        principal=principal,
        nbody=int(mj.nbody) - 1,
        nq=int(mj.nq),
        nv=int(mj.nv),
        nu=int(mj.nu),
        na=int(mj.na),
        bodies=body_reports(mj),
        joints=joint_reports(mj),
        actuators=actuator_reports(mj),
        parts=parts_of(mj, c.hardware, c.sensors),
        density_geoms=None if c.spec is None else tuple(geom for _, geom in density_geoms(mj, c.spec)),
        contact_pairs=pairs,
        contacts=pairs > 0,
        timestep=float(mj.opt.timestep),
        integrator=integrator,
        integrator_cost=INTEGRATOR_COST.get(integrator, _UNTRIED),
        gravity=c.gravity,
        solver=solver_report(mj),
        buffers=buffers,
        momentum=momentum,
        orbit=None if c.orbit is None else _orbit(c.orbit),
        options=options,
        notes=c.notes,
        advice=advise(subject, buffers, momentum, ignore),
    )
