"""A task as rsl-rl's ``VecEnv`` (rsl-rl-lib 5)."""

from typing import Any

import warp as wp

from mjorbit_warp.envs.base import Env
from mjorbit_warp.extras import need

need("rsl_rl", "rl")

import torch  # noqa: E402
from rsl_rl.env import VecEnv  # noqa: E402
from tensordict import TensorDict  # noqa: E402


class RslRlEnv(VecEnv):
    """Torch tensors on the task's device; nothing goes through the host.

    Observations are the group ``policy``; ``obs_groups`` of the runner maps actor and critic to it. ``time_outs`` in
    the extras are the truncated worlds, ``log`` the mean of each of the reward's terms where the task has them.

    Attributes:
      env: the Env
      episode_length_buf: steps of the episodes under way, (nworld,) int32, the task's own; assignment writes into it
    """

    def __init__(self, env: Env, cfg: Any = None) -> None:
        self.env = env
        self.num_envs, self.num_actions = env.nworld, env.nact
        self.max_episode_length = env.max_episode_length
        self.device = torch.device(wp.device_to_torch(env.data.device))
        self.cfg = {} if cfg is None else cfg
        names = ("action", "obs", "reward", "done", "truncated", "episode_length")
        self._views = {name: wp.to_torch(getattr(env, name)) for name in names}
        self._terms = wp.to_torch(env.terms)

    @property
    def episode_length_buf(self) -> Any:  # type: ignore[override]
        """See the class."""
        return self._views["episode_length"]

    @episode_length_buf.setter
    def episode_length_buf(self, values: Any) -> None:
        self._views["episode_length"].copy_(values)

    def get_observations(self) -> Any:
        """The present observations."""
        # a copy: rsl-rl stores it after the next step has been made
        return TensorDict({"policy": self._views["obs"].clone()}, batch_size=[self.num_envs], device=self.device)

    def reset(self) -> tuple[Any, dict[str, Any]]:
        """Begin the next episode in every world."""
        self.env.reset()
        return self.get_observations(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        """One step of every world: observations, rewards, dones (both (nworld,)), extras."""
        self._views["action"].copy_(actions.detach())
        self.env.step()
        extras: dict[str, Any] = {"time_outs": self._views["truncated"].clone()}
        if self.env.term_names:
            means = self._terms.nanmean(dim=0)
            extras["log"] = {f"/reward/{name}": means[i] for i, name in enumerate(self.env.term_names)}
        return self.get_observations(), self._views["reward"].clone(), self._views["done"].long(), extras
