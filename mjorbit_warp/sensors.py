"""Sensors on the device: parameters, state, and their launch."""

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import warp as wp

from mjorbit_warp.effects import Effects
from mjorbit_warp.hardware.compiled_sensors import SensorList
from mjorbit_warp.kernels.environment import BodyAxes
from mjorbit_warp.kernels.sensor_types import Motion, Sensors, SensorState, _reset_sensors, vec6d
from mjorbit_warp.kernels.sensors import sensor_kernel
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.parameters import Parameters, shared
from mjorbit_warp.sensor_effects import SensorEffects, ellipsoid

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

ACC = int(mujoco.mjtStage.mjSTAGE_ACC)
STATE = ("seed", "stream", "count", "drift", "tick", "hold")


def sensor_parameters(sensors: SensorList, options: OrbitOptions, orbit: Orbit | None) -> Parameters:
    """Parameters of the sensors, see kernels.sensor_types.Sensors."""
    if not len(sensors):
        return Parameters(Sensors, {})
    arrays: dict[str, wp.array] = {
        name: wp.array(getattr(sensors, name), dtype=int)
        for name in ("kind", "id", "adr", "dim", "datatype", "site", "wheel", "held")
    }
    ecef = [part.frame == "ecef" for part in sensors.parts]
    arrays["ecef"] = wp.array(ecef + [False] * (len(sensors) - len(ecef)), dtype=bool)
    arrays["cutoff"] = wp.array(sensors.cutoff, dtype=float)
    batched = {name: shared(getattr(sensors, name), vec6d) for name in ("noise", "bias", "walk", "quantum")}
    batched["rate"] = shared(sensors.values("rate"), wp.float64)
    batched["half_angle"] = shared(sensors.values("half_angle"), float)
    batched["flattening"] = shared(ellipsoid(options, orbit), wp.float64)
    return Parameters(Sensors, arrays | batched, tuple(batched))


class SensorsData:
    """State and outputs of the sensors in each world.

    Noise depends on a world's seed, its stream, the sensor and the count of its steps, and on nothing else: neither on
    the number of worlds nor on what happens in them. ``mjo_reset`` lets the count go on, so that an episode does not
    repeat the noise of the one before; ``count.zero_()`` starts it again. All but ``value`` are part of get_state.

    Attributes:
      enabled: sensors have their errors; False: they give the truth, at every step
      seed: of each world, 0 to 2^53 − 1                                              (nworld,)
      stream: which of the seed's streams of random numbers a world has, its index at first   (nworld,)
      count: steps that each sensor has seen                                          (nworld, n)
      drift: random walk of each sensor's bias, from 0, by component                  (nworld, n, 6)
      tick: number of the sample that a sensor with a rate holds, −1 for none         (nworld, nheld)
      hold: that sample                                                               (nworld, nheld, 6)
      value: outputs of the spacecraft sensors in float64, before cutoff              (nworld, n, 6)
      names: of the n sensors: spacecraft sensors, then MuJoCo's own with noise
    """

    def __init__(self, sensors: SensorList, nworld: int, seed: int, enabled: bool) -> None:
        n, nheld = len(sensors), sensors.nheld
        self._list = sensors
        self.enabled = enabled
        self.names = sensors.names
        state: Any = SensorState()
        worlds = nworld if n else 0
        state.seed = wp.full(worlds, seed, dtype=wp.int64)
        state.stream = wp.array(np.arange(worlds), dtype=int)
        state.count = wp.zeros((nworld, n), dtype=wp.int64)
        state.drift = wp.zeros((nworld, n), dtype=vec6d)
        state.tick = wp.full((nworld, nheld), -1, dtype=wp.int64)
        state.hold = wp.zeros((nworld, nheld), dtype=vec6d)
        state.value = wp.zeros((nworld, n), dtype=vec6d)
        self.state = state
        for name in (*STATE, "value"):
            setattr(self, name, getattr(state, name))
        self.seed: Any
        self.count: Any

    def __getitem__(self, name: str) -> wp.array:
        """Output of a spacecraft sensor in float64, (nworld, dim), a view."""
        names = self.names[: len(self._list.parts)]
        if name not in names:
            raise KeyError(f"there is no spacecraft sensor {name!r}: allowed are {', '.join(names) or 'none'}")
        i = names.index(name)
        value = self.state.value
        return wp.array(
            ptr=value.ptr + i * value.strides[1],
            dtype=wp.float64,
            shape=(value.shape[0], int(self._list.dim[i])),
            strides=(value.strides[0], 8),
            device=value.device,
            copy=False,
        )


def reset_sensors(d: "MjoData", mask: wp.array) -> None:
    """Masked worlds: no drift, nothing held; the count goes on."""
    if len(d.model.sensors):
        wp.launch(_reset_sensors, dim=d.nworld, inputs=[mask], outputs=[d.sensors.state])


def sensor_columns(m: "MjoModel", d: "MjoData", name: str) -> wp.array:
    """Columns of ``sensordata`` of a sensor by name, (nworld, dim), a view."""
    names = [m.mj.sensor(i).name for i in range(m.mj.nsensor)]
    if name not in names:
        raise KeyError(f"there is no sensor {name!r}: allowed are {', '.join(n for n in names if n) or 'none'}")
    i = names.index(name)
    adr, dim = int(m.mj.sensor_adr[i]), int(m.mj.sensor_dim[i])
    return d.mjw.sensordata[:, adr : adr + dim]


def _effects(m: "MjoModel", d: "MjoData") -> SensorEffects:
    from mjorbit_warp.loads import effects_now

    sensors, errors = m.sensors, bool(d.sensors.enabled)
    eclipse = m.options.eclipse if any("sun" in name for name in sensors.types) else "none"
    gravity = effects_now(m).origin if "accelerometer" in sensors.types else Effects(orbit=False, j2=False)
    return SensorEffects(
        sensors.types, sensors.native and errors, errors, sensors.nheld > 0, eclipse, sensors.field, gravity
    )


def _motion(m: "MjoModel", d: "MjoData") -> Any:
    motion: Any = Motion()
    mm, dd = m.mjw, d.mjw
    motion.rootid, motion.parentid = mm.body_rootid, mm.body_parentid
    motion.dofadr, motion.dofnum = mm.body_dofadr, mm.body_dofnum
    motion.site_bodyid, motion.site_quat = mm.site_bodyid, mm.site_quat
    for name in ("xquat", "site_xpos", "site_xmat", "subtree_com", "cvel", "cdof", "cdof_dot", "qvel", "qacc", "act"):
        setattr(motion, name, getattr(dd, name))
    return motion


def fill_sensors(m: "MjoModel", d: "MjoData", advance: bool) -> None:
    """One launch: outputs of all sensors at the evaluation's state, in ``sensordata``.

    Args:
      advance: inside a step; otherwise the state of the noise stays as it is.
    """
    from mjorbit_warp.loads import _environment

    effects = _effects(m, d)
    n = len(m.sensors) if effects.native else len(m.sensors.parts)
    if n == 0:
        return
    central, model, state, field, orbit = _environment(m, d)
    axes = BodyAxes() if d.orbit is None else d.environment.axes
    wp.launch(
        sensor_kernel(effects),
        dim=(d.nworld, n),
        inputs=[
            m.mjw.opt.timestep,
            central,
            model,
            axes,
            field,
            m.parameters["wheel"].struct,
            m.parameters["sensors"].struct,
            _motion(m, d),
            orbit,
            d._clock,
            state,
            int(advance),
        ],
        outputs=[d.sensors.state, d.mjw.sensordata],
    )
