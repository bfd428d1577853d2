"""Propellant: the rocket equation, masses that follow, and what a reset restores."""

import math
import pathlib
from typing import Any

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref

BUS = """<mujoco><option timestep="0.1" integrator="RK4" gravity="0 0 0"/><worldbody>
  <body name="bus"><freejoint/><inertial pos="0.1 -0.05 0.2" mass="100" fullinertia="10 12 9 0.3 -0.2 0.1"/>
    <body name="tank" pos="0.3 0 0"><joint name="hinge" axis="0 1 0" pos="0.05 0 0" damping="0.5"/>
      <inertial pos="0 0.1 0" mass="40" diaginertia="2 3 4"/></body></body></worldbody></mujoco>"""


def build(pos: tuple[float, ...] = (0.1, -0.05, 0.2), propellant: float = 20.0) -> mjo.MjoModel:
    spec = mjo.MjoSpec.from_string(BUS.replace('<joint name="hinge" axis="0 1 0" pos="0.05 0 0" damping="0.5"/>', ""))
    spec.add_tank("tank", propellant=propellant)
    # along the line through the COM of bus and tank, so that it only pushes
    com = (100.0 * np.array([0.1, -0.05, 0.2]) + 40.0 * np.array([0.3, 0.1, 0.0])) / 140.0
    spec.add_thruster("main", "bus", com, (0.0, 0.0, 1.0), max_force=50.0, specific_impulse=200.0, tank="tank")
    return spec.compile()


@pytest.fixture(scope="module")
def rocket() -> tuple[mjo.MjoModel, mjo.MjoData]:
    model = build()
    return model, mjo.make_data(model, nworld=2)


@pytest.fixture
def fresh(rocket: tuple[mjo.MjoModel, mjo.MjoData]) -> tuple[mjo.MjoModel, mjo.MjoData]:
    model, d = rocket
    mjo.mjo_reset(model, d)
    return model, d


def test_rocket_equation(fresh: tuple[mjo.MjoModel, mjo.MjoData]) -> None:
    """The burnt mass is F t/(g0 Isp) to rounding; Δv = g0 Isp ln(m0/m) within 0.2 %.

    The COM moves in the body as the tank empties, so the force turns the body a little within the 20 s.
    """
    model, d = fresh
    d.ctrl.assign(np.array([[50.0], [25.0]]))
    for _ in range(200):
        mjo.mjo_step(model, d)
    time = d.time.numpy()[0]  # 200 float32 steps
    burnt = np.array([50.0, 25.0]) * time / (9.80665 * 200.0)
    assert np.abs(d.hardware.propellant.numpy()[:, 0] - (20.0 - burnt)).max() < 1e-9
    speed = np.linalg.norm(d.qvel.numpy()[:, :3], axis=1)
    want = 9.80665 * 200.0 * np.log(140.0 / (140.0 - burnt))
    assert np.abs(speed / want - 1.0).max() < 2e-3
    assert abs(want[0] - 50.0 * 20.0 / 140.0) > 1e-3 * want[0]  # the burnt mass shows


def test_masses_follow(fresh: tuple[mjo.MjoModel, mjo.MjoData]) -> None:
    """Mass, inertia and subtree masses of the tank's body and its ancestors; the bus's own, pose and speed stay."""
    model, d = fresh
    d.hardware.propellant.assign(np.array([[5.0], [20.0]]))
    qpos, qvel = d.qpos.numpy().copy(), d.qvel.numpy().copy()
    mjo.set_state(model, d, mjo.get_state(model, d))
    mass, inertia = model.body_mass.numpy(), model.body_inertia.numpy()
    assert np.allclose(mass, [[0.0, 100.0, 25.0], [0.0, 100.0, 40.0]], rtol=0, atol=1e-5)
    assert np.allclose(inertia[:, 2], np.array([[2, 3, 4]]) * np.array([[25.0 / 40.0], [1.0]]), rtol=0, atol=1e-5)
    assert np.allclose(model.body_subtreemass.numpy(), [[125.0, 125.0, 25.0], [140.0, 140.0, 40.0]], rtol=0, atol=1e-4)
    assert np.array_equal(qpos, d.qpos.numpy()) and np.array_equal(qvel, d.qvel.numpy())
    mjo.set_const(model, d)
    assert np.allclose(model.body_subtreemass.numpy()[0], [125.0, 125.0, 25.0], rtol=0, atol=1e-4)


def test_reset_and_states(fresh: tuple[mjo.MjoModel, mjo.MjoData]) -> None:
    """A masked reset fills one world's tank again; a state brings its masses, and goes on with the same bits."""
    model, d = fresh
    d.ctrl.assign(np.full((2, 1), 40.0))
    for _ in range(20):
        mjo.mjo_step(model, d)
    state, mass = mjo.get_state(model, d).numpy().copy(), model.body_mass.numpy().copy()
    for _ in range(5):
        mjo.mjo_step(model, d)
    later = mjo.get_state(model, d).numpy().copy()
    mjo.mjo_reset(model, d, np.array([True, False]))
    assert model.body_mass.numpy()[0, 2] == 40.0 and model.body_mass.numpy()[1, 2] < mass[1, 2]
    assert d.hardware.propellant.numpy()[0, 0] == 20.0
    mjo.set_state(model, d, state)
    assert np.array_equal(model.body_mass.numpy(), mass)
    for _ in range(5):
        mjo.mjo_step(model, d)
    assert np.array_equal(mjo.get_state(model, d).numpy(), later)


def test_an_empty_tank_gives_no_thrust(fresh: tuple[mjo.MjoModel, mjo.MjoData]) -> None:
    model, d = fresh
    d.hardware.propellant.assign(np.array([[1e-3], [20.0]]))
    d.ctrl.assign(np.full((2, 1), 50.0))
    for _ in range(10):
        mjo.mjo_step(model, d)
    assert d.hardware.propellant.numpy()[0, 0] == 0.0
    assert d.hardware.thrust.numpy().tolist() == [[0.0], [50.0]]


def test_captured_burn(fresh: tuple[mjo.MjoModel, mjo.MjoData]) -> None:
    """A replayed burn is the same to the bit, and capturing burns nothing."""
    model, d = fresh
    d.ctrl.assign(np.full((2, 1), 30.0))
    replay = mjo.capture(model, d, nstep=3)
    assert d.hardware.propellant.numpy().tolist() == [[20.0], [20.0]] and model.body_mass.numpy()[0, 2] == 40.0
    replay()
    got, mass = mjo.get_state(model, d).numpy().copy(), model.body_mass.numpy().copy()
    mjo.mjo_reset(model, d)
    d.ctrl.assign(np.full((2, 1), 30.0))
    for _ in range(3):
        mjo.mjo_step(model, d)
    assert np.array_equal(mjo.get_state(model, d).numpy(), got) and np.array_equal(model.body_mass.numpy(), mass)


def test_masses_of_the_user(fresh: tuple[mjo.MjoModel, mjo.MjoData]) -> None:
    """A mass written by the user is the one with the propellant of that moment."""
    model, d = fresh
    mass = model.body_mass.numpy().copy()
    mass[0, 2] = 60.0
    model.body_mass.assign(mass)
    d.ctrl.assign(np.full((2, 1), 50.0))
    mjo.mjo_step(model, d)
    burnt = 50.0 * 0.1 / (9.80665 * 200.0)
    assert model.body_mass.numpy()[:, 2] == pytest.approx([60.0 - burnt, 40.0 - burnt], abs=1e-5)
    mjo.mjo_reset(model, d)  # with full tanks again, the mass is what it was
    model.body_mass.assign(np.array([[0.0, 100.0, 40.0]] * 2))


def test_the_reference_burns_alike(fresh: tuple[mjo.MjoModel, mjo.MjoData]) -> None:
    """From a burn under way: masses and propellant to the float32 backend's rounding, velocities to 1e-5 m/s."""
    model, d = fresh
    d.ctrl.assign(np.array([[50.0], [20.0]]))
    for _ in range(10):
        mjo.mjo_step(model, d)
    r = mjo_ref.from_warp(model, d)
    for _ in range(20):
        mjo.mjo_step(model, d)
        mjo_ref.mjo_step(model, r)
    assert np.abs(r.hardware.propellant - d.hardware.propellant.numpy()).max() < 1e-7
    assert np.abs(r.parameter("body_mass") - model.body_mass.numpy()).max() < 1e-5
    assert np.abs(r.parameter("body_inertia") - model.body_inertia.numpy()).max() < 1e-5
    assert np.abs(r.parameter("body_subtreemass") - model.body_subtreemass.numpy()).max() < 1e-4
    assert np.abs(r.qvel - d.qvel.numpy()).max() < 1e-5
    mjo_ref.mjo_reset(model, r, np.array([True, False]))
    assert r.parameter("body_mass")[0, 2] == pytest.approx(40.0, abs=1e-5)
    assert r.parameter("body_subtreemass")[0, 0] == pytest.approx(140.0, abs=1e-4)


def test_rocket_equation_of_the_reference() -> None:
    """A force through the COM of one body: Δv = g₀ I_sp ln(m₀/m); masses are those of each step's start: 1e-5 of Δv."""
    spec = mjo.MjoSpec.from_string(BUS[: BUS.index('<body name="tank"')] + "</body></worldbody></mujoco>")
    spec.add_tank("bus", propellant=60.0)
    spec.add_thruster(
        "main", "bus", (0.1, -0.05, 0.2), (0.6, 0.0, 0.8), max_force=500.0, specific_impulse=200.0, tank="bus"
    )
    model = spec.compile()
    d = mjo_ref.make_data(model)
    d.ctrl[:] = 500.0
    speeds = []
    for dt in (0.1, 0.05):
        mjo_ref.mjo_reset(model, d)
        d.ctrl[:] = 500.0
        d.batch.expand("opt.timestep")[:] = dt
        for _ in range(round(100.0 / dt)):
            mjo_ref.mjo_step(model, d)
        speeds.append(np.linalg.norm(d.qvel[0, :3]))
    rate = 500.0 / (9.80665 * 200.0)
    want = 9.80665 * 200.0 * math.log(100.0 / (100.0 - 100.0 * rate))
    assert d.hardware.propellant[0, 0] == pytest.approx(60.0 - 100.0 * rate, abs=1e-9)
    assert abs(speeds[0] / want - 1.0) < 2e-4
    assert abs(speeds[1] - want) == pytest.approx(0.5 * abs(speeds[0] - want), rel=0.02)  # first order


def test_one_data_per_model(rocket: tuple[mjo.MjoModel, mjo.MjoData]) -> None:
    with pytest.raises(ValueError, match="tank tank changes the model's masses in flight, so the model serves one"):
        mjo.make_data(rocket[0])


def test_mujoco_alone_sees_plain_actuators(rocket: tuple[mjo.MjoModel, mjo.MjoData]) -> None:
    data = mujoco.MjData(rocket[0].mj)
    data.ctrl[:] = 50.0
    mujoco.mj_step(rocket[0].mj, data)
    assert not data.qvel.any() and math.isclose(data.time, 0.1)


@pytest.mark.parametrize("backend", [mjo, mjo_ref])
def test_a_lost_world_burns_nothing(fresh: tuple[mjo.MjoModel, mjo.MjoData], backend: Any) -> None:
    """A world that is not finite keeps its propellant and mass, although its thruster is commanded."""
    model, d = fresh
    x: Any = d if backend is mjo else mjo_ref.from_warp(model, d)
    ctrl, speed = np.array([[50.0], [25.0]]), np.zeros((2, model.nv))
    speed[1, 0] = np.nan
    for name, values in (("ctrl", ctrl), ("qvel", speed)):
        if backend is mjo:
            getattr(x, name).assign(values)
        else:
            getattr(x, name)[:] = values
    for _ in range(3):
        backend.mjo_step(model, x)
    left = np.array(x.hardware.propellant.numpy() if backend is mjo else x.hardware.propellant)[:, 0]
    assert left[1] == 20.0 and left[0] < 20.0


@pytest.mark.parametrize("propellant", [15.0, 20.0])
def test_a_dump_has_the_worlds_own_tank(
    fresh: tuple[mjo.MjoModel, mjo.MjoData], tmp_path: pathlib.Path, propellant: float
) -> None:
    """Masses that a user gave one world, and what its tank has burnt since: the dump goes on with the same bits."""
    model, d = fresh
    mass, inertia = model.body_mass.numpy().copy(), model.body_inertia.numpy().copy()
    try:
        own, heavy = mass.copy(), inertia.copy()
        own[1, 1:] = 90.0, 60.0
        heavy[1] *= 1.7
        model.body_mass.assign(own)
        model.body_inertia.assign(heavy)
        mjo.set_const(model, d)
        d.hardware.propellant0.assign(np.array([[20.0], [propellant]]))
        mjo.mjo_reset(model, d)
        d.ctrl.assign(np.full((2, 1), 50.0))
        if propellant < 20.0:
            for _ in range(3):
                mjo.mjo_step(model, d)
        mjo.mjo_dump(model, d, 1, tmp_path / "tank.npz")
        again, one = mjo.load_dump(tmp_path / "tank.npz").restore()
        for _ in range(5):
            for name in ("body_mass", "body_inertia", "body_subtreemass"):
                assert np.array_equal(getattr(again, name).numpy()[0], getattr(model, name).numpy()[1]), name
            mjo.mjo_step(model, d)
            mjo.mjo_step(again, one)
        assert np.array_equal(mjo.get_state(model, d, [1]).numpy(), mjo.get_state(again, one).numpy())
    finally:  # the model is shared
        d.hardware.propellant0.fill_(20.0)
        mjo.mjo_reset(model, d)
        model.body_mass.assign(mass)
        model.body_inertia.assign(inertia)
        mjo.set_const(model, d)
