"""Steps one MJCF in Basilisk's MJScene; run by the Python that has Basilisk, spoken to in lines of JSON.

The first line is the job: mjcf, dt, nstep, qpos, qvel, ctrl (held commands by actuator), mu (a point mass at the origin
that attracts each body [m³/s²], or null), profiles (knots [s, command] by actuator, interpolated at every stage, or
null), order (of that interpolation; 1 without) and high_order (MJScene's highOrderAttitudeIntegration; false without);
then "restart", "run N" or "state" per line.
"""

import json
import os
import sys
import time
from typing import Any


def _column(values: list[float]) -> list[list[float]]:
    return [[x] for x in values]


class Simulation:
    """A simulation of one scene, RK4."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.restart()

    def restart(self) -> None:
        """State and clock of the start: a new scene, for Basilisk's own clock cannot be turned back."""
        from Basilisk.simulation import dynParamManager, mujoco, svIntegrators
        from Basilisk.utilities import SimulationBaseClass, macros

        assert dynParamManager  # gives states a Python type
        job = self.job
        self.sim = SimulationBaseClass.SimBaseClass()
        process = self.sim.CreateNewProcess("dynamics")
        self.step_ns = macros.sec2nano(job["dt"])
        process.addTask(self.sim.CreateNewTask("step", self.step_ns))
        self.scene = mujoco.MJScene.fromFile(job["mjcf"])
        self.scene.highOrderAttitudeIntegration = job.get("high_order", False)
        self.integrator = svIntegrators.svIntegratorRK4(self.scene)
        self.scene.setIntegrator(self.integrator)
        self.sim.AddModelToTask("step", self.scene)
        self.kept: list[Any] = []  # kept alive: Basilisk holds no reference
        if job["mu"] is not None:
            self._attract(job["mu"])
        if job["profiles"] is None:
            self._hold(job["ctrl"])
        else:
            self._follow(job["profiles"])
        self.sim.InitializeSimulation()
        self.scene.dynManager.getStateObject("mujocoQpos").setState(_column(job["qpos"]))
        self.scene.dynManager.getStateObject("mujocoQvel").setState(_column(job["qvel"]))
        self.end = 0

    def _attract(self, mu: float) -> None:
        from Basilisk.simulation import NBodyGravity, pointMassGravityModel

        field, gravity = pointMassGravityModel.PointMassGravityModel(), NBodyGravity.NBodyGravity()
        field.muBody = mu
        gravity.addGravitySource("centre", field, True)
        for name in self.scene.getBodyNames():
            if name != "world":
                gravity.addGravityTarget(name, self.scene.getBody(name))
        self.scene.AddModelToDynamicsTask(gravity)
        self.kept += [field, gravity]

    def _hold(self, ctrl: dict[str, float]) -> None:
        from Basilisk.architecture import messaging

        for name, value in ctrl.items():
            message = messaging.SingleActuatorMsg().write(messaging.SingleActuatorMsgPayload(input=value))
            self.scene.getSingleActuator(name).actuatorInMsg.subscribeTo(message)
            self.kept.append(message)

    def _follow(self, profiles: dict[str, list[list[float]]]) -> None:
        from Basilisk.simulation import mujoco

        for name, knots in profiles.items():
            profile = mujoco.SingleActuatorInterpolator()
            profile.setDataPoints([[1e9 * t, value] for t, value in knots], self.job.get("order", 1))
            self.scene.AddModelToDynamicsTask(profile)
            self.scene.getSingleActuator(name).actuatorInMsg.subscribeTo(profile.interpolatedOutMsg)
            self.kept.append(profile)

    def run(self, count: int) -> dict[str, float]:
        """Seconds, on the clock and of the CPU, of ``count`` times ``nstep`` steps."""
        self.end += count * self.job["nstep"] * self.step_ns
        self.sim.ConfigureStopTime(self.end)
        began, used = time.perf_counter(), time.process_time()
        self.sim.ExecuteSimulation()
        return {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - used}

    def qpos(self) -> list[float]:
        """The coordinates now."""
        return [row[0] for row in self.scene.dynManager.getStateObject("mujocoQpos").getState()]


def main() -> None:
    """Answer each line of stdin with one of stdout."""
    import Basilisk

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Basilisk's own words, which it prints, are no answers
    simulation = Simulation(json.loads(sys.stdin.readline()))
    print(json.dumps({"version": Basilisk.__version__}), flush=True, file=answers)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "restart":
            simulation.restart()
            answer: dict[str, Any] = {}
        elif word == "run":
            answer = simulation.run(int(rest[0]))
        else:
            answer = {"qpos": simulation.qpos()}
        print(json.dumps(answer), flush=True, file=answers)


if __name__ == "__main__":
    main()
