"""The Warp backend against the reference, started from the same numbers by from_warp."""

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.reference.poses import mujoco_poses
from tests.conftest import compile_model, scatter


@pytest.mark.parametrize("name", ["two_arm", "box_satellite", "chaser_target"])
def test_forces_of_one_evaluation(name: str) -> None:
    """Wrenches and generalised forces of tilted, offset bodies; float32 relative to the largest term."""
    model = compile_model(name)
    d = mjo.make_data(model, nworld=4)
    scatter(d, seed=5)
    r = mjo_ref.from_warp(model, d)
    mjo.mjo_forward(model, d)
    mjo_ref.mjo_forward(model, r)
    for got, want in ((d.wrench, r.wrench), (d.qfrc_orbit, r.qfrc_orbit)):
        assert np.abs(want).max() > 1e-6
        assert np.abs(got.numpy() - want).max() < 2e-6 * np.abs(want).max()
    # qacc also carries the servos, in float32: relative to the largest
    assert np.abs(d.qacc.numpy() - r.qacc).max() < 5e-5 * max(1.0, np.abs(r.qacc).max())


# the two-arm servos are too stiff for explicit Euler at dt 0.1
@pytest.mark.parametrize(
    ("name", "integrator"), [("two_arm", "RK4"), ("two_arm", "implicitfast"), ("box_satellite", "Euler")]
)
def test_steps(name: str, integrator: str) -> None:
    """Fifty steps: positions to float32 rounding of metres, the orbit to the last digits, clocks equal."""
    model = compile_model(name, integrator)
    d = mjo.make_data(model, nworld=2)
    scatter(d, seed=6)
    r = mjo_ref.from_warp(model, d)
    for _ in range(50):
        mjo.mjo_step(model, d)
        mjo_ref.mjo_step(model, r)
    assert np.abs(d.qpos.numpy() - r.qpos).max() < 1e-5
    assert np.abs(d.qvel.numpy() - r.qvel).max() < 2e-6
    assert np.abs(d.orbit.r.numpy() - r.orbit.r).max() < 2e-9  # 2 ulp of 6.8e6 m
    assert np.abs(d.orbit.v.numpy() - r.orbit.v).max() < 2e-12
    assert np.array_equal(d.time.numpy(), r.time)
    assert np.abs(d.orbit.lvlh.numpy() - r.orbit.lvlh).max() < 1e-14


def test_absolute_states_agree(two_arm: mjo.MjoModel) -> None:
    d = mjo.make_data(two_arm, nworld=3)
    scatter(d, seed=8, speed=0.5)
    r = mjo_ref.from_warp(two_arm, d)
    a, b = mjo.absolute_state(two_arm, d), mjo_ref.absolute_state(two_arm, r)
    assert np.abs(a.r.numpy() - b.r).max() < 2e-6  # float32 of a 5 m offset
    assert np.abs(a.v.numpy() - b.v).max() < 2e-6
    assert np.abs(a.omega.numpy() - b.omega).max() < 1e-6
    assert np.abs(a.quat.numpy() - b.quat).max() < 1e-6


def test_reference_rk4_is_mujocos() -> None:
    """Without an orbit the reference must step exactly as mj_step does: free, tumbling, servos pulling."""
    import mujoco

    model = compile_model("two_arm", orbit=None)
    d = mjo_ref.make_data(model, nworld=2)
    scatter(d, seed=9, speed=0.8)
    plain = [mujoco.MjData(model.mj) for _ in range(2)]
    for world, p in enumerate(plain):
        p.qpos[:], p.qvel[:] = d.qpos[world], d.qvel[world]
    for _ in range(100):
        mjo_ref.mjo_step(model, d)
        for p in plain:
            mujoco.mj_step(model.mj, p)
    for world, p in enumerate(plain):
        assert np.abs(d.qpos[world] - p.qpos).max() < 1e-12  # rounding of a metre over 100 steps
        assert np.abs(d.qvel[world] - p.qvel).max() < 1e-12


def test_uniform_field_turns_no_joint() -> None:
    """A force proportional to mass at every COM accelerates all bodies alike: no joint may feel it (offset COMs)."""
    from mjorbit_warp.reference.wrench import project

    model = compile_model("two_arm")
    d = mjo_ref.make_data(model, nworld=3)
    scatter(d, seed=10)
    mjo_ref.mjo_forward(model, d)
    wrenches = np.zeros((3, model.nbody, 6))
    wrenches[..., :3] = model.mj.body_mass[:, None] * np.array([1.0, -2.0, 0.5])
    qfrc = project(d, mujoco_poses(d), wrenches)
    before = d.qacc.copy()
    d.qfrc_applied[:] = qfrc
    mjo_ref.mjo_forward(model, d)
    change = d.qacc - before
    assert np.abs(change[:, :3] - [1.0, -2.0, 0.5]).max() < 1e-11  # m/s², float64 solve
    assert np.abs(change[:, 3:]).max() < 1e-11  # rad/s²


def test_state_layout_is_shared(two_arm: mjo.MjoModel) -> None:
    d, r = mjo.make_data(two_arm, nworld=2), mjo_ref.make_data(two_arm, nworld=2)
    assert mjo.state_layout(d) == mjo_ref.state_layout(r)


def test_from_warp_copies_chosen_worlds_and_parameters() -> None:
    model = compile_model("two_arm")
    mass = model.expand("body_mass", 3)
    values = mass.numpy()
    values[1, 1] *= 2.0
    mass.assign(values)
    d = mjo.make_data(model, nworld=3)
    scatter(d, seed=11)
    mjo.set_const(model, d)
    r = mjo_ref.from_warp(model, d, world_ids=[2, 1])
    assert np.array_equal(r.parameter("body_mass")[:, 1], [40.0, 80.0])
    assert np.array_equal(r.qpos, d.qpos.numpy()[[2, 1]].astype(np.float64))
    mjo.mjo_forward(model, d)
    mjo_ref.mjo_forward(model, r)
    want = r.qfrc_orbit
    assert np.abs(d.qfrc_orbit.numpy()[[2, 1]] - want).max() < 2e-6 * np.abs(want).max()
