"""What is timed on a Warp device: bare MJWarp and ours, each replayed from a graph."""

import time
from typing import Any

import mujoco_warp as mjw
import numpy as np
import warp as wp

from mjorbit_warp.bench import metrics
from mjorbit_warp.bench.memory import data_sizes
from mjorbit_warp.bench.scenes import Scene
from mjorbit_warp.bench.starts import starts
from mjorbit_warp.data import make_data
from mjorbit_warp.graph import capture
from mjorbit_warp.model import MjoModel
from mjorbit_warp.reset import mjo_reset
from mjorbit_warp.status import Status, worlds_by_status
from mjorbit_warp.step import mjo_step

_FAULTS = Status.NONFINITE | Status.BELOW_SURFACE | Status.TOO_FAR  # overflow has a check of its own


class WarpContender:
    """A graph of ``nstep`` steps of ``nworld`` worlds.

    Attributes:
      name: as in reports.
      kind: "mujoco_warp" or "mjorbit_warp".
      nworld, nstep: worlds, and steps that one replay advances.
      first_step_s: time of the first step, which compiles or loads kernels [s].
      capture_s: time of the capture after it [s].
      graph: the Warp graph.
    """

    kind = ""
    replayed = True

    def __init__(self, name: str, model: MjoModel, scene: Scene, nworld: int, nstep: int, device: Any) -> None:
        self.name, self.model, self.scene = name, model, scene
        self.nworld, self.nstep, self.device = nworld, nstep, device
        self.start = starts(model.mj, scene, nworld)
        self.graph: Any = None
        with wp.ScopedDevice(device):
            self._make()
            wp.synchronize_device(device)
            began = time.perf_counter()
            self._step()
            wp.synchronize_device(device)
            stepped = time.perf_counter()
            self._capture()
            wp.synchronize_device(device)
            self.first_step_s, self.capture_s = stepped - began, time.perf_counter() - stepped
        metrics.refuse_uncaptured(name, self.graph)
        self.restart()

    def _make(self) -> None:
        raise NotImplementedError

    def _step(self) -> None:
        raise NotImplementedError

    def _capture(self) -> None:
        raise NotImplementedError

    def _reset(self) -> None:
        raise NotImplementedError

    @property
    def plain(self) -> Any:
        """MJWarp's Data."""
        raise NotImplementedError

    def restart(self) -> None:
        """All worlds back to the start."""
        with wp.ScopedDevice(self.device):
            self._reset()
        for name, values in zip(("qpos", "qvel", "ctrl"), self.start, strict=True):
            getattr(self.plain, name).assign(values)
        self.plain.overflow.zero_()

    def replay(self) -> None:
        """Launch the graph once, without waiting for it."""
        wp.capture_launch(self.graph)

    def sample(self, replays: int) -> float:
        """Seconds that ``replays`` replays take."""
        wp.synchronize_device(self.device)
        began = time.perf_counter()
        for _ in range(replays):
            self.replay()
        wp.synchronize_device(self.device)
        return time.perf_counter() - began

    def finite(self) -> np.ndarray:
        """Worlds whose state is finite, (nworld,)."""
        d = self.plain
        return np.isfinite(d.qpos.numpy()).all(axis=1) & np.isfinite(d.qvel.numpy()).all(axis=1)

    def check(self) -> None:
        """Raise metrics.Refused if what has been run must not be reported."""
        d = self.plain
        metrics.refuse_nonfinite(self.name, self.finite())
        metrics.refuse_overflow(self.name, d.overflow.numpy(), d.naconmax // d.nworld, d.njmax)

    def counts(self) -> dict[str, Any]:
        """Contacts and constraint rows per world now, and how many worlds are well."""
        d = self.plain
        ncontact = metrics.contacts_per_world(d.contact.worldid.numpy(), int(d.nacon.numpy()[0]), d.nworld)
        overflow = d.overflow.numpy()
        return {
            "contacts": metrics.count_summary(ncontact, d.naconmax // d.nworld),
            "constraints": metrics.count_summary(d.nefc.numpy(), d.njmax),
            "overflow": int(np.count_nonzero(overflow & ~metrics.ITERATION_BITS)),
            "converged": metrics.converged(self.finite(), overflow),
            "nworld": d.nworld,
        }

    def memory(self) -> dict[str, float]:
        """Bytes per world by field."""
        return metrics.memory_per_world(data_sizes(self.data), self.nworld)

    data: Any = None


class BareWarp(WarpContender):
    """MJWarp's own step of the same MJCF; what an orbit would exert is not there."""

    kind = "mujoco_warp"

    def _make(self) -> None:
        self.mjw = mjw.put_model(self.model.mj)
        self.data = mjw.make_data(self.model.mj, nworld=self.nworld, nconmax=self.scene.nconmax, njmax=self.scene.njmax)
        self._assign()

    def _assign(self) -> None:
        for name, values in zip(("qpos", "qvel", "ctrl"), self.start, strict=True):
            getattr(self.data, name).assign(values)

    def _step(self) -> None:
        mjw.step(self.mjw, self.data)

    def _capture(self) -> None:
        with wp.ScopedCapture(device=self.device) as captured:
            for _ in range(self.nstep):
                mjw.step(self.mjw, self.data)
        self.graph = captured.graph

    def _reset(self) -> None:
        mjw.reset_data(self.mjw, self.data)

    @property
    def plain(self) -> Any:
        return self.data


class OrbitWarp(WarpContender):
    """``mjo_step``."""

    kind = "mjorbit_warp"

    def __init__(
        self, name: str, model: MjoModel, scene: Scene, nworld: int, nstep: int, device: Any, precision: str
    ) -> None:
        self.precision = precision
        super().__init__(name, model, scene, nworld, nstep, device)

    def _make(self) -> None:
        self.data = make_data(
            self.model,
            nworld=self.nworld,
            precision=self.precision,
            device=self.device,
            nconmax=self.scene.nconmax,
            njmax=self.scene.njmax,
        )
        for name, values in zip(("qpos", "qvel", "ctrl"), self.start, strict=True):
            getattr(self.data.mjw, name).assign(values)

    def _step(self) -> None:
        mjo_step(self.model, self.data)

    def _capture(self) -> None:
        self.captured = capture(self.model, self.data, nstep=self.nstep)
        self.graph = self.captured.graph

    def replay(self) -> None:
        """Replay through the library's own call, whose checks are part of what a user pays."""
        self.captured()

    def _reset(self) -> None:
        mjo_reset(self.model, self.data)

    @property
    def plain(self) -> Any:
        return self.data.mjw

    def check(self) -> None:
        """Also what the library itself finds wrong with a world."""
        super().check()
        metrics.refuse_uncaptured(self.name, self.captured.graph)
        metrics.refuse_faults(self.name, worlds_by_status(self.data.status.numpy(), _FAULTS))
