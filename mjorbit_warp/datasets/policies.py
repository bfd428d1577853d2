"""Policies of a dataset: each gives an episode commands that depend on the seed and the episode's index alone."""

import math
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.datasets.config_parts import MppiPolicy, NoPolicy, PythonPolicy, SmoothPolicy, TorchScriptPolicy
from mjorbit_warp.datasets.scenario import decimation_of, entry_point, model_of
from mjorbit_warp.extras import need
from mjorbit_warp.rollout_fields import field_array, flat

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.datasets.config import Config
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.planning import MPPI

Episodes = NDArray[np.int64]
F32 = NDArray[np.float32]
SMOOTH = zlib.crc32(b"smooth")
PLANNER = zlib.crc32(b"mppi")
NOTES = 20  # of an episode, at most


class Policy:
    """Commands of a batch of episodes: a tape, or a function for Rollout.

    Attributes:
      notes: what went wrong, by episode
    """

    def __init__(self) -> None:
        self.notes: dict[int, list[str]] = {}

    def begin(self, episodes: Episodes) -> F32 | Callable[["MjoData"], Any]:
        """For the episodes of the worlds (nworld,): the tape (nrow, nworld, nu), or f(data) called before each row."""
        raise NotImplementedError

    def note(self, episode: int, text: str) -> None:
        """Keep a note, unless there are many."""
        notes = self.notes.setdefault(episode, [])
        if len(notes) < NOTES:
            notes.append(text)
        elif len(notes) == NOTES:
            notes.append("and more of the kind")


class Zero(Policy):
    """No commands."""

    def __init__(self, config: "Config", model: "MjoModel", data: "MjoData") -> None:
        super().__init__()
        self._shape = config.episodes.nrow, model.mj.nu

    def begin(self, episodes: Episodes) -> F32:
        nrow, nu = self._shape
        return np.zeros((nrow, len(episodes), nu), dtype=np.float32)


def command_ranges(model: "MjoModel") -> NDArray[np.float64]:
    """(nu, 2) from the actuators' ``ctrlrange``, not finite where one has none."""
    mj = model.mj
    out = np.tile([-np.inf, np.inf], (mj.nu, 1))
    for a in range(mj.nactuator):
        if mj.actuator_ctrllimited[a]:
            out[mj.actuator_ctrladr[a] : mj.actuator_ctrladr[a] + mj.actuator_ctrlnum[a]] = mj.actuator_ctrlrange[a]
    return out


def spline_knots(duration: float, interval: float) -> int:
    """Number of knots that a cubic B-spline over ``duration`` needs."""
    return math.floor(duration / interval) + 4


def cubic_b_spline(knots: NDArray[np.float64], u: float) -> NDArray[np.float64]:
    """Value at ``u`` in units of the interval; it stays within the hull of four knots and has two derivatives.

    Args:
      knots: (n, …).
    """
    i = math.floor(u)
    f = u - i
    weights = ((1 - f) ** 3, 3 * f**3 - 6 * f**2 + 4, -3 * f**3 + 3 * f**2 + 3 * f + 1, f**3)
    total = weights[0] * knots[i]
    for j in (1, 2, 3):
        total = total + weights[j] * knots[i + j]
    return np.asarray(total / 6.0)


class Smooth(Policy):
    """Random smooth commands, drawn from (seed, episode)."""

    def __init__(self, config: "Config", model: "MjoModel", data: "MjoData") -> None:
        super().__init__()
        policy = config.policy
        assert isinstance(policy, SmoothPolicy)
        self._episodes, self._interval, self._nu = config.episodes, policy.interval, int(model.mj.nu)
        if policy.amplitude is None:
            self._low, self._high = command_ranges(model).T
            if not np.isfinite(self._high - self._low).all():
                raise ValueError("policy.amplitude is needed: not every command of the model has a ctrlrange")
            return
        amplitude = np.asarray(policy.amplitude, dtype=np.float64)
        if amplitude.shape not in ((), (self._nu,)) or not np.isfinite(amplitude).all() or (amplitude < 0).any():
            wanted = f"one number or {self._nu}, none negative, are expected"
            raise ValueError(f"policy.amplitude is {policy.amplitude!r}: {wanted}")
        self._high = np.broadcast_to(amplitude, (self._nu,))
        self._low = -self._high

    def begin(self, episodes: Episodes) -> F32:
        e, nu = self._episodes, self._nu
        count = spline_knots(e.duration, self._interval)
        knots = np.empty((count, len(episodes), nu))
        for w, episode in enumerate(episodes):
            rng = np.random.default_rng([e.seed, SMOOTH, int(episode)])
            knots[:, w] = rng.uniform(self._low, self._high, (count, nu))
        rows = [cubic_b_spline(knots, k / e.rate / self._interval) for k in range(e.nrow)]
        return np.stack(rows).astype(np.float32)


class Python(Policy):
    """A function of the user's own."""

    def __init__(self, config: "Config", model: "MjoModel", data: "MjoData") -> None:
        super().__init__()
        policy = config.policy
        assert isinstance(policy, PythonPolicy)
        self._function = entry_point(policy.entry, config.folder, "policy.entry")
        self._policy, self._model, self._data, self._seed = policy, model, data, config.episodes.seed

    def begin(self, episodes: Episodes) -> Callable[["MjoData"], Any]:
        if not self._policy.factory:
            return self._function
        made = self._function(self._model, self._data, episodes, self._seed, **self._policy.options)
        if not callable(made):
            raise ValueError(
                f"policy.entry {self._policy.entry!r} returned a {type(made).__name__}: a function is expected"
            )
        return made


TILE = 32  # episodes that a module sees at once, each at its own place: bits of a matrix product depend on its shape


class TorchScript(Policy):
    """A TorchScript module over recorded fields; needs torch."""

    def __init__(self, config: "Config", model: "MjoModel", data: "MjoData") -> None:
        super().__init__()
        policy = config.policy
        assert isinstance(policy, TorchScriptPolicy)
        torch = need("torch", "torch", "policy.kind torchscript")
        self._torch, self._file, self._nu = torch, policy.file, int(model.mj.nu)
        path = config.path(policy.file)
        try:
            self._device = wp.device_to_torch(data.device)
            self._module = torch.jit.load(path, map_location=self._device).eval()
        except (RuntimeError, ValueError, OSError) as error:
            text = str(error).strip().splitlines()[0]
            raise ValueError(f"policy.file {path!r} cannot be read as TorchScript: {text}") from None
        self._fields = [wp.to_torch(flat(field_array(model, data, name))) for name in policy.observation]
        self._places: Any = None
        self._observe()

    def _observe(self) -> Any:
        return self._torch.cat([field.to(self._torch.float32) for field in self._fields], dim=1)

    def begin(self, episodes: Episodes) -> Callable[["MjoData"], Any]:
        first = int(episodes[0]) // TILE * TILE
        self._places = self._torch.as_tensor(episodes - first, device=self._device)
        tiles = -(-int(episodes[-1] + 1 - first) // TILE)
        self._padded = self._torch.zeros((tiles * TILE, self._observe().shape[1]), device=self._device)
        return self._command

    def _command(self, data: "MjoData") -> Any:
        torch = self._torch
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # so that sums are split alike in every process
        try:
            with torch.no_grad():
                self._padded[self._places] = self._observe()
                parts = [self._module(tile) for tile in self._padded.split(TILE)]
        except RuntimeError as error:
            text = str(error).strip().splitlines()[-1].removeprefix("RuntimeError: ")
            where = f"policy.file {self._file!r} with observations of shape {(TILE, self._padded.shape[1])}"
            raise ValueError(f"{where}: {text}") from None
        finally:
            torch.set_num_threads(threads)
        if any(not torch.is_tensor(part) or part.shape != (TILE, self._nu) for part in parts):
            got = tuple(parts[0].shape) if torch.is_tensor(parts[0]) else type(parts[0]).__name__
            raise ValueError(f"policy.file {self._file!r} returned {got}: ({TILE}, {self._nu}) is expected")
        return torch.cat(parts)[self._places]


class Mppi(Policy):
    """MPPI, planned anew at each row for one episode after the other, each with its own plan and noise."""

    def __init__(self, config: "Config", model: "MjoModel", data: "MjoData") -> None:
        super().__init__()
        policy = config.policy
        assert isinstance(policy, MppiPolicy)
        self._row = 1.0 / config.episodes.rate
        self._seed, self._nu, self._restarts = config.episodes.seed, int(model.mj.nu), policy.restarts
        with wp.ScopedDevice(data.device):
            self._planner = _planner(config, policy)
        if self._row > self._planner.horizon:
            raise ValueError(
                f"a row of {self._row:g} s is longer than the planner's horizon, {self._planner.horizon:g} s"
            )

    def begin(self, episodes: Episodes) -> Callable[["MjoData"], Any]:
        self._episodes = episodes
        self._plans = [(np.zeros(self._planner.nominal.shape[1:], dtype=np.float32), 0, 0.0) for _ in episodes]
        keys = [np.random.SeedSequence([self._seed, PLANNER, int(e)]).generate_state(1, np.uint64)[0] for e in episodes]
        self._seeds = [int(key) >> 11 for key in keys]  # 53 bits, as a seed has
        self._row_index = 0
        return self._command

    def _command(self, data: "MjoData") -> F32:
        mppi = self._planner
        out = np.zeros((len(self._episodes), self._nu), dtype=np.float32)
        for w, episode in enumerate(self._episodes):
            nominal, count, phase = self._plans[w]
            mppi.reset(nominal, phase=phase, count=count, seed=self._seeds[w])
            out[w] = self._plan(mppi, data, w, int(episode))
            mppi.shift(self._row)
            phase = float(mppi.phase.numpy()[0])
            self._plans[w] = mppi.nominal.numpy()[0].copy(), mppi.count, phase
        self._row_index += 1
        return out

    def _plan(self, mppi: "MPPI", data: "MjoData", world: int, episode: int) -> F32:
        try:
            if self._row_index == 0 and self._restarts:
                mppi.search(data, world, sigma=1.5, temperature=3.0, restarts=self._restarts)
            plan = mppi.plan(data, world)
        except RuntimeError as error:
            if "finite cost" not in str(error):
                raise
            self.note(episode, f"row {self._row_index}: no rollout had a finite cost, the plan before was kept")
            return np.asarray(mppi.controls.numpy()[0, 0]).copy()
        if plan.bad:
            these = ", ".join(map(str, plan.bad[:8])) + (", …" if len(plan.bad) > 8 else "")
            self.note(episode, f"row {self._row_index}: rollouts {these} had no finite cost and were left out")
        return plan.controls[0]


def _planner(config: "Config", policy: MppiPolicy) -> "MPPI":
    from mjorbit_warp.planning import MPPI

    if config.scenario.task is not None:
        from mjorbit_warp.tasks import reorient

        if policy.cost is not None or policy.options:
            raise ValueError("policy.cost and policy.options belong to scenario.model: a task has its own")
        return reorient.planner(reorient.target(), seed=config.episodes.seed, nrollout=policy.nrollout)
    if policy.cost is None:
        raise ValueError("policy.cost is needed: module:function of the cost, or scenario.task")
    if policy.restarts:
        raise ValueError("policy.restarts belongs to scenario.task")
    model, _ = model_of(config)  # rollouts have nominal parameters, whatever the episodes draw
    cost = entry_point(policy.cost, config.folder, "policy.cost")(model)
    decimation = decimation_of(config, float(model.mj.opt.timestep))
    options = {"horizon": 10.0, "decimation": decimation} | dict(policy.options)
    try:
        return MPPI(model, cost, nrollout=policy.nrollout, seed=config.episodes.seed, **options)
    except TypeError as error:
        raise ValueError(f"policy.options: {error}") from None


_POLICIES: dict[type, type[Any]] = {
    NoPolicy: Zero,
    SmoothPolicy: Smooth,
    PythonPolicy: Python,
    TorchScriptPolicy: TorchScript,
    MppiPolicy: Mppi,
}


def make_policy(config: "Config", model: "MjoModel", data: "MjoData") -> Policy:
    """The policy of a configuration, for batches of the data's worlds."""
    if not model.mj.nu and not isinstance(config.policy, NoPolicy):
        raise ValueError(f"policy.kind is {config.policy.kind!r}, and the model has no actuators: leave it out")
    return _POLICIES[type(config.policy)](config, model, data)
