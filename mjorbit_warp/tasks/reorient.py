"""A free-flyer without attitude actuators turns itself with its arms.

The bus (0.8 m, 40 kg) carries two arms of four joints. MPPI commands their servos so that the bus turns by 60° about
(1, 1, 1) and stays there, against J2, gravity gradient, drag and sunlight: 5 knots, 128 rollouts, 14 s, replanned at
3.3 Hz, as in the reorientation of the mjorbit paper.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from astropy.time import Time
from numpy.typing import NDArray

from mjorbit_warp import _quat
from mjorbit_warp.atmosphere import Atmosphere
from mjorbit_warp.data import make_data
from mjorbit_warp.graph import capture
from mjorbit_warp.model import MjoModel
from mjorbit_warp.models import model_path
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.planning import MPPI
from mjorbit_warp.spec import MjoSpec

F64 = NDArray[np.float64]
HOLD = 0.3  # of a command [s]
HALF = 0.4  # of the bus [m]
CLEARANCE = 0.02  # arm surface to bus that the barrier keeps [m]
RADIUS = 0.05  # of the links' capsules [m]
# points along the links that could touch the bus, in their bodies' frames, left arm; the right one is mirrored in y
LINKS = {"upper": (0.25, 0.55), "fore": (0.2, 0.4, 0.55)}

# of the planner, over a model with a step of 0.1 s
PLANNER: dict[str, Any] = {
    "horizon": 14.0,
    "nknot": 5,
    "decimation": round(HOLD / 0.1),
    "sigma": 0.3,
    "ramp": 1,
    "temperature": 0.05,
    "limits": np.tile([-2.5, 2.5], (8, 1)),
    "record": ("qpos", "qvel", "xpos", "xquat"),
}


@dataclass(frozen=True)
class Result:
    """A run, one row per command.

    Attributes:
      time: [s]                                            (n,)
      error: angle between the bus and its target [rad]    (n,)
      rate: largest joint rate [rad/s]                     (n,)
      clearance: least distance of the arms' surface from the bus [m]   (n,)
      reached: first time from which the error stays below 3° [s], None if it does not
    """

    time: F64
    error: F64
    rate: F64
    clearance: F64
    reached: float | None


def scene(integrator: str, environment: bool, timestep: float) -> MjoSpec:
    """The shipped two-arm free-flyer in a 400 km orbit, with drag and sunlight on the bus or without."""
    spec = MjoSpec.from_file(model_path("two_arm"))
    epoch = Time("2026-04-01T00:00:00", scale="utc")
    spec.orbit = Orbit.circular(altitude=400e3, inclination=np.radians(51.6), epoch=epoch)
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    spec.option.timestep = timestep
    if environment:
        spec.options = OrbitOptions(atmosphere=Atmosphere.us76(), solar_pressure=True)
        for k, face in enumerate(np.vstack([np.eye(3), -np.eye(3)])):
            spec.add_surface(
                f"face_{k}", "bus", HALF * face, face, size=(2 * HALF, 2 * HALF), specular=0.2, diffuse=0.2
            )
    return spec


def model(integrator: str, environment: bool, timestep: float) -> MjoModel:
    """The scene, compiled."""
    return scene(integrator, environment, timestep).compile()


def target() -> F64:
    """60° about (1, 1, 1) from where the bus starts."""
    half = np.radians(30.0)
    return np.concatenate([[np.cos(half)], np.sin(half) / np.sqrt(3.0) * np.ones(3)])


def error_angle(quat: F64, goal: F64) -> F64:
    """Angle between attitudes (…, 4) and the goal [rad]."""
    return 2.0 * np.arccos(np.minimum(np.abs(quat @ goal), 1.0))


def arm_points(m: MjoModel) -> tuple[list[int], F64]:
    """Points along both arms that could touch the bus: their bodies (npoint,), and places in these [m] (npoint, 3)."""
    bodies, points = [], []
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for link, places in LINKS.items():
            for y in places:
                bodies.append(int(m.body(f"{side}_{link}").id))
                points.append([0.0, sign * y, 0.0])
    return bodies, np.array(points)


def clearance(m: MjoModel, xpos: F64, xquat: F64) -> F64:
    """Distance of the arms' surface from the bus [m], (…, npoint), of body frames (…, nbody, 3) and (…, nbody, 4)."""
    bodies, points = arm_points(m)
    bus = [m.body("bus").id]
    world = xpos[..., bodies, :] + _quat.rotate(xquat[..., bodies, :], points)
    local = _quat.rotate(_quat.conj(xquat[..., bus, :]), world - xpos[..., bus, :])
    return np.linalg.norm(np.maximum(np.abs(local) - HALF, 0.0), axis=-1) - RADIUS


def cost(m: MjoModel, goal: F64) -> Callable[[Any], F64]:
    """Cost of rollouts: attitude, most of all at the end; joint rates; and a barrier around the bus."""

    def value(rollout: Any) -> F64:
        qpos, qvel = (rollout[name].numpy().astype(np.float64) for name in ("qpos", "qvel"))
        angle = error_angle(qpos[..., 3:7], goal)
        later = np.linspace(0.2, 1.0, angle.shape[0])[:, None]
        total = np.sum(later * (angle**2 + 0.3 * angle), axis=0) + 24.0 * angle[-1] ** 2 + 8.0 * angle[-1]
        total += 0.1 * 0.3 * np.sum(qvel[..., 6:] ** 2, axis=(0, 2))
        total += 0.02 * np.mean(np.sum(qpos[..., 7:] ** 2, axis=-1), axis=0)
        near = clearance(m, rollout["xpos"].numpy().astype(np.float64), rollout["xquat"].numpy().astype(np.float64))
        return total + 50.0 * np.sum(np.maximum(CLEARANCE - near, 0.0), axis=(0, 2))

    return value


def planner(goal: F64, *, seed: int, nrollout: int) -> MPPI:
    """Rollouts with implicitfast, at a quarter of RK4's cost: replanning makes up for what it gets wrong in 14 s."""
    m = model("IMPLICITFAST", environment=False, timestep=0.1)
    return MPPI(m, cost(m, goal), nrollout=nrollout, seed=seed, **PLANNER)


def reorient(
    *,
    seed: int = 0,
    duration: float = 100.0,
    nrollout: int = 128,
    restarts: int = 4,
    report: Callable[[float, float], None] | None = None,
) -> Result:
    """Run the scenario in closed loop.

    Args:
      seed: of the planner's noise.
      duration: of the run [s].
      nrollout: rollouts of a replanning.
      restarts: searches for the first plan, before the clock starts: the arms reach some attitudes in several ways, and
        some of these end at the bus; 0 starts from rest at once.
      report: called with the time [s] and the error [rad] after each command.
    """
    if not 0.0 < duration < 1e5:
        raise ValueError(f"duration is {duration!r} s: a positive number is expected")
    goal = target()
    m = model("RK4", environment=True, timestep=0.05)  # the servos of bent arms are stiff for RK4 at 0.1 s
    plant, mppi = make_data(m, seed=seed), planner(goal, seed=seed, nrollout=nrollout)
    step, dt = capture(m, plant, nstep=round(HOLD / 0.05)), HOLD
    if restarts:
        mppi.search(plant, sigma=1.5, temperature=3.0, restarts=restarts)
    rows = []
    for _ in range(max(1, round(duration / dt))):
        plan = mppi.plan(plant)
        plant.ctrl.assign(plan.controls[:1])
        step()
        mppi.shift(dt)
        qpos, qvel = plant.qpos.numpy()[0].astype(float), plant.qvel.numpy()[0].astype(float)
        # frames of the step's last evaluation, which is at its end with RK4
        near = clearance(m, plant.xpos.numpy()[0].astype(float), plant.xquat.numpy()[0].astype(float))
        angle = float(error_angle(qpos[3:7], goal))
        rows.append((float(plant.time.numpy()[0]), angle, float(np.abs(qvel[6:]).max()), float(near.min())))
        if report is not None:
            report(rows[-1][0], angle)
    time, error, rate, distance = np.array(rows).T
    late = np.flatnonzero(error >= np.radians(3.0))
    first = 0 if not late.size else int(late[-1]) + 1
    return Result(time, error, rate, distance, float(time[first]) if first < time.size else None)
