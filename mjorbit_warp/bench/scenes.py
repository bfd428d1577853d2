"""Scenes: what is simulated, with which starts and commands; read from ``scenes.toml``."""

import dataclasses
import tomllib
from importlib.resources import files
from typing import Any

import numpy as np
from astropy.time import Time

from mjorbit_warp.bench.hardware import add_hardware, add_sensors, full_options
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.model import MjoModel
from mjorbit_warp.models import NAMES, model_path
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.spec import MjoSpec

MEASURED = ("RK4", "implicitfast")
EPOCH = Time("2026-04-01T00:00:00", scale="utc")
EQUIPMENT = ("gravity", "hardware", "everything")


@dataclasses.dataclass(frozen=True)
class Scene:
    """One scene of the benchmark.

    Attributes:
      name: its name.
      about: what it is.
      model: a shipped model, or one of ``bench/models``.
      timestep: [s]
      nworld: numbers of worlds to sweep, by "cpu" and "gpu".
      nconmax, njmax: contacts and constraint rows that a world has room for, on average and each.
      body: the body that carries the hardware.
      half: half the edge of the cube that its surfaces form [m].
      qpos: coordinates at the start, by joint.
      ctrl: lowest and highest command by actuator; "*" stands for all others.
      bend: half the range of hinge angles about the start [rad].
      speed: half the range of velocities at the start [m/s, rad/s].
      contacts, limits: the scene keeps contacts, or joint limits, active.
    """

    name: str
    about: str
    model: str
    timestep: float
    nworld: dict[str, list[int]]
    nconmax: int
    njmax: int
    body: str
    half: float
    qpos: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    ctrl: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    bend: float = 0.0
    speed: float = 0.0
    contacts: bool = False
    limits: bool = False

    def path(self) -> str:
        """Path of the MJCF."""
        if self.model in NAMES:
            return model_path(self.model)
        return str(files("mjorbit_warp.bench.models").joinpath(f"{self.model}.xml"))

    def spec(self, integrator: str, equipment: str) -> MjoSpec:
        """The model in a 51.6° orbit of 400 km with J2 and the gravity gradient, and what is on board.

        Args:
          integrator: "RK4" or "implicitfast".
          equipment: "gravity"; "hardware", which is all loads and actuators; or "everything", with sensors on top.
        """
        spec = MjoSpec.from_file(self.path())
        spec.orbit = Orbit.circular(altitude=400e3, inclination=np.radians(51.6), epoch=EPOCH)
        spec.option.integrator = INTEGRATORS[integrator]
        spec.option.timestep = self.timestep
        if equipment != "gravity":
            add_hardware(spec, self.body, self.half)
            spec.options = full_options()
        if equipment == "everything":
            add_sensors(spec, self.body)
        return spec

    def compile(self, integrator: str, equipment: str) -> MjoModel:
        """``spec`` compiled, on the host."""
        return self.spec(integrator, equipment).compile()


def load_scenes(names: Any = None) -> list[Scene]:
    """All scenes, or those of the given names in that order.

    Raises:
      ValueError: no such scene; the names that exist are listed.
    """
    text = files("mjorbit_warp.bench").joinpath("scenes.toml").read_text(encoding="utf-8")
    scenes = {name: Scene(name=name, **values) for name, values in tomllib.loads(text).items()}
    for name in names or ():
        if name not in scenes:
            raise ValueError(f"there is no scene {name!r}: allowed are {', '.join(scenes)}")
    return [scenes[name] for name in (names or scenes)]
