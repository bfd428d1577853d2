"""Spacecraft parts of a model for its report."""

import dataclasses
from typing import Any

import mujoco
import numpy as np

from mjorbit_warp.hardware.compiled import Hardware
from mjorbit_warp.hardware.compiled_sensors import SensorList
from mjorbit_warp.hardware.parts import KINDS
from mjorbit_warp.inspect_tables import floats
from mjorbit_warp.report import PartReport


def _parameters(part: Any) -> dict[str, Any]:
    """Fields that differ from their defaults."""
    values = {field.name: (getattr(part, field.name), field.default) for field in dataclasses.fields(part)}
    return {name: value for name, (value, default) in values.items() if value != default}


def _body(mj: mujoco.MjModel, index: int) -> str:
    return str(mj.body(index).name) or f"body {index}"


def _site(mj: mujoco.MjModel, site: int, axis: Any = None) -> dict[str, Any]:
    """Where a site is, and an axis of its frame, in the frame of its body."""
    if site < 0:
        return {}
    turned = np.zeros(3)
    if axis is not None:
        mujoco.mju_rotVecQuat(turned, np.asarray(axis, dtype=np.float64), mj.site_quat[site])
    return {
        "site": str(mj.site(site).name) or f"site {site}",
        "position": floats(mj.site_pos[site]),
        "axis": None if axis is None else floats(turned),
    }


def _limits(mj: mujoco.MjModel, ctrl: int) -> tuple[float, ...] | None:
    return floats(mj.actuator_ctrlrange[ctrl]) if ctrl >= 0 and mj.actuator_ctrllimited[ctrl] else None


def _hardware(mj: mujoco.MjModel, hardware: Hardware) -> list[PartReport]:
    out = []
    for kind in KINDS:
        parts = getattr(hardware, kind)
        for i, name in enumerate(parts.names):
            part, ctrl = parts.parts[i], int(parts.ctrl[i])
            axis = parts.axis[i] if ctrl >= 0 else (0.0, 0.0, 1.0) if kind == "surface" else None
            if kind == "surface" and part.sphere:
                axis = None
            out.append(
                PartReport(
                    name,
                    kind.replace("_", " "),
                    _body(mj, int(parts.body[i])),
                    _parameters(part),
                    limits=_limits(mj, ctrl),
                    **_site(mj, int(parts.site[i]), axis),
                )
            )
    return out


def parts_of(mj: mujoco.MjModel, hardware: Hardware | None, sensors: SensorList | None) -> tuple[PartReport, ...]:
    """Wheels, CMGs, magnetorquers, thrusters, tanks, dipoles, surfaces and spacecraft sensors, by kind."""
    out = [] if hardware is None else _hardware(mj, hardware)
    if sensors is None:
        return tuple(out)
    names = sensors.names[: len(sensors.parts)]  # MuJoCo's own with noise come after
    for name, sensor, site in zip(names, sensors.parts, sensors.site[: len(names)], strict=True):
        parameters = _parameters(sensor)
        kind = str(parameters.pop("type")).replace("_", " ")
        body = "-" if site < 0 else _body(mj, int(mj.site_bodyid[site]))
        out.append(PartReport(name, kind, body, parameters, **_site(mj, int(site))))
    return tuple(out)
