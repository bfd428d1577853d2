"""One batch of episodes: starts, parameters, policy, rollout, and what was recorded on the host."""

import dataclasses
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.data import make_data
from mjorbit_warp.datasets.cameras import Cameras
from mjorbit_warp.datasets.fields import ROW, Field, describe, elements
from mjorbit_warp.datasets.policies import make_policy
from mjorbit_warp.datasets.scenario import binary_of, decimation_of, inputs_of, model_of
from mjorbit_warp.randomize import randomize
from mjorbit_warp.reset import mjo_reset
from mjorbit_warp.rollout import Rollout
from mjorbit_warp.rollout_fields import field_array
from mjorbit_warp.starts import scatter
from mjorbit_warp.step import mjo_forward

if TYPE_CHECKING:
    from mjorbit_warp.datasets.config import Config

Arrays = dict[str, NDArray[Any]]
PULSE = 0.2  # s, about, between two reports of progress


@dataclasses.dataclass
class Batch:
    """Episodes on the host; their leading dimension is the first of every array.

    Attributes:
      arrays: by name, fields (n, nrow + 1, …) from the start on, ``ctrl`` (n, nrow, nu), images, "parameters/…" and
        "episode/…" (n, …)
      notes: what the policy has to say, by episode
    """

    arrays: Arrays
    notes: dict[int, list[str]]


class BatchMaker:
    """Makes batches of episodes of a configuration, up to ``nworld`` at once, again and again with the same graphs.

    Attributes:
      model, data: what is stepped
      xml: the model's MJCF
      binary: the compiled model
      inputs: SHA-256 of the model and of the policy's file
      decimation: steps of a row
      nstep: steps of an episode
    """

    def __init__(self, config: "Config", nworld: int, device: Any = None) -> None:
        """Everything that can be refused is refused here, in one sentence; steps are compiled at the first batch."""
        self.config, self.nworld = config, nworld
        self.model, self.xml = model_of(config)
        self.binary = binary_of(self.model.mj)
        self.inputs = inputs_of(config, self.xml)
        self.decimation = decimation_of(config, float(self.model.mj.opt.timestep))
        self.nstep = config.episodes.nrow * self.decimation
        self.data = make_data(
            self.model,
            nworld,
            precision=config.scenario.precision,
            seed=config.episodes.seed,
            sensor_noise=config.sensors.noise,
            device=device,
        )
        self._names = [name for name in config.record.fields if name != "ctrl"]
        for name in config.record.fields:
            field_array(self.model, self.data, name)
        self._place(0, 1)  # so that a parameter that cannot be drawn is refused at once
        self._policy = make_policy(config, self.model, self.data)
        self._cameras = Cameras(config.cameras, self.model, self.data) if config.cameras else None
        self._made: Rollout | None = None

    def _rollout(self, commands: Any) -> Rollout:
        """The rollout, with a tape or a policy; made at the first batch and kept."""
        function = commands if callable(commands) else None
        if self._made is None:
            self._made = Rollout(
                self.model,
                self.data,
                self.config.episodes.nrow,
                decimation=self.decimation,
                record=[*self._names, *(["ctrl"] if self.model.nu else [])],
                policy=function,
                stop=None if self._cameras is None else self._cameras.take,
            )
        self._made.policy = function
        if function is None and self.model.nu:
            self._made.tape.assign(commands)
        return self._made

    def fields(self) -> dict[str, Field]:
        """What each recorded array is, by name."""
        found = {name: describe(self.model, name) for name in self._names}
        if self.model.nu:
            found["ctrl"] = describe(self.model, "ctrl")
        if self._cameras is not None:
            pixels = "camera, rows from the top"
            for camera in self.config.cameras:
                found[f"image:{camera.name}"] = Field("-", pixels, "red, green, blue from 0 to 255", ROW)
                if camera.depth:
                    found[f"depth:{camera.name}"] = Field("m", pixels, "distance along the ray, 0 without a hit", ROW)
        return found

    def elements(self) -> dict[str, list[str]]:
        """Names along the first axis of a row's values, of the fields that have such names."""
        found = {name: elements(self.model, name) for name in [*self._names, *(["ctrl"] if self.model.nu else [])]}
        return {name: names for name, names in found.items() if names is not None}

    def _place(self, first: int, count: int) -> Arrays:
        """Worlds at the starts of episodes ``first`` on, with their parameters and noise; the parameters."""
        model, data, config, n = self.model, self.data, self.config, self.nworld
        mask = np.arange(n) < count  # the others repeat what they had, and are not kept
        mjo_reset(model, data)  # before the draw: masses are drawn for tanks that are full again
        seed, start = config.episodes.seed, config.start
        drawn = randomize(model, data, config.randomize, seed=seed, mask=mask, first=first) if config.randomize else {}
        qpos, qvel = scatter(model.mj, count, seed, start.spread, start.spin, first=first, joints=start.joints)
        for target in (data, data.shadow):
            if target is not None:
                target.qpos.assign(np.concatenate([qpos, np.tile(qpos[:1], (n - count, 1))]))
                target.qvel.assign(np.concatenate([qvel, np.tile(qvel[:1], (n - count, 1))]))
        if len(model.sensors):
            data.sensors.count.zero_()
            data.sensors.stream.assign(np.arange(first, first + n, dtype=np.int32))
        mjo_forward(model, data)
        return {f"parameters/{name}": values[:count] for name, values in drawn.items()}

    def make(self, first: int, count: int, report: Callable[[int], None] | None = None) -> Batch:
        """Episodes ``first`` to ``first + count``.

        Args:
          report: called now and then with the world-steps since the last call; what it raises ends the batch.
        """
        data, n = self.data, self.nworld
        parameters = self._place(first, count)
        arrays = {name: self._host(field_array(self.model, data, name)) for name in self._names}
        self._policy.notes = {}
        commands = self._policy.begin(np.arange(first, first + n))
        rollout = self._rollout(commands)
        if self._cameras is not None:
            self._cameras.begin()
        self._run(rollout, count, report)
        for name in self._names:
            start, rows = arrays[name], rollout[name].numpy()
            whole = np.empty((count, rows.shape[0] + 1, *rows.shape[2:]), dtype=rows.dtype)
            whole[:, 0] = start[:count]
            whole[:, 1:] = np.moveaxis(rows[:, :count], 0, 1)
            arrays[name] = whole
        if self.model.nu:
            arrays["ctrl"] = np.array(np.moveaxis(rollout["ctrl"].numpy()[:, :count], 0, 1), order="C")
        if self._cameras is not None:
            arrays |= {name: images[:count] for name, images in self._cameras.arrays().items()}
        arrays |= parameters | {
            "episode/index": np.arange(first, first + count),
            "episode/length": rollout.length.numpy()[:count] + 1,
            "episode/status": self._host(data.status)[:count],
            "episode/bad_ctrl": self._host(rollout.bad_ctrl)[:count],
        }
        notes = {episode: texts for episode, texts in self._policy.notes.items() if episode < first + count}
        return Batch(arrays, notes)

    @staticmethod
    def _host(array: Any) -> NDArray[Any]:
        return np.array(array.numpy())

    def _run(self, rollout: Rollout, count: int, report: Callable[[int], None] | None) -> None:
        """The rollout in parts that take about PULSE."""
        nrow, done, size = self.config.episodes.nrow, 0, 1
        rollout.begin()
        while done < nrow:
            size = min(size, nrow - done)
            began = time.perf_counter()
            rollout.rows(size)
            wp.synchronize_device(self.data.device)
            took = time.perf_counter() - began
            done += size
            if report is not None:
                report(size * self.decimation * count)
            size = max(1, min(2 * size, int(size * PULSE / max(took, 1e-9))))
