"""The model of a dataset's scenario."""

import hashlib
import importlib.util
import os
import pathlib
import sys
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from astropy.time import Time
from numpy.typing import NDArray

from mjorbit_warp.datasets.config_parts import MppiPolicy, PythonPolicy, TorchScriptPolicy
from mjorbit_warp.load import load_spec
from mjorbit_warp.models import tle_path
from mjorbit_warp.orbit import Orbit

if TYPE_CHECKING:
    from mjorbit_warp.datasets.config import Config
    from mjorbit_warp.datasets.config_parts import Camera
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.spec import MjoSpec

_SENSOR_PARAMETERS = ("noise", "bias", "walk", "quantum", "rate", "half_angle", "frame", "wheel")
SITE = "_site"  # after a sensor's name, where it makes its own


def _orbit(config: "Config") -> Orbit | None:
    scenario = config.scenario
    if scenario.tle is not None:
        path = config.path(scenario.tle)
        return Orbit.from_tle(tle_path() if scenario.tle == "iss" and not os.path.exists(path) else path)
    if (circle := scenario.orbit) is None:
        return None
    try:
        epoch = None if circle.epoch is None else Time(circle.epoch, scale="utc")
    except ValueError:
        raise ValueError(
            f"scenario.orbit.epoch is {circle.epoch!r}: a UTC date as 2026-04-01T00:00:00 is expected"
        ) from None
    return Orbit.circular(
        altitude=circle.altitude,
        inclination=circle.inclination,
        raan=circle.raan,
        argument_of_latitude=circle.argument_of_latitude,
        epoch=epoch,
    )


def _add_sensors(spec: "MjoSpec", config: "Config") -> None:
    for sensor in config.sensors.add:
        given = {name: getattr(sensor, name) for name in _SENSOR_PARAMETERS}
        given = {name: value for name, value in given.items() if value is not None}
        site = sensor.site or ""
        if sensor.body is not None:
            body = spec.mj.body(sensor.body)
            if body is None:
                known = ", ".join(b.name for b in spec.mj.bodies if b.name != "world")
                raise ValueError(f"sensor {sensor.name}: there is no body {sensor.body!r}: allowed are {known}")
            site = sensor.name + SITE
            body.add_site(name=site)
        spec.add_sensor(sensor.name, sensor.type, site, **given)


def _add_cameras(spec: "MjoSpec", config: "Config") -> None:
    for camera in config.cameras:
        if camera.body is None:
            continue
        body = spec.mj.body(camera.body)
        if body is None:
            known = ", ".join(b.name for b in spec.mj.bodies)
            raise ValueError(f"camera {camera.name!r}: there is no body {camera.body!r}: allowed are {known}")
        if any(c.name == camera.name for c in spec.mj.cameras):
            raise ValueError(f"camera {camera.name!r} is in the model already: leave out body to take that one")
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, _axes(camera).ravel())
        body.add_camera(name=camera.name, pos=list(camera.pos), quat=quat, fovy=camera.fovy)


def _axes(camera: "Camera") -> NDArray[np.float64]:
    """Columns are the camera's axes in its body: x, y made normal to it, z against the view."""
    x, y = np.array(camera.xyaxes[:3]), np.array(camera.xyaxes[3:])
    z = np.cross(x, y)
    if np.linalg.norm(z) < 1e-9:
        raise ValueError(f"camera {camera.name!r}: the axes in xyaxes are parallel or zero")
    axes = np.stack([x, np.cross(z, x), z], axis=1)
    return axes / np.linalg.norm(axes, axis=0)


def model_of(config: "Config") -> "tuple[MjoModel, str]":
    """(the compiled model, on the host; its MJCF with the orbit in its <custom>).

    Raises:
      FileNotFoundError, ValueError: a model or orbit that cannot be, in one sentence.
    """
    scenario = config.scenario
    if scenario.task is not None:
        from mjorbit_warp.tasks import reorient

        if config.sensors.add or any(camera.body for camera in config.cameras):
            raise ValueError("sensors.add and added cameras belong to scenario.model: a task has its own model")
        spec = reorient.scene("RK4", environment=True, timestep=0.05)
        model = spec.compile()
        return model, spec.to_xml()
    assert scenario.model is not None
    path = config.path(scenario.model)
    spec = load_spec(path if os.path.exists(path) else scenario.model, None, scenario.timestep, "scenario.timestep")
    orbit = _orbit(config)
    if orbit is not None:
        spec.orbit = orbit
    if spec.orbit is None:
        raise ValueError(f"{scenario.model} has no orbit in its <custom>: give scenario.tle or [scenario.orbit]")
    if scenario.integrator is not None:
        spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{scenario.integrator.upper()}")
    _add_sensors(spec, config)
    _add_cameras(spec, config)
    model = spec.compile()
    return model, spec.to_xml()


def decimation_of(config: "Config", timestep: float) -> int:
    """Steps of a row; ValueError unless that is a whole number."""
    steps = 1.0 / (config.episodes.rate * timestep)
    if steps < 1.0 - 1e-6 or abs(steps - round(steps)) > 1e-6 * steps:
        near = 1.0 / (timestep * max(1, round(steps)))
        raise ValueError(
            f"episodes.rate is {config.episodes.rate:g} Hz, a row of {steps:g} steps of {timestep:g} s: "
            f"a whole number of steps is expected, for instance at {near:g} Hz"
        )
    return round(steps)


def binary_of(mj: mujoco.MjModel) -> bytes:
    """The compiled model in MuJoCo's own format, exact where the MJCF has six digits."""
    buffer = np.empty(mujoco.mj_sizeModel(mj), dtype=np.uint8)
    mujoco.mj_saveModel(mj, None, buffer)
    return buffer.tobytes()


def inputs_of(config: "Config", xml: str) -> dict[str, str]:
    """SHA-256 of what the configuration only names: the model, and the policy's own file."""
    found = {"model": hashlib.sha256(xml.encode()).hexdigest()}
    policy: Any = config.policy
    file: str | None = None
    if isinstance(policy, TorchScriptPolicy):
        file = config.path(policy.file)
    elif isinstance(policy, PythonPolicy):
        file = _source(policy.entry, config.folder)
    elif isinstance(policy, MppiPolicy) and policy.cost is not None:
        file = _source(policy.cost, config.folder)
    if file is not None and os.path.isfile(file):
        found["policy"] = hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()
    return found


def _source(entry: str, folder: str) -> str | None:
    """File of the module of an entry point, None where there is none."""
    with importable(folder):
        try:
            source = importlib.util.find_spec(entry.partition(":")[0])
        except (ImportError, ValueError):
            return None
    return None if source is None else source.origin


class importable:
    """A context in which modules of a folder can be imported."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.abspath(folder)

    def __enter__(self) -> None:
        sys.path.insert(0, self._folder)

    def __exit__(self, *error: object) -> None:
        sys.path.remove(self._folder)


def entry_point(entry: str, folder: str, key: str) -> Any:
    """The function that "module:function" names; modules of the configuration's folder come first."""
    name, _, attribute = entry.partition(":")
    if not name or not attribute:
        raise ValueError(f"{key} is {entry!r}: module:function is expected")
    with importable(folder):
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            missing = f"there is no module {error.name!r} on the path or in {folder!r}"
            raise ValueError(f"{key} is {entry!r}: {missing}") from None
    function = getattr(module, attribute, None)
    if not callable(function):
        known = ", ".join(n for n, v in vars(module).items() if callable(v) and not n.startswith("_")) or "none"
        raise ValueError(f"{key} is {entry!r}: {name} has no function {attribute!r}, but {known}")
    return function
