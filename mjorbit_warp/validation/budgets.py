"""What must stay: momentum, angular momentum and energy, for every integrator."""

from typing import Any

import mujoco
import numpy as np

from mjorbit_warp import _quat
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.validation.case import Case, Growth, Limit, measured
from mjorbit_warp.validation.models import body_spec, two_arm_spec
from mjorbit_warp.validation.simulation import Simulation

WHEEL_INERTIA, MOTOR = 0.01, 0.02
OF_VARIANT = {
    "reference": ("RK4", "implicitfast", "implicit", "Euler"),
    "warp": ("RK4", "implicitfast", "Euler"),
    "shadow": ("RK4",),
}


def momentum(mj: mujoco.MjModel, qpos: Any, qvel: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Momentum [N·s], angular momentum about the COM [N·m·s] and kinetic energy [J] by MuJoCo C; one tree."""
    d = mujoco.MjData(mj)
    d.qpos[:], d.qvel[:] = qpos, qvel
    mujoco.mj_fwdPosition(mj, d)
    mujoco.mj_fwdVelocity(mj, d)
    mujoco.mj_subtreeVel(mj, d)
    mv = np.zeros(mj.nv)
    mujoco.mj_mulM(mj, d, mv, d.qvel)
    return mj.body_subtreemass[1] * d.subtree_linvel[1], d.subtree_angmom[1].copy(), 0.5 * float(d.qvel @ mv)


def arms_and_wheels(variant: str) -> Growth:
    """The free-flyer throws its arms and spins three wheels up, 60 s; P and H with the wheels' share."""
    growth: Growth = {}
    for integrator in OF_VARIANT[variant]:
        spec = two_arm_spec(integrator, 1.0 / 32.0)
        for k, axis in enumerate(np.eye(3)):
            spec.add_reaction_wheel(f"wheel_{k}", "bus", axis, inertia=WHEEL_INERTIA)
        model = spec.compile()
        qpos = np.array([0, 0, 0, 0.8, 0.2, -0.4, 0.4, 0.3, -0.4, 0.2, 0.9, -0.25, 0.35, -0.3, 1.1])
        qpos[3:7] /= np.linalg.norm(qpos[3:7])
        qvel = np.concatenate([[0.02, -0.01, 0.03], [0.02, -0.03, 0.04], 0.1 * np.cos(np.arange(8.0))])
        ctrl = np.concatenate([np.sin(np.arange(8.0)), MOTOR * np.array([1.0, -0.5, 0.75])])
        sim = Simulation(model, variant, qpos, qvel, act=[0.1, -0.2, 0.3], ctrl=ctrl, stride=64)
        rows = []
        for i in range(31):
            if i:
                sim.advance()
            q, act = sim.qpos[0], sim.act[0]
            p, h, _ = momentum(model.mj, q, sim.qvel[0])
            rows.append((sim.t, p, h + _quat.rotate(q[3:7] / np.linalg.norm(q[3:7]), act)))
        t = [row[0] for row in rows]
        for name, column in (("momentum", 1), ("angular", 2)):
            drift = [np.linalg.norm(row[column] - rows[0][column]) for row in rows]
            growth |= measured(t[1:], **{f"{name}_{integrator}": drift[1:]})
    return growth


def tumbling_energy(variant: str) -> Growth:
    """Relative kinetic energy of a torque-free body, 60 s, for every integrator."""
    growth: Growth = {}
    for integrator in OF_VARIANT[variant]:
        spec = body_spec((10.0, 20.0, 25.0), 1.0 / 32.0)
        spec.option.integrator = INTEGRATORS[integrator]
        model = spec.compile()
        sim = Simulation(model, variant, [0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0.2, 0.01, 0.3], stride=64)
        t, energy = [], []
        for i in range(31):
            if i:
                sim.advance()
            t.append(sim.t)
            energy.append(momentum(model.mj, sim.qpos[0], sim.qvel[0])[2])
        growth |= measured(t[1:], **{f"energy_{integrator}": np.array(energy[1:]) / energy[0] - 1.0})
    return growth


_LAW = "the conservation law itself: what is there at the start"
_RK4 = "RK4's truncation and, on Warp, float32 rounding"
_SINGLE = "first order in the step: single-stage integrators turn the momentum with the last step's rate"
CASES = (
    Case(
        name="budget_momentum",
        title="total momentum and angular momentum, wheels included, while arms move and wheels spin up, 60 s",
        frame="inertial",
        forces="joint servos and wheels (zero gravity)",
        integrator="RK4, implicitfast, implicit, Euler",
        step="1/32 s",
        truth=_LAW,
        limits={
            "momentum_RK4": Limit("N·s", {"reference": 3e-5, "warp": 1e-3, "shadow": 3e-5}, _RK4),
            "angular_RK4": Limit("N·m·s", {"reference": 3e-5, "warp": 1e-3, "shadow": 3e-5}, _RK4),
            **{
                f"momentum_{name}": Limit(
                    "N·s", {"reference": 0.1} | ({"warp": 0.1} if name != "implicit" else {}), _SINGLE
                )
                for name in ("implicitfast", "implicit", "Euler")
            },
            **{
                f"angular_{name}": Limit(
                    "N·m·s", {"reference": 0.1} | ({"warp": 0.1} if name != "implicit" else {}), _SINGLE
                )
                for name in ("implicitfast", "implicit", "Euler")
            },
        },
        run=arms_and_wheels,
        fast=True,
    ),
    Case(
        name="budget_energy",
        title="kinetic energy of a torque-free tumbling body, relative, 60 s",
        frame="inertial",
        forces="none (zero gravity)",
        integrator="RK4, implicitfast, implicit, Euler",
        step="1/32 s",
        truth=_LAW,
        limits={
            "energy_RK4": Limit("", {"reference": 1e-8, "warp": 1e-4, "shadow": 1e-6}, _RK4),
            **{
                f"energy_{name}": Limit("", {"reference": 0.1} | ({"warp": 0.1} if name != "implicit" else {}), _SINGLE)
                for name in ("implicitfast", "implicit", "Euler")
            },
        },
        run=tumbling_energy,
        fast=True,
    ),
)
