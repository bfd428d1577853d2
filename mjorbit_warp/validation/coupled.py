"""Order of the coupled system (multibody, orbit, wheels), against the same machine built without this library.

The twin is plain MuJoCo C: rotors are hinged bodies, and gravity is a force that a callback takes from the closed-form
two-body orbit, so it shares neither our orbit, loads and wheels nor our Runge-Kutta method. Steps are halved, and the
solution they converge to is compared with the twin's: a wrong sign would converge as well.
"""

from typing import Any

import mujoco
import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp.validation.case import Case, Growth, Limit, Series, figure
from mjorbit_warp.validation.kepler import kepler
from mjorbit_warp.validation.models import MU, angle, two_arm_spec
from mjorbit_warp.validation.simulation import Simulation
from mjorbit_warp.validation.truth_motion import arm_command, command

ORBIT = mjo.Orbit.circular(altitude=4e5, inclination=0.9, raan=0.5, argument_of_latitude=0.3)
AXIAL, ACROSS, ROTOR_MASS = 0.02, 0.0125, 2.0
WHEEL_SPEEDS, TORQUES = np.array([60.0, -40.0, 80.0]), np.array([0.02, -0.01, 0.015])
QUAT = np.array([0.8, 0.2, -0.4, 0.4]) / np.linalg.norm([0.8, 0.2, -0.4, 0.4])
SPIN = np.array([0.02, -0.03, 0.04])
PLACE, DRIFT = np.array([0.5, -0.25, 0.125]), np.array([0.001, -0.001, 0.002])
SPAN = 20.0


def _twin_model(timestep: float) -> mujoco.MjModel:
    """Three hinged rotors in the bus, first of its children; what they weigh and resist across is taken off the bus."""
    spec = two_arm_spec("RK4", timestep).mj
    bus = spec.body("bus")
    bus.mass = bus.mass - 3.0 * ROTOR_MASS
    bus.inertia = np.asarray(bus.inertia) - 2.0 * ACROSS
    for k, axis in enumerate(np.eye(3)):
        rotor = bus.add_body(name=f"rotor_{k}")
        rotor.mass, rotor.inertia, rotor.explicitinertial = ROTOR_MASS, ACROSS + (AXIAL - ACROSS) * axis, True
        rotor.add_joint(name=f"spin_{k}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
        spec.add_actuator(name=f"motor_{k}", target=f"spin_{k}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    return spec.compile()


def twin(timestep: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bus (7,), arm joints (8,) and wheels' stored momenta (3,) after SPAN, by MuJoCo C alone."""
    mj = _twin_model(timestep)
    d = mujoco.MjData(mj)
    joint = {mj.joint(i).name: mj.jnt_qposadr[i] for i in range(1, mj.njnt)}
    spins = [joint[f"spin_{k}"] for k in range(3)]
    arms = [address for name, address in joint.items() if not name.startswith("spin_")]
    d.qpos[:3], d.qpos[3:7], d.qpos[arms] = PLACE, QUAT, arm_command(0.0)
    d.qvel[:3], d.qvel[3:6], d.qvel[np.array(spins) - 1] = DRIFT, SPIN, WHEEL_SPEEDS
    center: dict[float, np.ndarray] = {}

    def gravity(m: Any, data: Any) -> None:
        if m.nq != mj.nq:
            return
        if data.time not in center:
            center[data.time] = kepler(ORBIT.r, ORBIT.v, data.time, MU)[0]
        big = center[data.time]
        data.ctrl[:8], data.ctrl[8:11] = arm_command(data.time), TORQUES
        data.qfrc_applied[:] = 0.0
        for i in range(1, m.nbody):
            r = big + data.xipos[i]
            length = np.sqrt(r @ r)
            pull = -MU * (r / length**3 - big / np.sqrt(big @ big) ** 3)
            axes = data.ximat[i].reshape(3, 3)
            up = np.asarray(r / length, dtype=np.float64)
            twist = 3.0 * MU / float(length) ** 3 * np.cross(up, axes @ (m.body_inertia[i] * (axes.T @ up)))
            force = m.body_mass[i] * np.asarray(pull, dtype=np.float64)
            mujoco.mj_applyFT(m, data, force, twist, data.xipos[i], i, data.qfrc_applied)

    before = mujoco.get_mjcb_passive()
    mujoco.set_mjcb_passive(gravity)
    try:
        for _ in range(round(SPAN / timestep)):
            mujoco.mj_step(mj, d)
    finally:
        mujoco.set_mjcb_passive(before)
    omega = d.qvel[3:6]
    stored = AXIAL * (d.qvel[np.array(spins) - 1] + omega)
    return d.qpos[:7].copy(), d.qpos[arms].copy(), stored


def ours(variant: str, timestep: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same with this library."""
    spec = two_arm_spec("RK4", timestep, ORBIT, j2=False)
    for k, axis in enumerate(np.eye(3)):
        spec.add_reaction_wheel(f"wheel_{k}", "bus", axis, inertia=AXIAL)
    model = spec.compile()
    model.callback.control = command(variant)
    qpos = np.concatenate([PLACE, QUAT, arm_command(0.0)])
    qvel = np.concatenate([DRIFT, SPIN, np.zeros(8)])
    ctrl = np.concatenate([arm_command(0.0), TORQUES])
    count = round(SPAN / timestep)
    sim = Simulation(model, variant, qpos, qvel, act=AXIAL * (WHEEL_SPEEDS + SPIN), ctrl=ctrl, stride=count)
    sim.advance()
    return sim.qpos[0, :7], sim.qpos[0, 7:], sim.act[0]


def coupled_order(variant: str) -> Growth:
    """Errors at the end over the step; on the reference also their order."""
    truth = twin(1.0 / 128.0)
    steps = (1 / 8, 1 / 16, 1 / 32) if variant == "reference" else (1 / 16,)
    rows = []
    for timestep in steps:
        bus, joints, stored = ours(variant, timestep)
        rows.append(
            (
                np.linalg.norm(bus[:3] - truth[0][:3]),
                float(angle(bus[3:], truth[0][3:])),
                np.abs(joints - truth[1]).max(),
                np.abs(stored - truth[2]).max(),
            )
        )
    table = np.array(rows)
    names = ("bus", "attitude", "joint", "stored")
    growth = {name: Series(np.array(steps[-1:]), table[-1:, k]) for k, name in enumerate(names)}
    if variant == "reference":
        for k, name in enumerate(names[:3]):
            growth[f"order_{name}"] = Series(np.array(steps[1:]), np.log2(table[:-1, k] / table[1:, k]))
        growth["motion"] = figure(float(angle(truth[0][3:], QUAT)), SPAN)
    return growth


_WHY = "reference at 1/32 s: RK4's truncation of both solutions; Warp at 1/16 s: float32 rounding"
_ORDER = Limit("", {"reference": 6.0}, "Runge-Kutta's fourth order; a frozen orbit or wrench would give 1", above=3.5)
CASES = (
    Case(
        name="coupled_order",
        title="two arms, orbit and three wheels: errors after 20 s against a twin, and their order under halved steps",
        frame="orbit-following",
        forces="point mass, gravity gradient, wheels, joint servos",
        integrator="RK4",
        step="1/8, 1/16, 1/32 s",
        truth="the twin: MuJoCo C with hinged rotors and gravity from the closed-form orbit, RK4 at 1/128 s",
        limits={
            "bus": Limit("m", {"reference": 1e-9, "warp": 1e-4, "shadow": 1e-5}, _WHY),
            "attitude": Limit("rad", {"reference": 1e-9, "warp": 1e-4, "shadow": 1e-5}, _WHY),
            "joint": Limit("rad", {"reference": 1e-8, "warp": 1e-4, "shadow": 1e-5}, _WHY),
            "stored": Limit(
                "N·m·s", {"reference": 1e-12, "warp": 1e-4, "shadow": 1e-6}, "the integral of a constant torque"
            ),
            "order_bus": _ORDER,
            "order_attitude": _ORDER,
            "order_joint": _ORDER,
            "motion": Limit("rad", {"reference": 3.2}, "the bus does turn", above=0.1),
        },
        run=coupled_order,
        fast=True,
    ),
)
