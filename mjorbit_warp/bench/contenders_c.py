"""What is timed on the host: MuJoCo C through ``mujoco.batch``, and our reference."""

import copy
import time
from collections.abc import Callable

import mujoco
import numpy as np
from mujoco import batch

from mjorbit_warp.bench import metrics
from mjorbit_warp.bench.scenes import Scene
from mjorbit_warp.bench.starts import starts
from mjorbit_warp.model import MjoModel
from mjorbit_warp.reference.data import make_data
from mjorbit_warp.reference.state import mjo_reset
from mjorbit_warp.reference.step import mjo_step
from mjorbit_warp.status import Status, worlds_by_status

_FAULTS = Status.NONFINITE | Status.BELOW_SURFACE | Status.TOO_FAR


class HostContender:
    """``nstep`` steps of ``nworld`` worlds by calls on the host; no graphs there.

    Attributes:
      name, kind, nworld, nstep: as of a WarpContender.
      nthread: threads that share the worlds.
      clock: what samples are measured with [s]; ``time.process_time`` adds the time of all threads up.
    """

    kind = ""
    replayed = False
    clock: Callable[[], float] = staticmethod(time.perf_counter)

    def __init__(self, name: str, model: MjoModel, scene: Scene, nworld: int, nstep: int, nthread: int) -> None:
        self.name, self.model, self.nworld, self.nstep, self.nthread = name, model, nworld, nstep, nthread
        self.start = starts(model.mj, scene, nworld)
        self._make()
        self.restart()

    def _make(self) -> None:
        raise NotImplementedError

    def restart(self) -> None:
        """All worlds back to the start."""
        raise NotImplementedError

    def replay(self) -> None:
        """Advance by ``nstep`` steps."""
        raise NotImplementedError

    def sample(self, replays: int) -> float:
        """Seconds that ``replays`` advances take."""
        began = self.clock()
        for _ in range(replays):
            self.replay()
        return self.clock() - began

    def check(self) -> None:
        """Raise metrics.Refused if what has been run must not be reported."""
        raise NotImplementedError


class BareC(HostContender):
    """MuJoCo C's own step of the same MJCF, all worlds in one ``mujoco.batch.Batch``."""

    kind = "mujoco"

    def _make(self) -> None:
        mj = copy.copy(self.model.mj)
        # MuJoCo C would silently reset a world that is not finite
        mj.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
        self.batch = batch.Batch(mj, nsim=self.nworld, nthread=self.nthread)

    def restart(self) -> None:
        self.batch.reset(stage=mujoco.mjtStage.mjSTAGE_NONE.value)
        for name, values in zip(("qpos", "qvel", "ctrl"), self.start, strict=True):
            self.batch.bind(name)[:] = values

    def replay(self) -> None:
        for _ in range(self.nstep):  # as the reference steps: a Python call each
            self.batch.step()

    def check(self) -> None:
        metrics.refuse_nonfinite(self.name, np.isfinite(self.batch.bind("qpos")).all(axis=1))


class BareCLoop(BareC):
    """The same, all steps in one call of the batch: what MuJoCo C can do at best."""

    def replay(self) -> None:
        self.batch.step(nstep=self.nstep)


class ReferenceC(HostContender):
    """Our reference backend."""

    kind = "mjorbit_warp.reference"

    def _make(self) -> None:
        self.data = make_data(self.model, nworld=self.nworld, nthread=self.nthread)

    def restart(self) -> None:
        mjo_reset(self.model, self.data)
        for name, values in zip(("qpos", "qvel", "ctrl"), self.start, strict=True):
            getattr(self.data, name)[:] = values

    def replay(self) -> None:
        for _ in range(self.nstep):
            mjo_step(self.model, self.data)

    def check(self) -> None:
        d = self.data  # a world that is lost stays as it was found: its coordinates may be finite
        good = np.isfinite(d.qpos).all(axis=1) & np.isfinite(d.qvel).all(axis=1)
        metrics.refuse_nonfinite(self.name, good)
        metrics.refuse_faults(self.name, worlds_by_status(self.data.status, _FAULTS))
