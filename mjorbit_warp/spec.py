"""MjoSpec: an MJCF with an orbit."""

import dataclasses
import os
import warnings
from typing import Any

import mujoco
import numpy as np

from mjorbit_warp.check import MjoWarning, check_initial_state, check_model, zero_gravity
from mjorbit_warp.custom import attached_settings, read_custom, write_custom
from mjorbit_warp.environment import check_environment
from mjorbit_warp.hardware.build import PartsBuilder
from mjorbit_warp.hardware.build_sensors import SensorsBuilder
from mjorbit_warp.hardware.compiled import compile_hardware
from mjorbit_warp.hardware.stability import check_gyroscopic
from mjorbit_warp.keyframe import given_numbers, short_keyframes
from mjorbit_warp.model import MjoModel
from mjorbit_warp.mujoco_errors import uncompiled
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.outside import missing_files
from mjorbit_warp.source import open_file, open_text


class MjoSpec(PartsBuilder, SensorsBuilder):
    """An editable model: a ``mujoco.MjSpec`` plus an orbit and its options.

    Attributes that are not listed here are those of the MjSpec.

    Attributes:
      mj: the ``mujoco.MjSpec``.
      orbit: reference orbit at the start; None for zero gravity.
      options: effects to simulate.
    """

    def __init__(self, mj: mujoco.MjSpec) -> None:
        self.mj = mj
        self.orbit, self.options = read_custom(mj)
        self._notes: list[str] = []

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> "MjoSpec":
        """Load an MJCF or URDF, a zip archive of one with its meshes (MJZ), or a compiled model (MJB).

        Orbit settings in ``<custom>`` are taken over. The root link of a URDF is given a free joint, and compile says
        so in one line. An MJB gives a BinarySpec, which can be simulated but not edited.

        Raises:
          FileNotFoundError: no such file.
          ValueError: MuJoCo cannot parse it, or an orbit setting is wrong.
        """
        path = os.fspath(path)
        if not os.path.isfile(path):
            raise FileNotFoundError(f"no model file at {path!r}")
        if path.lower().endswith(".mjb"):
            from mjorbit_warp.binary import BinarySpec

            return BinarySpec.from_file(path)
        return cls._opened(*open_file(path))

    @classmethod
    def from_string(cls, xml: str) -> "MjoSpec":
        """As from_file, from the text of an MJCF or URDF."""
        return cls._opened(*open_text(xml))

    @classmethod
    def _opened(cls, mj: mujoco.MjSpec, notes: list[str]) -> "MjoSpec":
        spec = cls(mj)
        spec._notes += notes
        return spec

    @classmethod
    def from_mjspec(cls, mj: mujoco.MjSpec) -> "MjoSpec":
        """Wrap a ``mujoco.MjSpec`` that was built in Python (not copied)."""
        return cls(mj)

    def __getattr__(self, name: str) -> Any:
        if name == "mj":  # not set yet: a failed constructor, or a copy in the making
            raise AttributeError(name)
        return getattr(self.mj, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("mj", "orbit", "options", "_notes"):
            object.__setattr__(self, name, value)
        elif hasattr(self.mj, name):
            setattr(self.mj, name, value)
        else:
            raise AttributeError(f"no attribute {name!r}: a spec has orbit, options and those of mujoco.MjSpec")

    def copy(self) -> "MjoSpec":
        """An independent copy."""
        other = MjoSpec(self.mj.copy())
        other.orbit, other.options = self.orbit, dataclasses.replace(self.options)
        other._notes = list(self._notes)
        return other

    def to_xml(self) -> str:
        """The MJCF with the orbit in its ``<custom>``; from_string reads it back exactly (MuJoCo prints the rest)."""
        write_custom(self.mj, self.orbit, self.options)
        return self.mj.to_xml()

    def settings_xml(self) -> str:
        """What a run file keeps beside the compiled model: the MJCF."""
        return self.to_xml()

    def _to_mujoco(self, options: OrbitOptions) -> tuple[mujoco.MjModel, list[str]]:
        """The compiled model, and remarks on its source."""
        write_custom(self.mj, self.orbit, options)
        given = given_numbers(self.mj)
        try:
            mj = self.mj.compile()
        except ValueError as error:
            missing = missing_files(self.mj) if "pening file" in str(error) else []
            raise ValueError("; ".join(missing) or uncompiled(str(error))) from error
        return mj, [*attached_settings(self.mj), *short_keyframes(mj, given)]

    def compile(self, *, require_free_joint: bool = True) -> MjoModel:
        """Compile to a host model (no Warp yet).

        Args:
          require_free_joint: refuse a model in which a tree has no free joint, as that tree would be bolted to the
            moving origin of the orbit.

        Raises:
          ValueError: MuJoCo refuses the model, or it cannot be simulated correctly in orbit.
        """
        if self.orbit is not None and not isinstance(self.orbit, Orbit):
            raise TypeError(f"spec.orbit is a {type(self.orbit).__name__}: an mjorbit_warp.Orbit or None is allowed")
        if not isinstance(self.options, OrbitOptions):
            raise TypeError(f"spec.options is a {type(self.options).__name__}: an mjorbit_warp.OrbitOptions is allowed")
        options = self.options.compiled()
        mj, said = self._to_mujoco(options)
        check_model(mj, require_free_joint)
        check_initial_state(mj, None if self.orbit is None else float(np.linalg.norm(self.orbit.r)))
        hardware = compile_hardware(mj)
        notes = [
            *self._notes,
            *said,
            *hardware.notes,
            *check_environment(options, self.orbit, hardware),
        ]
        check_gyroscopic(mj, hardware)
        if report := zero_gravity(mj):
            notes.append(report)
        if self.orbit is None:
            notes.append("the model has no orbit: it is simulated in zero gravity (set spec.orbit for an orbit)")
        for note in notes:
            warnings.warn(note, MjoWarning, stacklevel=2)
        return MjoModel(mj, self.orbit, options, tuple(notes), hardware)
