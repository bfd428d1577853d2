"""The bimanual free-flyer of figure 5: who steps it, and how far each is from the truth.

Every contender gets the same commands, evaluated at each of its integrator's stages (single-stage integrators: at the
start of the step), and the same gravity, a point mass that attracts the COM of each body.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np

from benchmarks.paper.frozen import PassiveOrbit
from mjorbit_warp.bench.contender_basilisk import BasiliskProcess
from mjorbit_warp.models import model_path
from mjorbit_warp.validation.models import MU, angle
from mjorbit_warp.validation.simulation import Simulation
from mjorbit_warp.validation.truth import load
from mjorbit_warp.validation.truth_motion import arm_command, command, two_arm_model, two_arm_start

DT = 0.1  # s
HALF_ORBIT = 2780.0  # s, as long as the truth is known
STRIDE = 200  # steps between two samples of the truth
TIMED = 50  # steps that are timed together
# Basilisk's commands: a knot each second and polynomials, 1e-12 rad off at periods of 80 s
KNOT, ORDER = 1.0, 7
# shadow and conserving need RK4: a single-stage integrator's error is not rounding
OURS = (
    ("reference", "RK4"),
    ("warp", "RK4"),
    ("shadow", "RK4"),
    ("conserving", "RK4"),
    ("reference", "implicitfast"),
    ("warp", "implicitfast"),
)
Samples = Iterator[tuple[float, np.ndarray]]  # time [s], and qpos relative to the reference orbit


def ours(variant: str, integrator: str) -> Samples:
    """One world on "reference", "warp" (float32), "shadow" or "conserving"."""
    made = two_arm_model(integrator, DT)
    made.callback.control = command(variant)
    sim = Simulation(made, variant, *two_arm_start(), stride=STRIDE)
    while True:
        sim.advance()
        yield sim.t, sim.qpos[0]


def passive(frozen: bool) -> Samples:
    """MuJoCo C's RK4 with gravity as a passive force, the reference orbit held over a step or not."""
    made = two_arm_model("RK4", DT).mj
    truth = load("two_arm_free_flyer")
    orbit = PassiveOrbit(truth["ref_r"][0], truth["ref_v"][0], MU, frozen, arm_command)
    data = mujoco.MjData(made)
    data.qpos, data.qvel = two_arm_start()
    while True:
        orbit.steps(made, data, STRIDE)
        yield data.time, data.qpos.copy()


def basilisk_job(high_order: bool, last: float) -> dict[str, Any]:
    """The free-flyer for Basilisk's worker, commanded up to ``last`` [s]."""
    truth, mj = load("two_arm_free_flyer"), two_arm_model("RK4", DT).mj
    qpos, qvel = two_arm_start()
    qpos[:3] += truth["ref_r"][0]
    qvel[:3] += truth["ref_v"][0]
    t = np.arange(0.0, last + (ORDER + 1) * KNOT, KNOT)
    values = arm_command(t)
    return {
        "mjcf": model_path("two_arm"),
        "dt": DT,
        "nstep": TIMED,
        "qpos": qpos.tolist(),
        "qvel": qvel.tolist(),
        "ctrl": {},
        "mu": MU,
        "profiles": {mj.actuator(i).name: np.stack([t, values[:, i]], axis=1).tolist() for i in range(mj.nu)},
        "order": ORDER,
        "high_order": high_order,
    }


def basilisk(python: str, high_order: bool, last: float) -> Samples:
    """Basilisk's MJScene with RK4 up to ``last`` [s], its own or its higher-order integration of attitudes."""
    truth = load("two_arm_free_flyer")
    process = BasiliskProcess("Basilisk", python, basilisk_job(high_order, last))
    try:
        for i in range(1, truth["t"].size):
            process.ask(f"run {STRIDE // TIMED}")
            qpos = np.array(process.qpos())
            qpos[:3] -= truth["ref_r"][i]  # known to the rounding of 6.8e6 m, 1e-9 m
            yield float(truth["t"][i]), qpos
    finally:
        process.close()


def errors(samples: Samples, fraction: float) -> dict[str, list[float]]:
    """Over time: the worst COM of a body [m], the bus's attitude and the worst joint [rad], against the truth."""
    truth, mj = load("two_arm_free_flyer"), two_arm_model("RK4", DT).mj
    data = mujoco.MjData(mj)
    out: dict[str, list[float]] = {"t_s": [], "body_m": [], "attitude_rad": [], "joint_rad": []}
    last = max(1, math.ceil(fraction * (truth["t"].size - 1)))
    for i, (t, qpos) in zip(range(1, last + 1), samples, strict=False):
        late = t - truth["t"][i]  # of float32(0.1) against 0.1: 4e-5 s in half an orbit
        data.qpos = qpos
        mujoco.mj_kinematics(mj, data)
        away = data.xipos[1:] - truth["rel_com_r"][i] - late * truth["rel_com_v"][i]
        joints = qpos[7:] - truth["joint_q"][i] - late * truth["joint_v"][i]
        unit = qpos[3:7] / np.linalg.norm(qpos[3:7])
        row = (t, np.linalg.norm(away, axis=1).max(), angle(unit, truth["q"][i]), np.abs(joints).max())
        for name, value in zip(out, row, strict=True):
            out[name].append(float(value))
    return out


@dataclasses.dataclass
class Timed:
    """Contenders to time, all on one thread.

    Attributes:
      calls: by name, a call that advances by TIMED × n steps.
      worlds: how many each advances.
      basilisk: the process of Basilisk, None without.
    """

    calls: dict[str, Callable[[int], Any]]
    worlds: dict[str, int]
    basilisk: BasiliskProcess | None

    @property
    def version(self) -> str | None:
        """Basilisk's version."""
        return None if self.basilisk is None else self.basilisk.version

    def close(self) -> None:
        """End the process."""
        if self.basilisk is not None:
            self.basilisk.close()


def timed(python: str | None) -> Timed:
    """Ours at the start of the truth, all worlds alike, and Basilisk where ``python`` has it."""
    out = Timed({}, {}, None)
    for variant, integrator in OURS:
        made = two_arm_model(integrator, DT)
        made.callback.control = command(variant)
        name = label(variant, integrator)
        out.worlds[name] = 1024 if variant == "reference" else 256
        many = [np.tile(x, (out.worlds[name], 1)) for x in two_arm_start()]
        out.calls[name] = _advance(Simulation(made, variant, *many, stride=1 if variant == "reference" else TIMED))
    if python is not None:
        process = out.basilisk = BasiliskProcess("Basilisk", python, basilisk_job(False, 1500.0))
        out.calls["Basilisk RK4"], out.worlds["Basilisk RK4"] = lambda n: process.ask(f"run {n}"), 1
    return out


def _advance(sim: Simulation) -> Callable[[int], None]:
    per_call = TIMED // sim.stride

    def call(n: int) -> None:
        for _ in range(n * per_call):
            sim.advance()

    return call


def label(variant: str, integrator: str) -> str:
    """The contender's name in tables and pictures."""
    names = {"reference": "reference, float64", "warp": "Warp single", "shadow": "Warp shadow"}
    return f"{names.get(variant, f'Warp {variant}')}, {integrator}"
