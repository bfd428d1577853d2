"""Batched tasks: what every one of them does, step by step, on the device."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import warp as wp

from mjorbit_warp.data import make_data
from mjorbit_warp.envs.arrays import action_limits, episode_steps, make_episodes, seed_array
from mjorbit_warp.graph import CapturedStep
from mjorbit_warp.kernels.env_episode import (
    _begin_episode,
    _clear_step,
    _end_step,
    _keep_final,
    _read_action,
    _set_seed,
    _set_sensor_seed,
)
from mjorbit_warp.randomize import randomize
from mjorbit_warp.reset import mjo_reset
from mjorbit_warp.rollout_arrays import device_array, expect_shape, write
from mjorbit_warp.rollout_captured import check_captured
from mjorbit_warp.rollout_fields import field_array
from mjorbit_warp.status import Status
from mjorbit_warp.step import mjo_step, refresh_velocities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mjorbit_warp.distributions import Distribution
    from mjorbit_warp.model import MjoModel


class Env:
    """A task in nworld worlds at once. Subclasses say how an episode starts, what is observed, and what is rewarded.

    A step holds one action for ``decimation`` steps of the model. Where it ends an episode, ``obs`` is the first
    observation of the next one already and ``final_obs`` the last of the old one (Gymnasium calls this SAME_STEP).
    The whole step is one graph; arrays are never moved or replaced, so torch views of them stay valid.

    A world depends on its seed and its index alone: neither on how many worlds there are nor on what happens in them.

    Subclasses set ``nobs`` and write ``randomize_start``, ``observe`` and ``reward_and_done``. These launch kernels and
    do nothing else: they run when the graph is made, and numbers that they pass to kernels stay those of that time;
    what is to change belongs in arrays. A subclass with ``captured = False`` may work on the host in them; TorchEnv
    takes torch functions.

    Attributes:
      model, data: what is stepped; after a step its positions are fresh
      nworld, nobs, nact: worlds, observed values, actions
      decimation, max_episode_length: model steps in a step, steps after which an episode is truncated
      dt: duration of a step [s]
      action: of the next step, −1 to 1; what the caller may write into instead of passing one   (nworld, nact) float32
      applied: the last action after clipping                            (nworld, nact) float32
      bad_action: the last action was not finite, and was taken as 0     (nworld,) bool
      obs: observation                                                   (nworld, nobs) float32
      reward: of the last step, always finite                            (nworld,) float32
      terminated, truncated: the last step ended an episode: by itself, by its length   (nworld,) bool
      terms: parts of the reward, what a task writes for its ``term_names``   (nworld, nterm) float32
      done: one of the two; ``obs`` is the first of an episode           (nworld,) bool
      final_obs: observation before any reset, 0 where not finite        (nworld, nobs) float32
      final_return, final_length: of the episode that ended last         (nworld,) float32, int32
      final_status: Status bits at the end of the last step, before any reset   (nworld,) int32
      episode_return, episode_length: of the episode under way           (nworld,) float32, int32
      episode_number: since the seed was set, from 0                     (nworld,) int64
      random: numbers in (0, 1] that belong to the episode               (nworld, nrandom) float32
      records: fields named in ``record`` at the end of the last step, before any reset
    """

    nobs: int
    nrandom: int = 0
    term_names: ClassVar[tuple[str, ...]] = ()
    captured: ClassVar[bool] = True
    lost_reward: float = 0.0  # of a step after which the state or the reward is not finite
    ending: ClassVar[Status] = Status.NONFINITE | Status.BELOW_SURFACE | Status.TOO_FAR  # these bits terminate

    def __init__(
        self,
        model: "MjoModel",
        nworld: int,
        *,
        decimation: int = 1,
        episode_seconds: float | None = None,
        max_episode_length: int | None = None,
        limits: Any = None,
        seed: int = 0,
        precision: str = "single",
        device: Any = None,
        record: Sequence[str] = (),
        **sizes: Any,
    ) -> None:
        """Allocate, begin the first episodes, and capture.

        Args:
          model: a compiled model; all entries of ``ctrl`` are actions.
          nworld: number of worlds.
          decimation: model steps for which an action is held.
          episode_seconds, max_episode_length: length after which an episode is truncated, one of the two: in simulated
            time [s], rounded up to whole steps, or in steps.
          limits: (nact, 2) commands at actions −1 and 1; default: the actuators' ``ctrlrange``.
          seed: see ``reset``.
          precision, device, sizes: as in ``make_data``.
          record: names of fields for ``records``; see ``rollout``.

        Raises:
          ValueError: an argument is impossible, or a hook cannot be captured, in one sentence.
        """
        if not isinstance(decimation, int | np.integer) or isinstance(decimation, bool) or decimation < 1:
            raise ValueError(f"decimation is {decimation!r}: a positive integer is expected")
        self.model = model
        self.decimation = int(decimation)
        self.dt = self.decimation * float(model.mj.opt.timestep)
        self.max_episode_length = episode_steps(episode_seconds, max_episode_length, self.dt)
        bounds = action_limits(model, limits)
        self.data = make_data(model, nworld, precision=precision, device=device, **sizes)
        self.nworld, self.nact = self.data.nworld, bounds.shape[0]
        self._owned: list[wp.array] = []
        self._record = {name: field_array(model, self.data, name) for name in dict.fromkeys(record)}
        self._allocate(bounds)
        self.setup()
        self._step_graph: Any = None
        self._restart_graph: Any = None
        self.reset(seed)
        self._capture()
        self.reset(seed)

    # what subclasses write

    def setup(self) -> None:
        """Allocate what the task needs, with ``new_array``; called once, when model and data are there."""

    def randomize_start(self, mask: wp.array) -> None:
        """Write the first states of the masked worlds, which were reset, into ``data``; ``random`` is theirs.

        Args:
          mask: (nworld,) bool; other worlds must be left alone.
        """

    def refresh(self) -> None:
        """Positions and velocities of bodies, which a step leaves behind; a task with sensors calls mjo_sense."""
        refresh_velocities(self.model, self.data)

    def observe(self) -> None:
        """Write ``obs`` of all worlds; it runs twice in a step and must be a function of the state."""
        raise NotImplementedError(f"{type(self).__name__} has no observe()")

    def reward_and_done(self) -> None:
        """Write ``reward`` of the step in all worlds, and set ``terminated``, which is False before, where it ends."""
        raise NotImplementedError(f"{type(self).__name__} has no reward_and_done()")

    def apply_action(self) -> None:
        """Write ``data.ctrl`` from ``action``: clipped to −1 … 1 and scaled to the limits."""
        wp.launch(
            _read_action,
            dim=self.nworld,
            inputs=[self.action, self._limits],
            outputs=[self.applied, self.bad_action, self.data.mjw.ctrl],
        )

    def new_array(self, shape: Any, dtype: Any) -> Any:
        """An array of zeros on the data's device that hooks may write: making a graph leaves it as it is."""
        array: Any = wp.zeros(shape, dtype=dtype, device=self.data.device)
        self._owned.append(array)
        return array

    # what callers use

    def reset(self, seed: Any = None, mask: Any = None) -> wp.array:
        """Begin episodes; returns ``obs``.

        Args:
          seed: worlds begin the first episode of this seed, one for all or one per world, and their sensors' noise
            anew; None: the next episode of the seed that they have.
          mask: (nworld,) bool, worlds to reset, Warp, torch, DLPack or array-like; None for all.
        """
        seeds = None if seed is None else seed_array(seed, self.nworld)
        with wp.ScopedDevice(self.data.device):
            if mask is None:
                self._mask.fill_(True)
            else:
                chosen = device_array(mask, wp.bool, self.data.device, "mask")
                expect_shape(chosen.shape, (self.nworld,), "mask")
                wp.copy(self._mask, chosen)
            if seeds is not None:
                self._set_seed(wp.array(seeds, dtype=wp.int64))
            if self._restart_graph is None:
                self._restart()
            else:
                self._restart_graph()
            if self._restart_graph is None or not self.captured:
                self._first()
            outputs = [self.reward, self.terminated, self.truncated, self.done, self.bad_action]
            wp.launch(_clear_step, dim=self.nworld, inputs=[self._mask], outputs=outputs)
        return self.obs

    def step(self, action: Any = None) -> tuple[wp.array, wp.array, wp.array, wp.array]:
        """Hold an action for ``decimation`` steps; worlds whose episode ends begin the next one.

        Args:
          action: (nworld, nact), Warp, torch, DLPack or array-like, −1 to 1; None: what ``action`` holds.

        Returns:
          ``obs``, ``reward``, ``terminated``, ``truncated``: the arrays themselves, which the next step overwrites.
        """
        with wp.ScopedDevice(self.data.device):
            if action is not None:
                write(self.action, action, "action")
            self._step_graph()
            if not self.captured:
                self._judge()
                self._close()
                self._restart_graph()
                self._first()
        return self.obs, self.reward, self.terminated, self.truncated

    def randomize(self, parameters: "Mapping[str, Distribution]", *, seed: int, mask: Any = None) -> dict[str, Any]:
        """Draw model parameters per world, now and not in later resets; see ``mjorbit_warp.randomize``."""
        return randomize(self.model, self.data, parameters, seed=seed, mask=mask)

    def statistics(self, clear: bool = False) -> dict[str, float]:
        """Of the episodes that ended (reads from the device).

        Args:
          clear: start again after this.

        Returns:
          ``episodes``, ``terminated``, ``truncated``: how many; ``mean_return``, ``mean_length``: NaN if there is none.
        """
        e = self._episodes
        count, failed = int(e.finished.numpy().sum()), int(e.failed.numpy().sum())
        total, length = float(e.sum_total.numpy().sum()), float(e.sum_length.numpy().sum())
        if clear:
            for array in (e.finished, e.failed, e.sum_total, e.sum_length):
                array.zero_()
        return {
            "episodes": count,
            "terminated": failed,
            "truncated": count - failed,
            "mean_return": total / count if count else float("nan"),
            "mean_length": length / count if count else float("nan"),
        }

    # the parts of a step

    def _allocate(self, bounds: Any) -> None:
        n, new = self.nworld, self.new_array
        self._limits: Any = wp.array(bounds, dtype=wp.vec2, device=self.data.device)
        self._mask = new(n, bool)
        self._episodes = make_episodes(n, new)
        self.action, self.applied = new((n, self.nact), float), new((n, self.nact), float)
        self.bad_action = new(n, bool)
        self.obs, self.final_obs = new((n, self.nobs), float), new((n, self.nobs), float)
        self.reward, self.terms = new(n, float), new((n, len(self.term_names)), float)
        self.terminated, self.truncated, self.done = new(n, bool), new(n, bool), new(n, bool)
        self.random = new((n, self.nrandom), float)
        e = self._episodes
        self.episode_return, self.episode_length, self.episode_number = e.total, e.length, e.number
        self.final_return, self.final_length, self.final_status = e.final_total, e.final_length, e.final_status
        self.records = {name: new(field.shape, field.dtype) for name, field in self._record.items()}

    def _set_seed(self, seeds: wp.array) -> None:
        wp.launch(_set_seed, dim=self.nworld, inputs=[self._mask, seeds], outputs=[self._episodes])
        sensors = self.data.sensors
        if sensors.names:
            outputs = [sensors.seed, sensors.count]
            wp.launch(_set_sensor_seed, dim=self.nworld, inputs=[self._mask, seeds], outputs=outputs)

    def _advance(self) -> None:
        """The action, and the model's steps under it."""
        self.apply_action()
        for _ in range(self.decimation):
            mjo_step(self.model, self.data)
        self.refresh()
        self.terminated.zero_()

    def _judge(self) -> None:
        """Reward, and which episodes end."""
        self.reward_and_done()
        wp.launch(
            _end_step,
            dim=self.nworld,
            inputs=[self.data.status, int(self.ending), float(self.lost_reward), self.max_episode_length],
            outputs=[self.reward, self.terminated, self.truncated, self.done, self._episodes],
        )

    def _close(self) -> None:
        """What is kept of the state before any reset."""
        self.observe()
        wp.launch(_keep_final, dim=self.obs.shape, inputs=[self.obs], outputs=[self.final_obs])
        for name, field in self._record.items():
            wp.copy(self.records[name], field)
        wp.copy(self._mask, self.done)

    def _restart(self) -> None:
        """Masked worlds are reset and have the numbers of their next episode."""
        wp.launch(_begin_episode, dim=self.nworld, inputs=[self._mask], outputs=[self._episodes, self.random])
        mjo_reset(self.model, self.data, self._mask)

    def _first(self) -> None:
        """Masked worlds start; observations of all worlds."""
        self.randomize_start(self._mask)
        self.refresh()
        self.observe()

    def _capture(self) -> None:
        """Graphs of a step and of a reset; where hooks are not captured, of what surrounds them."""

        def step() -> None:
            self._advance()
            self._judge()
            self._close()
            self._restart()
            self._first()

        def restart() -> None:
            self._restart()
            self._first()

        with wp.ScopedDevice(self.data.device):
            if self.captured:
                self._check_hooks()
            bodies = (step, restart) if self.captured else (self._advance, self._restart)
            self._step_graph, self._restart_graph = (
                CapturedStep(self.model, self.data, self.decimation, body, self._owned) for body in bodies
            )

    def _check_hooks(self) -> None:
        """ValueError where a hook does something that a graph leaves out."""
        name = type(self).__name__
        hooks = {
            "reward_and_done": (self.reward_and_done, self.reward),
            "observe": (self.observe, self.obs),
            "randomize_start": (lambda: self.randomize_start(self._mask), self.data.mjw.qpos),
        }
        for hook, (body, target) in hooks.items():
            check_captured(self.model, self.data, body, target, self._owned, f"{name}.{hook}")
