"""Rigid and articulated motion in orbit against trajectories of other integrators."""

from typing import Any

import numpy as np
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.validation.case import Case, Growth, Limit, measured
from mjorbit_warp.validation.models import angle, body_spec, distance, two_arm_spec
from mjorbit_warp.validation.simulation import Simulation
from mjorbit_warp.validation.truth import load

# command of the two-arm case, joint order as in the model
Q0 = np.array([0.30, -0.40, 0.20, 0.90, -0.25, 0.35, -0.30, 1.10])
AMPLITUDE = np.array([0.45, 0.35, 0.50, 0.40, 0.40, 0.50, 0.45, 0.35])
PERIOD = np.array([140.0, 95.0, 120.0, 80.0, 110.0, 150.0, 90.0, 130.0])
PHASE = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5])
vec8d = wp.types.vector(8, wp.float64)


@wp.kernel(module="unique")
def _command(
    time_in: wp.array[wp.float64],
    q0: vec8d,  # type: ignore[valid-type]
    amplitude: vec8d,  # type: ignore[valid-type]
    frequency: vec8d,  # type: ignore[valid-type]
    phase: vec8d,  # type: ignore[valid-type]
    ctrl_out: wp.array2d[float],
):
    worldid, j = wp.tid()  # type: ignore[misc]
    t = time_in[worldid]
    swing = wp.sin(frequency[j] * t + phase[j]) * (wp.float64(1.0) - wp.exp(-t / wp.float64(60.0)))  # type: ignore[index]
    ctrl_out[worldid, j] = float(q0[j] + amplitude[j] * swing)  # type: ignore[index]


def arm_command(t: Any) -> np.ndarray:
    """Joint commands [rad] at ``t`` [s], (…, 8)."""
    t = np.asarray(t, dtype=np.float64)[..., None]
    return Q0 + AMPLITUDE * (1.0 - np.exp(-t / 60.0)) * np.sin(2.0 * np.pi * t / PERIOD + PHASE)


def command_warp(m: Any, d: Any) -> None:
    """Joint commands at the time of the evaluation, on the device."""
    values = [vec8d(*x) for x in (Q0, AMPLITUDE, 2.0 * np.pi / PERIOD, PHASE)]
    wp.launch(_command, dim=(d.nworld, 8), inputs=[d.stage_time, *values], outputs=[d.ctrl])


def command_numpy(m: Any, d: Any) -> None:
    """The same in NumPy."""
    d.ctrl[:, :8] = arm_command(d.stage_time)


def command(variant: str) -> Any:
    """The control callback of a backend."""
    return command_numpy if variant == "reference" else command_warp


def free_body(variant: str) -> Growth:
    """Relative position and attitude of a free body, one orbit."""
    truth = load("free_body_leo")
    orbit = mjo.Orbit.from_state(truth["ref_r"][0], truth["ref_v"][0], frame="GCRS")
    model = body_spec(truth["inertia"], 0.5, orbit, j2=False, gravity_gradient=False).compile()
    start = [np.concatenate([truth[a][0], truth[b][0]]) for a, b in (("rel_r", "q"), ("rel_v", "omega"))]
    sim = Simulation(model, variant, *start, stride=240)
    rows = []
    for i in range(1, 47):
        sim.advance()
        rows.append(
            (
                sim.t,
                distance(sim.qpos[:, :3], truth["rel_r"][i]),
                float(angle(sim.qpos[0, 3:], truth["q"][i])),
                distance(sim.r, truth["ref_r"][i]),
            )
        )
    t, position, attitude, center = np.array(rows).T
    return measured(t, position=position, attitude=attitude, orbit=center)


def tumble_gg(variant: str) -> Growth:
    """Attitude of a body tumbling under the gravity gradient, one orbit."""
    truth = load("tumble_gg")
    orbit = mjo.Orbit.from_state(truth["r"][0], truth["v"][0], frame="GCRS")
    model = body_spec(truth["inertia"], 0.5, orbit, j2=False).compile()
    sim = Simulation(model, variant, [0, 0, 0, *truth["q"][0]], [0, 0, 0, *truth["omega"][0]], stride=160)
    rows = []
    for i in range(1, truth["t"].size):
        sim.advance()
        rows.append((sim.t, float(angle(sim.qpos[0, 3:], truth["q"][i]))))
    t, attitude = np.array(rows).T
    effect = angle(truth["q_no_gg"], truth["q"]).max()
    return measured(t, attitude=attitude) | measured(t[-1:], torque_effect=[effect])


def two_arm_model(integrator: str, timestep: float) -> mjo.MjoModel:
    """The shipped free-flyer as the truth has it: no J2, no gravity gradient on single links, no commands yet."""
    truth = load("two_arm_free_flyer")
    orbit = mjo.Orbit.from_state(truth["ref_r"][0], truth["ref_v"][0], frame="GCRS")
    return two_arm_spec(integrator, timestep, orbit, j2=False, gravity_gradient=False).compile()


def two_arm_start() -> tuple[np.ndarray, np.ndarray]:
    """Its qpos (15,) and qvel (14,) at the start, relative to the reference orbit."""
    truth = load("two_arm_free_flyer")
    qpos = np.concatenate([truth["rel_bus_r"][0], truth["q"][0], truth["joint_q"][0]])
    return qpos, np.concatenate([truth["rel_bus_v"][0], truth["omega"][0], truth["joint_v"][0]])


def two_arm(variant: str) -> Growth:
    """The free-flyer moving its arms for half an orbit; truth at the clock's own time, as float32(0.1) is not 0.1."""
    truth = load("two_arm_free_flyer")
    model = two_arm_model("RK4", 0.1)
    model.callback.control = command(variant)
    stride = round(float(truth["t"][1] - truth["t"][0]) / 0.1)
    sim = Simulation(model, variant, *two_arm_start(), stride=stride)
    rows = []
    for i in range(1, truth["t"].size):
        sim.advance()
        late = sim.t - truth["t"][i]
        q = sim.qpos[0]
        rows.append(
            (
                sim.t,
                np.abs(q[7:] - truth["joint_q"][i] - truth["joint_v"][i] * late).max(),
                float(angle(q[3:7], truth["q"][i])),
                distance(q[:3], truth["rel_bus_r"][i] + truth["rel_bus_v"][i] * late),
            )
        )
    t, joint, attitude, bus = np.array(rows).T
    return measured(t, joint=joint, attitude=attitude, bus=bus)


_DOP = "scipy DOP853, rtol 1e-13"
CASES = (
    Case(
        name="truth_free_body",
        title="position and attitude of a free body near a 400 km orbit, one orbit",
        frame="orbit-following",
        forces="point mass",
        integrator="RK4",
        step="0.5 s",
        truth=f"34-digit Taylor series, differences formed before rounding; attitude {_DOP} (data/free_body_leo.npz)",
        limits={
            "position": Limit(
                "m",
                {"reference": 1e-9, "warp": 5e-3, "shadow": 1e-5},
                "RK4's truncation of a motion with the orbit's rate; float32 rounds 60 m to 4e-6 m per step",
            ),
            "attitude": Limit(
                "rad",
                {"reference": 2e-7, "warp": 1e-2, "shadow": 1e-5},
                "RK4's truncation at 0.027 rad/s; float32 rounds rates to 1e-9 rad/s in each of 11000 steps",
            ),
            "orbit": Limit(
                "m", {"reference": 1e-5, "warp": 1e-5, "shadow": 1e-5}, "RK4's truncation at 0.5 s; rounding is 1e-9 m"
            ),
        },
        run=free_body,
    ),
    Case(
        name="truth_tumble_gg",
        title="attitude of a tumbling body under the gravity gradient, one orbit",
        frame="inertial",
        forces="point mass and gravity gradient",
        integrator="RK4",
        step="0.5 s",
        truth=f"{_DOP}; Basilisk 2.12.1 agrees to 7e-12 rad (data/tumble_gg.npz)",
        limits={
            "attitude": Limit(
                "rad",
                {"reference": 1e-8, "warp": 1e-2, "shadow": 1e-5},
                "RK4's truncation at 0.5 s of 0.01 rad/s; float32 as in truth_free_body",
            ),
            "torque_effect": Limit(
                "rad",
                {"reference": 1.0, "warp": 1.0, "shadow": 1.0},
                "what the torque does by the truth itself: the case would see it missing",
                above=0.1,
            ),
        },
        run=tumble_gg,
    ),
    Case(
        name="truth_two_arm",
        title="two-arm free-flyer under commanded arm motion, half an orbit",
        frame="orbit-following",
        forces="point mass on each body's COM",
        integrator="RK4",
        step="0.1 s",
        truth="MuJoCo C's terms, scipy DOP853, good to 2e-10 m (data/two_arm_free_flyer.npz)",
        limits={
            "joint": Limit(
                "rad",
                {"reference": 2e-7, "warp": 2e-6, "shadow": 5e-7},
                "RK4's truncation at 0.1 s, 7e-8 rad (Basilisk's RK4: the same); float32 rounds 1 rad to 6e-8",
            ),
            "attitude": Limit(
                "rad",
                {"reference": 5e-6, "warp": 2e-3, "shadow": 2e-5},
                "RK4's truncation, 2e-6 rad; float32 rounds rates in each of 27800 steps (Basilisk: 8.8e-5 rad)",
            ),
            "bus": Limit(
                "m",
                {"reference": 5e-6, "warp": 2e-3, "shadow": 2e-5},
                "the attitude's error at the arms' lever of some decimetres, and float32 on metres",
            ),
        },
        run=two_arm,
    ),
)
