"""Policies and stop functions inside the graph of a row, against the same ones outside."""

from typing import Any

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from tests.conftest import scatter

NSTEP, EVERY = 8, 2


@wp.kernel
def _servo(qpos: wp.array2d[float], gain: wp.array[float], ctrl: wp.array2d[float]):
    w, i = wp.tid()
    ctrl[w, i] = -gain[0] * qpos[w, 7 + i]


@wp.kernel
def _integral(qpos: wp.array2d[float], total: wp.array2d[float], ctrl: wp.array2d[float]):
    w, i = wp.tid()
    total[w, i] = total[w, i] + qpos[w, 7 + i]
    ctrl[w, i] = -0.1 * total[w, i]


@wp.kernel
def _later(time: wp.array[wp.float64], mask: wp.array[bool]):
    w = wp.tid()
    mask[w] = time[w] > wp.float64(0.3) + wp.float64(0.2) * wp.float64(w)


class Servo:
    """A policy of launches; its gain is read through the graph."""

    def __init__(self, returns: bool) -> None:
        self.gain: Any = wp.full(1, 0.3, dtype=float)
        self.returns, self.calls = returns, 0

    def __call__(self, data: mjo.MjoData) -> Any:
        self.calls += 1
        ctrl = wp.empty(data.ctrl.shape, dtype=float) if self.returns else data.ctrl
        wp.launch(_servo, dim=ctrl.shape, inputs=[data.qpos, self.gain], outputs=[ctrl])
        return ctrl if self.returns else None


def later(data: mjo.MjoData) -> Any:
    mask: Any = wp.empty(data.nworld, dtype=bool)
    wp.launch(_later, dim=data.nworld, inputs=[data.time], outputs=[mask])
    return mask


@pytest.fixture
def d(two_arm: mjo.MjoModel) -> mjo.MjoData:
    d = mjo.make_data(two_arm, nworld=3)
    scatter(d, seed=1)
    return d


def run(model: mjo.MjoModel, d: mjo.MjoData, start: Any, **arguments: Any) -> list[Any]:
    mjo.set_state(model, d, start)
    out = mjo.rollout(
        model, d, nstep=NSTEP, decimation=EVERY, record=("qpos", "ctrl", "xipos"), restore=True, **arguments
    )
    return [a.numpy().copy() for a in (*out.records.values(), out.length, out.bad_ctrl, out.done)]


@pytest.mark.parametrize("returns", [False, True])
@pytest.mark.parametrize("stop", [None, later])
def test_captured_is_uncaptured(two_arm: mjo.MjoModel, d: mjo.MjoData, returns: bool, stop: Any) -> None:
    """Bit for bit, and what the policy reads can be changed between runs; it is not called again."""
    start, policy = mjo.get_state(two_arm, d), Servo(returns)
    for gain in (0.3, -0.2):
        policy.gain.fill_(gain)
        want = run(two_arm, d, start, policy=policy, stop=stop)
        got = run(two_arm, d, start, policy=policy, stop=stop, captured=True)
        assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))
        assert want[3].tolist() == ([4, 4, 4] if stop is None else [2, 3, 4])
    calls = policy.calls
    run(two_arm, d, start, policy=policy, stop=stop, captured=True)
    assert policy.calls == calls


def test_a_captured_stop_of_a_tape(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    controls = np.random.default_rng(0).uniform(-0.5, 0.5, (NSTEP // EVERY, 3, two_arm.nu))
    start = mjo.get_state(two_arm, d)
    want, got = (run(two_arm, d, start, controls=controls, stop=later, captured=c) for c in (False, True))
    assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True)) and got[3].tolist() == [2, 3, 4]


def test_a_method_is_one_policy(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """Python makes a method anew at each access; an object with == need not be hashable."""

    class Own(Servo):
        __hash__ = None  # type: ignore[assignment]

    policy = Own(False)
    for fetch in (lambda: policy, lambda: policy.__call__):
        runs = [mjo.rollout(two_arm, d, policy=fetch(), nstep=2, captured=True) for _ in range(2)]
        assert runs[0] is runs[1]
    other = mjo.rollout(two_arm, d, policy=Own(False), nstep=2, captured=True)
    assert other is not runs[0] and len(d.rollouts) == 3


def test_streamed(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    start, parts = mjo.get_state(two_arm, d), []
    policy = Servo(False)
    want = run(two_arm, d, start, policy=policy)[0]
    run(two_arm, d, start, policy=policy, captured=True, stream=lambda _, rows: parts.append(rows["qpos"]), chunk=3)
    assert np.array_equal(np.concatenate(parts), want)


def test_a_policy_with_a_state_of_its_own(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """An integral over three joints' angles: named in ``extra``, it is as it was after capturing."""
    total: Any = wp.full((3, two_arm.nu), 0.5, dtype=float)

    def policy(data: mjo.MjoData) -> None:
        wp.launch(_integral, dim=total.shape, inputs=[data.qpos], outputs=[total, data.ctrl])

    start = mjo.get_state(two_arm, d)
    want = run(two_arm, d, start, policy=policy)[0]
    summed = total.numpy().copy()
    mjo.set_state(two_arm, d, start)
    total.fill_(0.5)
    plan = mjo.Rollout(two_arm, d, NSTEP // EVERY, decimation=EVERY, policy=policy, captured=True, extra=[total])
    assert np.all(total.numpy() == 0.5) and np.array_equal(mjo.get_state(two_arm, d).numpy(), start.numpy())
    assert np.array_equal(plan.run()["qpos"].numpy(), want) and np.array_equal(total.numpy(), summed)


def test_nan_is_named(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    policy = Servo(False)
    policy.gain.fill_(np.nan)
    out = mjo.rollout(two_arm, d, policy=policy, nstep=2, captured=True, record="ctrl")
    assert not out["ctrl"].numpy().any() and out.bad_ctrl.numpy().all() and out.length.numpy().tolist() == [2] * 3


def on_the_host(data: mjo.MjoData) -> None:
    data.ctrl.assign(-0.3 * data.qpos.numpy()[:, 7:])


def test_what_cannot_be_captured(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """One sentence, and the data as it was."""
    start = mjo.get_state(two_arm, d).numpy().copy()
    cases: list[tuple[Any, Any, Any, str]] = [
        (
            lambda data: np.zeros((3, 8)),
            None,
            TypeError,
            "what the policy returned is a ndarray and was to be captured",
        ),
        (lambda data: data.qpos, None, ValueError, r"what the policy returned has shape \(3, 15\): \(3, 8\) is"),
        (Servo(False), lambda data: [False] * 3, TypeError, "what stop returned is a list and was to be captured"),
    ]
    if d.device.is_cpu:  # CUDA refuses this itself
        cases.append((on_the_host, None, ValueError, "the policy cannot be captured: it works on the host"))
    for policy, stop, error, message in cases:
        with pytest.raises(error, match=message):
            mjo.rollout(two_arm, d, policy=policy, stop=stop, nstep=2, captured=True)
        assert np.array_equal(mjo.get_state(two_arm, d).numpy(), start)
    with pytest.raises(ValueError, match=r"launch\(\) leaves out a policy"):
        mjo.Rollout(two_arm, d, 2, policy=Servo(False)).launch()
