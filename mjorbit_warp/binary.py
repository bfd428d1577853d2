"""Compiled models (MJB), which MuJoCo cannot turn back into a spec."""

import copy
import dataclasses
import os
from collections.abc import Callable
from typing import Any, NoReturn

import mujoco
import numpy as np

from mjorbit_warp.custom import PREFIX, read_custom, write_custom
from mjorbit_warp.mjb_check import wrong_index
from mjorbit_warp.mjb_sizes import length_by_sizes
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.spec import MjoSpec


class NotEditableError(AttributeError, ValueError):
    """A compiled model was asked for something that only its source has."""


def _text(mj: mujoco.MjModel, index: int) -> str:
    start = mj.text_adr[index]
    return bytes(mj.text_data[start : start + mj.text_size[index] - 1]).decode("utf-8", errors="replace")


def compiled_custom(mj: mujoco.MjModel) -> mujoco.MjSpec:
    """A spec with what this package reads of the <custom> of a compiled model, and nothing else."""
    spec, obj = mujoco.MjSpec(), mujoco.mjtObj

    def ours(kind: mujoco.mjtObj, count: int) -> list[tuple[int, str]]:
        names = [(i, mujoco.mj_id2name(mj, kind, i) or "") for i in range(count)]
        return [(i, name) for i, name in names if name.startswith(PREFIX)]

    for i, name in ours(obj.mjOBJ_NUMERIC, mj.nnumeric):
        start = mj.numeric_adr[i]
        data = np.array(mj.numeric_data[start : start + mj.numeric_size[i]])
        spec.add_numeric(name=name, data=data, size=data.size)
    for i, name in ours(obj.mjOBJ_TEXT, mj.ntext):
        spec.add_text(name=name, data=_text(mj, i))
    for _, name in ours(obj.mjOBJ_TUPLE, mj.ntuple):
        spec.add_tuple(name=name)  # to be refused by its name
    return spec


def read_mjb(path: str) -> mujoco.MjModel:
    """The model of an MJB file; ValueError says in one sentence why it cannot be read."""
    with open(path, "rb") as file:
        beginning = file.read(1 << 14)
    length, needed = os.path.getsize(path), length_by_sizes(beginning)
    if needed is not None and needed != length:
        raise ValueError(
            f"{path} is a damaged compiled model: by the sizes that it starts with it has {needed} bytes, the file "
            f"has {length}"
        )
    said: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)  # MuJoCo's error has no reason, its warning has
    try:
        mj = mujoco.MjModel.from_binary_path(os.path.abspath(path))
    except Exception as error:  # MuJoCo has no type of its own for this
        text = "; ".join(" ".join(line.split()) for line in said) or "it is empty"
        if "version" in text or "different number" in text:
            text = f"another version wrote it ({text}), and only that one reads it: save the MJCF or an MJZ instead"
        elif "header" in text:
            text = f"it has no header of one ({text})"
        raise ValueError(f"{path} is not a compiled model that MuJoCo {mujoco.__version__} reads: {text}") from error
    finally:
        mujoco.set_mju_user_warning(before)
    if wrong := wrong_index(mj):
        raise ValueError(f"{path} is a damaged compiled model: {wrong}")
    return mj


class BinarySpec(MjoSpec):
    """A compiled model: it can be put in an orbit, given options and a time step, and simulated, but not edited.

    Hardware, sensors, orbit and options in its ``<custom>`` are read. What only the source has is not available: adding
    bodies, parts or sensors, ``to_xml``, and which masses came from a density; each raises one sentence.

    Attributes:
      compiled: the ``mujoco.MjModel``; ``option`` is its own.
      source: what errors call it.
    """

    def __init__(self, compiled: mujoco.MjModel, source: str) -> None:
        custom = compiled_custom(compiled)
        for name, value in (("compiled", compiled), ("source", source), ("_custom", custom), ("_notes", [])):
            object.__setattr__(self, name, value)
        self.orbit, self.options = read_custom(custom)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> "BinarySpec":
        """Read an MJB file."""
        path = os.fspath(path)
        if not os.path.isfile(path):
            raise FileNotFoundError(f"no model file at {path!r}")
        return cls(read_mjb(path), path)

    @property
    def option(self) -> Any:
        """Time step, integrator and the like, to be changed before compile."""
        return self.compiled.opt

    def _refuse(self, name: str) -> NoReturn:
        raise NotEditableError(
            f"{self.source} is a compiled model, which has no {name!r}: it can be simulated, not edited or written as "
            "MJCF; take the MJCF that it was made from"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("compiled", "source"):
            raise AttributeError(name)
        self._refuse(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ("orbit", "options"):
            self._refuse(name)
        object.__setattr__(self, name, value)

    def copy(self) -> "BinarySpec":
        """An independent copy."""
        other = BinarySpec(copy.copy(self.compiled), self.source)
        other.orbit, other.options = self.orbit, dataclasses.replace(self.options)
        return other

    def to_xml(self) -> str:
        """Not available."""
        self._refuse("to_xml")

    def settings_xml(self) -> str:
        """An MJCF of the orbit and options alone, for a run file, which has the compiled model beside it."""
        write_custom(self._custom, self.orbit, self.options)
        return self._custom.to_xml()

    def _to_mujoco(self, options: OrbitOptions) -> tuple[mujoco.MjModel, list[str]]:
        return copy.copy(self.compiled), []


def spec_of_run(xml: str, compiled: Callable[[], mujoco.MjModel]) -> MjoSpec:
    """The spec of a run file: of its MJCF, or of its compiled model where the MJCF has settings and no body."""
    spec = MjoSpec.from_string(xml)
    if len(spec.mj.bodies) > 1:
        return spec
    binary = BinarySpec(compiled(), "the model of the run file")
    binary.orbit, binary.options = spec.orbit, spec.options
    return binary
