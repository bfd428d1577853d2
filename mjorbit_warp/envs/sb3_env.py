"""A task as Stable-Baselines3's ``VecEnv``."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from mjorbit_warp.envs.base import Env
from mjorbit_warp.envs.gymnasium_env import spaces
from mjorbit_warp.extras import need

need("stable_baselines3", "rl")

from stable_baselines3.common.vec_env import VecEnv  # noqa: E402


class Sb3Env(VecEnv):
    """NumPy in and out; copies. ``infos`` of a world whose episode ended hold ``terminal_observation``,
    ``TimeLimit.truncated`` and ``episode`` (r, l, t), as SB3's Monitor writes them.

    ``seed(s)`` takes effect at the next ``reset``; without it a reset begins the next episodes.

    Attributes:
      env: the Env
    """

    def __init__(self, env: Env) -> None:
        self.env = env
        self.render_mode = None
        super().__init__(env.nworld, *spaces(env))
        self._begun = time.time()

    def reset(self) -> Any:
        """First observations (nworld, nobs)."""
        seeds = None if None in self._seeds else [seed % 2**53 for seed in self._seeds if seed is not None]
        self._reset_seeds()
        self._reset_options()
        return self.env.reset(seeds).numpy().copy()

    def step_async(self, actions: Any) -> None:
        """Take the actions (nworld, nact)."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Observations, rewards, dones, infos."""
        arrays = self.env.step(self._actions)
        obs, reward, terminated, truncated = (array.numpy().copy() for array in arrays)
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        where = np.flatnonzero(done)
        if where.size:
            last = self.env.final_obs.numpy()[where]
            total, length = self.env.final_return.numpy()[where], self.env.final_length.numpy()[where]
            elapsed = round(time.time() - self._begun, 6)
            for k, i in enumerate(where):
                infos[i] = {
                    "terminal_observation": last[k],
                    "TimeLimit.truncated": bool(truncated[i]),
                    "episode": {"r": float(total[k]), "l": int(length[k]), "t": elapsed},
                }
        return obs, reward, done, infos

    def close(self) -> None:
        """Nothing is to be closed."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the adapter, or of the task, once for each of the worlds."""
        owner = self if attr_name in vars(self) else self.env
        return [getattr(owner, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Nothing can be set: graphs hold what the task was made with."""
        raise ValueError(f"{attr_name} cannot be set, as graphs hold what the task was made with: make another task")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of the task once, for all worlds; its result is repeated for each."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"{method_name} acts on all worlds: call it without indices")
        return [getattr(self.env, method_name)(*method_args, **method_kwargs)] * self.num_envs

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No world is wrapped by itself."""
        return [False] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[Any]:
        """No pictures."""
        return [None] * self.num_envs
