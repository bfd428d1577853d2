"""Task reorient: a free-flyer without attitude actuators turns its bus to a goal with its two arms."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import warp as wp

from mjorbit_warp.envs.base import Env
from mjorbit_warp.kernels import env_reorient as kernels
from mjorbit_warp.tasks import reorient as scenario
from mjorbit_warp.values import number, positive

TIMESTEP = {"IMPLICITFAST": 0.1, "RK4": 0.05}  # [s]; the servos of bent arms are stiff for RK4 at 0.1 s
LIMIT = 2.5  # of the servos' targets [rad]
NJOINT = 8


@dataclass(frozen=True)
class Weights:
    """Weights of the reward. Terms but the last are rates, times the duration of a step.

    Attributes:
      attitude: of 1/(1 + (θ/near)²), θ the angle to the goal [1/s]
      near: angle at which that is ½ [rad]
      rate: of −Σ q̇² of the joints [s]
      clearance: of −Σ max(margin − d, 0), d the distance of each point of the arms from the bus [1/(m s)]
      margin: distance from which that counts [m]
      control: of −Σ a² of the actions, −1 to 1 [1/s]
      failure: taken off when an arm touches the bus; minus this is the reward of a state that is not finite [-]
    """

    attitude: float = 1.0
    near: float = 0.3
    rate: float = 0.02
    clearance: float = 50.0
    margin: float = scenario.CLEARANCE
    control: float = 0.01
    failure: float = 5.0

    def __post_init__(self) -> None:
        positive(self.near, "near")
        for field in fields(self):
            if not 0.0 <= number(getattr(self, field.name), field.name) < np.inf:
                raise ValueError(f"{field.name} is {getattr(self, field.name)!r}: a number, 0 or more, is expected")

    def struct(self) -> Any:
        """The same for kernels."""
        out: Any = kernels.Weights()
        for field in fields(self):
            setattr(out, field.name, float(getattr(self, field.name)))
        return out


class Reorient(Env):
    """The bus starts up to ``start_angle`` from the goal, at rest, with bent arms; an episode lasts 60 s.

    Observation (23 values): rotation vector from the bus to the goal in bus axes [rad] (3), rate of the bus in its own
    axes [rad/s] (3), joint angles [rad] (8), joint rates [rad/s] (8), share of the episode that is left (1).
    Actions: targets of the eight joint servos, ±1 is ±2.5 rad, held for 0.3 s. Reward: see Weights. An episode is
    terminated when an arm touches the bus.

    The arms are where tasks.reorient has them, in zero relative gravity of a 400 km orbit; the model's own contacts are
    off, and touching is a matter of distances.

    Attributes:
      goal: attitude of the bus in each world, unit quaternion (w, x, y, z); write into it   (nworld,) quat
      terms: of the last step's reward, which is their sum where the state is finite         (nworld, 5)
    """

    nobs = 7 + 2 * NJOINT
    nrandom = 3 + NJOINT
    term_names = ("attitude", "rate", "clearance", "control", "failure")

    def __init__(
        self,
        nworld: int,
        *,
        integrator: str = "IMPLICITFAST",
        environment: bool = False,
        timestep: float | None = None,
        start_angle: float = np.radians(60.0),
        start_bend: float = 0.3,
        weights: Weights | None = None,
        episode_seconds: float = 60.0,
        seed: int = 0,
        precision: str = "single",
        device: Any = None,
        record: Sequence[str] = (),
    ) -> None:
        """Make the model and the worlds.

        Args:
          nworld: number of worlds.
          integrator: IMPLICITFAST, at a quarter of the cost of a step, or RK4, which holds the attitude for hours.
          environment: with drag and sunlight on the bus.
          timestep: of the model [s], default 0.1 with IMPLICITFAST and 0.05 with RK4; a part of 0.3 s.
          start_angle: largest angle between the first attitude and the goal [rad].
          start_bend: largest first angle of the joints [rad].
          weights: of the reward.
          episode_seconds, seed, precision, device, record: as in Env.
        """
        if integrator not in TIMESTEP:
            raise ValueError(f"integrator is {integrator!r}: allowed are {', '.join(TIMESTEP)}")
        dt = TIMESTEP[integrator] if timestep is None else positive(timestep, "timestep")
        held = round(scenario.HOLD / dt)
        if held < 1 or abs(held * dt - scenario.HOLD) > 1e-9:
            raise ValueError(f"timestep is {dt!r} s: a whole part of {scenario.HOLD} s is expected")
        for name, value in (("start_angle", start_angle), ("start_bend", start_bend)):
            if not 0.0 <= number(value, name) <= np.pi:
                raise ValueError(f"{name} is {value!r} rad: a number from 0 to π is expected")
        self.start_angle, self.start_bend = float(start_angle), float(start_bend)
        self.weights = Weights() if weights is None else weights
        self.lost_reward = -float(self.weights.failure)
        super().__init__(
            scenario.model(integrator, environment=environment, timestep=dt),
            nworld,
            decimation=held,
            episode_seconds=episode_seconds,
            limits=np.tile([-LIMIT, LIMIT], (NJOINT, 1)),
            seed=seed,
            precision=precision,
            device=device,
            record=record,
        )

    def setup(self) -> None:
        """Geometry and goals."""
        self.goal = self.new_array(self.nworld, wp.quat)
        self.goal.assign(np.tile(scenario.target(), (self.nworld, 1)).astype(np.float32))
        bodies, points = scenario.arm_points(self.model)
        geometry: Any = kernels.Geometry()
        geometry.bus, geometry.half, geometry.radius = self.model.body("bus").id, scenario.HALF, scenario.RADIUS
        geometry.body = wp.array(bodies, dtype=int, device=self.data.device)
        geometry.point = wp.array(points, dtype=wp.vec3, device=self.data.device)
        geometry.goal = self.goal
        self._geometry, self._weights = geometry, self.weights.struct()

    def randomize_start(self, mask: wp.array) -> None:
        """Attitudes and joints of the masked worlds."""
        wp.launch(
            kernels._reorient_start,
            dim=self.nworld,
            inputs=[mask, self.random, self._geometry, self.start_angle, self.start_bend],
            outputs=[self.data.mjw.qpos],
        )

    def observe(self) -> None:
        """See the class."""
        d = self.data.mjw
        wp.launch(
            kernels._reorient_observe,
            dim=self.nworld,
            inputs=[d.qpos, d.qvel, self._geometry, self.episode_length, self.max_episode_length],
            outputs=[self.obs],
        )

    def reward_and_done(self) -> None:
        """See Weights."""
        d = self.data.mjw
        wp.launch(
            kernels._reorient_reward,
            dim=self.nworld,
            inputs=[d.qpos, d.qvel, d.xpos, d.xquat, self.applied, self._geometry, self._weights, self.dt],
            outputs=[self.reward, self.terminated, self.terms],
        )
