"""State vectors, resets and the clock."""

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from tests.conftest import LEO, compile_model, scatter


def test_save_restore_continue(two_arm: mjo.MjoModel) -> None:
    """Restored worlds, in another order, go on with the same bits."""
    d = mjo.make_data(two_arm, nworld=3)
    scatter(d, seed=1)
    d.ctrl.assign(np.random.default_rng(0).normal(size=(3, 8)))
    for _ in range(3):
        mjo.mjo_step(two_arm, d)
    saved = mjo.get_state(two_arm, d, world_ids=[2, 0])
    for _ in range(4):
        mjo.mjo_step(two_arm, d)
    expected = mjo.get_state(two_arm, d, world_ids=[2, 0]).numpy()
    e = mjo.make_data(two_arm, nworld=4)
    mjo.set_state(two_arm, e, saved, world_ids=[1, 3])
    for _ in range(4):
        mjo.mjo_step(two_arm, e)
    assert np.array_equal(mjo.get_state(two_arm, e, world_ids=[1, 3]).numpy(), expected)
    assert saved.dtype == wp.float64


def test_state_errors(two_arm: mjo.MjoModel) -> None:
    d = mjo.make_data(two_arm, nworld=2)
    with pytest.raises(ValueError, match="0 to 1 are allowed"):
        mjo.get_state(two_arm, d, world_ids=[2])
    with pytest.raises(ValueError, match="twice"):
        mjo.get_state(two_arm, d, world_ids=[1, 1])
    with pytest.raises(ValueError, match=r"(is|are) expected"):
        mjo.set_state(two_arm, d, np.zeros((2, 3)))


@pytest.mark.parametrize("mask", [[False, True, False], None])
def test_masked_reset(two_arm: mjo.MjoModel, mask: list[bool] | None) -> None:
    """Masked worlds are as new, the others bit for bit as if nothing had happened, now and a step later."""
    d, untouched, new = (mjo.make_data(two_arm, nworld=3) for _ in range(3))
    for x in (d, untouched):
        scatter(x, seed=3)
        for _ in range(3):
            mjo.mjo_step(two_arm, x)
    mjo.mjo_reset(two_arm, d, None if mask is None else np.array(mask))
    chosen = np.array([True] * 3 if mask is None else mask)
    for _ in range(2):
        state, fresh, old = (mjo.get_state(two_arm, x).numpy() for x in (d, new, untouched))
        assert np.array_equal(state[chosen], fresh[chosen])
        assert np.array_equal(state[~chosen], old[~chosen])
        for x in (d, new, untouched):
            mjo.mjo_step(two_arm, x)


def test_reset_refreshes_positions(two_arm: mjo.MjoModel) -> None:
    d, new = mjo.make_data(two_arm, nworld=1), mjo.make_data(two_arm, nworld=1)
    scatter(d)
    mjo.mjo_step(two_arm, d)
    mjo.mjo_reset(two_arm, d)
    assert np.array_equal(d.xipos.numpy(), new.xipos.numpy())
    assert np.array_equal(d.orbit.lvlh.numpy(), new.orbit.lvlh.numpy())


def test_reset_mask_errors(two_arm: mjo.MjoModel) -> None:
    d = mjo.make_data(two_arm, nworld=2)
    for bad in ([True], [0, 1], wp.zeros(2, dtype=int)):
        with pytest.raises(ValueError, match="bool"):
            mjo.mjo_reset(two_arm, d, bad)


def test_reference_reset_and_state(two_arm: mjo.MjoModel) -> None:
    d, new = mjo_ref.make_data(two_arm, nworld=2), mjo_ref.make_data(two_arm, nworld=2)
    scatter(d, seed=4)
    d.qfrc_applied[:] = 0.01
    for _ in range(2):
        mjo_ref.mjo_step(two_arm, d)
    saved = mjo_ref.get_state(two_arm, d)
    mjo_ref.mjo_step(two_arm, d)
    after = mjo_ref.get_state(two_arm, d)
    mjo_ref.set_state(two_arm, d, saved)
    mjo_ref.mjo_step(two_arm, d)
    assert np.array_equal(mjo_ref.get_state(two_arm, d), after)
    mjo_ref.mjo_reset(two_arm, d, np.array([False, True]))
    layout = mjo_ref.state_layout(d)
    parts = [layout[name] for name in ("qpos", "qvel", "time", "orbit.r", "orbit.v", "qfrc_applied")]
    got, want = mjo_ref.get_state(two_arm, d), mjo_ref.get_state(two_arm, new)
    assert all(np.array_equal(got[1, p], want[1, p]) for p in parts)
    assert np.array_equal(got[0], after[0])


@pytest.mark.parametrize("dt", [0.1, 0.002])
def test_h09_clock(dt: float) -> None:
    """Known-answer case H09: N·dt after 3 h, to 1e-6 s; a float32 sum is off by 4.6 s (dt 0.1) or 224 s (dt 0.002)."""
    orbit = mjo.Orbit(r=LEO.r, v=LEO.v, epoch=820497669.0)
    model = compile_model("box_satellite", orbit=orbit, timestep=dt)
    total = round(3 * 3600 / dt)
    step32 = np.float64(np.float32(dt))
    for backend in (mjo, mjo_ref):
        d = backend.make_data(model)
        state = np.array(backend.get_state(model, d)) if backend is mjo_ref else backend.get_state(model, d).numpy()
        layout = backend.state_layout(d)
        backend.mjo_step(model, d)  # sets dt
        state = backend.get_state(model, d)
        state = state if backend is mjo_ref else state.numpy()
        counted = float(state[0, layout["dt"]][0])
        assert counted == (dt if backend is mjo_ref else step32)
        state[0, layout["nstep"]] = total - 10
        state[0, layout["time"]] = (total - 10) * counted
        backend.set_state(model, d, state)
        for _ in range(10):
            backend.mjo_step(model, d)
        time = float(np.asarray(d.time if backend is mjo_ref else d.time.numpy())[0])
        assert abs(time - total * counted) < 1e-9
        t = float(np.asarray(d.t if backend is mjo_ref else d.orbit.t.numpy())[0])
        assert abs(t - (820497669.0 + total * counted)) < 2e-7  # float64 spacing at 8e8 s is 1.2e-7


def test_clock_follows_the_user(box: mjo.MjoModel) -> None:
    """A time written by the user, and a changed dt, restart the count from there."""
    model = compile_model("box_satellite", timestep=0.125)
    for backend in (mjo, mjo_ref):
        d = backend.make_data(model, nworld=2)
        backend.mjo_step(model, d)
        if backend is mjo:
            d.time.assign(np.array([0.125, 50.0]))
        else:
            d.time[:] = [0.125, 50.0]
        backend.mjo_step(model, d)
        time = d.time.numpy() if backend is mjo else d.time
        assert np.array_equal(time, [0.25, 50.125])
    d = mjo.make_data(model, nworld=2)
    mjo.mjo_step(model, d)
    model.expand("opt.timestep", 2).assign(np.array([0.125, 0.5], dtype=np.float32))
    mjo.mjo_step(model, d)
    assert np.array_equal(d.time.numpy(), [0.25, 0.625])
    assert np.array_equal(d.mjw.time.numpy(), np.array([0.25, 0.625], dtype=np.float32))
