"""What is timed on the host: MuJoCo C through ``mujoco.batch``, our reference, and Basilisk where it is installed."""

import copy
import json
import os
import subprocess
import sys
import time
from importlib.resources import files
from typing import Any

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

BASILISK = "MJORBIT_BASILISK_PYTHON"  # a Python that has Basilisk, if this one has not
_FAULTS = Status.NONFINITE | Status.BELOW_SURFACE | Status.TOO_FAR


class HostContender:
    """``nstep`` steps of ``nworld`` worlds by calls on the host; no graphs there.

    Attributes:
      name, kind, nworld, nstep: as of a WarpContender.
      nthread: threads that share the worlds.
    """

    kind = ""
    replayed = False

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
        began = time.perf_counter()
        for _ in range(replays):
            self.replay()
        return time.perf_counter() - began

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
        metrics.refuse_nonfinite(self.name, np.isfinite(self.data.qpos).all(axis=1))
        metrics.refuse_faults(self.name, worlds_by_status(self.data.status, _FAULTS))


def basilisk_python() -> str | None:
    """The Python that has Basilisk with MJScene: this one, or that of $MJORBIT_BASILISK_PYTHON; None without."""
    test = "from Basilisk.simulation import mujoco; mujoco.MJScene"
    for python in filter(None, (os.environ.get(BASILISK), sys.executable)):
        if subprocess.run([python, "-c", test], capture_output=True, check=False).returncode == 0:
            return python
    return None


class Basilisk:
    """Basilisk's MJScene of the same MJCF, one world on one thread, in a process of its own with its own MuJoCo.

    RK4; gravity is off on both sides of the comparison with bare MuJoCo, so this is the cost of the framework.
    """

    kind = "basilisk"
    replayed = False
    nworld = nthread = 1

    def __init__(self, name: str, scene: Scene, nstep: int, python: str) -> None:
        self.name, self.nstep = name, nstep
        mj = scene.compile("RK4", "gravity").mj
        qpos, qvel, values = (x[0].tolist() for x in starts(mj, scene, 1))
        ctrl = {mj.actuator(i).name: values[mj.actuator_ctrladr[i]] for i in range(mj.nactuator)}
        job = {"mjcf": scene.path(), "dt": scene.timestep, "nstep": nstep, "qpos": qpos, "qvel": qvel, "ctrl": ctrl}
        worker = str(files("mjorbit_warp.bench").joinpath("basilisk_worker.py"))
        self._process = subprocess.Popen(
            [python, worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.version = str(self._ask(json.dumps(job))["version"])

    def _ask(self, line: str) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise metrics.Refused(f"{self.name} ended without an answer")
        return json.loads(answer)

    def restart(self) -> None:
        """Back to the start."""
        self._ask("restart")

    def sample(self, replays: int) -> float:
        """Seconds of ``replays`` times ``nstep`` steps, measured over there."""
        return float(self._ask(f"run {replays}")["seconds"])

    def qpos(self) -> list[float]:
        """The coordinates now."""
        return list(self._ask("state")["qpos"])

    def check(self) -> None:
        """Raise metrics.Refused if the state is not finite."""
        metrics.refuse_nonfinite(self.name, np.isfinite(np.array([self.qpos()])).all(axis=1))

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
