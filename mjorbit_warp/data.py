"""MjoData: the state of many worlds on a device."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mujoco_warp as mjw
import numpy as np
import warp as wp

from mjorbit_warp.conserving import check_conserving, make_conserving
from mjorbit_warp.environment import EnvironmentData
from mjorbit_warp.fresh import FreshRows
from mjorbit_warp.hardware.arrays import HardwareData
from mjorbit_warp.hardware.propellant import make_tanks
from mjorbit_warp.kernels.types import Clock
from mjorbit_warp.latch_data import make_latches
from mjorbit_warp.momentum import make_momentum
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.orbit_data import OrbitData, orbit_per_world
from mjorbit_warp.origin import check_recenter, make_recenter
from mjorbit_warp.seed import check_seed
from mjorbit_warp.sensors import SensorsData, sensor_columns
from mjorbit_warp.shadow import PRECISIONS, check_shadow, make_shadow
from mjorbit_warp.state_ring import StateRing, check_depth
from mjorbit_warp.status import worlds_by_status
from mjorbit_warp.status_arrays import FaultsData
from mjorbit_warp.step import check_pair

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel

_SINGLE_STAGE_NEEDS_ROWS = "implicitfast, implicit and Euler ignore every force when njmax is 0"


class MjoData:
    """Device arrays of nworld worlds.

    Attributes that are not listed here are those of MJWarp's Data, with the same names and shapes.

    Attributes:
      model: the MjoModel.
      mjw: MJWarp's Data.
      nworld: number of worlds.
      orbit: reference orbit, or None in zero gravity; see OrbitData.
      environment: Sun, Moon and body axes, or None; see EnvironmentData.
      hardware: torques, rates and forces of the parts; see HardwareData.
      sensors: state of the sensors' noise, and their outputs in float64; see SensorsData.
      time: elapsed simulation time, float64 [s]                            (nworld,)
      stage_time: time of the dynamics evaluation under way, float64 [s]    (nworld,)
      status: Status bits                                                   (nworld,)
      faults: when each bit was set, and the buffers that were needed; see FaultsData and mjo_status.
      precision: "single", "shadow" or "conserving".
      shadow: float64 ``qpos``, ``qvel``, ``act``; None with precision "single".
      momentum: with precision "shadow", what holds free trees to their momentum, else None.
      conserving: with precision "conserving", what holds free trees to momentum and COM, else None.
      latch: poses of latched equality constraints, None without a weld or connect of bodies; see LatchData.
      recenter: distance of the COM from the origin [m] beyond which a step ends with mjo_recenter, or None.
      ring: the last states of every world, see StateRing, or None.
      qfrc_orbit: the orbit's part of qfrc_passive [N, N·m]                 (nworld, nv)
      wrench: force [N] and torque [N·m] of the orbit about each body's COM, world axes   (nworld, nbody, 6)
    """

    def __init__(
        self,
        model: "MjoModel",
        d: mjw.Data,
        orbits: list[Orbit] | None,
        precision: str,
        seed: int = 0,
        sensor_noise: bool = True,
        recenter: float | None = None,
        state_ring: int | None = None,
    ) -> None:
        nworld = d.nworld
        self.model = model
        self.mjw = d
        self.nworld = nworld
        self.device = model.device
        epoch = np.zeros(nworld) if orbits is None else np.array([o.epoch or 0.0 for o in orbits])
        self._clock = Clock()
        self._clock.time = wp.zeros(nworld, dtype=wp.float64)
        self._clock.base = wp.zeros(nworld, dtype=wp.float64)
        self._clock.nstep = wp.zeros(nworld, dtype=wp.int64)
        self._clock.dt = wp.zeros(nworld, dtype=wp.float64)
        self._clock.epoch = wp.array(epoch, dtype=wp.float64)
        self._clock.t = wp.array(epoch, dtype=wp.float64)
        self.time = self._clock.time
        self.stage_time = wp.zeros(nworld, dtype=wp.float64)
        self.status = wp.zeros(nworld, dtype=int)
        self.faults = FaultsData(d)
        self.qfrc_orbit = wp.zeros((nworld, model.nv), dtype=float)
        self.wrench = wp.zeros((nworld, model.nbody), dtype=wp.spatial_vector)
        # None in zero gravity; Any spares every user a check for that
        self.orbit: Any = None
        if orbits is not None:
            self.orbit = OrbitData(orbits, model.options.orientation, self._clock)
        self.environment: Any = None
        if orbits is not None:
            self.environment = EnvironmentData(model.options, self.orbit.frames, orbits)
        self.hardware: Any = HardwareData(model.hardware, model.mj, nworld, make_tanks(model, nworld))
        self.sensors: Any = SensorsData(model.sensors, nworld, seed, sensor_noise)
        self.precision = precision
        self.shadow: Any = None if precision == "single" else make_shadow(d, model.nv)
        self.momentum: Any = make_momentum(model.mj, nworld) if precision == "shadow" else None
        self.conserving: Any = make_conserving(model.mj, nworld) if precision == "conserving" else None
        self.latch: Any = make_latches(model, nworld)
        self.recenter = recenter
        self._recenter: Any = None  # scratch of mjorbit_warp.origin
        self.ring: Any = None if state_ring is None else StateRing(self, state_ring)
        self.rollouts: dict[Any, Any] = {}  # of mjorbit_warp.rollout, by their shapes
        self._fresh: Any = None  # of mjorbit_warp.fresh
        self._stage: int | None = None  # index of the next dynamics evaluation inside a step
        self._sealed = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "mjw":
            raise AttributeError(name)
        return getattr(self.mjw, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if "_sealed" in self.__dict__ and not name.startswith("_"):
            raise AttributeError(
                f"data.{name} cannot be rebound, as graphs keep the old array: use data.{name}.assign(values)"
            )
        object.__setattr__(self, name, value)

    def sensor(self, name: str) -> wp.array:
        """Output of a sensor by name, (nworld, dim), a view of ``sensordata``."""
        return sensor_columns(self.model, self, name)

    def bad_worlds(self) -> dict[str, list[int]]:
        """Worlds by the name of each status bit that is set (reads from the device); empty when all is well."""
        return worlds_by_status(self.status.numpy())


def make_data(
    model: "MjoModel",
    nworld: int = 1,
    *,
    orbit: Orbit | Sequence[Orbit] | None = None,
    precision: str = "single",
    recenter: float | None = None,
    seed: int = 0,
    sensor_noise: bool = True,
    state_ring: int | None = None,
    deterministic: bool | None = None,
    device: Any = None,
    nconmax: int | None = None,
    njmax: int | None = None,
    **sizes: int | None,
) -> MjoData:
    """Allocate the state of nworld worlds on a device, at MuJoCo's default configuration and the initial orbit.

    Args:
      model: a compiled model; it is placed on ``device`` if it is not on one yet.
      nworld: number of worlds.
      orbit: initial reference orbit, or one per world; default: the model's.
      precision: "single" (MJWarp's float32 state), "shadow" (a float64 copy of the state is what is integrated, and
        rounded into MJWarp's arrays at each step; needs RK4) or "conserving" (the shadow, and momenta and
        COM of each free tree follow float64 integrals of their own; see mjorbit_warp.conserving for contacts).
      recenter: distance of the system's COM from the origin [m] beyond which a step ends by moving the origin there, as
        mjo_recenter does; None never does.
      seed: of the sensors' noise, all worlds alike; ``data.sensors.seed`` has one per world.
      sensor_noise: sensors have their errors, the ``noise=`` of MuJoCo's own included; False: they give the truth.
      state_ring: states of each world to keep on the device, those at the start of its last steps, for mjo_dump.
      deterministic: sets ``model.opt.deterministic``, for all data of the model: without it MJWarp's float atomics add
        in any order on a GPU; with it runs repeat bit for bit there too, at a cost. None leaves it as it is.
      device: Warp device, default the current one.
      nconmax, njmax, sizes: capacities, as in ``mujoco_warp.make_data``.

    Raises:
      ValueError: a size or the orbit does not fit, in one sentence.
    """
    if not isinstance(nworld, int | np.integer) or nworld < 1:
        raise ValueError(f"nworld is {nworld!r}: a positive integer is expected")
    orbits = orbit_per_world(model.orbit, orbit, int(nworld))
    model.put(device if device is not None or model._mjw is None else model.device)
    if deterministic is not None:
        model.opt.deterministic = bool(deterministic)
    rk4 = model.opt.integrator == mjw.IntegratorType.RK4
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}: allowed are {', '.join(map(repr, PRECISIONS))}")
    if precision != "single":
        check_shadow(model.mj, rk4, precision)
    if precision == "conserving":
        check_conserving(model.mj)
    if recenter is not None:
        check_recenter(model.mj, orbits is not None)
        if not (isinstance(recenter, int | float | np.number) and float(recenter) >= 0.0):
            raise ValueError(f"recenter is {recenter!r}: a distance of at least 0 m, or None, is expected")
        recenter = float(recenter)
    depth = None if state_ring is None else check_depth(state_ring)
    if njmax == 0 and not rk4:
        raise ValueError(f"njmax is 0: {_SINGLE_STAGE_NEEDS_ROWS}, at least 1 is needed")
    with wp.ScopedDevice(model.device):

        def allocate(rows: int | None) -> mjw.Data:
            return mjw.make_data(model.mj, nworld=int(nworld), nconmax=nconmax, njmax=rows, **sizes)

        d = allocate(njmax)
        if d.njmax == 0 and not rk4:
            d = allocate(1)
        data = MjoData(model, d, orbits, precision, check_seed(seed), bool(sensor_noise), recenter, depth)
        if recenter is not None:
            data._recenter = make_recenter(model, data)
        model.register(data)
        check_pair(model, data)
        mjw.kinematics(model.mjw, d)
        mjw.com_pos(model.mjw, d)
        data._fresh = FreshRows(data)
    return data
