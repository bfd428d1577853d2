"""Wheels and CMGs against the same machines built of MuJoCo hinges, and their momentum budgets; reference backend."""

from typing import Any

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.integrators import INTEGRATORS

COM = np.array([0.2, -0.1, 0.3])  # of the bus, in its frame
BUS = np.array([[10.0, 0.5, -0.3], [0.5, 20.0, 0.2], [-0.3, 0.2, 25.0]])
TILT = np.array([0.8, -0.2, 0.5, 0.3]) / np.linalg.norm([0.8, -0.2, 0.5, 0.3])
SPIN = np.array([0.03, -0.05, 0.02])
AXIS = np.array([0.36, 0.48, 0.8])
PLACE = np.array([0.4, 0.3, -0.2])
pytestmark = pytest.mark.filterwarnings("ignore::mjorbit_warp.MjoWarning")


def words(values: Any) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(values))


def free_body(inertia: np.ndarray, com: np.ndarray, mass: float, inside: str = "", after: str = "") -> mjo.MjoSpec:
    """A free bus with a full inertia about ``com``."""
    i, j = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
    return mjo.MjoSpec.from_string(
        f'<mujoco><option gravity="0 0 0"/><worldbody><body name="bus"><freejoint/>'
        f'<inertial pos="{words(com)}" mass="{mass}" fullinertia="{words(inertia[i, j])}"/>{inside}'
        f"</body></worldbody>{after}</mujoco>"
    )


def compiled(spec: mjo.MjoSpec, timestep: float, integrator: str = "RK4") -> mjo.MjoModel:
    spec.option.timestep, spec.option.integrator = timestep, INTEGRATORS[integrator]
    return spec.compile()


def started(model: mjo.MjoModel, joints: Any = (), rates: Any = (), act: Any = ()) -> mjo_ref.MjoData:
    d = mjo_ref.make_data(model, nthread=1)
    d.qpos[:] = np.concatenate([np.zeros(3), TILT, joints])
    d.qvel[:] = np.concatenate([np.zeros(3), SPIN, rates])
    d.act[:] = act
    return d


def run(model: mjo.MjoModel, d: mjo_ref.MjoData, steps: int) -> np.ndarray:
    """Attitudes after each step."""
    out = []
    for _ in range(steps):
        mjo_ref.mjo_step(model, d)
        out.append(d.qpos[0, 3:7].copy())
    return np.array(out)


def angles(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    q = _quat.mul(_quat.conj(a), b)
    return 2.0 * np.arctan2(np.linalg.norm(q[..., 1:], axis=-1), np.abs(q[..., 0]))


def point_inertia(mass: float, arm: np.ndarray) -> np.ndarray:
    return mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def test_a_wheel_is_a_hinged_rotor() -> None:
    """A rotor of 3 kg off the COM, 60 rad/s, under a varying motor torque: same motion of the bus for 100 s.

    The bus of our wheel has the rotor's mass and transverse inertia. Asked: 1e-9 rad. Measured: 2e-12 rad, 2e-13 rad/s,
    as both are RK4 with the same step and truncate alike; rounding is left.
    """
    mass, rotor, axial, across = 97.0, 3.0, 0.05, 0.03
    project = np.outer(AXIS, AXIS)
    com = (mass * COM + rotor * PLACE) / (mass + rotor)
    whole = BUS + point_inertia(mass, COM - com) + point_inertia(rotor, PLACE - com) + across * (np.eye(3) - project)
    quat = np.zeros(4)
    mujoco.mju_quatZ2Vec(quat, AXIS)
    hinged = free_body(
        BUS,
        COM,
        mass,
        f'<body pos="{words(PLACE)}" quat="{words(quat)}"><joint name="rotor" axis="0 0 1"/>'
        f'<inertial pos="0 0 0" mass="{rotor}" diaginertia="{across} {across} {axial}"/></body>',
        '<actuator><motor joint="rotor"/></actuator>',
    )
    ours = free_body(whole, com, mass + rotor)
    ours.add_reaction_wheel("wheel", "bus", AXIS, inertia=axial, pos=PLACE)

    def command(m: mjo.MjoModel, d: mjo_ref.MjoData) -> None:
        d.ctrl[:, 0] = 0.2 * np.sin(0.3 * d.stage_time) - 0.05

    models = [compiled(spec, 0.1) for spec in (hinged, ours)]
    for model in models:
        model.callback.control = command
    a = started(models[0], [0.0], [60.0])
    b = started(models[1], act=[axial * (60.0 + AXIS @ SPIN)])
    turned, free = run(models[0], a, 1000), run(models[1], b, 1000)
    assert angles(turned[-1], TILT) > 0.1
    assert angles(turned, free).max() < 1e-9
    assert np.abs(a.qvel[0, 3:6] - b.qvel[0, 3:6]).max() < 1e-10
    speed = b.act[0, 0] / axial - AXIS @ b.qvel[0, 3:6]
    assert abs(speed - a.qvel[0, 6]) < 1e-8


def cmg_spec(momentum: float = 75.0, inertia: np.ndarray = BUS, **more: Any) -> mjo.MjoSpec:
    spec = free_body(inertia, COM, 1000.0)
    spec.add_cmg("gyro", "bus", (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), momentum=momentum, **more)
    return spec


def test_cmg_torque() -> None:
    """75 N·m·s along x, gimbal about z at 0.5 rad/s: (0, −37.5, 0) N·m on the bus, (37.5, 0, 0) after 90°."""
    model = compiled(cmg_spec(), 0.01)
    d = mjo_ref.make_data(model)
    d.ctrl[:] = 0.5
    for angle, torque in ((0.0, (0.0, -37.5, 0.0)), (np.pi / 2.0, (37.5, 0.0, 0.0))):
        d.act[:] = angle
        mjo_ref.mjo_forward(model, d)
        assert np.abs(d.wrench[0, 1, 3:] - torque).max() < 1e-13
        assert np.abs(d.wrench[0, 1, :3]).max() == 0.0
        assert d.act_dot[0, 0] == 0.5


def test_a_cmg_is_a_gimbal_with_a_fast_rotor() -> None:
    """75 N·m·s turned at 0.5 rad/s for 10 s, against two hinges; the gimbal is held to its rate by a huge armature.

    Our CMG neglects the rotor's own inertia J: the difference is proportional to it, and to h it is J δ̇/h. Measured:
    2.5e-6 rad with J = 2e-3 kg·m², half of it with half of that.
    """
    inertia = np.diag([900.0, 1200.0, 1000.0]) + BUS
    errors = []
    for axial in (2e-3, 1e-3):
        rotor = (
            f'<body pos="{words(COM)}"><joint axis="0 0 1" armature="1e12"/>'
            '<inertial pos="0 0 0" mass="1e-3" diaginertia="1e-6 1e-6 1e-6"/>'
            '<body><joint axis="1 0 0"/>'
            f'<inertial pos="0 0 0" mass="1e-3" diaginertia="{axial} {axial / 2} {axial / 2}"/></body></body>'
        )
        model = compiled(free_body(inertia, COM, 1000.0, rotor), 0.02)
        spin = 75.0 / axial - SPIN[0]  # relative to the bus; the momentum is absolute
        hinged = run(model, started(model, [0.0, 0.0], [0.5, spin]), 500)
        ours = compiled(cmg_spec(inertia=inertia), 0.02)
        d = started(ours, act=[0.0])
        d.ctrl[:] = 0.5
        free = run(ours, d, 500)
        assert angles(free[-1], TILT) > 0.2
        errors.append(angles(hinged, free).max())
    assert errors[0] < 1e-5
    assert 1.8 < errors[0] / errors[1] < 2.2


def total_momentum(d: mjo_ref.MjoData, inertia: np.ndarray, stored: np.ndarray) -> np.ndarray:
    """Angular momentum about the COM in inertial axes; ``stored`` (3,) that of the rotors, body axes."""
    return _quat.rotate(d.qpos[0, 3:7], inertia @ d.qvel[0, 3:6] + stored)


@pytest.mark.parametrize("integrator", ["RK4", "implicitfast"])
def test_budget_of_momentum(integrator: str) -> None:
    """Three wheels with friction run into their limits, 60 s: per axis Δh + ∫ torque dt = 0 to rounding.

    No speed passes its limit by more than the bus turns in a step, as the bound is that of the step's start. The
    inertial momentum of the whole keeps to RK4's truncation, 3e-10 (implicitfast is of first order: 7e-3).
    """
    axes = np.array([AXIS, [1.0, 0.0, 0.0], [0.0, -0.6, 0.8]])
    spec = free_body(BUS, COM, 100.0)
    for k, axis in enumerate(axes):
        limit = (30.0, 60.0, None)[k]
        spec.add_reaction_wheel(
            f"wheel_{k}", "bus", axis, inertia=0.05, max_speed=limit, max_torque=0.08, coulomb=2e-3, viscous=1e-4
        )
    model = compiled(spec, 0.05, integrator)
    start = np.array([1.2, -2.0, 0.5])
    d = started(model, act=start)
    torques: list[np.ndarray] = []

    def command(m: mjo.MjoModel, data: mjo_ref.MjoData) -> None:
        torques.append(data.hardware.wheel_torque.copy())  # of the evaluation before
        data.ctrl[:] = 0.1 * np.sin(0.2 * data.stage_time[:, None] + np.array([0.5, 2.5, 4.0]))

    model.callback.control = command
    mjo_ref.mjo_forward(model, d)
    before = total_momentum(d, BUS, start @ axes)
    impulse, fastest = np.zeros(3), 0.0
    weights = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0 if integrator == "RK4" else np.ones(1)
    for _ in range(1200):
        torques.clear()
        mjo_ref.mjo_step(model, d)
        impulse += 0.05 * weights @ np.array([*torques[1:], d.hardware.wheel_torque])[:, 0]
        speeds = d.act[0] / 0.05 - axes @ d.qvel[0, 3:6]
        fastest = max(fastest, abs(speeds[0]))
    assert (d.status & mjo.Status.WHEEL_SATURATED).any()
    assert np.abs(d.act[0] - start - impulse).max() < 1e-12  # 1200 sums of 1 N·m·s
    assert 29.99 < fastest < 30.001
    after = total_momentum(d, BUS, d.act[0] @ axes)
    drift = np.linalg.norm(after - before) / np.linalg.norm(before)
    assert drift < (1e-9 if integrator == "RK4" else 0.02)


def test_momentum_of_body_and_cmg() -> None:
    """Gimbal driven into its limit: the angle stops there, inertial momentum keeps to RK4's truncation."""
    inertia = 40.0 * BUS
    model = compiled(cmg_spec(inertia=inertia, max_rate=0.3, max_angle=0.5), 0.02)
    d = started(model, act=[0.0])
    d.ctrl[:] = 1.0
    before = total_momentum(d, inertia, np.array([75.0, 0.0, 0.0]))
    run(model, d, 250)
    angle = d.act[0, 0]
    assert abs(angle - 0.5) < 1e-12  # the last step takes what was left
    after = total_momentum(d, inertia, 75.0 * np.array([np.cos(angle), np.sin(angle), 0.0]))
    assert np.linalg.norm(after - before) < 1e-9 * np.linalg.norm(before)


@pytest.mark.parametrize("device", ["wheel", "cmg"])
def test_large_momentum_is_stable_in_a_single_stage(device: str) -> None:
    """50 N·m·s on 10 kg·m², dt 0.1, 10 minutes of implicitfast: the nutation's amplitude stays to rounding.

    The explicit torque grows by |ω|² (1 + (dt h/I)²) a step: NaN after 23 s.
    """
    spec = free_body(10.0 * np.eye(3), COM, 100.0)
    if device == "wheel":
        spec.add_reaction_wheel("wheel", "bus", AXIS, inertia=0.08)
    else:
        spec.add_cmg("gyro", "bus", (0.8, -0.6, 0.0), AXIS, momentum=50.0)
    model = compiled(spec, 0.1, "implicitfast")
    d = started(model, act=[50.0 if device == "wheel" else 0.0])
    along = AXIS @ SPIN
    start = np.linalg.norm(SPIN - along * AXIS)
    for _ in range(6000):
        mjo_ref.mjo_step(model, d)
    rate = d.qvel[0, 3:6]
    assert abs(np.linalg.norm(rate - (AXIS @ rate) * AXIS) / start - 1.0) < 1e-10
    assert abs(AXIS @ rate - along) < 1e-12


@pytest.mark.parametrize("device", ["wheel", "cmg"])
def test_large_momentum_is_refused_by_rk4(device: str) -> None:
    spec = free_body(10.0 * np.eye(3), COM, 100.0)
    if device == "wheel":
        spec.add_reaction_wheel("wheel", "bus", AXIS, inertia=0.08, max_momentum=120.0)
    else:
        spec.add_cmg("gyro", "bus", (0.8, -0.6, 0.0), AXIS, momentum=120.0)
    with pytest.raises(ValueError, match=r"120 N·m·s on 10 kg·m².*below 0.083 s, or implicitfast"):
        compiled(spec, 0.1)
    compiled(spec, 0.05)
    compiled(spec, 0.1, "implicitfast")
