"""Loads of the Warp backend against the reference, which writes each formula in another way."""

from typing import Any

import mpmath
import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.models import model_path
from mjorbit_warp.reference.third_body import third_body_gravity
from tests.conftest import scatter
from tests.equipped import equipped_model, orbits, start

EFFECTS = ("all", "gravity", "third_bodies", "drag", "light", "magnetics", "wheels", "cmgs", "thrusters")
PER_EFFECT = 7
NWORLD = PER_EFFECT * len(EFFECTS)
TOLERANCE = 5e-6  # float32: a few ulp of each term, relative to the sum of their sizes


@pytest.fixture(scope="module")
def equipped() -> mjo.MjoModel:
    return equipped_model("RK4")


def make(model: mjo.MjoModel, nworld: int = NWORLD) -> mjo.MjoData:
    orbit = None if model.orbit is None else orbits(nworld)
    d = mjo.make_data(model, nworld=nworld, orbit=orbit)
    scatter(d, seed=1)
    start(d, seed=2)
    return d


def differs(got: Any, want: np.ndarray, scale: float | None = None) -> float:
    """Largest error relative to the largest value."""
    error = float(np.abs(got.numpy() - want).max())
    return error / (float(np.abs(want).max()) if scale is None else scale)


def isolate(m: mjo.MjoModel, d: mjo.MjoData) -> dict[str, slice]:
    """Parameters and commands per world, so that a group of worlds feels one effect each; which group is which."""
    groups = {name: slice(k * PER_EFFECT, (k + 1) * PER_EFFECT) for k, name in enumerate(EFFECTS)}
    feels = {name: {"all", name} for name in EFFECTS} | {"ctrl": {"all", "magnetics", "wheels", "cmgs", "thrusters"}}
    parameters = {
        "central_mu": "gravity",
        "environment_sun_mu": "third_bodies",
        "environment_moon_mu": "third_bodies",
        "environment_density_scale": "drag",
        "environment_solar_flux": "light",
        "dipole_dipole": "magnetics",
        "wheel_coulomb": "wheels",
        "wheel_viscous": "wheels",
        "cmg_momentum": "cmgs",
    }
    rng = np.random.default_rng(4)

    def masked(values: np.ndarray, effect: str) -> np.ndarray:
        out = np.zeros_like(values)
        for name in feels[effect]:
            out[groups[name]] = values[groups[name]]
        return out

    for name, effect in parameters.items():
        array = m.expand(name, d.nworld)
        array.assign(masked(array.numpy() * rng.uniform(0.9, 1.1, array.numpy().shape), effect))
    for name in ("wheel_inertia", "surface_area", "surface_drag", "environment_eclipse_radius", "environment_air_rate"):
        array = m.expand(name, d.nworld)
        spread = 0.001 if name == "environment_eclipse_radius" else 0.1
        array.assign(array.numpy() * rng.uniform(1.0 - spread, 1.0 + spread, array.numpy().shape))
    zonal = m.expand("environment_zonal", d.nworld)  # too small beside J2 to be seen in float32: 1000 times as much
    zonal.assign(zonal.numpy() * 1e3)

    ctrl, act, hardware = d.ctrl.numpy(), d.act.numpy(), m.hardware
    commanded = {"wheels": "reaction_wheel", "thrusters": "thruster", "magnetics": "magnetorquer"}
    for effect, kind in commanded.items():
        columns = getattr(hardware, kind).ctrl
        ctrl[:, columns] = masked(ctrl[:, columns], effect)
    wheels = hardware.reaction_wheel.act
    act[:, wheels] = masked(act[:, wheels], "wheels")
    d.ctrl.assign(ctrl)
    d.act.assign(act)
    return groups


def test_each_effect_alone() -> None:
    """Forces and torques of each effect, relative to the largest of that effect; parameters differ in each world.

    Measured: forces 3e-7, torques 1.3e-6 (a metre of offset in float32 on an arm of 0.3 m), of the gravity gradient
    2.2e-6 (differences of inertias).
    """
    model = equipped_model("RK4")
    d = make(model)
    groups = isolate(model, d)
    r = mjo_ref.from_warp(model, d)
    mjo.mjo_forward(model, d)
    mjo_ref.mjo_forward(model, r)
    for name, worlds in groups.items():
        got, want = d.wrench.numpy()[worlds], r.wrench[worlds]
        parts = {"force": slice(0, 3), "torque": slice(3, 6)}
        pushes = name in ("all", "gravity", "third_bodies", "drag", "light", "thrusters")
        turns = name not in ("third_bodies",)
        for part, on in (("force", pushes), ("torque", turns)):
            a, b = got[..., parts[part]], want[..., parts[part]]
            assert (np.abs(b).max() > 0.0) == on, (name, part)
            assert np.abs(a - b).max() <= TOLERANCE * np.abs(b).max(), (name, part)
        a, b = d.qfrc_orbit.numpy()[worlds], r.qfrc_orbit[worlds]
        assert np.abs(a - b).max() <= TOLERANCE * np.abs(b).max(), name
    lit = r.wrench[groups["light"]][..., :3]
    assert np.unique(np.abs(lit).max(axis=(1, 2)).round(8)).size > 3  # penumbra: shades of grey


def test_everything_together(equipped: mjo.MjoModel) -> None:
    """One evaluation, relative to the largest value: measured 3e-7, generalised forces 1e-6."""
    d = make(equipped)
    r = mjo_ref.from_warp(equipped, d)
    mjo.mjo_forward(equipped, d)
    mjo_ref.mjo_forward(equipped, r)
    for name in ("wrench", "qfrc_orbit", "act_dot"):
        assert differs(getattr(d, name), getattr(r, name)) < TOLERANCE, name
    for name in ("wheel_torque", "gimbal_rate", "thrust", "force"):
        want = getattr(r.hardware, name)
        assert np.abs(want).max() > 1e-3
        assert differs(getattr(d.hardware, name), want) < TOLERANCE, name
    assert differs(d.orbit.feedback, r.orbit.feedback) < TOLERANCE
    g = np.linalg.norm(r.orbit.stage_a[0], axis=-1).max()
    assert differs(d.orbit.state.stage_a, r.orbit.stage_a, g) < 1e-8  # float64, but for a_fb: 2e-3 of g, float32
    gravity = d.orbit.state.stage_a.numpy()[0] - d.orbit.feedback.numpy(), r.orbit.stage_a[0] - r.orbit.feedback
    assert np.abs(gravity[0] - gravity[1]).max() < 1e-14 * g  # zonals, Sun and Moon are 1e-5 and 1e-7 of it
    for name, digits in (("sun", 1e-3), ("moon", 1e-2), ("ecef", 1e-11)):  # 1e-14 of 1.5e11 m; of 6e5 s × rate: ulp
        assert np.abs(getattr(d.environment, name).numpy() - getattr(r.environment, name)).max() < digits
    assert np.array_equal(d.hardware.fire_until.numpy(), np.zeros((NWORLD, 4)))  # looking does not fire


@pytest.mark.parametrize("integrator", ["RK4", "implicitfast"])
def test_steps(integrator: str) -> None:
    """Five steps. Joints and momenta to the float32 rounding of a step times five; status and pulses the same."""
    model = equipped_model(integrator)
    d = make(model)
    r = mjo_ref.from_warp(model, d)
    for _ in range(5):
        mjo.mjo_step(model, d)
        mjo_ref.mjo_step(model, r)
    assert differs(d.qpos, r.qpos, 1.0) < 2e-6
    assert differs(d.qvel, r.qvel, 1.0) < 1e-5  # wrist inertias of 1e-2 kg·m²
    assert differs(d.act, r.act, 1.0) < 1e-6
    assert differs(d.hardware.fire_until, r.hardware.fire_until, 1.0) == 0.0
    assert np.array_equal(d.status.numpy(), r.status)
    assert 0 < np.count_nonzero(r.status & mjo.Status.WHEEL_SATURATED) < NWORLD
    assert np.abs(d.orbit.r.numpy() - r.orbit.r).max() < 1e-8  # 10 ulp of 6.7e6 m
    assert np.abs(d.orbit.v.numpy() - r.orbit.v).max() < 1e-8  # a_fb in float32: 2e-2 m/s² × 0.5 s × 1e-7
    state = mjo.get_state(model, d).numpy()
    assert mjo.state_layout(d) == mjo_ref.state_layout(r)
    mjo_ref.set_state(model, r, state)
    assert np.array_equal(mjo_ref.get_state(model, r), state)


def test_actuation_disabled() -> None:
    """Wheels, CMGs, thrusters and rods do nothing; surfaces and the residual dipole stay."""
    model = equipped_model("RK4")
    d = make(model)
    mjo.mjo_step(model, d)
    assert (d.status.numpy() & mjo.Status.WHEEL_SATURATED).any()
    d.status.zero_()  # bits stay until they are cleared, and nothing sets this one again
    model.mjw.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    mjo.mjo_step(model, d)
    assert not d.status.numpy().any()
    d = make(model)
    r = mjo_ref.from_warp(model, d)
    act = d.act.numpy()
    for _ in range(2):
        mjo.mjo_step(model, d)
        mjo_ref.mjo_step(model, r)
    assert np.array_equal(d.act.numpy(), act)
    assert np.array_equal(r.act, act)
    assert not d.status.numpy().any() and not r.status.any()
    force, torque = (np.abs(r.wrench[..., part]).max() for part in (slice(0, 3), slice(3, 6)))
    assert 1e-5 < force < 0.1 and 1e-6 < torque < 0.1  # thrust is 0.5 N
    assert differs(d.wrench, r.wrench) < TOLERANCE


def test_without_orbit() -> None:
    """Wheels, CMGs and thrusters work in zero gravity; the rest is off."""
    with pytest.warns(mjo.MjoWarning, match="no effect without an orbit"):
        model = equipped_model("RK4", in_orbit=False)
    d = make(model, 8)
    r = mjo_ref.from_warp(model, d)
    for _ in range(3):
        mjo.mjo_step(model, d)
        mjo_ref.mjo_step(model, r)
    assert np.abs(r.hardware.thrust).max() > 0.1
    assert differs(d.qfrc_orbit, r.qfrc_orbit) < TOLERANCE
    assert differs(d.act, r.act, 1.0) < 1e-6
    assert differs(d.hardware.force, r.hardware.force) < TOLERANCE


def test_pulses_end_with_a_reset_and_travel_with_the_state() -> None:
    """On-off thrusters fire for their pulse of 0.25 s after one step of command; masked reset, states, names."""
    model = equipped_model("RK4")
    d, r = make(model), mjo_ref.make_data(model, NWORLD, orbit=orbits(NWORLD))
    scatter(r, seed=1)
    start(r, seed=2)
    on = r.ctrl[:, model.hardware.thruster.ctrl[model.hardware.thruster.names.index("jet_1")]] >= 0.25
    jet = model.hardware.thruster.names.index("jet_1")
    shares = []
    for _ in range(4):
        for backend, data in ((mjo, d), (mjo_ref, r)):
            backend.mjo_step(model, data)
        assert np.array_equal(d.hardware.fire_until.numpy(), r.hardware.fire_until)
        assert differs(d.hardware.thrust, r.hardware.thrust, 0.5) < 1e-6
        shares.append(r.hardware.thrust[on, jet].mean() / 0.5)
        d.ctrl.zero_()
        r.ctrl[:] = 0.0
    assert 0 < np.count_nonzero(on) < NWORLD
    assert np.allclose(shares, [1.0, 1.0, 0.5, 0.0], atol=1e-9)
    mask = np.arange(NWORLD) % 2 == 0
    state = mjo_ref.get_state(model, r)
    for backend, data in ((mjo, d), (mjo_ref, r)):
        backend.mjo_reset(model, data, mask)
    assert np.array_equal(d.hardware.fire_until.numpy(), r.hardware.fire_until)
    assert not r.hardware.fire_until[mask].any() and r.hardware.fire_until[~mask].any()
    mjo_ref.set_state(model, r, state)
    assert np.array_equal(mjo_ref.get_state(model, r), state)
    for prefix, parameters in model.parameters.items():
        for name in parameters.batched:
            theirs, ours = getattr(parameters, name).numpy(), r.expand(f"{prefix}_{name}")
            assert ours.shape == (NWORLD, *theirs.shape[1:]), (prefix, name)


def test_gravity_gradient_of_a_rotor() -> None:
    """A locked wheel of 5 kg·m² turns in the gradient as if the body's inertia had it, on both backends."""
    axis = np.array([0.6, 0.0, 0.8])
    torques = []
    for with_wheel in (True, False):
        spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
        spec.orbit = orbits(1)[0]
        tensor = np.diag([20.0, 30.0, 25.0]) + (0.0 if with_wheel else 5.0) * np.outer(axis, axis)
        bus = spec.mj.body("bus")
        bus.explicitinertial, bus.inertia, bus.iquat = True, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
        bus.fullinertia = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        if with_wheel:
            spec.add_reaction_wheel("wheel", "bus", axis, inertia=5.0)
        model = spec.compile()
        d = mjo.make_data(model, nworld=3)
        scatter(d, seed=3, speed=0.0)
        r = mjo_ref.from_warp(model, d)
        mjo.mjo_forward(model, d)
        mjo_ref.mjo_forward(model, r)
        assert differs(d.wrench, r.wrench) < TOLERANCE
        torque = r.wrench[:, 1, 3:]
        assert np.abs(d.wrench.numpy()[:, 1, 3:] - torque).max() < TOLERANCE * np.abs(torque).max()
        torques.append(torque)
    assert np.abs(torques[0] - torques[1]).max() < 1e-14 * np.abs(torques[0]).max()


def test_third_body_without_cancellation() -> None:
    """Against 40 digits: Sun and Moon on an orbit, and the Sun on a body 3 m from it, which a difference would lose."""
    for r, s, mu in (
        ([6.5e6, -1.2e6, 2.3e6], [1.2e11, -8.0e10, -3.0e10], 1.327e20),
        ([6.5e6, -1.2e6, 2.3e6], [3.1e8, 1.9e8, -1.2e8], 4.9e12),
        ([3.0, -1.0, 0.5], [1.2e11, -8.0e10, -3.0e10], 1.327e20),
    ):
        with mpmath.workdps(40):
            there = [mpmath.mpf(b) - mpmath.mpf(a) for a, b in zip(r, s, strict=True)]
            near, far = (mpmath.sqrt(sum(mpmath.mpf(x) ** 2 for x in v)) ** 3 for v in (there, s))
            want = np.array([float(mu * (a / near - b / far)) for a, b in zip(there, s, strict=True)])
        got = third_body_gravity(np.array(r), np.array(s), mu)
        assert np.abs(got - want).max() < 1e-15 * np.abs(want).max() * 4.0
