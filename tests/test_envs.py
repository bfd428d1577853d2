"""Batched tasks: episodes, seeds, masks, bad worlds, and what a graph may hold."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.envs import Env, Reorient, make
from tests.conftest import LEO, compile_model

NWORLD, SHORT = 8, 0.9  # worlds, three steps [s]
ARRAYS = ("obs", "reward", "terminated", "truncated", "done", "final_obs", "final_return", "final_length", "terms")


def actions(n: int, nworld: int = NWORLD, seed: int = 0) -> Any:
    """Actions by world first, so that the first worlds' do not depend on nworld."""
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (nworld, n, 8)).swapaxes(0, 1).astype(np.float32)


def run(env: Env, tape: Any, seed: Any = 3) -> dict[str, Any]:
    """All outputs of steps after a reset, (step, world, …)."""
    env.reset(seed)
    rows: dict[str, list[Any]] = {name: [] for name in (*ARRAYS, "qpos")}
    for row in tape:
        env.step(row)
        for name in ARRAYS:
            rows[name].append(getattr(env, name).numpy().copy())
        rows["qpos"].append(env.data.qpos.numpy().copy())
    return {name: np.array(values) for name, values in rows.items()}


def same(a: dict[str, Any], b: dict[str, Any], worlds: Any = slice(None)) -> bool:
    return all(np.array_equal(a[name][:, worlds], b[name][:, worlds]) for name in a)


@pytest.fixture(scope="module")
def long_env() -> Reorient:
    return Reorient(NWORLD, seed=3)


@pytest.fixture(scope="module")
def short_env() -> Reorient:
    return Reorient(NWORLD, seed=3, episode_seconds=SHORT)


def test_the_next_episode_begins_in_the_same_step(short_env: Reorient, long_env: Reorient) -> None:
    """At an episode's end final_obs has its last observation and obs the next one's first, as a reset would."""
    tape = actions(7)
    short, whole = run(short_env, tape), run(long_env, tape[:3])
    assert short["truncated"].all(axis=1).tolist() == [False, False, True, False, False, True, False]
    assert not short["terminated"].any() and np.array_equal(short["done"], short["truncated"])
    # up to the share of time that is left, the last entry, both episodes are the same
    assert np.array_equal(short["final_obs"][2, :, :-1], whole["obs"][2, :, :-1])
    assert np.array_equal(short["final_obs"][:2], short["obs"][:2])  # no reset: the same observation
    assert np.abs(short["final_obs"][2, :, -1]).max() == 0.0 and (short["obs"][2, :, -1] == 1.0).all()
    long_env.reset(3)
    assert np.array_equal(short["obs"][2], long_env.reset().numpy())
    assert not np.array_equal(short["obs"][2], short["obs"][5])  # each episode starts elsewhere
    assert np.array_equal(short["final_length"][2], np.full(NWORLD, 3))
    assert np.abs(short["final_return"][5] - short["reward"][3:6].sum(axis=0)).max() < 1e-6  # rounding of 3 terms


def test_statistics(short_env: Reorient) -> None:
    short_env.statistics(clear=True)
    assert short_env.statistics()["episodes"] == 0 and np.isnan(short_env.statistics()["mean_return"])
    out = run(short_env, actions(7))
    statistics = short_env.statistics()
    assert (statistics["episodes"], statistics["terminated"], statistics["truncated"]) == (16, 0, 16)
    assert statistics["mean_length"] == 3.0
    assert abs(statistics["mean_return"] - out["reward"][:6].sum() / 16) < 1e-6
    assert np.array_equal(short_env.episode_length.numpy(), np.full(NWORLD, 1))
    assert np.array_equal(short_env.episode_number.numpy(), np.full(NWORLD, 2))


def test_a_world_depends_on_its_seed_and_index_alone(short_env: Reorient) -> None:
    """To the bit: not on the number of worlds, nor on who has run before; through two ends of episodes."""
    tape = actions(7, 16)
    few, again = run(short_env, tape[:, :NWORLD]), run(short_env, tape[:, :NWORLD])
    many = run(Reorient(16, episode_seconds=SHORT, seed=3), tape)
    assert same(few, again) and same(few, {name: values[:, :NWORLD] for name, values in many.items()})
    other = run(short_env, tape[:, :NWORLD], seed=4)
    assert not np.isin(other["obs"][0, :, :3], few["obs"][0, :, :3]).any()
    mixed = run(short_env, tape[:, :NWORLD], seed=[3, 4] * 4)
    assert same(mixed, few, slice(0, None, 2)) and same(mixed, other, slice(1, None, 2))


def test_masked_reset(short_env: Reorient) -> None:
    """Masked worlds begin their next episode, or the first of a new seed; others keep every bit and go on."""
    tape = actions(4)
    undisturbed = run(short_env, tape)
    mask = np.array([True, False] * 4)
    for seed, chosen in ((None, mask), (9, wp.array(mask, dtype=bool))):
        short_env.reset(3)
        short_env.step(tape[0])
        state = mjo.get_state(short_env.model, short_env.data).numpy().copy()
        first = short_env.reset(seed, chosen).numpy().copy()
        assert np.array_equal(mjo.get_state(short_env.model, short_env.data).numpy()[1::2], state[1::2])
        assert np.array_equal(first[1::2], undisturbed["obs"][0, 1::2])
        assert (first[::2, -1] == 1.0).all() and (short_env.reward.numpy()[::2] == 0.0).all()
        expected = short_env.reset(9) if seed else (short_env.reset(3), short_env.reset())[1]
        assert np.array_equal(first[::2], expected.numpy()[::2])
    short_env.reset(3)
    short_env.step(tape[0])
    short_env.reset(mask=mask)
    for row in tape[1:]:
        short_env.step(row)
    assert np.array_equal(short_env.data.qpos.numpy()[1::2], undisturbed["qpos"][3, 1::2])


def test_a_world_that_is_not_finite_ends_alone(long_env: Reorient) -> None:
    """NaN in one world: terminated, the task's reward for it, finite observations, reset; others keep their bits."""
    tape = actions(4)
    clean = run(long_env, tape)
    long_env.reset(3)
    long_env.step(tape[0])
    qpos = long_env.data.qpos.numpy().copy()
    qpos[2, 9] = np.nan
    long_env.data.qpos.assign(qpos)
    long_env.step(tape[1])
    assert np.flatnonzero(long_env.terminated.numpy()).tolist() == [2] and not long_env.truncated.numpy().any()
    assert long_env.reward.numpy()[2] == -long_env.weights.failure
    assert long_env.final_status.numpy().tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    for array in (long_env.obs, long_env.final_obs, long_env.final_return):
        assert np.isfinite(array.numpy()).all()
    assert not long_env.data.bad_worlds()
    others = np.arange(NWORLD) != 2
    for k in (2, 3):
        long_env.step(tape[k])
        assert np.array_equal(long_env.obs.numpy()[others], clean["obs"][k, others])
        assert np.isfinite(long_env.obs.numpy()).all()
    # the world's second episode is that of a world that was never lost
    fresh = Reorient(NWORLD, seed=3)
    fresh.reset()
    for row in tape[2:]:
        fresh.step(row)
    assert np.array_equal(long_env.obs.numpy()[2], fresh.obs.numpy()[2])


def test_other_faults_end_an_episode(long_env: Reorient) -> None:
    """A world that is too far from the origin of its orbit is terminated with the task's own reward."""
    long_env.reset(3)
    qpos = long_env.data.qpos.numpy().copy()
    qpos[5, :3] = 1e6  # [m]; a tenth of the orbit's radius is 6.8e5
    long_env.data.qpos.assign(qpos)
    long_env.step(np.zeros((NWORLD, 8)))
    assert long_env.final_status.numpy().tolist() == [0, 0, 0, 0, 0, int(mjo.Status.TOO_FAR), 0, 0]
    assert np.flatnonzero(long_env.terminated.numpy()).tolist() == [5] and long_env.reward.numpy()[5] > 0.0
    assert np.abs(long_env.data.qpos.numpy()[5, :3]).max() == 0.0


def test_actions(long_env: Reorient) -> None:
    """Clipped and scaled; what is not finite is taken as 0, and the world is named for this step."""
    long_env.reset(3)
    action = np.zeros((NWORLD, 8))
    action[0], action[1, 3], action[2, 0], action[3] = 0.5, np.nan, -np.inf, [-7.0, 9.0, 1.0, -1.0, 0.0, 0.2, 0.0, 0.0]
    long_env.step(action)
    ctrl = long_env.data.ctrl.numpy()
    assert (ctrl[0] == 1.25).all() and (ctrl[[1, 2]] == 0.0).all()
    assert np.abs(ctrl[3] - [-2.5, 2.5, 2.5, -2.5, 0.0, 0.5, 0.0, 0.0]).max() < 1e-6  # 0.2 in float32
    assert np.flatnonzero(long_env.bad_action.numpy()).tolist() == [1, 2]
    assert np.isfinite(long_env.obs.numpy()).all()
    long_env.step(np.zeros((NWORLD, 8)))
    assert not long_env.bad_action.numpy().any()
    with pytest.raises(ValueError, match=r"action has shape \(8,\): \(8, 8\) is expected"):
        long_env.step(np.zeros(8))
    with pytest.raises(TypeError, match="action has dtype complex128: real numbers are expected"):
        long_env.step(np.zeros((NWORLD, 8), dtype=complex))


def test_limits_of_the_model() -> None:
    """Without limits of the task −1 and 1 are the ctrlrange, which need not be centred."""

    class Still(Env):
        nobs = 1

        def observe(self) -> None:
            self.obs.zero_()

        def reward_and_done(self) -> None:
            self.reward.fill_(1.0)

    spec = mjo.MjoSpec.from_file(mjo.models.model_path("two_arm"))
    spec.orbit = LEO
    for i, actuator in enumerate(spec.actuators):
        actuator.ctrllimited, actuator.ctrlrange = 1, [-1.0 - i, 3.0]
    env = Still(spec.compile(), 2, max_episode_length=5)
    env.step([[-1.0] * 8, [0.0] * 8])
    low = -1.0 - np.arange(8)
    assert np.array_equal(env.data.ctrl.numpy(), [low, 0.5 * (low + 3.0)])
    with pytest.raises(ValueError, match=r"the actuators L_yaw, .* have no ctrlrange: give limits, \(8, 2\)"):
        Still(compile_model("two_arm"), 2, max_episode_length=5)


def test_zero_and_random_policy(long_env: Reorient) -> None:
    """A whole episode each: finite, truncated after 60 s; only a policy that moves its arms turns the bus."""
    turned = {}
    for name, tape in (("zero", np.zeros((200, NWORLD, 8))), ("random", actions(200))):
        out = run(long_env, tape)
        assert all(np.isfinite(values).all() for values in out.values())
        assert (out["done"].sum(axis=0) == 1).all() if name == "zero" else (out["done"].sum(axis=0) >= 1).all()
        assert (out["reward"] <= long_env.dt).all()  # attitude alone gives at most 1 per second
        turned[name] = np.ptp(out["obs"][:199, :, :3], axis=0).max(axis=1)
    # the arms straighten themselves at first, which turns the bus by some degrees
    assert turned["zero"].max() < np.radians(30.0) < np.median(turned["random"])


def test_nothing_moves_and_nothing_is_captured_again(short_env: Reorient) -> None:
    arrays = [getattr(short_env, name) for name in ("action", *ARRAYS)] + [short_env.data.qpos, short_env.data.ctrl]
    pointers = [array.ptr for array in arrays]
    made = short_env._step_graph.ncapture, short_env._restart_graph.ncapture
    returned = [short_env.step(row) for row in actions(5)][-1]
    short_env.reset(1)
    assert [array.ptr for array in arrays] == pointers
    assert [array.ptr for array in returned] == pointers[1:5]
    assert (short_env._step_graph.ncapture, short_env._restart_graph.ncapture) == made == (1, 1)


def test_model_parameters_per_world() -> None:
    """They are drawn between steps and reach the graph; worlds that keep the nominal ones keep their bits."""
    env, tape = Reorient(4, seed=3), actions(3, 4)
    before = run(env, tape)
    mask = np.array([True, True, False, False])
    masses = env.randomize({"body_mass": mjo.Uniform(0.5, 1.5, relative=True)}, seed=1, mask=mask)["body_mass"]
    assert masses[0, 1] != masses[1, 1] and masses[2, 1] == masses[3, 1] == 40.0
    after = run(env, tape)
    assert same(before, after, slice(2, None))
    assert np.abs(after["qpos"][2, :2, 3:7] - before["qpos"][2, :2, 3:7]).max(axis=1).min() > 1e-4


def test_errors() -> None:
    """One sentence each, which names what is allowed."""
    for match, call in (
        ("there is no task 'dock': allowed are reorient", lambda: make("dock", 2)),
        ("integrator is 'Euler': allowed are IMPLICITFAST, RK4", lambda: Reorient(2, integrator="Euler")),
        ("timestep is 0.25 s: a whole part of 0.3 s", lambda: Reorient(2, timestep=0.25)),
        ("start_angle is 4.0 rad: a number from 0 to π", lambda: Reorient(2, start_angle=4.0)),
        ("episode_seconds is -1.0: a positive number", lambda: Reorient(2, episode_seconds=-1.0)),
        ("nworld is 0: a positive integer", lambda: Reorient(0)),
        ("record has 'pose', which is no field", lambda: Reorient(2, record=("pose",))),
        ("seed is -1: an integer from 0", lambda: Reorient(2, seed=-1)),
    ):
        with pytest.raises(ValueError, match=match):
            call()


def test_errors_of_the_base(two_arm: mjo.MjoModel, short_env: Reorient) -> None:
    limits = np.tile([-1.0, 1.0], (8, 1))
    for match, options in (
        ("give episode_seconds or max_episode_length, one of the two", {}),
        ("max_episode_length is 0: a positive integer", {"max_episode_length": 0}),
        ("decimation is 1.5: a positive integer", {"max_episode_length": 3, "decimation": 1.5}),
        (r"limits has shape \(2,\): \(8, 2\)", {"max_episode_length": 3, "limits": [0, 1]}),
        ("finite pairs, the lower first", {"max_episode_length": 3, "limits": -limits}),
    ):
        with pytest.raises(ValueError, match=match):
            Env(two_arm, 2, **{"limits": limits, **options})
    with pytest.raises(ValueError, match=r"seed has shape \(2,\): one integer, or \(8,\)"):
        short_env.reset([1, 2])
    with pytest.raises(ValueError, match=r"mask has shape \(2,\): \(8,\) is expected"):
        short_env.reset(mask=[True, False])
    with pytest.raises(TypeError, match="mask has dtype int64: bool is expected"):
        short_env.reset(mask=np.arange(NWORLD))


def test_extras_are_asked_for_when_they_are_needed() -> None:
    """Tasks need none; an adapter without its package says what to install."""
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('gymnasium', 'torch', 'rsl_rl', 'stable_baselines3', 'tensordict')))\n"
        "import mjorbit_warp.envs, importlib\n"
        "for name, package, extra in (('gymnasium_env', 'gymnasium', 'gym'), ('rsl_rl_env', 'rsl_rl', 'rl')):\n"
        "    try:\n"
        "        importlib.import_module(f'mjorbit_warp.envs.{name}')\n"
        "    except ImportError as error:\n"
        "        expected = f\"{package} is not installed: pip install 'mjorbit-warp[{extra}]'\"\n"
        "        assert str(error) == expected, error\n"
        "    else:\n"
        "        raise AssertionError(name)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
