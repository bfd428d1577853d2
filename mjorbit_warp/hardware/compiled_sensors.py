"""Sensors of a compiled model that are filled or made noisy here: read from MJCF and ``<custom>``, and checked."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.hardware.compiled import Hardware, part_texts
from mjorbit_warp.hardware.sensor import NEED_ORBIT, SUN_SENSORS, TYPES, Sensor
from mjorbit_warp.hardware.text import decode, split_name
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.sensor_effects import KINDS, NATIVE

I32 = NDArray[np.int32]
F64 = NDArray[np.float64]
ERRORS = ("noise", "bias", "walk", "quantum")


@dataclass(frozen=True)
class SensorList:
    """Spacecraft sensors, then MuJoCo's own with a ``noise=`` attribute, each in the model's order.

    Attributes:
      names: of the sensors
      parts: parameters of the spacecraft sensors, which are the first ``len(parts)``
      kind: of sensor_effects.KINDS, or NATIVE                        (n,)
      id: index of the MuJoCo sensor                            (n,)
      adr, dim: columns of sensordata                           (n,)
      datatype: mujoco.mjtDataType                              (n,)
      cutoff: outputs are limited to ± this, 0 for none         (n,)
      site: −1 for a wheel_speed sensor and MuJoCo's own        (n,)
      wheel: index of the reaction wheel, or −1                 (n,)
      held: row of the held value of a sensor with a rate, or −1  (n,)
      noise, bias, walk, quantum: of each component             (n, 6)
      sun: the Sun is needed and moves
      axes: the central body's axes are needed
      field: degree of the magnetic field, 0 if none is needed
    """

    names: tuple[str, ...]
    parts: tuple[Sensor, ...]
    kind: I32
    id: I32
    adr: I32
    dim: I32
    datatype: I32
    cutoff: F64
    site: I32
    wheel: I32
    held: I32
    noise: F64
    bias: F64
    walk: F64
    quantum: F64
    sun: bool
    axes: bool
    field: int

    def __len__(self) -> int:
        return len(self.names)

    @property
    def types(self) -> tuple[str, ...]:
        """Types that the model has."""
        return tuple(sorted({part.type for part in self.parts}))

    @property
    def native(self) -> bool:
        """Whether a sensor of MuJoCo's own is noisy."""
        return len(self.names) > len(self.parts)

    @property
    def nheld(self) -> int:
        """Number of sensors with a rate."""
        return int((self.held >= 0).sum())

    def values(self, field: str) -> F64:
        """A parameter of all, 0 for MuJoCo's own  (n,)"""
        numbers = [float(getattr(part, field)) for part in self.parts]
        return np.array(numbers + [0.0] * (len(self) - len(numbers)))


def _sensor_id(mj: mujoco.MjModel, name: str) -> int:
    index = mujoco.mj_name2id(mj, mujoco.mjtObj.mjOBJ_SENSOR, name)
    user = [mj.sensor(i).name for i in range(mj.nsensor) if mj.sensor_type[i] == mujoco.mjtSensor.mjSENS_USER]
    if index < 0:
        known = ", ".join(n for n in user if n) or "none in this model"
        raise ValueError(f"<custom> mjo_sensor:{name} names no sensor: allowed are {known}")
    if mj.sensor_type[index] != mujoco.mjtSensor.mjSENS_USER:
        kind = mujoco.mjtSensor(mj.sensor_type[index]).name[7:].lower()
        raise ValueError(f"sensor {name} is MuJoCo's own {kind}: mjo_sensor belongs to a <user> sensor")
    return index


def _wheel(wheel: str, prefix: str, sensor: str, wheels: tuple[str, ...]) -> int:
    """Index of a sensor's wheel: in an attached model it has the prefix and the suffix that the sensor has."""
    wanted = prefix + wheel
    if wanted in wheels:
        return wheels.index(wanted)
    for i, name in enumerate(wheels):
        if name.startswith(wanted) and sensor.endswith(name.removeprefix(wanted)):
            return i
    known = ", ".join(wheels) or "none in this model"
    raise ValueError(f"sensor {sensor}: {wheel!r} is not a reaction wheel: allowed are {known}")


def _read(mj: mujoco.MjModel, key: str, text: str, hardware: Hardware) -> dict[str, Any]:
    _, name, prefix = split_name(key)
    where = f"sensor {name}"
    i = _sensor_id(mj, name)
    part = decode(Sensor, text, where)
    if mj.sensor_dim[i] != TYPES[part.type]:
        raise ValueError(f"{where}: dim is {mj.sensor_dim[i]}: type {part.type} has {TYPES[part.type]}")
    if mj.sensor_delay[i] or mj.sensor_interval[i].any() or mj.sensor_history[i].any():
        raise ValueError(f"{where}: delay, interval and nsample are MuJoCo's own sensors': use rate=<Hz> instead")
    if mj.sensor_noise[i]:
        if any(part.noise):
            raise ValueError(f"{where}: noise is given twice: in the <user> element and in <custom>")
        if part.type == "gps":
            raise ValueError(f'{where}: one noise for position and velocity: give noise="<position> <velocity>"')
        part = dataclasses.replace(part, noise=(float(mj.sensor_noise[i]),))
    site = -1
    if part.type == "wheel_speed":
        wheel = _wheel(part.wheel, prefix, name, hardware.reaction_wheel.names)
    else:
        wheel = -1
        if mj.sensor_objtype[i] != mujoco.mjtObj.mjOBJ_SITE:
            raise ValueError(f'{where}: type {part.type} needs a site: give it objtype="site" and objname')
        site = int(mj.sensor_objid[i])
    return {"name": name, "part": part, "kind": KINDS[part.type], "id": i, "site": site, "wheel": wheel}


def _native(mj: mujoco.MjModel) -> list[dict[str, Any]]:
    rows = []
    for i in np.flatnonzero(mj.sensor_noise > 0.0):
        if mj.sensor_type[i] != mujoco.mjtSensor.mjSENS_USER:
            name = mj.sensor(i).name or f"sensor {i}"
            rows.append({"name": name, "kind": NATIVE, "id": int(i), "site": -1, "wheel": -1})
    return rows


def _check(part: Sensor, where: str, options: OrbitOptions, orbit: Orbit | None) -> None:
    """Refuse a sensor that nothing can be measured with."""
    if orbit is None:
        if part.type in NEED_ORBIT:
            raise ValueError(f"{where}: type {part.type} needs an orbit: set spec.orbit")
        return
    if part.type == "magnetometer" and options.magnetic_field is None:
        raise ValueError(
            f"{where}: type magnetometer needs a magnetic field: set spec.options.magnetic_field, e.g. to "
            "MagneticField.igrf()"
        )
    if part.type in SUN_SENSORS and orbit.epoch is None and options.sun is None:
        raise ValueError(f"{where}: the Sun needs the orbit's epoch: give the orbit one, or set spec.options.sun")


def compile_sensors(mj: mujoco.MjModel, options: OrbitOptions, orbit: Orbit | None, hardware: Hardware) -> SensorList:
    """All sensors of a compiled model that need this package.

    Raises:
      ValueError: a sensor is wrong or lacks what it measures, in one sentence with its name.
    """
    ours = [_read(mj, key, text, hardware) for key, text in part_texts(mj).items() if split_name(key)[0] == Sensor.KIND]
    ours.sort(key=lambda row: row["id"])
    for row in ours:
        _check(row["part"], f"sensor {row['name']}", options, orbit)
    rows = ours + _native(mj)
    parts = tuple(row["part"] for row in ours)
    ids = np.array([row["id"] for row in rows], dtype=np.int32)
    errors = {name: np.zeros((len(rows), 6)) for name in ERRORS}
    for name, array in errors.items():
        for i, part in enumerate(parts):
            array[i] = part.errors(name)
    errors["noise"][len(parts) :] = mj.sensor_noise[ids[len(parts) :], None]
    rated = np.array([part.rate > 0.0 for part in parts] + [False] * (len(rows) - len(parts)), dtype=bool)
    types = {part.type for part in parts}
    columns: dict[str, Any] = dict(errors)
    columns |= {key: np.array([row[key] for row in rows], dtype=np.int32) for key in ("kind", "site", "wheel")}
    magnetometer = "magnetometer" in types and options.magnetic_field is not None
    return SensorList(
        names=tuple(row["name"] for row in rows),
        parts=parts,
        id=ids,
        adr=mj.sensor_adr[ids].astype(np.int32),
        dim=mj.sensor_dim[ids].astype(np.int32),
        datatype=mj.sensor_datatype[ids].astype(np.int32),
        cutoff=mj.sensor_cutoff[ids].astype(np.float64),
        held=np.where(rated, np.cumsum(rated) - 1, -1).astype(np.int32),
        sun=bool(types.intersection(SUN_SENSORS)) and options.sun is None,
        axes=magnetometer or any(part.frame == "ecef" for part in parts),
        field=options.magnetic_field.degree if magnetometer and options.magnetic_field else 0,
        **columns,
    )
