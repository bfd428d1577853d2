"""Cases with wheels, thrusters, torque rods and sunlight against reference trajectories, on both backends.

The scenes are those of mjorbit_warp.validation.hardware_scenes. Commands change at samples of the truth.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.validation.hardware_scenes import Scene, rod_scene, srp_scene, thruster_scene, wheels_scene
from mjorbit_warp.validation.models import angle


class ReferenceRun:
    """A scene on the reference backend."""

    def __init__(self, model: mjo.MjoModel, stride: float, qpos: np.ndarray, qvel: np.ndarray, act: np.ndarray) -> None:
        self.model, self.data = model, mjo_ref.make_data(model, nthread=1)
        self.nstep = round(stride / model.mj.opt.timestep)
        self.data.qpos[:], self.data.qvel[:], self.data.act[:] = qpos, qvel, act

    def command(self, ctrl: np.ndarray) -> None:
        """Set all commands."""
        self.data.ctrl[:] = ctrl

    def advance(self) -> None:
        """One stride."""
        for _ in range(self.nstep):
            mjo_ref.mjo_step(self.model, self.data)

    def state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """qpos, qvel, act, and position of the orbit."""
        d = self.data
        return d.qpos[0], d.qvel[0], d.act[0], np.zeros(3) if d.orbit is None else d.orbit.r[0]


class WarpRun:
    """A scene on the Warp backend, each stride replayed from a graph."""

    def __init__(
        self, precision: str, model: mjo.MjoModel, stride: float, qpos: np.ndarray, qvel: np.ndarray, act: np.ndarray
    ) -> None:
        self.data = mjo.make_data(model, precision=precision)
        self.replay = mjo.capture(model, self.data, nstep=round(stride / model.mj.opt.timestep))
        for owner in (self.data, self.data.shadow):
            if owner is not None:
                owner.qpos.assign(qpos[None])
                owner.qvel.assign(qvel[None])
                if act.size:
                    owner.act.assign(act[None])

    def command(self, ctrl: np.ndarray) -> None:
        """Set all commands."""
        if ctrl.size:
            self.data.ctrl.assign(np.asarray(ctrl)[None])

    def advance(self) -> None:
        """One stride."""
        self.replay()

    def state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """qpos, qvel, act in float64 where there are such, and position of the orbit."""
        owner = self.data if self.data.shadow is None else self.data.shadow
        r = np.zeros(3) if self.data.orbit is None else self.data.orbit.r.numpy()[0]
        qpos, qvel, act = (getattr(owner, name).numpy()[0].astype(np.float64) for name in ("qpos", "qvel", "act"))
        return qpos, qvel, act, r


def run(fraction: float, scene: Callable[[float], Scene], timestep: float, backend: Any) -> dict[str, float]:
    """Largest errors against the truth over the first part of its samples."""
    s = scene(timestep)
    stride = np.gcd.reduce(np.round(np.diff(s.t) / timestep).astype(int)) * timestep
    model = s.spec.compile()
    origin = np.zeros(3) if model.orbit is None else model.orbit.r
    start_v = s.v[0] - (0.0 if model.orbit is None else model.orbit.v)
    qpos, qvel = np.concatenate([s.r[0] - origin, s.q[0]]), np.concatenate([start_v, s.omega[0]])
    r = backend(model, stride, qpos, qvel, s.act0)
    worst: dict[str, float] = {}
    for i in range(math.ceil(fraction * (len(s.t) - 1))):
        r.command(s.command(s.t[i]))
        for _ in range(round((s.t[i + 1] - s.t[i]) / stride)):
            r.advance()
        qpos, qvel, act, center = r.state()
        errors = {"attitude_rad": float(angle(qpos[3:], s.q[i + 1])), "rate_rad_s": _length(qvel[3:] - s.omega[i + 1])}
        if s.speeds is None:
            errors["position_m"] = _length(center + qpos[:3] - s.r[i + 1])
        else:
            errors["wheel_speed_rad_s"] = float(np.abs(s.speed(act, qvel[3:]) - s.speeds[i + 1]).max())
        worst = {name: max(worst.get(name, 0.0), error) for name, error in errors.items()}
    return worst


def _length(x: np.ndarray) -> float:
    return float(np.linalg.norm(x))


SCENES: dict[str, tuple[Callable[[float], Scene], float]] = {
    "wheels": (partial(wheels_scene, friction=False), 1.0 / 32.0),
    "wheels_friction": (partial(wheels_scene, friction=True), 1.0 / 32.0),
    "thruster": (thruster_scene, 1.0 / 64.0),
    "magnetic_rod": (rod_scene, 1.0 / 8.0),
    "srp_eclipse": (srp_scene, 1.0 / 4.0),
}
BACKENDS = {"": ReferenceRun, "_warp": partial(WarpRun, "single"), "_shadow": partial(WarpRun, "shadow")}
CASES: dict[str, Callable[[float], dict[str, float]]] = {
    f"{name}{suffix}": partial(run, scene=scene, timestep=timestep, backend=backend)
    for name, (scene, timestep) in SCENES.items()
    for suffix, backend in BACKENDS.items()
}
