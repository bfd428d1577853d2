"""Basilisk, live in the same process: its spacecraft module, and its MJScene on the same MJCF.

Basilisk brings a MuJoCo of its own (a library of another name), which lives beside the official bindings.
"""

import math
from typing import Any

import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp.extras import need
from mjorbit_warp.models import model_path
from mjorbit_warp.validation.case import Case, Growth, Limit, Skipped, measured
from mjorbit_warp.validation.models import MU, angle, body_spec, distance, two_arm_spec
from mjorbit_warp.validation.simulation import Simulation

INERTIA = np.array([10.0, 20.0, 25.0])
ORBIT = mjo.Orbit.circular(altitude=4e5, inclination=0.9, raan=0.5, argument_of_latitude=0.3)
SPIN = np.array([0.01, -0.02, 0.015])
SIGMA = np.array([0.1, -0.2, 0.3])  # modified Rodrigues parameters
JOINTS = 0.3 * np.cos(np.arange(8.0))
SERVO = JOINTS + 0.02 * np.sin(np.arange(8.0))  # commanded angles


def _need(name: str) -> Any:
    try:
        return need(f"Basilisk.{name}", "basilisk", "this comparison")
    except ImportError as error:
        raise Skipped(str(error)) from error


def quat_from_mrp(sigma: np.ndarray) -> np.ndarray:
    """Unit quaternion of modified Rodrigues parameters."""
    s2 = float(sigma @ sigma)
    return np.concatenate([[1.0 - s2], 2.0 * np.asarray(sigma)]) / (1.0 + s2)


def _column(values: Any) -> list[list[float]]:
    return [[float(x)] for x in values]


def _flat(values: Any) -> np.ndarray:
    return np.array(values, dtype=np.float64).ravel()


def spacecraft(variant: str) -> Growth:
    """A tumbling body under a point mass and its gravity gradient: position, attitude and rate, 30 minutes."""
    module, gradient = _need("simulation.spacecraft"), _need("simulation.GravityGradientEffector")
    integrators, base = _need("simulation.svIntegrators"), _need("utilities.SimulationBaseClass")
    macros, bodies = _need("utilities.macros"), _need("utilities.simIncludeGravBody")
    model = body_spec(INERTIA, 0.5, ORBIT, j2=False).compile()
    rho, rate, quat = np.array([40.0, -20.0, 10.0]), np.array([0.02, -0.01, 0.03]), quat_from_mrp(SIGMA)
    sim = base.SimBaseClass()
    sim.CreateNewProcess("process").addTask(sim.CreateNewTask("task", macros.sec2nano(0.5)))
    factory = bodies.gravBodyFactory()
    earth = factory.createEarth()
    earth.isCentralBody, earth.mu = True, MU
    crafts: list[Any] = []
    kept: list[Any] = []  # alive: Basilisk holds no reference
    for r, v in ((ORBIT.r, ORBIT.v), (ORBIT.r + rho, ORBIT.v + rate)):
        craft = module.Spacecraft()
        craft.ModelTag = f"craft_{len(crafts)}"
        craft.hub.mHub, craft.hub.IHubPntBc_B = 100.0, np.diag(INERTIA).tolist()
        craft.hub.r_CN_NInit, craft.hub.v_CN_NInit = r.tolist(), v.tolist()
        craft.hub.sigma_BNInit, craft.hub.omega_BN_BInit = SIGMA.tolist(), SPIN.tolist()
        stepper = integrators.svIntegratorRKF78(craft)
        stepper.absTol = stepper.relTol = 1e-13
        craft.setIntegrator(stepper)
        factory.addBodiesTo(craft)
        effector = gradient.GravityGradientEffector()
        effector.ModelTag = f"gradient_{len(crafts)}"
        effector.addPlanetName(earth.planetName)
        craft.addDynamicEffector(effector)
        sim.AddModelToTask("task", craft)
        sim.AddModelToTask("task", effector)
        crafts.append(craft)
        kept += [stepper, effector]
    sim.InitializeSimulation()
    ours = Simulation(model, variant, [*rho, *quat], [*rate, *SPIN], stride=120)
    rows = []
    for i in range(1, 31):
        sim.ConfigureStopTime(macros.sec2nano(60.0 * i))
        sim.ExecuteSimulation()
        ours.advance()
        center, body = (c.scStateOutMsg.read() for c in crafts)
        theirs = _flat(body.r_BN_N) - _flat(center.r_BN_N)
        attitude = float(angle(ours.qpos[0, 3:], quat_from_mrp(_flat(body.sigma_BN))))
        spin = distance(ours.qvel[0, 3:], _flat(body.omega_BN_B))
        orbit = distance(ours.r[0], _flat(center.r_BN_N))
        rows.append((ours.t, distance(ours.qpos[0, :3], theirs), attitude, spin, orbit))
    t, position, attitudes, rates, centers = np.array(rows).T
    return measured(t, position=position, attitude=attitudes, rate=rates, orbit=centers)


def mjscene(variant: str) -> Growth:
    """The two-arm MJCF in Basilisk's MJScene with a point mass, 5 minutes, both with RK4."""
    scenes, gravity = _need("simulation.mujoco"), _need("simulation.NBodyGravity")
    point, integrators = _need("simulation.pointMassGravityModel"), _need("simulation.svIntegrators")
    base, macros, messaging = (
        _need("utilities.SimulationBaseClass"),
        _need("utilities.macros"),
        _need("architecture.messaging"),
    )
    _need("simulation.dynParamManager")  # gives states a Python type
    model = two_arm_spec("RK4", 0.03125, ORBIT, j2=False, gravity_gradient=False).compile()
    sim = base.SimBaseClass()
    sim.CreateNewProcess("process").addTask(sim.CreateNewTask("task", macros.sec2nano(0.03125)))
    scene = scenes.MJScene.fromFile(model_path("two_arm"))
    stepper = integrators.svIntegratorRK4(scene)
    scene.setIntegrator(stepper)
    sim.AddModelToTask("task", scene)
    field = point.PointMassGravityModel()
    field.muBody = MU
    earth = gravity.NBodyGravity()
    scene.AddModelToDynamicsTask(earth)
    earth.addGravitySource("earth", field, True)
    mj = model.mj
    for i in range(1, mj.nbody):
        earth.addGravityTarget(mj.body(i).name, scene.getBody(mj.body(i).name))
    messages = []
    for i in range(mj.nu):
        message = messaging.SingleActuatorMsg().write(messaging.SingleActuatorMsgPayload(input=float(SERVO[i])))
        scene.getSingleActuator(mj.actuator(i).name).actuatorInMsg.subscribeTo(message)
        messages.append(message)
    sim.InitializeSimulation()
    rho, rate, quat = np.array([0.5, -0.25, 0.125]), np.array([1.0, -1.0, 2.0]) / 1024.0, quat_from_mrp(SIGMA)
    qvel = np.concatenate([rate, SPIN / 5.0, np.zeros(8)])
    position, speed = scene.dynManager.getStateObject("mujocoQpos"), scene.dynManager.getStateObject("mujocoQvel")
    position.setState(_column([*(ORBIT.r + rho), *quat, *JOINTS]))
    speed.setState(_column([*(ORBIT.v + rate), *qvel[3:]]))
    ours = Simulation(model, variant, [*rho, *quat, *JOINTS], qvel, ctrl=SERVO, stride=320)
    rows = []
    for i in range(1, 31):
        sim.ConfigureStopTime(macros.sec2nano(10.0 * i))
        sim.ExecuteSimulation()
        ours.advance()
        theirs, q = _flat(position.getState()), ours.qpos[0]
        rows.append(
            (
                ours.t,
                distance(ours.r[0] + q[:3], theirs[:3]),
                float(angle(q[3:7], theirs[3:7] / math.sqrt(theirs[3:7] @ theirs[3:7]))),
                np.abs(q[7:] - theirs[7:]).max(),
            )
        )
    t, bus, attitude, joint = np.array(rows).T
    return measured(t, bus=bus, attitude=attitude, joint=joint)


_ABSOLUTE = "Basilisk keeps absolute coordinates in float64: 1e-9 m and 1e-12 m/s of rounding in each step"
_SCENE = _ABSOLUTE + "; shadow keeps the momentum that the RK4 of both truncates; float32 rounding"
CASES = (
    Case(
        name="basilisk_spacecraft",
        title="a tumbling body 46 m from a 400 km orbit, 30 minutes, Basilisk's spacecraft module beside us",
        frame="orbit-following; Basilisk absolute, its two spacecraft subtracted",
        forces="point mass and gravity gradient",
        integrator="RK4; Basilisk RKF78, tolerance 1e-13",
        step="0.5 s",
        truth="Basilisk 2.12, live in this process",
        limits={
            "position": Limit("m", {"reference": 1e-6, "warp": 1e-2, "shadow": 1e-4}, _ABSOLUTE),
            "attitude": Limit(
                "rad", {"reference": 1e-8, "warp": 1e-3, "shadow": 5e-5}, "RK4's truncation at 0.5 s; float32 rounding"
            ),
            "rate": Limit("rad/s", {"reference": 1e-10, "warp": 1e-5, "shadow": 1e-6}, "the same"),
            "orbit": Limit("m", {"reference": 1e-5, "warp": 1e-5, "shadow": 1e-5}, _ABSOLUTE),
        },
        run=spacecraft,
    ),
    Case(
        name="basilisk_mjscene",
        title="the two-arm MJCF in Basilisk's MJScene beside us, servos commanded, 5 minutes",
        frame="orbit-following; Basilisk absolute",
        forces="point mass on each body's COM",
        integrator="RK4, both",
        step="1/32 s",
        truth="Basilisk 2.12, live in this process, on the same MJCF",
        limits={
            "bus": Limit("m", {"reference": 2e-6, "warp": 1e-4, "shadow": 5e-5}, _SCENE),
            "attitude": Limit("rad", {"reference": 3e-5, "warp": 3e-4, "shadow": 2e-4}, _SCENE),
            "joint": Limit("rad", {"reference": 1e-7, "warp": 5e-6, "shadow": 1e-6}, _SCENE),
        },
        run=mjscene,
    ),
)
