"""Spacecraft parts of a model for its report."""

import dataclasses
from typing import Any

import mujoco

from mjorbit_warp.hardware.parts import KINDS
from mjorbit_warp.model import MjoModel
from mjorbit_warp.report import PartReport


def _parameters(part: Any) -> dict[str, Any]:
    """Fields that differ from their defaults."""
    values = {field.name: (getattr(part, field.name), field.default) for field in dataclasses.fields(part)}
    return {name: value for name, (value, default) in values.items() if value != default}


def _body(mj: mujoco.MjModel, index: int) -> str:
    return str(mj.body(index).name) or f"body {index}"


def _sensor_body(mj: mujoco.MjModel, name: str) -> str:
    sensor = mj.sensor(name)
    if int(sensor.objtype[0]) != int(mujoco.mjtObj.mjOBJ_SITE):
        return "-"
    return _body(mj, int(mj.site_bodyid[int(sensor.objid[0])]))


def parts_of(model: MjoModel) -> tuple[PartReport, ...]:
    """Wheels, CMGs, magnetorquers, thrusters, tanks, dipoles, surfaces and spacecraft sensors, by kind."""
    mj, out = model.mj, []
    for kind in KINDS:
        parts = getattr(model.hardware, kind)
        for name, part, body in zip(parts.names, parts.parts, parts.body, strict=True):
            out.append(PartReport(name, kind.replace("_", " "), _body(mj, int(body)), _parameters(part)))
    names = model.sensors.names[: len(model.sensors.parts)]  # MuJoCo's own with noise come after
    for name, sensor in zip(names, model.sensors.parts, strict=True):
        parameters = _parameters(sensor)
        kind = str(parameters.pop("type")).replace("_", " ")
        out.append(PartReport(name, kind, _sensor_body(mj, name), parameters))
    return tuple(out)
