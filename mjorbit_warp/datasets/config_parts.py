"""The parts of a dataset's configuration: SI units and radians."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from mjorbit_warp.datasets.tables import positive
from mjorbit_warp.seed import check_seed

MOST_ROWS = 10**7


@dataclass(frozen=True)
class CircularOrbit:
    """A circular orbit about the Earth: altitude [m], angles [rad], epoch in UTC (ISO 8601) if the date matters."""

    altitude: float
    inclination: float = 0.0
    raan: float = 0.0
    argument_of_latitude: float = 0.0
    epoch: str | None = None


@dataclass(frozen=True)
class Scenario:
    """What is simulated: a model with its orbit, or a task of ``mjorbit_warp.tasks``.

    Attributes:
      model: an MJCF file, relative to the configuration's folder, or the name of a shipped model.
      task: a planning scenario instead of a model: reorient.
      tle: file of a two-line element set, "iss" for the shipped one; it replaces the orbit of the model's <custom>.
      orbit: a circular orbit, likewise.
      timestep: [s], default the model's.
      integrator: default the model's.
      precision: of the state.
    """

    model: str | None = None
    task: Literal["reorient"] | None = None
    tle: str | None = None
    orbit: CircularOrbit | None = None
    timestep: float | None = None
    integrator: Literal["RK4", "implicitfast", "implicit", "Euler"] | None = None
    precision: Literal["single", "shadow"] = "single"

    def __post_init__(self) -> None:
        if (self.model is None) == (self.task is None):
            raise ValueError("scenario needs either model or task")
        if self.tle is not None and self.orbit is not None:
            raise ValueError("scenario has both tle and orbit: give one of them")
        if self.task is not None:
            own = [n for n in ("tle", "orbit", "timestep", "integrator") if getattr(self, n) is not None]
            if own:
                raise ValueError(f"scenario.{own[0]} belongs to scenario.model: a task has its own")


@dataclass(frozen=True)
class Episodes:
    """How many episodes, and how long.

    Attributes:
      count: number of episodes.
      duration: of each [s].
      rate: rows per second of simulated time, each with one command [Hz].
      per_shard: episodes in a shard, the last one may have fewer.
      seed: of everything that is drawn.
    """

    count: int
    duration: float
    rate: float
    per_shard: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        positive(self, "episodes", "count", "duration", "rate", "per_shard")
        check_seed(self.seed)
        rows = self.duration * self.rate
        if not 1.0 - 1e-6 <= rows <= MOST_ROWS or abs(rows - round(rows)) > 1e-6 * rows:
            raise ValueError(
                f"episodes.duration {self.duration:g} s times rate {self.rate:g} Hz is {rows:g} rows: a whole number "
                f"from 1 to {MOST_ROWS} is expected"
            )

    @property
    def nrow(self) -> int:
        """Commands of an episode; it has one row more, its start."""
        return round(self.duration * self.rate)

    @property
    def nshard(self) -> int:
        """Number of shards."""
        return -(-self.count // self.per_shard)

    def shard(self, index: int) -> range:
        """Episodes of a shard."""
        return range(index * self.per_shard, min((index + 1) * self.per_shard, self.count))


@dataclass(frozen=True)
class Start:
    """Random starts about the model's ``qpos0``, at rest in OF.

    Attributes:
      spread: largest offset of all free bodies [m].
      spin: angular rate of each free body, about a random axis [rad/s].
      joints: largest change of each hinge [rad] or slide [m], within its limits.
    """

    spread: float = 0.0
    spin: float = 0.0
    joints: float = 0.0

    def __post_init__(self) -> None:
        for name in ("spread", "spin", "joints"):
            value = getattr(self, name)
            if not 0.0 <= value < np.inf:
                raise ValueError(f"start.{name} is {value!r}: 0 or a positive number is expected")


@dataclass(frozen=True)
class Record:
    """Which fields are recorded, by the names that Rollout takes; commands are always kept as ``ctrl``."""

    fields: tuple[str, ...] = ("time", "qpos", "qvel")

    def __post_init__(self) -> None:
        if not self.fields or len(set(self.fields)) != len(self.fields):
            raise ValueError(f"record.fields is {list(self.fields)!r}: distinct names are expected, at least one")


@dataclass(frozen=True)
class AddedSensor:
    """A spacecraft sensor besides the model's, as MjoSpec.add_sensor takes it, at a site or a body's origin."""

    name: str
    type: str
    site: str | None = None
    body: str | None = None
    wheel: str | None = None
    noise: Any = 0.0
    bias: Any = 0.0
    walk: Any = 0.0
    quantum: Any = 0.0
    rate: float = 0.0
    half_angle: float | None = None
    frame: str | None = None

    def __post_init__(self) -> None:
        if [self.site, self.body, self.wheel].count(None) != 2:
            raise ValueError(f"sensors.add: {self.name!r} needs one of site, body and wheel")


@dataclass(frozen=True)
class Sensors:
    """Sensors of the episodes; ``noise`` false: they give the truth."""

    noise: bool = True
    add: tuple[AddedSensor, ...] = ()


@dataclass(frozen=True)
class NoPolicy:
    """Commands are zero."""

    kind: Literal["none"] = "none"


@dataclass(frozen=True)
class SmoothPolicy:
    """Random smooth commands: cubic B-splines through the limits' inside.

    Attributes:
      interval: between the splines' random knots [s].
      amplitude: commands lie within ± this, one number or one per command; default their ``ctrlrange``.
    """

    kind: Literal["smooth"] = "smooth"
    interval: float = 5.0
    amplitude: Any = None

    def __post_init__(self) -> None:
        positive(self, "policy", "interval")


@dataclass(frozen=True)
class MppiPolicy:
    """MPPI, replanned at every row, one episode after the other.

    Attributes:
      nrollout: rollouts of a replanning.
      restarts: searches for the first plan of an episode of a task, each of 40 plans.
      cost: "module:function" for a model: f(model) returns the cost that planning.MPPI takes; a task has its own.
      options: of planning.MPPI for a model, as ``horizon``; those of a task are its own.
    """

    kind: Literal["mppi"] = "mppi"
    nrollout: int = 64
    restarts: int = 0
    cost: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        positive(self, "policy", "nrollout")
        if self.restarts < 0:
            raise ValueError(f"policy.restarts is {self.restarts}: 0 or a larger integer is expected")


@dataclass(frozen=True)
class PythonPolicy:
    """A policy of one's own; the configuration's folder is on the path.

    Attributes:
      entry: "module:function", called as f(data) before each row, as a Rollout's policy. What it gives an episode
        must not depend on the other worlds.
      factory: the function is called as f(model, data, episodes, seed, **options) before each batch and returns the
        policy: ``episodes`` (nworld,) are the indices of the batch's episodes.
      options: of the factory.
    """

    entry: str
    kind: Literal["python"] = "python"
    factory: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.options and not self.factory:
            raise ValueError("policy.options belong to a factory: set policy.factory = true")


@dataclass(frozen=True)
class TorchScriptPolicy:
    """A TorchScript module: commands (n, nu) from observations (n, nobs), the fields side by side in float32."""

    file: str
    observation: tuple[str, ...]
    kind: Literal["torchscript"] = "torchscript"

    def __post_init__(self) -> None:
        if not self.observation:
            raise ValueError("policy.observation is empty: names of fields are expected")


Policy = NoPolicy | SmoothPolicy | MppiPolicy | PythonPolicy | TorchScriptPolicy
POLICIES: dict[str, Any] = {
    "none": NoPolicy,
    "smooth": SmoothPolicy,
    "mppi": MppiPolicy,
    "python": PythonPolicy,
    "torchscript": TorchScriptPolicy,
}


@dataclass(frozen=True)
class Camera:
    """Images of a camera of the model, or of one that is added.

    Attributes:
      name: of the camera.
      width, height: pixels.
      depth: keep the depth along the ray too [m].
      body: where a camera is added, the name of a body or "world"; none for a camera of the model.
      pos, xyaxes: of an added camera in the body's frame [m], x to the right and y up.
      fovy: of an added camera, vertical [deg], as MJCF has it.
    """

    name: str
    width: int = 64
    height: int = 64
    depth: bool = False
    body: str | None = None
    pos: tuple[float, ...] = (0.0, 0.0, 0.0)
    xyaxes: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    fovy: float = 45.0

    def __post_init__(self) -> None:
        positive(self, f"camera {self.name!r}:", "width", "height", "fovy")
        if len(self.pos) != 3 or len(self.xyaxes) != 6:
            raise ValueError(f"camera {self.name!r}: pos has 3 numbers and xyaxes 6")
