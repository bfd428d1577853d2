"""Torch: arrays without a copy, hooks that are torch functions, and short training runs of rsl-rl and SB3."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.envs import Reorient
from mjorbit_warp.reference import reorient_env as twin
from mjorbit_warp.tasks import reorient as scenario
from tests.test_envs import actions, run, same

torch = pytest.importorskip("torch")

from mjorbit_warp.envs.torch_env import TorchEnv  # noqa: E402

NWORLD = 4


@pytest.fixture(scope="module")
def env() -> Reorient:
    return Reorient(NWORLD, seed=3, episode_seconds=0.9)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Tensors this small gain nothing from threads, which wait for each other where cores are few."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def tape() -> Any:
    return actions(7, NWORLD)


def test_without_a_copy(env: Reorient) -> None:
    """State and outputs are seen by torch where they are, written through both ways, and stay there."""
    data = env.data
    names = ("obs", "reward", "terminated", "truncated", "final_obs", "episode_length", "action")
    arrays = {name: getattr(env, name) for name in names} | {"qpos": data.qpos, "qvel": data.qvel, "xpos": data.xpos}
    views = {name: wp.to_torch(array) for name, array in arrays.items()}
    assert all(view.data_ptr() == arrays[name].ptr for name, view in views.items())
    env.reset(3)
    views["action"].copy_(torch.full((NWORLD, 8), 0.5))
    env.step()  # without an action: what env.action holds
    assert (data.ctrl.numpy() == 1.25).all()
    for name, view in views.items():
        assert np.array_equal(view.numpy(), arrays[name].numpy()) and view.data_ptr() == arrays[name].ptr
    views["qpos"][1, 8] = 0.7
    assert data.qpos.numpy()[1, 8] == np.float32(0.7)
    data.qpos.zero_()
    assert (views["qpos"] == 0.0).all()
    back = wp.from_torch(views["qpos"])
    assert back.ptr == data.qpos.ptr
    env.reset(3)


def test_dlpack(env: Reorient) -> None:
    """Both ways: Warp to torch and NumPy, torch and NumPy to Warp, without a copy; and a step takes all of them."""
    qpos = env.data.qpos
    by_torch, by_numpy = torch.from_dlpack(qpos), np.from_dlpack(qpos)
    assert by_torch.data_ptr() == qpos.ptr == by_numpy.ctypes.data
    by_torch[0, 9] = 0.25
    assert by_numpy[0, 9] == 0.25 and qpos.numpy()[0, 9] == 0.25
    tensor, array = torch.zeros(NWORLD, 8), np.zeros((NWORLD, 8), dtype=np.float32)
    assert wp.from_dlpack(tensor).ptr == tensor.data_ptr() and wp.from_dlpack(array).ptr == array.ctypes.data
    tape = actions(1, NWORLD)[0]
    found = []
    for action in (
        tape,
        torch.from_numpy(tape),
        torch.from_numpy(tape).double(),
        wp.array(tape, dtype=float),
        tape.tolist(),
    ):
        env.reset(3)
        found.append(env.step(action)[0].numpy().copy())
    assert all(np.array_equal(found[0], other) for other in found[1:])


class TorchReorient(TorchEnv):
    """The task again in torch, float64 inside; its numbers come from the twin of the starts."""

    nobs, nrandom = 23, 11

    def start(self, fields: Any, random: Any, mask: Any) -> None:
        goal = np.tile(scenario.target(), (self.nworld, 1))
        quat, joints = twin.start(random.double().numpy(), goal, np.radians(60.0), 0.3)
        fields.qpos[mask, 3:7] = torch.from_numpy(quat).float()[mask]
        fields.qpos[mask, 7:] = torch.from_numpy(joints).float()[mask]

    def observation(self, fields: Any) -> Any:
        q = torch.nn.functional.normalize(fields.qpos[:, 3:7].double(), dim=1)
        goal = torch.from_numpy(scenario.target())
        w = q @ goal
        u, v = -q[:, 1:], goal[1:].expand(self.nworld, 3)
        vector = q[:, :1] * v + goal[0] * u + torch.linalg.cross(u, v)
        vector = torch.where(w[:, None] < 0.0, -vector, vector)
        n = vector.norm(dim=1, keepdim=True)
        error = vector / n * 2.0 * torch.atan2(n, w.abs()[:, None])
        left = 1.0 - wp.to_torch(self.episode_length)[:, None] / self.max_episode_length
        return torch.cat([error, fields.qvel[:, 3:6], fields.qpos[:, 7:], fields.qvel[:, 6:], left], dim=1)

    def reward_of(self, fields: Any) -> tuple[Any, Any]:
        angle = self.observation(fields)[:, :3].norm(dim=1)
        return 0.3 / (1.0 + (angle / 0.3) ** 2), fields["time"] > 1e9


def test_hooks_of_torch(env: Reorient, tape: Any) -> None:
    """The task in torch gives what the kernels give, ends of episodes included."""
    model = scenario.model("IMPLICITFAST", environment=False, timestep=0.1)
    limits = np.tile([-2.5, 2.5], (8, 1))
    mine = TorchReorient(model, NWORLD, decimation=3, max_episode_length=3, limits=limits, seed=3)
    assert mine.fields.qpos.data_ptr() == mine.data.qpos.ptr
    pointers = mine.obs.ptr, mine.reward.ptr
    a, b = run(mine, tape), run(env, tape)
    for name in ("terminated", "truncated", "done", "final_length"):
        assert np.array_equal(a[name], b[name]), name
    for name in ("obs", "final_obs", "qpos"):
        assert np.abs(a[name] - b[name]).max() < 1e-5, name  # float32, through nine steps
    assert np.abs(a["reward"] - b["terms"][:, :, 0]).max() < 1e-6  # of order one, in float32
    assert pointers == (mine.obs.ptr, mine.reward.ptr) and same(a, run(mine, tape))
    with pytest.raises(ValueError, match="record has 'pose', which is no field"):
        _ = mine.fields.pose


def test_bad_results_of_torch(two_arm: mjo.MjoModel) -> None:
    """A hook that returns another shape or type is named."""

    class Narrow(TorchEnv):
        nobs = 3

        def observation(self, fields: Any) -> Any:
            return fields.qpos[:, :2]

        def reward_of(self, fields: Any) -> tuple[Any, Any]:
            return fields.qpos[:, 0], fields.qpos[:, 0]

    class NoMask(Narrow):
        nobs = 2

    options: dict[str, Any] = {"max_episode_length": 2, "limits": np.tile([-1.0, 1.0], (8, 1))}
    with pytest.raises(ValueError, match=r"observation of Narrow has shape \(2, 2\): \(2, 3\) is expected"):
        Narrow(two_arm, 2, **options)
    with pytest.raises(TypeError, match="terminated of NoMask has dtype float32: bool is expected"):
        NoMask(two_arm, 2, **options).step(np.zeros((2, 8)))


def test_rsl_rl(env: Reorient, tape: Any) -> None:
    """The adapter gives what the task gives, in tensors that later steps leave alone."""
    pytest.importorskip("rsl_rl")
    from mjorbit_warp.envs.rsl_rl_env import RslRlEnv

    expected = run(env, tape)
    env.reset(3)
    adapter = RslRlEnv(env)
    kept = []
    for action in tape:
        before = adapter.get_observations()["policy"]
        kept.append((before, before.clone(), *adapter.step(torch.from_numpy(action))))
    assert all(torch.equal(a, b) for a, b, *_ in kept)
    for k, (_, _, obs, reward, done, extras) in enumerate(kept):
        assert np.array_equal(obs["policy"].numpy(), expected["obs"][k])
        assert np.array_equal(reward.numpy(), expected["reward"][k])
        assert np.array_equal(done.numpy() != 0, expected["done"][k])
        assert np.array_equal(extras["time_outs"].numpy(), expected["truncated"][k])
        # a mean of rewards of order one, in float32 and in float64
        assert abs(float(extras["log"]["/reward/attitude"]) - expected["terms"][k, :, 0].mean()) < 1e-6
    adapter.episode_length_buf = torch.full((NWORLD,), 2)
    assert adapter.step(torch.zeros(NWORLD, 8))[2].all() and env.final_length.numpy().tolist() == [3] * NWORLD


def rsl_rl_configuration() -> dict[str, Any]:
    mlp = {"class_name": "MLPModel", "hidden_dims": [16], "activation": "elu"}
    return {
        "num_steps_per_env": 4,
        "save_interval": 100,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": mlp | {"distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 1.0}},
        "critic": dict(mlp),
        "algorithm": {"class_name": "PPO", "num_learning_epochs": 2, "num_mini_batches": 2},
    }


def test_ppo_of_rsl_rl() -> None:
    """Three iterations: parameters change and stay finite, episodes are counted."""
    pytest.importorskip("rsl_rl")
    from rsl_rl.runners import OnPolicyRunner

    from mjorbit_warp.envs.rsl_rl_env import RslRlEnv

    torch.manual_seed(0)
    env = Reorient(8, seed=3, episode_seconds=0.9)
    runner = OnPolicyRunner(RslRlEnv(env), rsl_rl_configuration(), log_dir=None, device="cpu")
    before = [p.detach().clone() for p in runner.alg.get_policy().parameters()]
    runner.learn(3, init_at_random_ep_len=True)
    after = list(runner.alg.get_policy().parameters())
    assert any(not torch.equal(a, b) for a, b in zip(before, after, strict=True))
    assert all(torch.isfinite(p).all() for p in after)
    assert env.statistics()["episodes"] >= 8 * 12 // 3 - 8


@pytest.fixture
def venv(env: Reorient) -> Any:
    pytest.importorskip("stable_baselines3")
    from mjorbit_warp.envs.sb3_env import Sb3Env

    return Sb3Env(env)


def test_sb3(env: Reorient, venv: Any, tape: Any) -> None:
    """The adapter gives what the task gives; an episode's end is told as SB3's own environments tell it."""
    expected = run(env, tape)
    venv.seed(3)
    first = venv.reset()
    assert np.array_equal(first, env.reset([3, 4, 5, 6]).numpy())
    env.reset(3)
    for k, action in enumerate(tape):
        obs, reward, done, infos = venv.step(action)
        assert np.array_equal(obs, expected["obs"][k]) and np.array_equal(done, expected["done"][k])
        assert np.array_equal(reward, expected["reward"][k])
        for w, info in enumerate(infos):
            assert (info == {}) == (not done[w])
            if done[w]:
                assert info["TimeLimit.truncated"] is True
                assert np.array_equal(info["terminal_observation"], expected["final_obs"][k, w])
                assert info["episode"]["l"] == 3 and info["episode"]["r"] == expected["final_return"][k, w]
    assert venv.get_attr("max_episode_length", [0, 2]) == [3, 3] and venv.env_is_wrapped(object) == [False] * NWORLD
    assert venv.env_method("statistics")[3]["episodes"] > 0
    with pytest.raises(ValueError, match="reset acts on all worlds: call it without indices"):
        venv.env_method("reset", indices=1)
    with pytest.raises(ValueError, match="lost_reward cannot be set, as graphs hold what the task was made with"):
        venv.set_attr("lost_reward", 0.0)


def test_ppo_of_sb3(env: Reorient, venv: Any) -> None:
    """Two updates under SB3's own normalisation: parameters change and stay finite, episodes are counted."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecNormalize

    env.statistics(clear=True)
    learner = PPO("MlpPolicy", VecNormalize(venv), n_steps=6, batch_size=12, n_epochs=2, seed=0, device="cpu")
    before = [p.detach().clone() for p in learner.policy.parameters()]
    learner.learn(2 * 6 * NWORLD)
    after = list(learner.policy.parameters())
    assert any(not torch.equal(a, b) for a, b in zip(before, after, strict=True))
    assert all(torch.isfinite(p).all() for p in after)
    assert env.statistics()["episodes"] == len(learner.ep_info_buffer) == 4 * NWORLD
