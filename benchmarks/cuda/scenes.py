"""Models and calls that between them launch every kernel of ours, in the builds that users get."""

import functools
import warnings
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from astropy.time import Time

import mjorbit_warp as mjo
from benchmarks.cuda.launches import Launched, Recorder
from mjorbit_warp.bench.hardware import add_hardware, add_sensors
from mjorbit_warp.models import model_path
from mjorbit_warp.shadow import PRECISIONS

Scene = Callable[[], None]
SCENES: dict[str, Scene] = {}
EPOCH = Time("2026-04-01T00:00:00", scale="utc")
NWORLD = 2


def scene(function: Scene) -> Scene:
    """Register a scene under its function's name."""
    SCENES[function.__name__] = function
    return function


def launched() -> list[Launched]:
    """All kernels of ours as the scenes launch them; nothing is compiled."""
    recorder = Recorder()
    with recorder.dry(), warnings.catch_warnings():
        warnings.simplefilter("ignore", mjo.MjoWarning)
        for recorder.scene, run in SCENES.items():
            run()
    return list(recorder.launched.values())


def _spec(source: str, integrator: str, body: str = "earth", **options: Any) -> mjo.MjoSpec:
    spec = mjo.MjoSpec.from_file(model_path(source))
    spec.orbit = mjo.Orbit.circular(altitude=400e3, inclination=0.9, epoch=EPOCH, body=body)
    spec.options = mjo.OrbitOptions(**options)
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    return spec


def _everything(integrator: str, degree: int) -> mjo.MjoSpec:
    """Every effect and every kind of hardware, sensors of all types, tanks; a magnetic field to ``degree``."""
    options: dict[str, Any] = {
        "zonal_degree": 6,
        "third_bodies": ("sun", "moon"),
        "atmosphere": mjo.Atmosphere.us76(),
        "wind": (40.0, -30.0, 5.0),
        "solar_pressure": True,
        "magnetic_field": mjo.MagneticField.igrf(degree=degree),
    }
    spec = _spec("two_arm", integrator, **options)
    add_hardware(spec, "bus", 0.4)
    spec.add_surface("ball", "L_fore", (0.0, 0.3, 0.0), (1.0, 0.0, 0.0), area=0.1, sphere=True)
    spec.add_cmg("gyro", "bus", (0.0, 0.6, 0.8), (1.0, 0.0, 0.0), momentum=0.3, max_rate=0.5, max_angle=1.0)
    spec.add_residual_dipole("magnet", "bus", (0.3, -0.2, 0.5))
    spec.add_tank("bus", propellant=2.0)
    spec.add_thruster("main", "bus", (0, 0, -0.4), (0, 0, 1), max_force=5.0, specific_impulse=200.0, tank="bus")
    add_sensors(spec, "bus")
    spec.add_sensor("nadir", "nadir", "bench_imu", noise=1e-3)
    spec.add_sensor("altitude", "altitude", "bench_imu", bias=100.0)
    return spec


def _step(spec: mjo.MjoSpec, **data: Any) -> tuple[mjo.MjoModel, mjo.MjoData]:
    model = spec.compile()
    d = mjo.make_data(model, nworld=NWORLD, **data)
    mjo.mjo_step(model, d)
    return model, d


@scene
def everything() -> None:
    """All effects, RK4, the largest magnetic field; what reads and writes states of all parts."""
    model, d = _step(_everything("RK4", 13), state_ring=2)
    mjo.mjo_reset(model, d)
    mjo.set_state(model, d, mjo.get_state(model, d))
    mjo.StateBank(model, d).restore()
    mjo.absolute_state(model, d)
    mjo.broadcast_state(model, d)


@scene
def everything_implicitfast() -> None:
    """All effects, with a single-stage integrator, the field of the throughput benchmark."""
    _step(_everything("IMPLICITFAST", 6))


@scene
def gravity() -> None:
    """J2 and gravity gradient, RK4."""
    _step(_spec("two_arm", "RK4"))


@scene
def gravity_implicitfast() -> None:
    """The same, with a single-stage integrator."""
    _step(_spec("two_arm", "IMPLICITFAST"))


def _float64(precision: str) -> None:
    """A float64 copy of the state, without and with hardware."""
    model, d = _step(_spec("two_arm", "RK4"), precision=precision)
    mjo.mjo_reset(model, d)
    mjo.broadcast_state(model, mjo.make_data(model), d)
    spec = _spec("two_arm", "RK4")
    spec.add_reaction_wheel("wheel", "bus", (0, 0, 1), max_momentum=0.5, max_speed=600.0, max_torque=0.02)
    spec.add_thruster("jet", "bus", (0, 0, -0.4), (0, 0, 1), max_force=5.0)
    _step(spec, precision=precision)


SCENES.update({name: functools.partial(_float64, name) for name in PRECISIONS if name != "single"})


@scene
def drag_and_sunlight() -> None:
    """Surfaces alone, the other shadow."""
    spec = _spec("two_arm", "RK4", atmosphere=mjo.Atmosphere.us76(), solar_pressure=True, eclipse="cylindrical")
    spec.add_surface("face", "bus", (0.4, 0, 0), (1, 0, 0), area=0.5)
    _step(spec)


@scene
def mars() -> None:
    """A Sun seen from another planet."""
    spec = _spec("two_arm", "RK4", body="mars", third_bodies=("sun",), zonal_degree=6)
    _step(spec)


@scene
def moon() -> None:
    """A Sun seen from the Moon."""
    _step(_spec("two_arm", "RK4", body="moon", third_bodies=("sun",)))


@scene
def no_orbit() -> None:
    """Hardware without an orbit."""
    spec = mjo.MjoSpec.from_file(model_path("two_arm"))
    spec.add_reaction_wheel("wheel", "bus", (0, 0, 1), max_momentum=0.5, max_speed=600.0, max_torque=0.02)
    _step(spec)


@scene
def native_noise() -> None:
    """MuJoCo's own sensors with ``noise=``."""
    spec = _spec("two_arm", "RK4")
    spec.mj.body("bus").add_site(name="imu")
    gyro = spec.mj.add_sensor(name="gyro", type=mujoco.mjtSensor.mjSENS_GYRO, objname="imu")
    gyro.objtype, gyro.noise = mujoco.mjtObj.mjOBJ_SITE, 0.01
    _step(spec)


@scene
def hooks_and_keyframes() -> None:
    """A control hook, and a reset to a keyframe."""
    spec = _spec("two_arm", "RK4")
    key = spec.mj.add_key(name="start")
    model = spec.compile()
    key.qpos = model.mj.qpos0
    model = spec.compile()
    model.callback.control = lambda m, d: None
    d = mjo.make_data(model, nworld=NWORLD)
    mjo.mjo_step(model, d)
    mjo.mjo_reset(model, d, keyframe="start")


@scene
def docking() -> None:
    """A weld that is latched, let go and forgotten."""
    spec = _spec("chaser_target", "RK4")
    free = [body.name for body in spec.mj.worldbody.bodies]
    weld = spec.mj.add_equality(name="dock", type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY)
    weld.name1, weld.name2, weld.active = free[0], free[1], False
    model, d = _step(spec)
    mjo.mjo_latch(model, d, "dock")
    mjo.mjo_unlatch(model, d, "dock")
    mjo.mjo_reset(model, d)


@scene
def rollouts() -> None:
    """A tape and a policy, records of all types of fields, worlds that stop."""
    model = _spec("two_arm", "RK4").compile()
    d = mjo.make_data(model, nworld=NWORLD)
    fields = ("qpos", "xpos", "time", "status", "orbit.r")
    mjo.Rollout(model, d, 2, record=fields, stop=lambda d: np.zeros(NWORLD, dtype=bool)).run()
    mjo.Rollout(model, d, 2, policy=lambda d: np.zeros((NWORLD, model.nu), dtype=np.float32)).run()


@scene
def planning() -> None:
    """MPPI on the planner's own scene."""
    from mjorbit_warp.tasks import reorient

    planner = reorient.planner(reorient.target(), seed=0, nrollout=NWORLD)
    planner.plan(mjo.make_data(planner.model))
    planner.shift(planner.horizon / 2.0)


@scene
def task() -> None:
    """The shipped task, and the seeds of a task with sensors."""
    from mjorbit_warp.envs.base import Env
    from mjorbit_warp.envs.reorient import Reorient

    class Sensed(Env):
        """Nothing to do."""

        nobs = 1

        def observe(self) -> None:
            """Nothing is seen."""

        def reward_and_done(self) -> None:
            """Nothing is won."""

    env = Reorient(NWORLD)
    env.step(np.zeros((NWORLD, env.nact), dtype=np.float32))
    Sensed(_everything("RK4", 13).compile(), NWORLD, max_episode_length=1, limits=np.tile([-1.0, 1.0], (25, 1)))


@scene
def demo() -> None:
    """Commands of the demo."""
    from mjorbit_warp.cli import demo as cli

    model = cli._compile(0.1)
    d = mjo.make_data(model, nworld=NWORLD)
    cli._scatter(model, d, seed=0)
    mjo.mjo_step(model, d)


@scene
def validation() -> None:
    """Commands of the validation's arms."""
    from mjorbit_warp.validation.truth_motion import command_warp

    model = _spec("two_arm", "RK4").compile()
    model.callback.control = command_warp
    mjo.mjo_step(model, mjo.make_data(model, nworld=NWORLD))


@scene
def recentring() -> None:
    """The origin moved onto the system's centre of mass."""
    from mjorbit_warp.recenter import mjo_recenter

    model = _spec("two_arm", "RK4").compile()
    mjo_recenter(model, mjo.make_data(model, nworld=NWORLD))
