"""Zero gravity: what is left is MuJoCo, so MuJoCo C must give the same motion."""

import copy

import mujoco
import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp.validation.case import Case, Growth, Limit, measured
from mjorbit_warp.validation.models import two_arm_spec
from mjorbit_warp.validation.simulation import Simulation

FAR = mjo.Orbit.circular(altitude=1e12)  # gravity gradient 4e-22 1/s²
INTEGRATORS = {"reference": ("RK4", "implicitfast", "Euler"), "warp": ("RK4", "implicitfast"), "shadow": ("RK4",)}


def zero_gravity(variant: str) -> Growth:
    """The free-flyer swings its arms, without an orbit, and in an orbit so far out that it is none."""
    # the shadow keeps the momentum, of which RK4 loses some at this step while the servos settle
    finer = 16 if variant == "shadow" else 1
    growth: Growth = {}
    for integrator in INTEGRATORS[variant]:
        for suffix, orbit in (("", None), ("_far", FAR)) if integrator == "RK4" else (("", None),):
            model = two_arm_spec(integrator, 0.0625, orbit, orientation="inertial").compile()
            ctrl = 0.5 * np.sin(np.arange(8.0))
            qpos = np.concatenate([[0.3, -0.2, 0.1], np.array([0.8, 0.2, -0.4, 0.4]), 0.3 * np.cos(np.arange(8.0))])
            qpos[3:7] /= np.linalg.norm(qpos[3:7])
            qvel = np.concatenate([[0.02, -0.01, 0.03], [0.02, -0.03, 0.04], 0.1 * np.sin(np.arange(8.0))])
            sim = Simulation(model, variant, qpos, qvel, ctrl=ctrl, stride=16)
            mj = copy.copy(model.mj)
            mj.opt.timestep /= finer
            d = mujoco.MjData(mj)
            d.qpos[:], d.qvel[:], d.ctrl[:] = qpos, qvel, ctrl
            t, error = [], []
            for _ in range(60):
                sim.advance()
                for _ in range(16 * finer):
                    mujoco.mj_step(mj, d)
                t.append(sim.t)
                got = sim.qpos[0]
                got[3:7] *= np.sign(got[3:7] @ d.qpos[3:7])
                error.append(np.abs(got - d.qpos).max())
            growth |= measured(t, **{f"{integrator}{suffix}": error})
    return growth


_WHY = "float64 rounding of both; float32: 6e-8 of 1 m and 1 rad in each of 960 steps"
CASES = (
    Case(
        name="mujoco_zero_gravity",
        title="two-arm free-flyer without an orbit, and in an orbit 10¹² m away, all coordinates, 60 s",
        frame="inertial",
        forces="joint servos (zero gravity)",
        integrator="RK4, implicitfast, Euler",
        step="1/16 s",
        truth="MuJoCo C, mj_step of the same MJCF at the same step; for shadow, which truncates less, at 1/256 s",
        limits={
            "RK4": Limit("m, rad", {"reference": 1e-11, "warp": 2e-5, "shadow": 1e-4}, _WHY),
            "RK4_far": Limit("m, rad", {"reference": 1e-11, "warp": 2e-5, "shadow": 1e-4}, _WHY),
            "implicitfast": Limit("m, rad", {"reference": 1e-11, "warp": 2e-5}, _WHY),
            "Euler": Limit("m, rad", {"reference": 1e-11}, _WHY),
        },
        run=zero_gravity,
        fast=True,
    ),
)
