"""Precision "shadow": float64 adds up what float32 evaluates."""

import numpy as np
import pytest

import mjorbit_warp as mjo
from benchmarks import accuracy
from mjorbit_warp import reference as mjo_ref
from tests.conftest import compile_model, scatter


def test_two_arm_is_better_than_single() -> None:
    """140 s: below the plain float32 error (1.2e-5 m) by far; 8e-6 m over half an orbit, where 2e-5 is the limit."""
    errors = accuracy.two_arm_warp(0.05, precision="shadow")
    assert errors["com_m"] < 2e-6
    assert errors["joint_rad"] < 2e-7


def test_the_float64_step_is_the_references() -> None:
    """Nothing but free rotation and drift, fast and slow: the shadow follows float64 where plain float32 cannot."""
    model = compile_model("box_satellite", orbit=None)
    single, shadow = mjo.make_data(model, nworld=4), mjo.make_data(model, nworld=4, precision="shadow")
    for d in (single, shadow):
        scatter(d, seed=2, speed=0.3)
    r = mjo_ref.from_warp(model, shadow)
    for _ in range(300):
        mjo.mjo_step(model, single)
        mjo.mjo_step(model, shadow)
        mjo_ref.mjo_step(model, r)
    error = {name: np.abs(d.qpos.numpy() - r.qpos).max() for name, d in (("single", single), ("shadow", shadow))}
    assert np.abs(shadow.shadow.qpos.numpy() - r.qpos).max() < 5e-7
    assert error["shadow"] < 0.2 * error["single"]


def test_arrays_hold_the_rounded_shadow(two_arm: mjo.MjoModel) -> None:
    d = mjo.make_data(two_arm, nworld=2, precision="shadow")
    scatter(d, seed=3)
    for _ in range(3):
        mjo.mjo_step(two_arm, d)
    assert np.array_equal(d.qpos.numpy(), d.shadow.qpos.numpy().astype(np.float32))
    assert np.array_equal(d.qvel.numpy(), d.shadow.qvel.numpy().astype(np.float32))


def test_what_the_user_writes_counts(two_arm: mjo.MjoModel) -> None:
    """Rows written between steps are taken over, the others keep their float64 digits."""
    d = mjo.make_data(two_arm, nworld=2, precision="shadow")
    scatter(d, seed=4)
    mjo.mjo_step(two_arm, d)
    qpos = d.qpos.numpy().copy()
    qpos[1, :3] = [7.0, 8.0, 9.0]
    kept = d.shadow.qpos.numpy()[0].copy()
    d.qpos.assign(qpos)
    fresh = mjo.make_data(two_arm, nworld=2, precision="shadow")
    mjo.set_state(two_arm, fresh, mjo.get_state(two_arm, d))
    for x in (d, fresh):
        mjo.mjo_step(two_arm, x)
    assert np.abs(d.qpos.numpy()[1, :3] - [7.0, 8.0, 9.0]).max() < 0.1
    assert np.array_equal(mjo.get_state(two_arm, d).numpy(), mjo.get_state(two_arm, fresh).numpy())
    assert np.abs(d.shadow.qpos.numpy()[0] - kept).max() < 0.1


def test_reset_and_restart(two_arm: mjo.MjoModel) -> None:
    """Reset worlds are as new to the last bit of the shadow; saved states go on with the same bits; graphs too."""
    d, new = (mjo.make_data(two_arm, nworld=2, precision="shadow") for _ in range(2))
    scatter(d, seed=5, speed=1e-9, spread=0.0)
    step = mjo.capture(two_arm, d)
    for _ in range(3):
        step()
    saved = mjo.get_state(two_arm, d)
    step()
    after = mjo.get_state(two_arm, d).numpy().copy()
    mjo.set_state(two_arm, d, saved)
    mjo.mjo_step(two_arm, d)
    assert np.array_equal(mjo.get_state(two_arm, d).numpy(), after)
    mjo.mjo_reset(two_arm, d, np.array([True, False]))
    state, fresh = mjo.get_state(two_arm, d).numpy(), mjo.get_state(two_arm, new).numpy()
    assert np.array_equal(state[0], fresh[0])
    assert np.array_equal(state[1], after[1])


def test_what_it_needs_is_said() -> None:
    model = compile_model("two_arm", "implicitfast")
    with pytest.raises(ValueError, match="needs the RK4 integrator"):
        mjo.make_data(model, precision="shadow")
    with pytest.raises(ValueError, match="allowed are 'single', 'shadow'"):
        mjo.make_data(model, precision="double")
