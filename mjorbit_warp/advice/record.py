"""One piece of advice, and what the rules look at."""

import copy
import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np

from mjorbit_warp.orbit import Orbit

LEVELS = ("error", "warning", "info")


@dataclasses.dataclass(frozen=True)
class Advice:
    """Something about a model that its author should know.

    Attributes:
      level: "error" (the model is refused), "warning" (valid, and probably not meant) or "info".
      code: name of the rule, see docs/inspect.md.
      where: the elements, by kind and name.
      what: what was found, with numbers.
      remedy: what to do about it; empty if the sentence of a refusal has none.
    """

    level: str
    code: str
    where: str
    what: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        return f"{self.level} [{self.code}] {where}{self.what}"


@dataclasses.dataclass(frozen=True)
class Subject:
    """A compiled model and what is known of its source.

    Attributes:
      mj: the compiled model.
      spec: the spec that it was compiled from, None if that is not known.
      gravity: of the source [m/s²]; the compiled model's has been set to 0.
      orbit: reference orbit, or None.
      sensors: names of the sensors whose noise is honoured, None if they could not be read.
      refused: the sentence with which compile() refused the model, None if it did not.
      asked_fixed: the model was compiled with a fixed tree on purpose.
    """

    mj: mujoco.MjModel
    spec: mujoco.MjSpec | None
    gravity: tuple[float, ...]
    orbit: Orbit | None
    sensors: tuple[str, ...] | None
    refused: str | None
    asked_fixed: bool

    @property
    def step(self) -> float:
        """Time step [s]."""
        return float(self.mj.opt.timestep)

    @property
    def can_run(self) -> bool:
        """Whether MuJoCo can step the model at all, from qpos0."""
        return bool(0.0 < self.step < np.inf and self.mj.nv > 0 and np.isfinite(self.mj.qpos0).all())

    def has_flag(self, name: str) -> bool:
        """Whether a feature of <option><flag/> is disabled, e.g. "contact"."""
        return bool(self.mj.opt.disableflags & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name.upper()}")))


def name_of(item: Any, kind: str, index: int) -> str:
    """Name of an element, or its kind and index."""
    return str(item.name) or f"{kind} {index}"


def listed(kind: str, names: Sequence[str], most: int = 4) -> str:
    """ "geom a, b, c, d and 3 more"."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{kind} {', '.join(names[:most])}{more}"


def free_roots(mj: mujoco.MjModel) -> list[int]:
    """Bodies with a free joint."""
    return [int(mj.jnt_bodyid[j]) for j in range(mj.njnt) if mj.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE]


def trial(mj: mujoco.MjModel, *disabled: str) -> mujoco.MjModel:
    """A copy without gravity, medium and sensors, with features disabled; it does not start over when it goes bad."""
    other = copy.copy(mj)
    other.opt.gravity[:] = 0.0
    other.opt.density = other.opt.viscosity = 0.0
    other.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    for name in ("sensor", "autoreset", *disabled):
        other.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name.upper()}"))
    return other


@contextmanager
def silent() -> Iterator[None]:
    """MuJoCo neither prints its warnings nor writes them to a file: what goes wrong in a trial is read from it."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
