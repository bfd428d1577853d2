"""Moving the origin onto the COM leaves everything in space where it was."""

from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from tests.conftest import LEO, compile_model, scatter


def absolute(m: mjo.MjoModel, d: Any) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities of the bodies in ECI, float64."""
    module = mjo if isinstance(d, mjo.MjoData) else mjo_ref
    state = module.absolute_state(m, d)
    return tuple(np.array(x.numpy() if hasattr(x, "numpy") else x)[:, 1:] for x in (state.r, state.v))  # type: ignore


def start(m: mjo.MjoModel, precision: str, spread: float = 50.0) -> mjo.MjoData:
    d = mjo.make_data(m, nworld=3, precision=precision)
    scatter(d, seed=11, speed=0.1, spread=spread)
    return d


@pytest.mark.parametrize("precision", ["single", "shadow"])
def test_absolute_states_stay(two_arm: mjo.MjoModel, precision: str) -> None:
    """To float32 at 50 m, 1e-5 m, and that arm at 0.1 rad/s, 1e-6 m/s. Unmasked worlds keep every bit."""
    d = start(two_arm, precision)
    r, v = absolute(two_arm, d)
    before = mjo.get_state(two_arm, d).numpy().copy()
    mjo.mjo_recenter(two_arm, d, np.array([True, False, True]))
    after = mjo.get_state(two_arm, d).numpy()
    assert np.array_equal(before[1], after[1])
    moved_r, moved_v = absolute(two_arm, d)
    assert np.abs(moved_r - r).max() < 1e-5
    assert np.abs(moved_v - v).max() < 1e-6
    com = d.subtree_com.numpy()[:, 1]
    assert np.abs(com[[0, 2]]).max() < 1e-6  # float32 kinematics about the new origin
    assert np.abs(com[1]).max() > 10.0


def test_like_the_reference(two_arm: mjo.MjoModel) -> None:
    """Both backends move their origins alike: to 1e-8 m, the model's float32 constants, in r, v and the bases."""
    d = start(two_arm, "shadow", spread=20.0)
    r = mjo_ref.from_warp(two_arm, d)
    before, _ = absolute(two_arm, r)
    mjo.mjo_recenter(two_arm, d)
    mjo_ref.mjo_recenter(two_arm, r)
    assert np.abs(absolute(two_arm, r)[0] - before).max() < 4e-9  # rounding of r at 7e6 m
    assert np.abs(d.orbit.r.numpy() - r.orbit.r).max() < 1e-7
    assert np.abs(d.orbit.v.numpy() - r.orbit.v).max() < 1e-8
    assert np.abs(d.shadow.qpos.numpy()[:, :3] - r.qpos[:, :3]).max() < 1e-7
    assert np.abs(d.shadow.qvel.numpy()[:, :3] - r.qvel[:, :3]).max() < 1e-8


def test_the_motion_goes_on_as_before(two_arm: mjo.MjoModel) -> None:
    """In float64, 20 s on: the motion with a moved origin is that without, to 4e-9 m (rounding of r at 7e6 m)."""
    kept, moved = (mjo_ref.from_warp(two_arm, start(two_arm, "shadow", spread=20.0)) for _ in range(2))
    for i in range(200):
        if i == 100:
            mjo_ref.mjo_recenter(two_arm, moved, np.array([True, True, False]))
        for d in (kept, moved):
            mjo_ref.mjo_step(two_arm, d)
    assert np.abs(moved.qpos[:2, :3] - kept.qpos[:2, :3]).max() > 1.0
    assert np.array_equal(moved.qpos[2], kept.qpos[2])
    assert np.abs(absolute(two_arm, moved)[0] - absolute(two_arm, kept)[0]).max() < 2e-8


def test_in_a_graph_and_by_threshold(two_arm: mjo.MjoModel) -> None:
    """Captured with steps it does what it does between them; on a threshold only worlds beyond it move."""
    graph, eager = (start(two_arm, "conserving", spread=20.0) for _ in range(2))
    mjo.mjo_recenter(two_arm, eager)
    auto = mjo.make_data(two_arm, nworld=3, precision="conserving", recenter=5.0)
    scatter(auto, seed=11, speed=0.1, spread=20.0)
    position = auto.qpos.numpy().copy()
    position[1, :3] = [1.0, -1.0, 0.5]
    auto.qpos.assign(position)

    def body() -> None:
        mjo.mjo_recenter(two_arm, graph)
        mjo.mjo_step(two_arm, graph)

    replay = mjo.CapturedStep(two_arm, graph, 1, body)
    replay()
    mjo.mjo_step(two_arm, eager)
    assert np.array_equal(mjo.get_state(two_arm, graph).numpy(), mjo.get_state(two_arm, eager).numpy())
    mjo.capture(two_arm, auto)()
    mjo.absolute_state(two_arm, auto)
    com = np.linalg.norm(auto.subtree_com.numpy()[:, 1], axis=1)
    assert (com[[0, 2]] < 1e-6).all() and com[1] > 0.5
    assert np.abs(auto.orbit.r.numpy()[1] - eager.orbit.r.numpy()[1]).max() > 1.0


def test_what_is_fixed_is_said(two_arm: mjo.MjoModel) -> None:
    with pytest.raises(ValueError, match="has no orbit"):
        no_orbit = compile_model("two_arm", orbit=None)
        mjo.mjo_recenter(no_orbit, mjo.make_data(no_orbit))
    spec = mjo.MjoSpec.from_string("""<mujoco><option gravity="0 0 0"/><worldbody>
      <geom name="wall" type="box" size="1 1 1" pos="9 0 0"/>
      <body><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body></worldbody></mujoco>""")
    spec.orbit = LEO
    model = spec.compile()
    with pytest.raises(ValueError, match="geom 'wall' is fixed to the world"):
        mjo_ref.mjo_recenter(model, mjo_ref.make_data(model))
    with pytest.raises(ValueError, match=r"recenter is -1\.0: a distance of at least 0 m"):
        mjo.make_data(two_arm, recenter=-1.0)
