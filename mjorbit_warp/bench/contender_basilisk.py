"""Basilisk's MJScene, where it is installed, in a process of its own."""

import json
import os
import subprocess
import sys
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.bench import metrics
from mjorbit_warp.bench.scenes import Scene
from mjorbit_warp.bench.starts import starts

BASILISK = "MJORBIT_BASILISK_PYTHON"  # a Python that has Basilisk, if this one has not


def basilisk_python() -> str | None:
    """The Python that has Basilisk with MJScene: this one, or that of $MJORBIT_BASILISK_PYTHON; None without."""
    test = "from Basilisk.simulation import mujoco; mujoco.MJScene"
    for python in filter(None, (os.environ.get(BASILISK), sys.executable)):
        if subprocess.run([python, "-c", test], capture_output=True, check=False).returncode == 0:
            return python
    return None


class BasiliskProcess:
    """A job of basilisk_worker in a process of its own.

    Args:
      name: of the contender, for messages.
      python: the Python that has Basilisk.
      job: as basilisk_worker says.
    """

    def __init__(self, name: str, python: str, job: dict[str, Any]) -> None:
        self.name = name
        worker = str(files("mjorbit_warp.bench").joinpath("basilisk_worker.py"))
        self._process = subprocess.Popen(
            [python, worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.version = str(self.ask(json.dumps(job))["version"])

    def ask(self, line: str) -> Any:
        """The answer to a line.

        Raises:
          metrics.Refused: the process has ended.
        """
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
        self.ask("restart")

    def qpos(self) -> list[float]:
        """The coordinates now; with gravity the first three are from the centre of the attraction."""
        return list(self.ask("state")["qpos"])

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


class Basilisk(BasiliskProcess):
    """Basilisk's MJScene of the same MJCF, one world on one thread, with its own MuJoCo; RK4.

    Without gravity on both sides of a comparison with bare MuJoCo it is the cost of the framework.

    Args:
      python: the Python that has Basilisk.
      gravity: in the scene's orbit, each body attracted by a point mass; else no gravity at all.
      profiles: knots (n, 2) of [s] and command by actuator, interpolated linearly at every stage; None holds the
        scene's commands.
      cpu: samples are the CPU's seconds of that process, not the clock's.
    """

    kind = "basilisk"
    replayed = False
    nworld = nthread = 1

    def __init__(
        self,
        name: str,
        scene: Scene,
        nstep: int,
        python: str,
        gravity: bool = False,
        profiles: dict[str, NDArray[np.float64]] | None = None,
        cpu: bool = False,
    ) -> None:
        self.nstep, self._seconds = nstep, "cpu_seconds" if cpu else "seconds"
        model = scene.compile("RK4", "gravity")
        qpos, qvel, values = (x[0] for x in starts(model.mj, scene, 1))
        mu = None
        if gravity:
            assert model.orbit is not None
            mu = model.orbit.body.mu
            qpos[:3] += model.orbit.r
            qvel[:3] += model.orbit.v
        mj = model.mj
        job = {
            "mjcf": scene.path(),
            "dt": scene.timestep,
            "nstep": nstep,
            "qpos": qpos.tolist(),
            "qvel": qvel.tolist(),
            "ctrl": {mj.actuator(i).name: float(values[mj.actuator_ctrladr[i]]) for i in range(mj.nactuator)},
            "mu": mu,
            "profiles": None if profiles is None else {key: knots.tolist() for key, knots in profiles.items()},
        }
        super().__init__(name, python, job)

    def sample(self, replays: int) -> float:
        """Seconds of ``replays`` times ``nstep`` steps, measured over there."""
        return float(self.ask(f"run {replays}")[self._seconds])

    def check(self) -> None:
        """Raise metrics.Refused if the state is not finite."""
        metrics.refuse_nonfinite(self.name, np.isfinite(np.array([self.qpos()])).all(axis=1))
