"""The two-arm free-flyer with every effect and every kind of hardware, in worlds that use them."""

import functools
from typing import Any

import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.models import model_path
from mjorbit_warp.reference.ephemeris import sun_position
from tests.conftest import MU, RE

EPOCH = 830000000.0  # s past J2000 TT: April 2026
SURFACES = (
    ("bus", (0.4, 0.1, 0.0), (1.0, 0.2, 0.0), {"specular": 0.3, "diffuse": 0.2}),
    ("bus", (-0.4, 0.0, 0.1), (-1.0, 0.0, 0.3), {"specular": 0.1, "diffuse": 0.4}),
    ("bus", (0.0, 0.0, 0.4), (0.1, 0.0, 1.0), {"diffuse": 0.6}),
    ("bus", (0.1, 0.0, -0.4), (0.0, 0.2, -1.0), {"specular": 0.5}),
    ("L_upper", (0.0, 0.3, 0.1), (0.3, 0.0, 1.0), {"two_sided": True, "specular": 0.4}),
    ("L_fore", (0.05, 0.3, 0.0), (1.0, 0.1, 0.0), {"two_sided": True, "diffuse": 0.5}),
    ("R_upper", (0.0, -0.3, -0.1), (0.0, 0.3, 1.0), {"specular": 0.2, "diffuse": 0.2}),
    ("R_fore", (0.0, -0.2, 0.05), (0.0, 0.0, 1.0), {"sphere": True, "reflectivity": 1.3}),
)
THRUSTERS = (("bus", {}), ("bus", {"on_off": True, "min_pulse": 0.25}), ("R_fore", {}), ("L_upper", {"on_off": True}))


def add_everything(spec: mjo.MjoSpec) -> None:
    """8 surfaces, 4 wheels, 2 CMGs, 3 magnetorquers, a residual dipole and 4 thrusters, on the bus and the arms."""
    rng = np.random.default_rng(3)
    for i, (body, pos, normal, more) in enumerate(SURFACES):
        spec.add_surface(f"plate_{i}", body, pos, normal, area=0.3 + 0.1 * i, drag=2.0 + 0.1 * i, **more)
    for i, body in enumerate(("bus", "bus", "L_sh1", "bus")):
        spec.add_reaction_wheel(
            f"wheel_{i}",
            body,
            rng.normal(size=3),
            inertia=2e-4,
            max_momentum=0.05 if i < 3 else None,
            max_torque=0.02,
            coulomb=1e-3,
            viscous=2e-6,
            pos=rng.normal(size=3) * 0.1,
        )
    spec.add_cmg("gyro_0", "bus", (0.0, 0.6, 0.8), (1.0, 0.0, 0.0), momentum=0.3, max_rate=0.5, max_angle=1.0)
    spec.add_cmg("gyro_1", "R_sh1", (1.0, 0.0, 0.0), (0.0, 0.6, 0.8), momentum=0.02, max_rate=0.5)
    for i, body in enumerate(("bus", "L_fore", "bus")):
        spec.add_magnetorquer(f"rod_{i}", body, rng.normal(size=3), max_dipole=15.0)
    spec.add_residual_dipole("magnet", "R_upper", (0.3, -0.2, 0.5), pos=(0.0, 0.1, 0.0))
    for i, (body, more) in enumerate(THRUSTERS):
        spec.add_thruster(f"jet_{i}", body, rng.normal(size=3) * 0.3, rng.normal(size=3), max_force=0.5, **more)


def equipped_model(integrator: str, in_orbit: bool = True, **options: Any) -> mjo.MjoModel:
    """The model with all effects on; ``options`` change some."""
    spec = mjo.MjoSpec.from_file(model_path("two_arm"))
    add_everything(spec)
    spec.orbit = orbits(1)[0] if in_orbit else None
    everything: dict[str, Any] = {
        "zonal_degree": 6,
        "third_bodies": ("sun", "moon"),
        "atmosphere": mjo.Atmosphere.us76(),
        "wind": (40.0, -30.0, 5.0),
        "solar_pressure": True,
        "magnetic_field": mjo.MagneticField.igrf(degree=6),
    }
    spec.options = mjo.OrbitOptions(**(everything | options))
    spec.option.integrator = INTEGRATORS[integrator]
    return spec.compile()


@functools.cache
def orbits(nworld: int) -> list[mjo.Orbit]:
    """Low orbits that begin on the shadow's edge, in the penumbra and on both sides of it."""
    rng = np.random.default_rng(7)
    sun = sun_position(EPOCH, "earth")
    s = sun / np.linalg.norm(sun)
    out = []
    for _ in range(nworld):
        across = np.cross(s, rng.normal(size=3))
        across /= np.linalg.norm(across)
        behind = rng.uniform(1.5e6, 2.5e6)
        r = -behind * s + (RE + rng.uniform(-0.006, 0.006) * behind) * across
        along = np.cross(r, rng.normal(size=3))
        v = along / np.linalg.norm(along) * np.sqrt(MU / np.linalg.norm(r)) * rng.uniform(0.98, 1.02)
        out.append(mjo.Orbit(r=r, v=v, epoch=EPOCH))
    return out


def start(d: Any, seed: int = 0) -> None:
    """Random commands, some beyond their limits, and stored momenta and angles, some at their limits."""
    rng = np.random.default_rng(seed)
    hardware, n = d.model.hardware, d.nworld
    mj = d.model.mj
    ctrl = rng.uniform(-0.5, 0.5, (n, mj.nu))
    act = np.zeros((n, mj.na))
    for parts, scale in ((hardware.reaction_wheel, 0.04), (hardware.thruster, 0.7), (hardware.magnetorquer, 20.0)):
        ctrl[:, parts.ctrl] = scale * rng.uniform(-1.0, 1.0, (n, len(parts)))
    wheels, cmgs = hardware.reaction_wheel.act, hardware.cmg.act
    act[:, wheels] = np.clip(rng.normal(0.0, 0.05, (n, wheels.size)), -0.05, 0.05)
    act[:, cmgs] = rng.uniform(-1.5, 1.0, (n, cmgs.size))
    if isinstance(d, mjo.MjoData):
        d.ctrl.assign(ctrl)
        d.act.assign(act)
    else:
        d.ctrl[:], d.act[:] = ctrl, act
