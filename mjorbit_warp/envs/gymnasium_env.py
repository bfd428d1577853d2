"""A task as a ``gymnasium.vector.VectorEnv``."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.envs.base import Env
from mjorbit_warp.envs.registry import TASKS, make
from mjorbit_warp.extras import need

need("gymnasium", "gym")

import gymnasium as gym  # noqa: E402
from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402


def spaces(env: Env) -> tuple[gym.spaces.Box, gym.spaces.Box]:
    """Spaces of one world: (observations, actions from −1 to 1)."""
    return (
        gym.spaces.Box(-np.inf, np.inf, (env.nobs,), np.float32),
        gym.spaces.Box(-1.0, 1.0, (env.nact,), np.float32),
    )


class GymnasiumEnv(VectorEnv):
    """NumPy in and out; copies, which later steps leave alone. Autoreset is SAME_STEP.

    Gymnasium's wrappers for rewards, actions, statistics and infos work; those for observations refuse SAME_STEP.

    In a step that ends episodes, ``info["final_obs"]`` (object array) and ``info["final_info"]`` (episode_return,
    episode_length, status) hold what the reset replaced, where ``info["_final_obs"]`` and ``info["_final_info"]`` say.

    Attributes:
      env: the Env
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(self, env: Env) -> None:
        self.env = env
        self.num_envs = env.nworld
        self.single_observation_space, self.single_action_space = spaces(env)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """First observations; see Env.reset.

        Args:
          seed: one for all worlds or one per world; None: the next episodes.
          options: ``reset_mask`` (nworld,) bool, worlds to reset; others go on.
        """
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        mask = (options or {}).get("reset_mask")
        return self.env.reset(seed, mask).numpy().copy(), {}

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One step of every world."""
        arrays = self.env.step(actions)
        obs, reward, terminated, truncated = (array.numpy().copy() for array in arrays)
        done = terminated | truncated
        info = self._final(done) if done.any() else {}
        return obs, reward.astype(np.float64), terminated, truncated, info

    def _final(self, done: NDArray[np.bool_]) -> dict[str, Any]:
        env, where = self.env, np.flatnonzero(done)
        last = env.final_obs.numpy()[where]  # a copy
        final_obs = np.full(self.num_envs, None, dtype=object)
        for i, row in zip(where, last, strict=True):
            final_obs[i] = row
        final_info: dict[str, Any] = {}
        for name, array in (
            ("episode_return", env.final_return),
            ("episode_length", env.final_length),
            ("status", env.final_status),
        ):
            final_info[name] = np.where(done, array.numpy(), 0)
            final_info[f"_{name}"] = done.copy()
        return {
            "final_obs": final_obs,
            "_final_obs": done.copy(),
            "final_info": final_info,
            "_final_info": done.copy(),
        }


def register() -> list[str]:
    """Make the tasks known to ``gymnasium.make_vec``; returns their ids, ``mjorbit_warp/reorient-v0``."""
    ids = []
    for name in TASKS:
        ids.append(f"mjorbit_warp/{name}-v0")
        if ids[-1] not in gym.registry:
            gym.register(ids[-1], vector_entry_point=f"{__name__}:make_vector_env", kwargs={"task": name})
    return ids


def make_vector_env(task: str, num_envs: int = 1, **options: Any) -> GymnasiumEnv:
    """What ``gymnasium.make_vec`` calls; options are the task's."""
    return GymnasiumEnv(make(task, num_envs, **options))
