"""A free-flyer without attitude actuators turns a captured payload to nadir and holds it there with a slow arm.

The robot (150 kg) holds 400 kg behind it, near 90° from the local vertical. It has momentum to lose on the way down and
nothing but the gravity gradient to take it, and that only where its two-link arm makes the stack long or short at the
right times. MPPI plans the arm's commands with rollouts that either are in the orbit or, as in a robotics engine, in
zero gravity; both are carried out by the same plant with J2, gravity gradient, drag and sunlight. After the
gravity-gradient capture of the mjorbit paper; masses, arm and costs are our own.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import mujoco
import numpy as np
from astropy.time import Time
from numpy.typing import NDArray

from mjorbit_warp import _quat, frames
from mjorbit_warp.atmosphere import Atmosphere
from mjorbit_warp.check import MjoWarning
from mjorbit_warp.data import make_data
from mjorbit_warp.graph import capture
from mjorbit_warp.model import MjoModel
from mjorbit_warp.models import model_path
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.planning import MPPI
from mjorbit_warp.reference.gravity import j2_gravity, point_gravity
from mjorbit_warp.spec import MjoSpec
from mjorbit_warp.step import mjo_forward

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData

F64 = NDArray[np.float64]
Side = Literal["behind", "ahead"]
Dynamics = Literal["orbit", "zero_g"]
PLANT_STEP = 1.0  # [s]
ROLLOUT_STEP = 3.0  # [s]; step_error says what it costs
ROW = 30.0  # a command is held [s]
REPLAN = 60.0  # [s]
HORIZON = 2400.0  # three quarters of a libration [s]
WINDOW = 1800.0  # at the end, that the result is judged by [s]
SETTLED = 10.0  # mean error in that window [deg]
HALF = {"bus": 0.4, "payload": 0.35}  # of their edges [m]


@dataclass(frozen=True)
class Result:
    """A run, one row per command.

    Attributes:
      time: [s]                                                            (n,)
      error: angle between the line from bus to payload and nadir [rad]    (n,)
      joints: shoulder and elbow [rad]                                     (n, 2)
      final: mean error over the last half hour [rad]
      settled: final is below 10°
    """

    time: F64
    error: F64
    joints: F64
    final: float
    settled: bool


def model(timestep: float, *, gravity: bool = True, environment: bool = False) -> MjoModel:
    """The shipped capture arm in a 500 km orbit, or in none; with drag and sunlight on bus and payload, or without."""
    spec = MjoSpec.from_file(model_path("capture_arm"))
    spec.option.timestep = timestep
    if gravity:
        epoch = Time("2026-04-01T00:00:00", scale="utc")
        spec.orbit = Orbit.circular(altitude=500e3, inclination=np.radians(51.6), epoch=epoch)
    if environment:
        spec.options = OrbitOptions(atmosphere=Atmosphere.us76(), solar_pressure=True)
        for body, half in HALF.items():
            for k, face in enumerate(np.vstack([np.eye(3), -np.eye(3)])):
                size = (2.0 * half, 2.0 * half)
                spec.add_surface(f"{body}_{k}", body, half * face, face, size=size, specular=0.2, diffuse=0.2)
    with warnings.catch_warnings():
        if not gravity:
            warnings.simplefilter("ignore", MjoWarning)  # that there is no orbit is the point
        return spec.compile()


def start(m: MjoModel, angle: float, rate: float, tilt: float) -> tuple[F64, F64]:
    """State (nq,), (nv,) of the straight arm, the stack's COM at the origin.

    Args:
      angle: of the payload from nadir in the orbital plane, positive against the flight direction [rad].
      rate: about the orbit's normal, in the LVLH frame [rad/s].
      tilt: out of the orbital plane [rad].
    """
    orbit = m.orbit
    assert orbit is not None
    in_plane = 0.5 * (np.pi + angle)
    quat = np.array([np.cos(in_plane), 0.0, 0.0, np.sin(in_plane)])
    quat = _quat.mul(quat, np.array([np.cos(0.5 * tilt), 0.0, np.sin(0.5 * tilt), 0.0]))
    omega = (orbit.mean_motion + rate) * frames.lvlh_axes(orbit.r, orbit.v)[2]
    d = mujoco.MjData(m.mj)
    d.qpos[3:7] = frames.quat_of_from_lvlh(orbit.r, orbit.v, quat)
    mujoco.mj_kinematics(m.mj, d)
    mujoco.mj_comPos(m.mj, d)
    d.qpos[:3] -= d.subtree_com[m.body("bus").id]
    d.qvel[:3] = np.cross(omega, d.qpos[:3])
    d.qvel[3:6] = d.xmat[m.body("bus").id].reshape(3, 3).T @ omega
    return d.qpos.copy(), d.qvel.copy()


def drawn_start(m: MjoModel, seed: int, side: Side = "behind") -> tuple[F64, F64]:
    """A start within 5° of the horizontal, at rest in the LVLH frame within 5 % of the orbital rate, tilted by 0.5°."""
    assert m.orbit is not None
    rng = np.random.default_rng(seed)
    angle = np.radians(rng.uniform(85.0, 95.0))
    rate = 0.05 * m.orbit.mean_motion * rng.normal()
    return start(m, angle if side == "behind" else -angle, rate, np.radians(0.5) * rng.normal())


def nadirs(m: MjoModel, r: F64, v: F64, nrow: int) -> F64:
    """Unit vectors to nadir (nrow, 3) at the ends of the rows to come, from the point-mass and J2 orbit by RK4."""
    assert m.orbit is not None
    body = m.orbit.body
    pole = np.array([0.0, 0.0, 1.0])  # GCRS z is within 0.2° of it; J2 turns the orbit by 0.1° in the horizon

    def rate(y: F64) -> F64:
        a = point_gravity(y[:3], body.mu) + j2_gravity(y[:3], body.mu, body.radius, body.j2, pole)
        return np.concatenate([y[3:], a])

    y, rows = np.concatenate([r, v]), []
    for _ in range(nrow):
        a = rate(y)
        b = rate(y + 0.5 * ROW * a)
        c = rate(y + 0.5 * ROW * b)
        y = y + ROW / 6.0 * (a + 2.0 * b + 2.0 * c + rate(y + ROW * c))
        rows.append(-y[:3] / np.linalg.norm(y[:3]))
    return np.array(rows)


def error_angle(m: MjoModel, xipos: F64, nadir: F64) -> F64:
    """Angle of the line from bus to payload from nadir [rad], of COMs (…, nbody, 3) and (…, 3)."""
    line = xipos[..., m.body("payload").id, :] - xipos[..., m.body("bus").id, :]
    along = np.sum(line * nadir, axis=-1)
    return np.arctan2(np.linalg.norm(np.cross(line, nadir), axis=-1), along)


class Planner:
    """MPPI over the arm's two servos; rollouts in the orbit, or in zero gravity. Both know where nadir will be."""

    def __init__(self, plant: MjoModel, *, dynamics: Dynamics, seed: int, nrollout: int) -> None:
        assert plant.orbit is not None
        self.plant_model = plant
        self.model = model(ROLLOUT_STEP, gravity=dynamics == "orbit")
        self._rate = np.sqrt(3.0) * plant.orbit.mean_motion  # of small librations of a long thin stack
        self._nadir = np.zeros((0, 3))
        self.mppi = MPPI(
            self.model,
            self.cost,
            horizon=HORIZON,
            nrollout=nrollout,
            nknot=6,
            decimation=round(ROW / ROLLOUT_STEP),
            sigma=0.6,
            temperature=0.05,
            record=("qpos", "xipos"),
            seed=seed,
        )

    def cost(self, rollout: Any) -> F64:
        """Squared angle, later rows more; angle and rate over the last five minutes; a little for bent arms."""
        xipos = rollout["xipos"].numpy().astype(np.float64)
        angle = error_angle(self.model, xipos, self._nadir[:, None])
        rate = np.diff(angle, axis=0) / ROW / self._rate
        later = np.linspace(0.2, 1.0, angle.shape[0])[:, None]
        end = np.mean(angle[-10:] ** 2, axis=0) + np.mean(rate[-10:] ** 2, axis=0)
        bend = np.mean(np.sum(rollout["qpos"].numpy()[..., 7:].astype(np.float64) ** 2, axis=-1), axis=0)
        return np.mean(later * angle**2, axis=0) + 2.0 * end + 0.002 * bend

    def plan(self, plant: "MjoData") -> NDArray[np.float32]:
        """Commands (nrow, 2) from now on."""
        assert plant.orbit is not None
        r, v = plant.orbit.r.numpy(), plant.orbit.v.numpy()
        self._nadir = nadirs(self.plant_model, r[0], v[0], round(HORIZON / ROW))
        controls = self.mppi.plan(plant).controls
        self.mppi.shift(REPLAN)
        return controls


def step_error(*, seed: int = 0, timestep: float = ROLLOUT_STEP, fine: float = 0.5) -> float:
    """Largest difference of the error angle over one horizon between two steps, arm moving at random [rad]."""
    angles = []
    for dt in (timestep, fine):
        m = model(dt)
        d = make_data(m)
        qpos, qvel = drawn_start(m, seed)
        d.qpos.assign(qpos[None])
        d.qvel.assign(qvel[None])
        step = capture(m, d, nstep=round(ROW / dt))
        knots = np.random.default_rng(seed).uniform(-1.5, 1.5, (round(HORIZON / 600.0), 2))
        rows = []
        for k in range(round(HORIZON / ROW)):
            d.ctrl.assign(knots[k * len(knots) // round(HORIZON / ROW)][None])
            step()
            rows.append(_angle(m, d))
        angles.append(rows)
    return float(np.max(np.abs(np.array(angles[0]) - np.array(angles[1]))))


def _angle(m: MjoModel, d: "MjoData") -> float:
    assert d.orbit is not None
    mjo_forward(m, d)
    r = d.orbit.r.numpy()[0]
    return float(error_angle(m, d.xipos.numpy()[0].astype(np.float64), -r / np.linalg.norm(r)))


def gg_capture(
    *,
    dynamics: Dynamics = "orbit",
    side: Side = "behind",
    seed: int = 0,
    duration: float = 7200.0,
    nrollout: int = 64,
    report: Callable[[float, float], None] | None = None,
) -> Result:
    """Run the scenario in closed loop.

    Args:
      dynamics: of the planner's rollouts; the plant is always in the orbit.
      side: where the payload is at the start. Behind, the orbital rotation, which zero-gravity rollouts know too,
        carries it away from nadir; ahead, it helps.
      seed: of the start and of the planner's noise.
      duration: of the run [s].
      nrollout: rollouts of a replanning.
      report: called with the time [s] and the error [rad] after each command.
    """
    for name, value, allowed in (("dynamics", dynamics, ("orbit", "zero_g")), ("side", side, ("behind", "ahead"))):
        if value not in allowed:
            raise ValueError(f"{name} is {value!r}: allowed are {' and '.join(allowed)}")
    if not REPLAN <= duration < 1e6:
        raise ValueError(f"duration is {duration!r} s: at least the {REPLAN:g} s between plans are expected")
    m = model(PLANT_STEP, environment=True)
    plant = make_data(m, precision="shadow")
    planner = Planner(m, dynamics=dynamics, seed=seed, nrollout=nrollout)
    qpos, qvel = drawn_start(m, seed, side)
    for target in (plant, plant.shadow):
        target.qpos.assign(qpos[None])
        target.qvel.assign(qvel[None])
    step = capture(m, plant, nstep=round(ROW / PLANT_STEP))
    rows = []
    for _ in range(round(duration / REPLAN)):
        controls = planner.plan(plant)
        for k in range(round(REPLAN / ROW)):
            plant.ctrl.assign(controls[k : k + 1])
            step()
            rows.append((float(plant.time.numpy()[0]), _angle(m, plant), *plant.qpos.numpy()[0, 7:].astype(float)))
            if report is not None:
                report(rows[-1][0], rows[-1][1])
    table = np.array(rows)
    final = float(np.mean(table[table[:, 0] > table[-1, 0] - WINDOW, 1]))
    return Result(table[:, 0], table[:, 1], table[:, 2:], final, bool(final < np.radians(SETTLED)))
