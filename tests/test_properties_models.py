"""Random trees: conserved quantities, absolute frames, and states that can be put back at any step."""

from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mjorbit_warp as mjo
from mjorbit_warp import frames
from mjorbit_warp import reference as mjo_ref
from tests.conftest import LEO, compile_model, scatter
from tests.random_trees import momenta, scatter_host, tree_specs

FEW = settings(derandomize=True, deadline=None, max_examples=15)
SEEDS = st.integers(0, 2**32 - 1)


def started(model: mjo.MjoModel, nworld: int, seed: int) -> mjo_ref.MjoData:
    """Reference data with random states."""
    d = mjo_ref.make_data(model, nworld=nworld, nthread=1)
    rng = np.random.default_rng(seed)
    for world in range(nworld):
        d.qpos[world], d.qvel[world] = scatter_host(model.mj, rng)
    return d


@FEW
@given(tree=tree_specs(), seed=SEEDS)
def test_momentum_and_energy_in_zero_gravity(tree: mujoco.MjSpec, seed: int) -> None:
    """RK4 keeps both to its truncation, and MuJoCo C, given the same start, moves alike."""
    spec = mjo.MjoSpec.from_mjspec(tree)
    spec.orbit = None
    model = spec.compile()
    d = started(model, 1, seed)
    alone = mujoco.MjData(model.mj)
    alone.qpos[:], alone.qvel[:] = d.qpos[0], d.qvel[0]
    before = momenta(model.mj, d.qpos[0], d.qvel[0])
    for _ in range(60):
        mjo_ref.mjo_step(model, d)
        mujoco.mj_step(model.mj, alone)
    after = momenta(model.mj, d.qpos[0], d.qvel[0])
    # kg m/s, kg m²/s, J of up to 10: (ω dt)⁵ a step at 1 rad/s is 3e-12; Euler loses 1e-3 here
    for x, y in zip(before, after, strict=True):
        assert np.abs(np.subtract(y, x)).max() < 1e-9
    assert np.abs(d.qpos[0] - alone.qpos).max() < 1e-12 and np.abs(d.qvel[0] - alone.qvel).max() < 1e-11


@FEW
@given(tree=tree_specs(), seed=SEEDS)
def test_absolute_states(tree: mujoco.MjSpec, seed: int) -> None:
    """Bodies in ECI less the reference orbit are where MuJoCo C has them, with its velocities, also through LVLH."""
    spec = mjo.MjoSpec.from_mjspec(tree)
    spec.orbit = LEO
    model = spec.compile()
    d = started(model, 2, seed)
    for _ in range(3):
        mjo_ref.mjo_step(model, d)
    absolute = mjo_ref.absolute_state(model, d)
    host, found = mujoco.MjData(model.mj), np.zeros(6)
    for world in range(2):
        r, v = d.orbit.r[world], d.orbit.v[world]
        host.qpos[:], host.qvel[:] = d.qpos[world], d.qvel[world]
        mujoco.mj_forward(model.mj, host)
        near, slow = frames.of_from_eci(r, v, absolute.r[world], absolute.v[world])
        through = frames.of_from_lvlh(r, v, *frames.lvlh_from_of(r, v, near, slow))
        for body in range(1, model.mj.nbody):
            mujoco.mj_objectVelocity(model.mj, host, mujoco.mjtObj.mjOBJ_BODY, body, found, 0)
            # a rounding of 6.8e6 m and of 7.7e3 m/s
            assert np.abs(near[body] - host.xipos[body]).max() < 2e-9
            assert np.abs(slow[body] - found[3:]).max() < 2e-12
            assert np.abs(through[0][body] - near[body]).max() < 1e-14
            assert np.abs(through[1][body] - slow[body]).max() < 1e-14
            assert np.abs(absolute.omega[world, body] - found[:3]).max() < 1e-13
            assert np.abs(absolute.quat[world, body] - host.xquat[body]).max() < 1e-15


@FEW
@given(tree=tree_specs(most=4), seed=SEEDS, k=st.integers(0, 12), other=st.integers(0, 9))
def test_a_state_put_back_goes_on_to_the_same_bits(tree: mujoco.MjSpec, seed: int, k: int, other: int) -> None:
    """Reference: the state after k steps, put into data that went elsewhere, ends as if nothing had come between."""
    spec = mjo.MjoSpec.from_mjspec(tree)
    spec.orbit, spec.options = LEO, mjo.OrbitOptions(j2=True)
    model = spec.compile()
    d, elsewhere = started(model, 2, seed), started(model, 2, seed + 1)
    for _ in range(k):
        mjo_ref.mjo_step(model, d)
    state = mjo_ref.get_state(model, d)
    for _ in range(other):
        mjo_ref.mjo_step(model, elsewhere)
    mjo_ref.set_state(model, elsewhere, state)
    assert np.array_equal(mjo_ref.get_state(model, elsewhere), state)
    for _ in range(5):
        mjo_ref.mjo_step(model, d)
        mjo_ref.mjo_step(model, elsewhere)
    assert np.array_equal(mjo_ref.get_state(model, d), mjo_ref.get_state(model, elsewhere))


@pytest.fixture(scope="module")
def pair(two_arm: mjo.MjoModel) -> list[tuple[Any, Any]]:
    """Two data of one model, each with its captured step."""
    both = [mjo.make_data(two_arm, nworld=2) for _ in range(2)]
    return [(d, mjo.capture(two_arm, d)) for d in both]


@settings(derandomize=True, deadline=None, max_examples=10)
@given(seed=SEEDS, k=st.integers(0, 12), other=st.integers(0, 9), world=st.integers(0, 1))
def test_a_state_put_back_on_the_device(
    two_arm: mjo.MjoModel, pair: Any, seed: int, k: int, other: int, world: int
) -> None:
    """Warp: likewise, in one world at a time; the other world does not notice."""
    (d, step), (elsewhere, step_elsewhere) = pair
    for x, s in ((d, seed), (elsewhere, seed + 1)):
        mjo.mjo_reset(two_arm, x)
        scatter(x, seed=s % 2**31)
    for _ in range(k):
        step()
    for _ in range(other):
        step_elsewhere()
    untouched = mjo.get_state(two_arm, elsewhere, [1 - world]).numpy().copy()
    mjo.set_state(two_arm, elsewhere, mjo.get_state(two_arm, d, [world]).numpy(), [world])
    assert np.array_equal(mjo.get_state(two_arm, elsewhere, [1 - world]).numpy(), untouched)
    for _ in range(4):
        step()
        step_elsewhere()
    one, two = (mjo.get_state(two_arm, x, [world]).numpy() for x in (d, elsewhere))
    assert np.array_equal(one, two)


@settings(derandomize=True, deadline=None, max_examples=6)
@given(seed=SEEDS)
def test_backends_agree_from_random_states(two_arm: mjo.MjoModel, pair: Any, seed: int) -> None:
    """After three steps from a random state: float32's rounding apart."""
    d, step = pair[0]
    mjo.mjo_reset(two_arm, d)
    scatter(d, seed=seed % 2**31)
    ref = mjo_ref.from_warp(two_arm, d)
    for _ in range(3):
        step()
        mjo_ref.mjo_step(two_arm, ref)
    # 4 m and 1 rad in float32 are rounded to 2e-7; stiff servos act on it for three steps
    assert np.abs(d.qpos.numpy() - ref.qpos).max() < 2e-5
    assert np.abs(d.orbit.r.numpy() - ref.orbit.r).max() < 1e-7


def test_trees_differ() -> None:
    """The generator makes what it says: several trees, every kind of joint."""
    seen: set[int] = set()
    trees = set()

    @settings(derandomize=True, deadline=None, max_examples=30)
    @given(tree=tree_specs())
    def look(tree: mujoco.MjSpec) -> None:
        mj = tree.compile()
        seen.update(int(kind) for kind in mj.jnt_type)
        trees.add(int((mj.body_parentid[1:] == 0).sum()))

    look()
    assert seen == {0, 1, 2, 3} and trees == {1, 2, 3}


def test_shipped_box_is_in_the_family() -> None:
    """The yardstick itself: a model whose momenta are known in closed form."""
    model = compile_model("box_satellite", orbit=None)
    qvel = np.array([0.1, -0.2, 0.3, 0.0, 0.0, 0.0])
    p, _, energy = momenta(model.mj, model.mj.qpos0, qvel)
    mass = float(model.mj.body_mass[1])
    assert np.abs(p - mass * qvel[:3]).max() < 1e-12 and abs(energy - 0.5 * mass * 0.14) < 1e-12
