"""Captured steps."""

import gc

import numpy as np
import pytest

import mjorbit_warp as mjo
from tests.conftest import compile_model, scatter


@pytest.mark.parametrize("integrator", ["RK4", "implicitfast"])
def test_captured_is_uncaptured(integrator: str) -> None:
    """Bit for bit, and capturing leaves every array as it was."""
    model = compile_model("two_arm", integrator)
    a, b = mjo.make_data(model, nworld=3), mjo.make_data(model, nworld=3)
    for d in (a, b):
        scatter(d, seed=1)
    mjo.mjo_forward(model, b)

    def everything() -> list[np.ndarray]:
        arrays = [mjo.get_state(model, b), b.xipos, b.qacc, b.status, b.qfrc_orbit, b.orbit.lvlh, b.mjw.time]
        return [x.numpy().copy() for x in arrays]  # numpy() is a view on the CPU

    before = everything()
    step = mjo.capture(model, b, nstep=4)
    after = everything()
    assert all(np.array_equal(x, y) for x, y in zip(before, after, strict=True))
    assert gc.isenabled()
    for _ in range(3):
        step()
    for _ in range(12):
        mjo.mjo_step(model, a)
    assert np.array_equal(mjo.get_state(model, a).numpy(), mjo.get_state(model, b).numpy())
    assert step.ncapture == 1


def test_what_is_written_between_replays_takes_effect(two_arm: mjo.MjoModel) -> None:
    """Commands, states and orbits are read at replay, not frozen at capture."""
    a, b = mjo.make_data(two_arm, nworld=2), mjo.make_data(two_arm, nworld=2)
    step = mjo.capture(two_arm, b)
    other = mjo.Orbit.circular(altitude=700e3, inclination=1.2)
    for d in (a, b):
        scatter(d, seed=2)
        d.ctrl.assign(np.linspace(-1.0, 1.0, 16).reshape(2, 8))
        d.orbit.r.assign(np.tile(other.r, (2, 1)))
        d.orbit.v.assign(np.tile(other.v, (2, 1)))
    mjo.mjo_step(two_arm, a)
    step()
    assert np.array_equal(mjo.get_state(two_arm, a).numpy(), mjo.get_state(two_arm, b).numpy())


def test_recaptures_when_something_was_replaced() -> None:
    """An expanded parameter, an option, a callback: each is seen at the next call; a stale array never is."""
    model = compile_model("two_arm")
    d = mjo.make_data(model, nworld=2)
    step = mjo.capture(model, d)
    step()
    assert step.ncapture == 1
    mass = model.expand("body_mass", 2)
    values = mass.numpy()
    values[1] *= 3.0
    mass.assign(values)
    step()
    assert step.ncapture == 2
    fresh = mjo.make_data(model, nworld=2)
    mjo.set_state(model, fresh, mjo.get_state(model, d))
    mjo.mjo_step(model, fresh)
    step()
    assert np.array_equal(mjo.get_state(model, fresh).numpy(), mjo.get_state(model, d).numpy())
    model.expand("central_mu", 2)
    step()
    assert step.ncapture == 3
    model.opt.integrator = 3  # implicitfast: a scalar, baked into the graph
    step()
    assert step.ncapture == 4
    seen: list[int] = []
    model.callback.control = lambda m, dd: seen.append(1)
    step()
    assert step.ncapture == 5 and seen


def test_nstep_is_checked(two_arm: mjo.MjoModel) -> None:
    with pytest.raises(ValueError, match="positive integer"):
        mjo.capture(two_arm, mjo.make_data(two_arm), nstep=0)
