"""Cases with wheels, thrusters, torque rods and sunlight against reference trajectories, on both backends.

Steps are binary fractions, so that float32 holds them and all clocks agree. Commands change at samples of the truth.
"""

import dataclasses
import math
import pathlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp import reference as mjo_ref

DATA = pathlib.Path(__file__).parent.parent / "tests" / "data"
BODY = """
<mujoco><option timestep="{}" integrator="RK4" gravity="0 0 0"/><worldbody><body name="hub"><freejoint/>
<inertial pos="0 0 0" mass="100" fullinertia="{}"/></body></worldbody></mujoco>
"""
NOTHING = np.zeros(0)


@dataclasses.dataclass
class Scene:
    """One rigid body and what is known of it.

    Attributes:
      spec: the model.
      t: times of the samples [s]                                           (N,)
      q, omega: attitude and body rate                                      (N, 4), (N, 3)
      r, v: position and velocity, absolute if there is an orbit            (N, 3)
      act0: stored momenta at the start                                     (na,)
      command: ctrl from a time on
      speed: of the wheels [rad/s] from act and omega                       -> (nwheel,)
      speeds: true ones                                                     (N, nwheel)
    """

    spec: mjo.MjoSpec
    t: np.ndarray
    q: np.ndarray
    omega: np.ndarray
    r: np.ndarray
    v: np.ndarray
    act0: np.ndarray = dataclasses.field(default_factory=lambda: NOTHING)
    command: Callable[[float], Any] = lambda t: NOTHING
    speed: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda act, omega: NOTHING
    speeds: np.ndarray | None = None


def body_spec(inertia: np.ndarray, timestep: float) -> mjo.MjoSpec:
    """A free rigid body of 100 kg."""
    tensor = np.diag(inertia) if inertia.ndim == 1 else inertia
    i, j = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
    return mjo.MjoSpec.from_string(BODY.format(timestep, " ".join(repr(float(x)) for x in tensor[i, j])))


def exact(truth: Any) -> dict[str, np.ndarray]:
    """The trajectory of a truth file."""
    return {name: truth[f"exact_{name}"] for name in ("q", "omega", "r", "v")} | {"t": truth["t"]}


def wheels_scene(timestep: float, friction: bool) -> Scene:
    """Four wheels at up to 100 rad/s under stepwise motor torques, no gravity."""
    truth = np.load(DATA / "reaction_wheels.npz")
    check, gs, js = truth["fric_check" if friction else "check"], truth["gs"], truth["js"]
    spec = body_spec(truth["inertia"], timestep)
    more = {"coulomb": float(truth["f_coulomb"]), "viscous": float(truth["c_viscous"])} if friction else {}
    for k in range(4):
        spec.add_reaction_wheel(f"wheel_{k}", "hub", gs[k], inertia=js[k], inertia_includes_rotor=True, **more)
    q, omega, speeds = np.split(check, [4, 7], axis=1)
    at_rest = np.zeros((len(q), 3))
    return Scene(
        spec=spec,
        t=truth["t"],
        q=q,
        omega=omega,
        r=at_rest,
        v=at_rest,
        act0=js * (speeds[0] + gs @ omega[0]),
        command=lambda t: truth["u"][np.searchsorted(truth["seg"][:, 1], t, side="right")],
        speed=lambda act, rate: act / js - gs @ rate,
        speeds=speeds,
    )


def thruster_scene(timestep: float) -> Scene:
    """Two thrusters off the COM, on from 1 s for 3 s and 1.5 s, no gravity."""
    truth = np.load(DATA / "thruster.npz")
    spec = body_spec(truth["inertia"], timestep)
    for k in range(2):
        force = float(truth["fmax"][k])
        spec.add_thruster(f"jet_{k}", "hub", truth["loc"][k], truth["dir"][k], max_force=force, on_off=bool(k))
    return Scene(spec=spec, **exact(truth), command=lambda t: truth["fmax"] * ((t >= 1.0) & (t < 1.0 + truth["on"])))


def orbit_spec(truth: Any, timestep: float, **options: Any) -> mjo.MjoSpec:
    """A body in a two-body orbit, without gravity gradient."""
    spec = body_spec(truth["inertia"], timestep)
    spec.orbit = mjo.Orbit.from_state(truth["exact_r"][0], truth["exact_v"][0], frame="GCRS")
    spec.options = mjo.OrbitOptions(j2=False, gravity_gradient=False, **options)
    return spec


def rod_scene(timestep: float) -> Scene:
    """Three torque rods, one saturated, in a centred dipole field with inertial axes."""
    truth = np.load(DATA / "magnetic_torque_rod.npz")
    field = mjo.MagneticField.dipole(*truth["g10_g11_h11"], radius=float(truth["dipole_radius"]))
    spec = orbit_spec(truth, timestep, orientation="inertial", magnetic_field=field)
    for k in range(3):
        spec.add_magnetorquer(f"rod_{k}", "hub", truth["rod_axes"][k], max_dipole=float(truth["dipole_max"][k]))
    return Scene(spec=spec, **exact(truth), command=lambda t: truth["dipole_cmd"])


def srp_scene(timestep: float) -> Scene:
    """Eight plates in sunlight, one orbit with two passages of the penumbra."""
    truth = np.load(DATA / "srp_eclipse.npz")
    spec = orbit_spec(
        truth,
        timestep,
        solar_pressure=True,
        solar_flux=1368.0,
        sun=truth["sun_position"],
        sun_radius=float(truth["sun_radius"]),
        eclipse_radius=float(truth["earth_radius"]),
    )
    for k in range(8):
        spec.add_surface(
            f"plate_{k}",
            "hub",
            truth["facet_loc"][k],
            truth["facet_n"][k],
            area=float(truth["facet_area"][k]),
            drag=0.0,
            specular=float(truth["facet_ks"][k]),
            diffuse=float(truth["facet_kd"][k]),
        )
    return Scene(spec=spec, **exact(truth))


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Angle of the rotation between two attitudes [rad]."""
    q = _quat.mul(_quat.conj(a), b)
    return float(2.0 * np.arctan2(np.linalg.norm(q[1:]), abs(q[0])))


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
        errors = {"attitude_rad": angle(qpos[3:], s.q[i + 1]), "rate_rad_s": _length(qvel[3:] - s.omega[i + 1])}
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
