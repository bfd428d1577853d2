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
from mjorbit_warp.reference.orbit import Clock, OrbitData
from mjorbit_warp.reference.rk4 import Joints
from mjorbit_warp.reference.wrench import bodies_moved_by_dof
from mjorbit_warp.worlds import check_owner

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel

F64 = NDArray[np.float64]
_MATRICES = ("xmat", "ximat", "geom_xmat", "site_xmat", "cam_xmat")
# bound from the start: the loads need them
_BOUND = ("xipos", "ximat", "cdof", "subtree_com", "cvel", "qacc", "act_dot", "xquat", "xpos")


class MjoData:
    """NumPy arrays of nworld worlds, with the names and shapes of the Warp backend; float64 throughout.

    State arrays (``qpos``, ``ctrl``, …) are live views: write into them. Attributes that are not listed here are fields
    of ``mujoco.MjData`` per world; one that is read for the first time is filled by the next evaluation.

    Attributes:
      model: the MjoModel.
      batch: the ``mujoco.batch.Batch`` that holds the worlds.
      orbit: reference orbit, or None.
      time, stage_time, status: as in the Warp backend.
      qfrc_applied: the user's generalised forces [N, N·m]           (nworld, nv)
      qfrc_orbit: the orbit's generalised forces [N, N·m]            (nworld, nv)
      wrench: the orbit's wrench on each body                        (nworld, nbody, 6)
      central_mu, central_radius, central_j2: as on the MjoModel     (*,)
    """

    def __init__(
        self,
        model: "MjoModel",
        nworld: int,
        orbits: list[Orbit] | None,
        nthread: int,
        options: dict[str, int] | None = None,
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
        for name in _BOUND:
            self._field(name)
        epoch = np.zeros(nworld) if orbits is None else np.array([o.epoch or 0.0 for o in orbits])
        self.clock = Clock(epoch)
        self.time = self.clock.time
        self.stage_time = np.zeros(nworld)
        self.status = np.zeros(nworld, dtype=np.int32)
        self.qfrc_applied = np.zeros((nworld, mj.nv))
        self.qfrc_orbit = np.zeros((nworld, mj.nv))
        self.wrench = np.zeros((nworld, mj.nbody, 6))
        self.joints = Joints(mj)
        self.moved_by = bodies_moved_by_dof(mj.body_parentid, mj.dof_bodyid)
        self.orbit: Any = None
        if orbits is not None:
            body = orbits[0].body
            self.orbit = OrbitData(orbits, model.options.orientation)
            self.central_mu = np.array([body.mu])
            self.central_radius = np.array([body.radius])
            self.central_j2 = np.array([body.j2])

    def _field(self, name: str) -> Any:
        if name not in self._fields:
            array = self.batch.bind(name)
            self._fields[name] = array.reshape(*array.shape[:-1], 3, 3) if name in _MATRICES else array
        return self._fields[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "batch":
            raise AttributeError(name)
        if name not in batch.DATA_FIELDS:
            raise AttributeError(f"no field {name!r} in the reference MjoData or in mujoco.MjData")
        return self._field(name)

    @property
    def t(self) -> F64:
        """Seconds past J2000 TT [s]  (nworld,)"""
        return self.clock.epoch + self.time

    @property
    def timestep(self) -> F64:
        """Step of each world [s]  (nworld,)"""
        expanded = self.batch.expanded("opt.timestep")
        shared = np.full(self.nworld, self.batch.model.opt.timestep)
        return shared if expanded is None else np.asarray(expanded).reshape(self.nworld)

    def expand(self, name: str) -> F64:
        """Values of a model parameter per world, (nworld, …), to write into; masses need set_const afterwards."""
        if name.startswith("central_"):
            setattr(self, name, np.broadcast_to(getattr(self, name), self.nworld).copy())
            return getattr(self, name)
        return self.batch.expand(name)

    def parameter(self, name: str) -> F64:
        """Values of a model parameter per world, read only, leading dimension 1 or nworld."""
        expanded = self.batch.expanded(name)
        return getattr(self.batch.model, name)[None] if expanded is None else expanded

    def bad_worlds(self) -> dict[str, list[int]]:
        """Worlds by the name of each status bit that is set; empty when all is well."""
        from mjorbit_warp.status import worlds_by_status

        return worlds_by_status(self.status)


def make_data(
    model: "MjoModel", nworld: int = 1, *, orbit: Orbit | Sequence[Orbit] | None = None, nthread: int = 0
) -> MjoData:
    """Allocate nworld worlds at MuJoCo's default configuration and the initial orbit.

    Args:
      orbit: initial reference orbit, or one per world; default: the model's.
      nthread: threads of the multibody solve; 0 takes all CPUs.
    """
    if not isinstance(nworld, int | np.integer) or nworld < 1:
        raise ValueError(f"nworld is {nworld!r}: a positive integer is expected")
    data = MjoData(model, int(nworld), orbit_per_world(model.orbit, orbit, int(nworld)), nthread)
    data.batch.forward(stage=mujoco.mjtStage.mjSTAGE_POS.value)
    return data


def set_const(m: "MjoModel", d: MjoData) -> None:
    """Recompute what follows from masses, inertias and positions, per world; the state is untouched.

    MuJoCo C's mj_setConst leaves the reference pose in qpos, so the state is put back.
    """
    check_owner(m, d)
    state = d.batch.state.copy()
    d.batch.set_const()
    d.batch.state[:] = state
