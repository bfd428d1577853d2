"""Session fixtures: few model shapes, as each costs seconds of compilation."""

import pathlib
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.models import model_path
from mjorbit_warp.recorder import Recorder

DATA = pathlib.Path(__file__).parent / "data"
MU = 3.986004418e14
RE = 6378137.0
LEO = mjo.Orbit.circular(altitude=400e3, inclination=np.radians(51.6), raan=0.5, argument_of_latitude=0.3)

wp.config.log_level = wp.LOG_WARNING


def compile_model(
    source: str,
    integrator: str | None = None,
    orbit: mjo.Orbit | None = LEO,
    timestep: float | None = None,
    **options: Any,
) -> mjo.MjoModel:
    """A shipped model by name, or a file of tests/data, in an orbit."""
    path = DATA / source if source.endswith(".xml") else model_path(source)
    spec = mjo.MjoSpec.from_file(path)
    spec.orbit, spec.options = orbit, mjo.OrbitOptions(**options)
    if integrator:
        spec.option.integrator = INTEGRATORS[integrator]
    if timestep:
        spec.option.timestep = timestep
    return spec.compile()


def scatter(d: Any, seed: int = 0, speed: float = 0.02, spread: float = 3.0) -> None:
    """Random positions [m], tilted attitudes, bent joints and velocities, the same on both backends."""
    rng = np.random.default_rng(seed)
    mj = d.model.mj
    qpos = np.tile(mj.qpos0, (d.nworld, 1))
    qpos += rng.uniform(-0.6, 0.6, qpos.shape)
    for j in np.flatnonzero(mj.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)):
        a = mj.jnt_qposadr[j]
        qpos[:, a : a + 3] += rng.uniform(-spread, spread, (d.nworld, 3))
        quat = rng.normal(size=(d.nworld, 4))
        qpos[:, a + 3 : a + 7] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    qvel = rng.uniform(-speed, speed, (d.nworld, mj.nv))
    if isinstance(d, mjo.MjoData):
        d.qpos.assign(qpos)
        d.qvel.assign(qvel)
    else:
        d.qpos[:], d.qvel[:] = qpos, qvel


def recorded_step(box: mjo.MjoModel, d: mjo.MjoData, world: int) -> tuple[Recorder, mjo.MjoSpec]:
    """Two records of a world, a step apart, and the spec of the fixture ``box``: what a run file is made of."""
    recorder = Recorder(d, [world])
    recorder.record()
    mjo.mjo_step(box, d)
    recorder.record()
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    spec.orbit = box.orbit
    return recorder, spec


@pytest.fixture(scope="session")
def two_arm() -> mjo.MjoModel:
    """The articulated free-flyer with RK4, J2 and gravity gradient on. Tests do not change it."""
    return compile_model("two_arm")


@pytest.fixture(scope="session")
def box() -> mjo.MjoModel:
    """A rigid satellite with an offset COM and tilted principal axes, RK4."""
    return compile_model("box_satellite")


@pytest.fixture
def scattered(two_arm: mjo.MjoModel) -> Callable[..., mjo.MjoData]:
    """Data of the two-arm model with random states."""

    def make(nworld: int = 3, seed: int = 0) -> mjo.MjoData:
        d = mjo.make_data(two_arm, nworld=nworld)
        scatter(d, seed)
        return d

    return make
