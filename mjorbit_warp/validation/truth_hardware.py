"""Hardware and sunlight against trajectories of another integrator."""

from collections.abc import Callable
from functools import partial

import numpy as np

from mjorbit_warp.validation.case import Case, Growth, Limit, measured
from mjorbit_warp.validation.hardware_scenes import Scene, rod_scene, srp_scene, thruster_scene, wheels_scene
from mjorbit_warp.validation.models import angle, distance
from mjorbit_warp.validation.simulation import Simulation


def run_scene(variant: str, scene: Callable[[float], Scene], timestep: float) -> Growth:
    """Errors of a scene at the truth's samples."""
    s = scene(timestep)
    stride = int(np.gcd.reduce(np.round(np.diff(s.t) / timestep).astype(int)))
    model = s.spec.compile()
    origin, speed = (0.0, 0.0) if model.orbit is None else (model.orbit.r, model.orbit.v)
    start = np.concatenate([s.r[0] - origin, s.q[0]]), np.concatenate([s.v[0] - speed, s.omega[0]])
    sim = Simulation(model, variant, *start, act=s.act0 if s.act0.size else None, stride=stride)
    rows = []
    for i in range(len(s.t) - 1):
        sim.command(s.command(s.t[i]))
        for _ in range(round((s.t[i + 1] - s.t[i]) / timestep / stride)):
            sim.advance()
        qpos, qvel = sim.qpos[0], sim.qvel[0]
        last: float
        if s.speeds is None:
            center = 0.0 if model.orbit is None else sim.r[0]
            last = distance(center + qpos[:3], s.r[i + 1])
        else:
            last = float(np.abs(s.speed(sim.act[0], qvel[3:]) - s.speeds[i + 1]).max())
        rows.append((sim.t, float(angle(qpos[3:], s.q[i + 1])), distance(qvel[3:], s.omega[i + 1]), last))
    t, attitude, rate, last_column = np.array(rows).T
    name = "position" if s.speeds is None else "wheel_speed"
    return measured(t, attitude=attitude, rate=rate) | measured(t, **{name: last_column})


Triple = tuple[float, float, float]


def _limits(attitude: Triple, rate: Triple, other: dict[str, tuple[str, Triple]], why: str) -> dict[str, Limit]:
    """Limits of the three variants, in the order reference, warp, shadow."""
    values = {"attitude": ("rad", attitude), "rate": ("rad/s", rate), **other}
    names = ("reference", "warp", "shadow")
    return {k: Limit(unit, dict(zip(names, x, strict=True)), why) for k, (unit, x) in values.items()}


_DOP = "scipy DOP853, rtol 1e-13"
_WHY = "reference: RK4's truncation; shadow: float32 torques; warp: float32 state, rounded in each step"
_WHEELS = _limits(
    (1e-10, 3e-4, 2e-6),
    (1e-11, 1e-5, 1e-7),
    {"wheel_speed": ("rad/s", (1e-9, 2e-2, 2e-5))},
    _WHY + "; 100 rad/s, so 1e-5 in each of 1920",
)
_ORBITING = ("m", (1e-6, 1e-3, 1e-5))
CASES = (
    *(
        Case(
            name=f"truth_wheels{'_friction' if friction else ''}",
            title=f"rigid body with four wheels{' with friction' if friction else ''}, stepwise motor torques, 60 s",
            frame="inertial",
            forces="wheels only (zero gravity)",
            integrator="RK4",
            step="1/32 s",
            truth=f"{_DOP}; Basilisk 2.12.1 agrees to 4e-13 rad (data/reaction_wheels.npz)",
            limits=_WHEELS,
            run=partial(run_scene, scene=partial(wheels_scene, friction=friction), timestep=1.0 / 32.0),
            fast=not friction,
        )
        for friction in (False, True)
    ),
    Case(
        name="truth_thruster",
        title="two thrusters off the COM, on from 1 s for 3 s and 1.5 s, 10 s",
        frame="inertial",
        forces="thrusters only (zero gravity)",
        integrator="RK4",
        step="1/64 s",
        truth="scipy DOP853, stopped at the switching times (data/thruster.npz)",
        limits=_limits((1e-11, 1e-4, 2e-6), (1e-11, 1e-5, 1e-6), {"position": ("m", (1e-11, 1e-4, 1e-6))}, _WHY),
        run=partial(run_scene, scene=thruster_scene, timestep=1.0 / 64.0),
        fast=True,
    ),
    Case(
        name="truth_magnetic_rod",
        title="three torque rods, one saturated, in a centred dipole field, 500 km, 600 s",
        frame="inertial",
        forces="point mass, magnetic torque",
        integrator="RK4",
        step="1/4 s",
        truth="scipy DOP853 with a continuous field (data/magnetic_torque_rod.npz)",
        limits=_limits((1e-9, 5e-4, 3e-6), (1e-11, 1e-5, 1e-7), {"position": _ORBITING}, _WHY),
        run=partial(run_scene, scene=rod_scene, timestep=1.0 / 4.0),
        fast=True,
    ),
    Case(
        name="truth_srp_eclipse",
        title="eight plates in sunlight, one orbit of 500 km with two passages of the penumbra",
        frame="inertial",
        forces="point mass, sunlight with conical shadow",
        integrator="RK4",
        step="1 s",
        truth="scipy DOP853; its shadow is Basilisk's formula (data/srp_eclipse.npz)",
        limits=_limits(
            (1e-6, 5e-3, 1e-5),
            (1e-9, 1e-5, 1e-7),
            {"position": ("m", (1e-4, 1e-2, 1e-4))},
            _WHY + "; penumbra",
        ),
        run=partial(run_scene, scene=srp_scene, timestep=1.0),
    ),
)
