"""Steps one MJCF in Basilisk's MJScene; run by the Python that has Basilisk, spoken to in lines of JSON.

The first line is the job (mjcf, dt, nstep, qpos, qvel, ctrl); then "restart", "run N" or "state" per line.
"""

import json
import sys
import time
from typing import Any


def _column(values: list[float]) -> list[list[float]]:
    return [[x] for x in values]


class Simulation:
    """A simulation of one scene, RK4."""

    def __init__(self, job: dict[str, Any]) -> None:
        from Basilisk.architecture import messaging
        from Basilisk.simulation import dynParamManager, mujoco, svIntegrators
        from Basilisk.utilities import SimulationBaseClass, macros

        assert dynParamManager  # gives states a Python type
        self.job = job
        self.sim = SimulationBaseClass.SimBaseClass()
        process = self.sim.CreateNewProcess("dynamics")
        self.step_ns = macros.sec2nano(job["dt"])
        process.addTask(self.sim.CreateNewTask("step", self.step_ns))
        self.scene = mujoco.MJScene.fromFile(job["mjcf"])
        self.integrator = svIntegrators.svIntegratorRK4(self.scene)
        self.scene.setIntegrator(self.integrator)
        self.sim.AddModelToTask("step", self.scene)
        self.messages = []  # kept alive: Basilisk holds no reference
        for name, value in job["ctrl"].items():
            message = messaging.SingleActuatorMsg().write(messaging.SingleActuatorMsgPayload(input=value))
            self.scene.getSingleActuator(name).actuatorInMsg.subscribeTo(message)
            self.messages.append(message)
        self.sim.InitializeSimulation()
        self.end = 0
        self.restart()

    def restart(self) -> None:
        """State of the job; Basilisk's clock runs on."""
        self.scene.dynManager.getStateObject("mujocoQpos").setState(_column(self.job["qpos"]))
        self.scene.dynManager.getStateObject("mujocoQvel").setState(_column(self.job["qvel"]))

    def run(self, count: int) -> float:
        """Seconds of ``count`` times ``nstep`` steps."""
        self.end += count * self.job["nstep"] * self.step_ns
        self.sim.ConfigureStopTime(self.end)
        began = time.perf_counter()
        self.sim.ExecuteSimulation()
        return time.perf_counter() - began

    def qpos(self) -> list[float]:
        """The coordinates now."""
        return [row[0] for row in self.scene.dynManager.getStateObject("mujocoQpos").getState()]


def main() -> None:
    """Answer each line of stdin with one of stdout."""
    import Basilisk

    simulation = Simulation(json.loads(sys.stdin.readline()))
    print(json.dumps({"version": Basilisk.__version__}), flush=True)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "restart":
            simulation.restart()
            answer: dict[str, Any] = {}
        elif word == "run":
            answer = {"seconds": simulation.run(int(rest[0]))}
        else:
            answer = {"qpos": simulation.qpos()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
