"""Spacecraft sensors and their errors, in float64 over worlds; names as in the Warp backend."""

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _quat, _vector
from mjorbit_warp.hardware.compiled_sensors import ERRORS, SensorList
from mjorbit_warp.hardware.sensor import Sensor
from mjorbit_warp.reference.atmosphere import altitude
from mjorbit_warp.reference.body_gravity import gravity_difference
from mjorbit_warp.reference.environment import body_axes
from mjorbit_warp.reference.ephemeris import sun_position
from mjorbit_warp.reference.noise import normal4
from mjorbit_warp.reference.surface_loads import sunlit_fraction
from mjorbit_warp.sensor_effects import ellipsoid

if TYPE_CHECKING:
    from mjorbit_warp.effects import Effects
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]
FIELDS = ("site_xpos", "site_xmat", "cvel", "cdof", "cdof_dot", "subtree_com", "qacc", "xquat")
_DATA = mujoco.mjtDataType


def sensor_parameters(model: "MjoModel") -> dict[str, F64]:
    """``sensors_<name>`` as on the Warp model, leading dimension 1."""
    sensors = model.sensors
    if not len(sensors):
        return {}
    values = {name: getattr(sensors, name) for name in ERRORS}
    values |= {name: sensors.values(name) for name in ("rate", "half_angle")}
    values["flattening"] = np.asarray(ellipsoid(model.options, model.orbit))
    return {f"sensors_{name}": np.asarray(value, dtype=np.float64)[None] for name, value in values.items()}


class SensorsData:
    """State and outputs of the sensors in each world, see mjorbit_warp.sensors.SensorsData."""

    def __init__(self, sensors: SensorList, nworld: int, seed: int = 0, enabled: bool = True) -> None:
        n, nheld = len(sensors), sensors.nheld
        worlds = nworld if n else 0
        self._list = sensors
        self.enabled = enabled
        self.names = sensors.names
        self.seed = np.full(worlds, seed, dtype=np.int64)
        self.stream = np.arange(worlds)
        self.count = np.zeros((nworld, n), dtype=np.int64)
        self.drift = np.zeros((nworld, n, 6))
        self.tick = np.full((nworld, nheld), -1, dtype=np.int64)
        self.hold = np.zeros((nworld, nheld, 6))
        self.value = np.zeros((nworld, n, 6))

    def __getitem__(self, name: str) -> F64:
        """Output of a spacecraft sensor in float64, (nworld, dim), a view."""
        i = self.names.index(name)
        return self.value[:, i, : self._list.dim[i]]

    def reset(self, ids: NDArray[np.int64]) -> None:
        """No drift, nothing held; the count goes on."""
        self.drift[ids] = self.hold[ids] = self.value[ids] = 0.0
        self.tick[ids] = -1


class _Site:
    """Motion of a site relative to the orbit's origin, world axes."""

    def __init__(self, d: "MjoData", site: int, qvel: F64) -> None:
        mj = d.model.mj
        self.d, self.site, self.qvel = d, site, qvel
        self.body = int(mj.site_bodyid[site])
        self.x = d.site_xpos[:, site]
        self.arm = self.x - d.subtree_com[:, mj.body_rootid[self.body]]
        self.omega = d.cvel[:, self.body, :3]
        self.v = d.cvel[:, self.body, 3:] + _vector.cross(self.omega, self.arm)

    def acceleration(self) -> F64:
        """a + α×r + ω×v from Σ (cdof_dot q̇ + cdof q̈) over the dofs that move the body."""
        d = self.d
        rates = d.cdof_dot * self.qvel[..., None] + d.cdof * d.qacc[..., None]
        spatial = np.einsum("i,wik->wk", d.moved_by[:, self.body], rates)
        return spatial[:, 3:] + _vector.cross(spatial[:, :3], self.arm) + _vector.cross(self.omega, self.v)

    def local(self, x: F64) -> F64:
        """A vector in world axes into the site's axes."""
        return np.einsum("wji,wj->wi", self.d.site_xmat[:, self.site], x)


def _sun(d: "MjoData", part: Sensor, i: int, s: _Site, at: F64, t: F64) -> F64:
    fixed = d.model.options.sun
    sun = sun_position(t, d.model.orbit.body.name) if fixed is None else np.broadcast_to(fixed, at.shape)  # type: ignore[union-attr]
    to_sun = s.local(sun - at)
    to_sun = to_sun / np.linalg.norm(to_sun, axis=-1, keepdims=True)
    before, d.environment.sun = d.environment.sun, sun
    lit = np.broadcast_to(sunlit_fraction(d, d.model.options.eclipse, at[:, None]), (d.nworld, 1))[:, 0]
    d.environment.sun = before
    half_angle = d.sensors_half_angle[:, i]
    seen = (half_angle >= np.pi) | (to_sun[:, 2] >= np.cos(half_angle))
    if part.type == "coarse_sun_sensor":
        return (seen * lit * np.maximum(to_sun[:, 2], 0.0))[:, None]
    return np.where((seen & (lit > 0.0))[:, None], to_sun, 0.0)


def _gps(d: "MjoData", part: Sensor, s: _Site, at: F64, t: F64) -> F64:
    v = d.orbit.v + s.v
    if part.frame == "eci":
        return np.concatenate([at, v], axis=-1)
    e = d.environment
    turning = v - e.rate[:, None] * _vector.cross(np.broadcast_to(d.orbit.pole, at.shape), at)
    return np.einsum("wij,wkj->wki", body_axes(e, t), np.stack([at, turning], axis=1)).reshape(d.nworld, 6)


def truth(d: "MjoData", effects: "Effects", i: int, part: Sensor, qvel: F64, act: F64) -> F64:
    """Output (nworld, dim) of sensor ``i`` without errors; see hardware.Sensor."""
    sensors, hardware, kind = d.model.sensors, d.model.hardware, part.type
    if kind == "wheel_speed":
        wheels, j = hardware.reaction_wheel, int(sensors.wheel[i])
        axis = np.einsum("wij,j->wi", d.site_xmat[:, wheels.site[j]], wheels.axis[j])
        spin = np.sum(axis * d.cvel[:, d.model.mj.site_bodyid[wheels.site[j]], :3], axis=-1)
        return (act[:, wheels.act[j]] / d.wheel_inertia[:, j] - spin)[:, None]
    s = _Site(d, int(sensors.site[i]), qvel)
    if kind == "gyro":
        return s.local(s.omega)
    if kind == "star_tracker":
        q = _quat.mul(d.xquat[:, s.body], d.parameter("site_quat")[:, s.site])
        return np.where(q[:, :1] < 0.0, -q, q)
    if kind == "accelerometer":
        force = s.acceleration()
        if d.orbit is not None:
            force = force - gravity_difference(d, effects, d.orbit.r, s.x[:, None])[:, 0]
            if effects.feedback:
                force = force + d.orbit.feedback
        return s.local(force)
    at, t = d.orbit.r + s.x, d.clock.epoch + d.time
    if kind == "nadir":
        return s.local(-at / np.linalg.norm(at, axis=-1, keepdims=True))
    if kind == "altitude":
        return altitude(at, d.orbit.pole, d.central_radius, d.sensors_flattening)[:, None]
    if kind == "gps":
        return _gps(d, part, s, at, t)
    if kind == "magnetometer":
        axes = body_axes(d.environment, t)
        b = d.environment.field.at(np.einsum("wij,wj->wi", axes, at)[:, None], t)[:, 0]
        return s.local(np.einsum("wji,wj->wi", axes, b))
    return _sun(d, part, i, s, at, t)


def quat_turned(q: F64, rotation: F64) -> F64:
    """q exp(θ/2), w ≥ 0: turned by the rotation vectors θ [rad] in its own axes."""
    half = 0.5 * np.linalg.norm(rotation, axis=-1, keepdims=True)
    out = _quat.mul(q, np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * rotation], axis=-1))
    out = out / np.linalg.norm(out, axis=-1, keepdims=True)
    return np.where(out[..., :1] < 0.0, -out, out)


def add_errors(value: F64, part: Sensor, error: F64, quantum: F64) -> F64:
    """quantum · round((truth + error)/quantum); see hardware.Sensor for quaternions and unit vectors."""
    if part.type == "star_tracker":
        return quat_turned(value, error[:, :3])
    dim = value.shape[1]
    out = value + error[:, :dim]
    if part.type in ("fine_sun_sensor", "nadir"):
        out = out / np.linalg.norm(out, axis=-1, keepdims=True)
    q = quantum[:, :dim]
    out = np.where(q > 0.0, np.rint(out / np.where(q > 0.0, q, 1.0)) * q, out)
    return np.where((value == 0.0).all(axis=1, keepdims=True), value, out) if part.type == "fine_sun_sensor" else out


def _normals(d: "MjoData", i: int, use: int, size: int) -> F64:
    s = d.sensors
    blocks = np.arange((size + 3) // 4)
    z = normal4(s.seed[:, None], s.stream[:, None], s.count[:, i, None], d.model.sensors.id[i], use, blocks)
    return z.reshape(d.nworld, -1)[:, :size]


def _spacecraft(d: "MjoData", effects: "Effects", i: int, part: Sensor, advance: bool, qvel: F64, act: F64) -> F64:
    s, row = d.sensors, int(d.model.sensors.held[i])
    value = truth(d, effects, i, part, qvel, act)
    if not s.enabled:
        return value
    noise, walk = d.sensors_noise[:, i], d.sensors_walk[:, i]
    error = d.sensors_bias[:, i] + s.drift[:, i]
    if noise.any():
        error = error + noise * _normals(d, i, 0, 6)
    value = add_errors(value, part, error, np.broadcast_to(d.sensors_quantum[:, i], error.shape))
    if row >= 0:
        number = np.floor(d.time * d.sensors_rate[:, i] * (1.0 + 1e-7) + 1e-9).astype(np.int64)
        due = number != s.tick[:, row]
        value = np.where(due[:, None], value, s.hold[:, row, : value.shape[1]])
        if advance:
            s.tick[:, row] = number
            s.hold[:, row, : value.shape[1]] = value
    if advance and walk.any():
        s.drift[:, i] += np.sqrt(d.timestep)[:, None] * walk * _normals(d, i, 1, 6)
    return value


def noisy_native(value: F64, datatype: int, cutoff: float, noise: F64, z: F64) -> F64:
    """White noise on a sensor of MuJoCo's own; see kernels.sensor_errors.noisy_native."""
    if datatype == _DATA.mjDATATYPE_QUATERNION:
        return quat_turned(value, noise * z[:, :3])
    noisy = value + noise * z
    if datatype == _DATA.mjDATATYPE_AXIS:
        return noisy / np.linalg.norm(noisy, axis=-1, keepdims=True)
    if datatype == _DATA.mjDATATYPE_POSITIVE:
        noisy = np.where(value < 0.0, value, np.maximum(noisy, 0.0))
        return np.minimum(noisy, cutoff) if cutoff > 0.0 else noisy
    return np.clip(noisy, -cutoff, cutoff) if cutoff > 0.0 else noisy


def fill_sensors(d: "MjoData", effects: "Effects", advance: bool, qvel: F64, act: F64) -> None:
    """Outputs of all sensors at the evaluation's state, in ``sensordata``.

    Args:
      advance: inside a step; otherwise the state of the noise stays as it is.
      qvel, act: of the evaluation, which a single-stage step has left by now.
    """
    sensors = d.model.sensors
    if not d.model.mj.nsensordata or d.batch.model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_SENSOR):
        return
    data = d.sensordata  # ours: later RK4 stages leave it alone, as in MuJoCo
    data[:] = d.batch.bind("sensordata")
    for i in range(len(sensors)):
        columns = slice(int(sensors.adr[i]), int(sensors.adr[i] + sensors.dim[i]))
        cutoff = float(sensors.cutoff[i])
        if i < len(sensors.parts):
            value = _spacecraft(d, effects, i, sensors.parts[i], advance, qvel, act)
            d.sensors.value[:, i, : value.shape[1]] = value
            data[:, columns] = np.clip(value, -cutoff, cutoff) if cutoff > 0.0 else value
        elif d.sensors.enabled:
            z = _normals(d, i, 0, int(sensors.dim[i]))
            noise = d.sensors_noise[:, i, :1]
            data[:, columns] = noisy_native(data[:, columns].copy(), int(sensors.datatype[i]), cutoff, noise, z)
    if advance:
        n = len(sensors) if d.sensors.enabled else len(sensors.parts)
        d.sensors.count[:, :n] += 1
