"""MjoData of the reference backend."""

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from mujoco import batch
from numpy.typing import NDArray

from mjorbit_warp.orbit import Orbit
from mjorbit_warp.orbit_data import orbit_per_world
from mjorbit_warp.reference.dropped import bind_counts
from mjorbit_warp.reference.environment import EnvironmentData, environment_parameters
from mjorbit_warp.reference.hardware import KINDS, HardwareData, part_parameters
from mjorbit_warp.reference.kinematics import Kinematics, can_follow, is_faster
from mjorbit_warp.reference.latch import LatchData, write_latches
from mjorbit_warp.reference.orbit import Clock, OrbitData
from mjorbit_warp.reference.rk4 import Joints
from mjorbit_warp.reference.sensors import FIELDS, SensorsData, sensor_parameters
from mjorbit_warp.reference.status import FaultsData
from mjorbit_warp.reference.wrench import ancestry, bodies_moved_by_dof
from mjorbit_warp.seed import check_seed
from mjorbit_warp.worlds import check_reference

if TYPE_CHECKING:
    from mjorbit_warp.effects import Effects
    from mjorbit_warp.model import MjoModel

F64 = NDArray[np.float64]
_MATRICES = ("xmat", "ximat", "geom_xmat", "site_xmat", "cam_xmat")
# bound from the start: the loads need them
_BOUND = ("xipos", "ximat", "cdof", "subtree_com", "cvel", "qacc", "act_dot", "xquat", "xpos")

_BOUND_FOR_PARTS = ("site_xpos", "site_xmat")


class MjoData:
    """NumPy arrays of nworld worlds, with the names and shapes of the Warp backend; float64 throughout.

    State arrays (``qpos``, ``ctrl``, …) are live views: write into them. Attributes that are not listed here are fields
    of ``mujoco.MjData`` per world; one that is read for the first time is filled by the next evaluation.

    Attributes:
      model: the MjoModel.
      batch: the ``mujoco.batch.Batch`` that holds the worlds.
      orbit: reference orbit, or None.
      environment: Sun, Moon and body axes, or None; see EnvironmentData.
      hardware: torques, rates and forces of the parts; see HardwareData.
      sensordata: outputs of all sensors at the last step's start     (nworld, nsensordata)
      sensors: state of the sensors' noise, and their outputs; see SensorsData.
      latch: poses of latched equality constraints; see LatchData.
      time, stage_time, status: as in the Warp backend.
      faults: when each bit of the status was set; see mjo_status.
      qfrc_applied: the user's generalised forces [N, N·m]           (nworld, nv)
      qfrc_orbit: the orbit's generalised forces [N, N·m]            (nworld, nv)
      wrench: the orbit's wrench on each body                        (nworld, nbody, 6)
      central_…, environment_…, wheel_…, cmg_…, dipole_…, thruster_…, surface_…: parameters as on the MjoModel   (*, …)
    """

    def __init__(
        self,
        model: "MjoModel",
        nworld: int,
        orbits: list[Orbit] | None,
        nthread: int,
        options: dict[str, int] | None = None,
        seed: int = 0,
        sensor_noise: bool = True,
        poses: bool | None = None,
    ) -> None:
        mj = copy.copy(model.mj)
        for name, value in (options or {}).items():
            setattr(mj.opt, name, value)
        # MuJoCo C would silently reset a world that is not finite: here it stays, and status says so
        mj.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
        self.model = model
        self.nworld = nworld
        self.batch = batch.Batch(mj, nsim=nworld, nthread=nthread)
        self._fields: dict[str, Any] = {}
        self._effects: dict[tuple[int, int], Effects] = {}
        self.hardware = HardwareData(model.hardware, mj, nworld)
        ours = can_follow(mj) and not self.hardware.present and (is_faster(nworld, nthread) if poses is None else poses)
        self.kinematics = Kinematics(mj) if ours else None
        for name in (*_BOUND, *(_BOUND_FOR_PARTS if model.hardware.any(*KINDS) else ())):
            self._field(name)
        self.bad_commands: NDArray[np.bool_] | None = None
        self.counts = bind_counts(mj, self)
        self.sensordata = np.zeros((nworld, mj.nsensordata))
        if mj.nsensordata:
            self.batch.bind("sensordata")
            for name in FIELDS:
                self._field(name)
        self.sensors = SensorsData(model.sensors, nworld, seed, sensor_noise)
        epoch = np.zeros(nworld) if orbits is None else np.array([o.epoch or 0.0 for o in orbits])
        self.clock = Clock(epoch)
        self.time = self.clock.time
        self.stage_time = np.zeros(nworld)
        self.status = np.zeros(nworld, dtype=np.int32)
        self.faults = FaultsData(nworld)
        self.qfrc_applied = np.zeros((nworld, mj.nv))
        self.qfrc_orbit = np.zeros((nworld, mj.nv), order="F")  # by component, as they are computed
        self.wrench = np.zeros((nworld, mj.nbody, 6), order="F")
        self.latch = LatchData(mj, nworld)
        self.joints = Joints(mj)
        self.inside = ancestry(mj.body_parentid)
        self.moved_by = bodies_moved_by_dof(mj.body_parentid, mj.dof_bodyid)
        if self.hardware.momentum_act.size:
            self.act_dot = np.zeros((nworld, mj.na))  # MuJoCo's, with the rates of wheels and CMGs put in
        self.orbit: Any = None
        self.environment: Any = None
        self._parameters = part_parameters(model.hardware) | sensor_parameters(model)
        if orbits is not None:
            self.orbit = OrbitData(orbits, model.options.orientation)
            self.environment = EnvironmentData(model.options, self.orbit.frames, [o.epoch for o in orbits])
            self._parameters |= environment_parameters(model.options, orbits[0].body)

    def _field(self, name: str) -> Any:
        if name not in self._fields:
            array = self.batch.bind(name)
            self._fields[name] = array.reshape(*array.shape[:-1], 3, 3) if name in _MATRICES else array
            self.__dict__.setdefault(name, self._fields[name])  # read without __getattr__ from now on
        return self._fields[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "batch":
            raise AttributeError(name)
        if name in self._parameters:
            return self._parameters[name]
        if name not in batch.DATA_FIELDS:
            raise AttributeError(f"no field {name!r} in the reference MjoData or in mujoco.MjData")
        return self._field(name)

    @property
    def effects(self) -> "Effects":
        """Effects under the integrator and the disable flags as they are now."""
        options = self.batch.model.opt
        key = int(options.integrator), int(options.disableflags)
        if key not in self._effects:
            self._effects[key] = self.model.effects(*key)
        return self._effects[key]

    @property
    def t(self) -> F64:
        """Seconds past J2000 TT [s]  (nworld,)"""
        return self.clock.epoch + self.time

    @property
    def timestep(self) -> F64:
        """Step of each world [s], read only  (nworld,)"""
        expanded = self.batch.expanded("opt.timestep")
        if expanded is None:
            return np.broadcast_to(self.batch.model.opt.timestep, self.nworld)
        return np.asarray(expanded).reshape(self.nworld)

    def expand(self, name: str) -> F64:
        """Values of a model parameter per world, (nworld, …), to write into; masses need set_const afterwards."""
        if name not in self._parameters:
            return self.batch.expand(name)
        values = self._parameters[name]
        if values.shape[0] == 1:  # an array that is per world already may be held by somebody
            self._parameters[name] = np.repeat(values, self.nworld, axis=0)
        return self._parameters[name]

    def parameter(self, name: str) -> F64:
        """Values of a model parameter per world, read only, leading dimension 1 or nworld."""
        expanded = self.batch.expanded(name)
        return getattr(self.batch.model, name)[None] if expanded is None else expanded

    def sensor(self, name: str) -> F64:
        """Output of a sensor by name, (nworld, dim), a view of ``sensordata``."""
        found = self.model.mj.sensor(name)
        return self.sensordata[:, found.adr[0] : found.adr[0] + found.dim[0]]

    def bad_worlds(self) -> dict[str, list[int]]:
        """Worlds by the name of each status bit that is set; empty when all is well."""
        from mjorbit_warp.status import worlds_by_status

        return worlds_by_status(self.status)


def make_data(
    model: "MjoModel",
    nworld: int = 1,
    *,
    orbit: Orbit | Sequence[Orbit] | None = None,
    seed: int = 0,
    sensor_noise: bool = True,
    nthread: int = 0,
    numpy_poses: bool | None = None,
) -> MjoData:
    """Allocate nworld worlds at MuJoCo's default configuration and the initial orbit.

    Args:
      orbit: initial reference orbit, or one per world; default: the model's.
      seed, sensor_noise: as in mjorbit_warp.make_data.
      nthread: threads of the multibody solve; 0 takes all CPUs.
      numpy_poses: place the bodies for the loads by our own kinematics rather than by MuJoCo's position stage, where
        that is possible (no hardware, no mocap bodies); the two differ by rounding. None: if it is likely to be faster.
    """
    if not isinstance(nworld, int | np.integer) or nworld < 1:
        raise ValueError(f"nworld is {nworld!r}: a positive integer is expected")
    orbits = orbit_per_world(model.orbit, orbit, int(nworld))
    noise = bool(sensor_noise)
    data = MjoData(model, int(nworld), orbits, nthread, seed=check_seed(seed), sensor_noise=noise, poses=numpy_poses)
    data.batch.forward(stage=mujoco.mjtStage.mjSTAGE_POS.value)
    return data


def set_const(m: "MjoModel", d: MjoData) -> None:
    """Recompute what follows from masses, inertias and positions, per world; the state is untouched.

    MuJoCo C's mj_setConst leaves the reference pose in qpos, so the state is put back.
    """
    check_reference(m, d)
    state = d.batch.state.copy()
    write_latches(d, np.zeros_like(d.latch.on))  # the model's numbers follow, not the poses that are held
    d.batch.set_const()
    d.batch.state[:] = state
    write_latches(d)
