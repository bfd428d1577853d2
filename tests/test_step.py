"""What a step does and does not do: launches, allocations, callbacks, the user's own forces, repeatability."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import mujoco_warp as mjw
import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from tests.conftest import compile_model, scatter

Maker = Callable[..., mjo.MjoData]


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Kernel launches and array allocations under way."""
    count = {"launch": 0, "array": 0}
    launch, array_init = wp.launch, wp.array.__init__

    def counted_launch(*args: Any, **kwargs: Any) -> Any:
        count["launch"] += 1
        return launch(*args, **kwargs)

    def counted_init(self: Any, *args: Any, **kwargs: Any) -> None:
        count["array"] += 1
        array_init(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(wp, "launch", counted_launch)
        patch.setattr(wp.array, "__init__", counted_init)
        yield count


@pytest.mark.parametrize(("integrator", "evaluations"), [("RK4", 4), ("implicitfast", 1)])
def test_launches_and_allocations(monkeypatch: pytest.MonkeyPatch, integrator: str, evaluations: int) -> None:
    """Two launches per evaluation and two per step more than bare MJWarp, and not one array more."""
    model = compile_model("two_arm", integrator)
    d = mjo.make_data(model, nworld=2)
    scatter(d)
    bare_model, bare = mjw.put_model(model.mj), mjw.make_data(model.mj, nworld=2)
    mjo.mjo_step(model, d)
    mjw.step(bare_model, bare)
    with counting(monkeypatch) as ours:
        mjo.mjo_step(model, d)
    with counting(monkeypatch) as theirs:
        mjw.step(bare_model, bare)
    assert ours["launch"] - theirs["launch"] == 2 * evaluations + 2
    assert ours["array"] == theirs["array"]


def test_repeats_bit_for_bit(two_arm: mjo.MjoModel, scattered: Maker) -> None:
    runs = []
    for _ in range(2):
        d = scattered(seed=1)
        for _ in range(10):
            mjo.mjo_step(two_arm, d)
        runs.append(mjo.get_state(two_arm, d).numpy())
    assert np.array_equal(*runs)


def test_two_datas_on_one_model(two_arm: mjo.MjoModel, scattered: Maker) -> None:
    """Stepped in turn, each goes as if alone."""
    alone = scattered(seed=2)
    for _ in range(5):
        mjo.mjo_step(two_arm, alone)
    a, b = scattered(seed=2), scattered(nworld=2, seed=3)
    for _ in range(5):
        mjo.mjo_step(two_arm, a)
        mjo.mjo_step(two_arm, b)
    assert np.array_equal(mjo.get_state(two_arm, a).numpy(), mjo.get_state(two_arm, alone).numpy())


def test_foreign_data_is_refused(two_arm: mjo.MjoModel, box: mjo.MjoModel, scattered: Maker) -> None:
    d = scattered()
    mjo.mjo_step(two_arm, d)
    stranger = mjw.make_data(two_arm.mj, nworld=1)
    with pytest.raises(ValueError, match=r"not made by mjorbit_warp\.make_data"):
        mjw.step(two_arm.mjw, stranger)
    with pytest.raises(ValueError, match="another model"):
        mjo.mjo_step(box, d)


def test_users_forces_survive(two_arm: mjo.MjoModel, scattered: Maker) -> None:
    """xfrc_applied and qfrc_applied are the user's: never written, never cleared."""
    d = scattered()
    xfrc, qfrc = np.random.default_rng(0).normal(size=(2, 3, 9 + 1, 6)).astype(np.float32)[0], None
    qfrc = np.random.default_rng(1).normal(size=(3, two_arm.nv)).astype(np.float32)
    xfrc = xfrc[:, : two_arm.nbody]
    d.xfrc_applied.assign(xfrc)
    d.qfrc_applied.assign(qfrc)
    for _ in range(3):
        mjo.mjo_step(two_arm, d)
    assert np.array_equal(d.xfrc_applied.numpy(), xfrc)
    assert np.array_equal(d.qfrc_applied.numpy(), qfrc)


def test_passive_forces_of_the_model_survive(two_arm: mjo.MjoModel, scattered: Maker) -> None:
    """qfrc_passive is MJWarp's own plus qfrc_orbit, in every evaluation and not accumulated."""
    d = scattered()
    for _ in range(3):
        mjo.mjo_forward(two_arm, d)
    own = d.qfrc_spring.numpy() + d.qfrc_damper.numpy()
    assert np.array_equal(d.qfrc_passive.numpy(), own + d.qfrc_orbit.numpy())


def test_callbacks_of_the_user_are_chained() -> None:
    """Set through model.callback or on MJWarp's model: all are called once per evaluation."""
    model = compile_model("two_arm")
    d = mjo.make_data(model, nworld=1)
    calls: list[str] = []
    model.mjw.callback.passive = lambda m, dd: calls.append("raw passive" if dd is d.mjw else "wrong")
    model.mjw.callback.control = lambda m, dd: calls.append("raw control")
    model.callback.passive = lambda m, dd: calls.append("passive" if (m, dd) == (model, d) else "wrong")
    model.callback.control = lambda m, dd: calls.append("control")
    mjo.mjo_step(model, d)
    assert calls == ["raw control", "control", "raw passive", "passive"] * 4
    model.mjw.callback.passive = None  # the user takes the callback away: ours comes back, theirs does not
    calls.clear()
    mjo.mjo_step(model, d)
    assert calls == ["raw control", "control", "passive"] * 4
    with pytest.raises(AttributeError, match="allowed are control"):
        model.callback.contrl = None  # type: ignore[attr-defined]


def test_control_hook_comes_before_the_actuators() -> None:
    """A ctrl written by the hook acts in the same evaluation: the hook's torque is seen in qfrc_actuator at once."""
    model = compile_model("two_arm")
    d = mjo.make_data(model, nworld=1)
    model.callback.control = lambda m, dd: dd.ctrl.fill_(0.25)
    mjo.mjo_forward(model, d)
    assert np.abs(d.qfrc_actuator.numpy()[0, 6] - 2.0 * 0.25) < 1e-6  # kp of the first yaw joint is 2 N·m/rad


@pytest.mark.parametrize("backend", ["warp", "reference"])
def test_stage_times(backend: str) -> None:
    model = compile_model("two_arm")
    times: list[float] = []
    make, step = (mjo.make_data, mjo.mjo_step) if backend == "warp" else (mjo_ref.make_data, mjo_ref.mjo_step)
    d: Any = make(model)
    model.callback.control = lambda m, dd: times.append(
        float(np.asarray(dd.stage_time.numpy() if backend == "warp" else dd.stage_time)[0])
    )
    step(model, d)
    step(model, d)
    dt = float(np.float32(0.1)) if backend == "warp" else 0.1
    assert times == pytest.approx([0.0, dt / 2, dt / 2, dt, dt, 1.5 * dt, 1.5 * dt, 2 * dt], abs=1e-15)


def test_orbit_written_by_the_user_takes_effect(two_arm: mjo.MjoModel, scattered: Maker) -> None:
    """In place, between steps: nothing derived from the old orbit is used."""
    a, b = scattered(seed=4), scattered(seed=4)
    other = mjo.Orbit.circular(altitude=900e3, inclination=1.0)
    mjo.mjo_step(two_arm, a)
    for d in (a, b):
        d.orbit.r.assign(np.tile(other.r, (3, 1)))
        d.orbit.v.assign(np.tile(other.v, (3, 1)))
    mjo.set_state(two_arm, b, mjo.get_state(two_arm, a))
    mjo.mjo_forward(two_arm, a)
    mjo.mjo_forward(two_arm, b)
    assert np.array_equal(a.qfrc_orbit.numpy(), b.qfrc_orbit.numpy())
    assert np.array_equal(a.orbit.lvlh.numpy()[0], mjo.frames.lvlh_axes(other.r, other.v))


def test_rebinding_is_refused(two_arm: mjo.MjoModel, scattered: Maker) -> None:
    d = scattered()
    for target, name in ((d, "qpos"), (d, "time"), (d.orbit, "r"), (two_arm, "body_mass"), (two_arm, "central_mu")):
        with pytest.raises(AttributeError, match=r"cannot be rebound.*assign"):
            setattr(target, name, None)


def test_zero_gravity_without_an_orbit() -> None:
    model = compile_model("two_arm", orbit=None)
    d = mjo.make_data(model, nworld=2)
    v = np.zeros((2, model.nv), dtype=np.float32)
    v[:, :3] = [0.5, -0.25, 0.125]
    d.qvel.assign(v)
    for _ in range(5):
        mjo.mjo_step(model, d)
    assert d.orbit is None
    assert np.abs(d.qpos.numpy()[:, :3] - v[:, :3] * 0.5).max() < 1e-6
    assert np.array_equal(d.time.numpy(), 5 * np.float64(np.float32(0.1)) * np.ones(2))
    with pytest.raises(ValueError, match="no orbit"):
        mjo.absolute_state(model, d)
