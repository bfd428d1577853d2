"""What ``inspect`` is given, read as far as possible: also a model that compile() refuses."""

import dataclasses
import os
import warnings
from typing import TypeAlias

import mujoco

from mjorbit_warp.advice.base import is_held
from mjorbit_warp.binary import BinarySpec
from mjorbit_warp.check import MjoWarning
from mjorbit_warp.hardware.compiled import Hardware, compile_hardware
from mjorbit_warp.hardware.compiled_sensors import SensorList, compile_sensors
from mjorbit_warp.inspect_tables import floats
from mjorbit_warp.load import load_spec
from mjorbit_warp.model import MjoModel
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.source import open_file
from mjorbit_warp.spec import MjoSpec

Source: TypeAlias = str | os.PathLike[str] | MjoSpec | MjoModel | mujoco.MjSpec | mujoco.MjModel


@dataclasses.dataclass(frozen=True)
class Compiled:
    """A model as far as it could be read.

    Attributes:
      mj: the compiled model; gravity is 0 in it if compile() accepted it.
      spec: its source; None if that is not known.
      gravity: of the source [m/s²].
      hardware, sensors: None if they could not be read.
      notes: what compile() reported.
      refused: the sentence with which compile() refused it, or None.
      asked_fixed: it was compiled with a fixed tree on purpose.
    """

    mj: mujoco.MjModel
    spec: mujoco.MjSpec | None
    gravity: tuple[float, ...]
    orbit: Orbit | None
    options: OrbitOptions
    hardware: Hardware | None
    sensors: SensorList | None
    notes: tuple[str, ...] = ()
    refused: str | None = None
    asked_fixed: bool = False


def of_model(model: MjoModel, spec: MjoSpec | None) -> Compiled:
    """A compiled model and, if it is known, the spec that it was compiled from."""
    option = model.mj.opt if spec is None else spec.option
    return Compiled(
        model.mj,
        None if spec is None or isinstance(spec, BinarySpec) else spec.mj,
        floats(option.gravity),
        model.orbit,
        model.options,
        model.hardware,
        model.sensors,
        tuple(model.notes),
        asked_fixed=is_held(model.mj),
    )


def _refused(
    mj: mujoco.MjModel,
    spec: mujoco.MjSpec | None,
    sentence: str,
    orbit: Orbit | None,
    options: OrbitOptions | None = None,
) -> Compiled:
    """A model that MuJoCo compiles and compile() does not accept: its parts as far as they can be read."""
    options = OrbitOptions() if options is None else options
    hardware: Hardware | None = None
    sensors: SensorList | None = None
    try:
        hardware = compile_hardware(mj)
        sensors = compile_sensors(mj, options, orbit, hardware)
    except ValueError:
        pass  # the sentence that is known came first
    return Compiled(mj, spec, floats(mj.opt.gravity), orbit, options, hardware, sensors, refused=sentence)


def _of_spec(spec: MjoSpec) -> Compiled:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjoWarning)  # the report has them as its notes
        try:
            return of_model(spec.compile(), spec)
        except ValueError as error:
            sentence = str(error)
    if isinstance(spec, BinarySpec):
        return _refused(spec.compiled, None, sentence, spec.orbit, spec.options)
    try:
        mj = spec.mj.compile()
    except ValueError:
        raise ValueError(sentence) from None
    return _refused(mj, spec.mj, sentence, spec.orbit, spec.options)


def _of_path(path: str, orbit: Orbit | None) -> Compiled:
    try:
        spec = load_spec(path, None)
    except ValueError as error:  # perhaps only a setting in <custom>, or the time step, is wrong
        sentence = str(error)
    else:
        if orbit is not None:
            spec.orbit = orbit
        return _of_spec(spec)
    try:
        source, _ = open_file(path)
        return _refused(source.compile(), source, sentence, orbit)
    except (ValueError, OSError):
        raise ValueError(sentence) from None


def _of_mujoco(mj: mujoco.MjModel, orbit: Orbit | None) -> Compiled:
    try:
        spec = BinarySpec(mj, "the model")
    except ValueError as error:
        return _refused(mj, None, str(error), orbit)
    if orbit is not None:
        spec.orbit = orbit
    return _of_spec(spec)


def read_source(model: Source, orbit: Orbit | None) -> Compiled:
    """A file, spec or model, with ``orbit`` in place of its own if that is given; errors as of ``inspect``."""
    if isinstance(model, mujoco.MjSpec):
        model = MjoSpec.from_mjspec(model)
    if isinstance(model, MjoSpec):
        if orbit is not None:
            model = model.copy()
            model.orbit = orbit
        return _of_spec(model)
    if isinstance(model, str | os.PathLike):
        return _of_path(os.fspath(model), orbit)
    if isinstance(model, MjoModel):
        found = of_model(model, None)
        return found if orbit is None else dataclasses.replace(found, orbit=orbit)
    if isinstance(model, mujoco.MjModel):
        return _of_mujoco(model, orbit)
    raise TypeError(
        f"inspect got a {type(model).__name__}: a file, MjoSpec, MjoModel, mujoco.MjSpec or mujoco.MjModel is expected"
    )
