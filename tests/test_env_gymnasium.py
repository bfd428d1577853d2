"""The Gymnasium adapter, with Gymnasium's own wrappers."""

from typing import Any

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode  # noqa: E402
from gymnasium.wrappers.vector import (  # noqa: E402
    DictInfoToList,
    FlattenObservation,
    RecordEpisodeStatistics,
    RescaleAction,
    TransformReward,
)

from mjorbit_warp.envs import Reorient  # noqa: E402
from mjorbit_warp.envs.gymnasium_env import GymnasiumEnv, register  # noqa: E402
from tests.test_envs import actions  # noqa: E402

NWORLD = 4


@pytest.fixture(scope="module")
def venv() -> Any:
    return GymnasiumEnv(Reorient(NWORLD, seed=3, episode_seconds=0.9))


@pytest.fixture(scope="module")
def tape() -> Any:
    return actions(7, NWORLD)


def test_spaces_and_types(venv: Any, tape: Any) -> None:
    """What comes back lies in the spaces and stays as it was when the next step is made."""
    assert venv.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP and venv.num_envs == NWORLD
    assert venv.observation_space.shape == (NWORLD, 23) and venv.action_space.shape == (NWORLD, 8)
    obs, info = venv.reset(seed=3)
    assert venv.observation_space.contains(obs) and info == {}
    kept = obs.copy()
    out = venv.step(venv.action_space.sample())
    assert np.array_equal(obs, kept) and venv.observation_space.contains(out[0])
    assert [array.dtype for array in out[1:4]] == [np.float64, np.bool_, np.bool_]
    assert all(array.shape == (NWORLD,) for array in out[1:4])
    again = venv.reset(seed=3)[0]
    assert np.array_equal(again, kept) and not np.array_equal(venv.reset()[0], kept)


def test_same_step(venv: Any, tape: Any) -> None:
    """final_obs and final_info, with their masks, where an episode ends, as Gymnasium's own environments have them."""
    venv.reset(seed=3)
    venv.env.step(tape[0])
    mask = np.array([True, False, False, True])
    obs, _ = venv.reset(options={"reset_mask": mask})  # two worlds are a step behind
    assert ((obs[:, -1] == 1.0) == mask).all()
    infos, totals = [], np.zeros(NWORLD)
    for k, action in enumerate(tape[1:4]):
        obs, reward, terminated, truncated, info = venv.step(action)
        infos.append(info)
        totals += reward * (mask if k < 3 else 0)
        assert not terminated.any()
        if k == 1:
            assert np.array_equal(truncated, ~mask)
            assert [x is None for x in info["final_obs"]] == mask.tolist()
            assert np.array_equal(info["_final_obs"], ~mask) and np.array_equal(info["_final_info"], ~mask)
            assert all(x.shape == (23,) and x[-1] == 0.0 for x in info["final_obs"][~mask])
            assert (obs[~mask, -1] == 1.0).all()
            assert np.array_equal(info["final_info"]["episode_length"], 3 * ~mask)
            assert (info["final_info"]["status"] == 0).all()
    assert infos[0] == {} and np.array_equal(infos[2]["_final_obs"], mask)
    assert np.abs(infos[2]["final_info"]["episode_return"] - totals)[mask].max() < 1e-6  # float32 and float64 sums of 3


def test_episode_statistics_of_gymnasium(venv: Any, tape: Any) -> None:
    """Gymnasium's own count of returns and lengths is ours."""
    wrapped = RecordEpisodeStatistics(venv)
    wrapped.reset(seed=3)
    venv.env.statistics(clear=True)
    found = []
    for action in tape:
        info = wrapped.step(action)[-1]
        if "episode" in info:
            found.append((info["episode"]["r"], venv.env.final_return.numpy().copy()))
            assert (info["episode"]["l"] == 3).all() and info["_episode"].all()
    # sums of 3 rewards of order one in float32 and in float64
    assert len(found) == 2 and all(np.abs(a - b).max() < 1e-6 for a, b in found)
    ours = venv.env.statistics()
    assert ours["episodes"] == wrapped.episode_count == 8
    assert abs(ours["mean_return"] - np.mean(wrapped.return_queue)) < 1e-6


def test_other_wrappers(venv: Any, tape: Any) -> None:
    """Rewards, actions and infos pass through wrappers; those for observations refuse SAME_STEP by themselves."""
    wrapped = TransformReward(RescaleAction(venv, np.float32(0.0), np.float32(1.0)), lambda reward: 0.5 * reward)
    wrapped.reset(seed=3)
    reward = wrapped.step(0.5 + 0.5 * tape[0])[1]
    assert np.abs(venv.env.applied.numpy() - tape[0]).max() < 1e-6  # rounding of float32
    assert np.array_equal(reward, 0.5 * venv.env.reward.numpy().astype(float))
    listed = DictInfoToList(venv)
    listed.reset(seed=3)
    infos = [listed.step(action)[-1] for action in tape[:3]]
    assert infos[0] == [{}] * NWORLD and infos[2][1]["final_info"]["episode_length"] == 3
    with pytest.raises(ValueError, match=r"got AutoresetMode\.SAME_STEP"):
        FlattenObservation(venv)


def test_make_vec(venv: Any, tape: Any) -> None:
    """By its id, through Gymnasium's registry, with the task's options."""
    assert register() == register() == ["mjorbit_warp/reorient-v0"]
    made = gym.make_vec("mjorbit_warp/reorient-v0", num_envs=NWORLD, episode_seconds=0.9)
    assert isinstance(made.unwrapped, GymnasiumEnv)
    made.reset(seed=3)
    venv.reset(seed=3)
    for action in tape:
        mine, theirs = venv.step(action), made.step(action)
        assert all(np.array_equal(a, b) for a, b in zip(mine[:4], theirs[:4], strict=True))
    made.close()
