"""Scenes of the benchmarks."""

import mujoco
import numpy as np
from astropy.time import Time

import mjorbit_warp as mjo
from mjorbit_warp.models import model_path

INTEGRATORS = {"RK4": mujoco.mjtIntegrator.mjINT_RK4, "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST}
EPOCH = Time("2026-04-01T00:00:00", scale="utc")
FACES = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=float)


def two_arm_spec(integrator: str) -> mjo.MjoSpec:
    """The two-arm free-flyer in a 51.6° orbit of 400 km, J2 and gravity gradient on."""
    spec = mjo.MjoSpec.from_file(model_path("two_arm"))
    spec.orbit = mjo.Orbit.circular(altitude=400e3, inclination=np.radians(51.6), epoch=EPOCH)
    spec.option.integrator = INTEGRATORS[integrator]
    return spec


def add_sensors(spec: mjo.MjoSpec, body: str = "bus") -> None:
    """One of each spacecraft sensor at a site."""
    spec.mj.body(body).add_site(name="imu", pos=[0.1, -0.05, 0.2], quat=[0.8, 0.2, -0.4, 0.4])
    spec.add_sensor("magnetometer", "magnetometer", "imu", noise=1e-8)
    spec.add_sensor("coarse", "coarse_sun_sensor", "imu", noise=1e-3)
    spec.add_sensor("fine", "fine_sun_sensor", "imu", noise=1e-4)
    spec.add_sensor("tracker", "star_tracker", "imu", noise=1e-5)
    spec.add_sensor("gyro", "gyro", "imu", noise=1e-5, walk=1e-7)
    spec.add_sensor("accelerometer", "accelerometer", "imu", noise=1e-5)
    spec.add_sensor("gps", "gps", "imu", noise=(5.0, 0.05), rate=1.0)
    spec.add_sensor("tachometer", "wheel_speed", wheel="wheel_0", quantum=0.1)


def add_hardware(spec: mjo.MjoSpec, body: str = "bus", half: float = 0.4) -> None:
    """8 surfaces (six faces of a cube and two wings), 4 wheels, 3 magnetorquers, 8 thrusters on one body."""
    for k, face in enumerate(FACES):
        size = (2.0 * half, 2.0 * half)
        spec.add_surface(f"face_{k}", body, half * face, face, size=size, specular=0.2, diffuse=0.3)
    for k, side in enumerate((-1.0, 1.0)):
        pos = (side * 1.2, 0.0, half)
        spec.add_surface(f"wing_{k}", body, pos, (0, 0, 1), size=(1.6, 0.6), specular=0.1, diffuse=0.1, two_sided=True)
    for k in range(4):
        azimuth = np.pi / 2.0 * k
        axis = [np.cos(azimuth), np.sin(azimuth), 1.0]
        spec.add_reaction_wheel(
            f"wheel_{k}", body, axis, max_momentum=2.0, max_speed=600.0, max_torque=0.1, coulomb=1e-3, viscous=1e-6
        )
    for k in range(3):
        spec.add_magnetorquer(f"rod_{k}", body, np.eye(3)[k], max_dipole=20.0)
    for k in range(8):
        corner = np.array([k & 1, k >> 1 & 1, k >> 2 & 1]) * 2.0 - 1.0
        spec.add_thruster(f"jet_{k}", body, half * corner, -corner * [1.0, 1.0, 0.0], max_force=1.0)


def full_options() -> mjo.OrbitOptions:
    """Drag, sunlight with a conical shadow, IGRF to degree 6."""
    return mjo.OrbitOptions(
        atmosphere=mjo.Atmosphere.us76(), solar_pressure=True, magnetic_field=mjo.MagneticField.igrf(degree=6)
    )
