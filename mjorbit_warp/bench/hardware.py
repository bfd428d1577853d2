"""What a scene of the benchmark carries beside gravity: loads, hardware and sensors on one body."""

import numpy as np

from mjorbit_warp.atmosphere import Atmosphere
from mjorbit_warp.magnetic_field import MagneticField
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.spec import MjoSpec

FACES = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=float)


def full_options() -> OrbitOptions:
    """Drag, sunlight with a conical shadow, IGRF to degree 6."""
    return OrbitOptions(atmosphere=Atmosphere.us76(), solar_pressure=True, magnetic_field=MagneticField.igrf(degree=6))


def add_hardware(spec: MjoSpec, body: str, half: float, surfaces: int = 8) -> None:
    """Surfaces, 4 wheels, 3 magnetorquers and 8 thrusters on one body.

    Args:
      body: carries all of it.
      half: half the edge of the cube whose faces are surfaces [m].
      surfaces: how many there are; past the six faces they are two-sided wings.
    """
    for k in range(surfaces):
        _add_surface(spec, body, half, k)
    for k in range(4):
        azimuth = np.pi / 2.0 * k
        axis = [np.cos(azimuth), np.sin(azimuth), 1.0]
        spec.add_reaction_wheel(
            f"wheel_{k}", body, axis, max_momentum=0.5, max_speed=600.0, max_torque=0.02, coulomb=1e-3, viscous=1e-6
        )
    for k in range(3):
        spec.add_magnetorquer(f"rod_{k}", body, np.eye(3)[k], max_dipole=20.0)
    for k in range(8):
        corner = np.array([k & 1, k >> 1 & 1, k >> 2 & 1]) * 2.0 - 1.0
        spec.add_thruster(f"jet_{k}", body, half * corner, -corner * [1.0, 1.0, 0.0], max_force=0.2)


def _add_surface(spec: MjoSpec, body: str, half: float, k: int) -> None:
    if k < 6:
        size = (2.0 * half, 2.0 * half)
        spec.add_surface(f"face_{k}", body, half * FACES[k], FACES[k], size=size, specular=0.2, diffuse=0.3)
        return
    row, side = divmod(k - 6, 2)
    pos = ((2 * side - 1) * 3.0 * half, 0.4 * row, half)
    spec.add_surface(f"wing_{k}", body, pos, (0, 0, 1), size=(1.6, 0.3), specular=0.1, diffuse=0.1, two_sided=True)


def add_sensors(spec: MjoSpec, body: str) -> None:
    """One of each spacecraft sensor, noisy, at a site of a body; the tachometer is that of a wheel of add_hardware."""
    spec.mj.body(body).add_site(name="bench_imu", pos=[0.1, -0.05, 0.2], quat=[0.8, 0.2, -0.4, 0.4])
    spec.add_sensor("magnetometer", "magnetometer", "bench_imu", noise=1e-8)
    spec.add_sensor("coarse", "coarse_sun_sensor", "bench_imu", noise=1e-3)
    spec.add_sensor("fine", "fine_sun_sensor", "bench_imu", noise=1e-4)
    spec.add_sensor("tracker", "star_tracker", "bench_imu", noise=1e-5)
    spec.add_sensor("gyro", "gyro", "bench_imu", noise=1e-5, walk=1e-7)
    spec.add_sensor("accelerometer", "accelerometer", "bench_imu", noise=1e-5)
    spec.add_sensor("gps", "gps", "bench_imu", noise=(5.0, 0.05), rate=1.0)
    spec.add_sensor("tachometer", "wheel_speed", wheel="wheel_0", quantum=0.1)
