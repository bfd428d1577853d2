"""A satellite with an arm, a wheel, a thruster and one sensor of each type, tilted and off the COM."""

from typing import Any

import numpy as np
from astropy.time import Time

import mjorbit_warp as mjo

EPOCH = Time("2025-06-01T03:00:00", scale="utc")
ORBIT = mjo.Orbit.circular(
    altitude=500e3, inclination=1.1, raan=0.3, argument_of_latitude=np.radians(100.0), epoch=EPOCH
)
DIPOLE = (-29404.8e-9, -1450.9e-9, 4652.5e-9)
THRUST_AT, THRUST_ALONG = (0.1, -0.05, 0.2), np.array([0.6, 0.0, 0.8])
XML = """<mujoco><option gravity="0 0 0" integrator="RK4" timestep="0.05"/><worldbody>
<body name="bus"><freejoint/>
 <inertial pos="0.1 -0.05 0.2" mass="20" fullinertia="2 3 2.5 0.1 -0.05 0.02"/>
 <site name="imu" pos="0.3 0.2 -0.1" quat="0.8 0.2 -0.4 0.3"/>
 <body name="arm" pos="0.5 0 0"><joint name="hinge" axis="0 1 0" stiffness="0.5" springref="30"/>
  <inertial pos="0.4 0.1 0" mass="3" diaginertia="0.1 0.2 0.2"/>
  <site name="tip" pos="0.8 0.1 0" euler="20 30 40"/></body>
</body></worldbody>
<sensor><gyro name="native_gyro" site="imu" noise="0.01"/><framequat name="native_quat" objtype="site" objname="imu"
 noise="0.001"/><accelerometer name="native_acc" site="imu"/></sensor></mujoco>"""
SENSORS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "mag": ("magnetometer", "imu", {"noise": 1e-8, "bias": (1e-8, 2e-8, 3e-8)}),
    "css": ("coarse_sun_sensor", "imu", {"noise": 1e-3}),
    "narrow": ("coarse_sun_sensor", "tip", {"half_angle": 0.9}),
    "fss": ("fine_sun_sensor", "tip", {"noise": 1e-3}),
    "st": ("star_tracker", "tip", {"noise": (1e-4, 1e-4, 1e-3), "rate": 4.0}),
    "gyro": ("gyro", "tip", {"noise": 1e-3, "walk": 1e-4}),
    "acc": ("accelerometer", "tip", {"noise": 1e-5, "quantum": 1e-6}),
    "gps": ("gps", "tip", {"noise": (5.0, 0.1), "rate": 1.0}),
    "gps_ecef": ("gps", "imu", {"frame": "ecef", "noise": (1.0, 1.0, 2.0, 0.1, 0.1, 0.2)}),
    "nadir": ("nadir", "imu", {"noise": 1e-3}),
    "alt": ("altitude", "imu", {"bias": 100.0}),
    "speed": ("wheel_speed", "", {"wheel": "rw", "noise": 0.1}),
}


def sensed_spec(**options: Any) -> mjo.MjoSpec:
    spec = mjo.MjoSpec.from_string(XML)
    spec.orbit = ORBIT
    spec.options = mjo.OrbitOptions(magnetic_field=mjo.MagneticField.dipole(*DIPOLE), **options)
    spec.add_reaction_wheel("rw", "bus", (0.6, 0.0, 0.8), inertia=0.02, max_torque=0.1)
    spec.add_thruster("jet", "bus", THRUST_AT, THRUST_ALONG, max_force=2.0)
    for name, (kind, site, params) in SENSORS.items():
        spec.add_sensor(name, kind, site, **params)
    return spec


def begin(d: Any, seed: int = 0) -> None:
    """Random state, the wheel turning, the jet firing; the same on both backends."""
    rng = np.random.default_rng(seed)
    n = d.nworld
    qpos = np.tile(d.model.mj.qpos0, (n, 1))
    qpos[:, :3] = rng.uniform(-3.0, 3.0, (n, 3))
    quat = rng.normal(size=(n, 4))
    qpos[:, 3:7] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    qpos[:, 7] = rng.uniform(-0.6, 0.6, n)
    qvel = rng.uniform(-0.1, 0.1, (n, 7))
    act, ctrl = np.full((n, 1), 0.2), np.tile([0.05, 1.5], (n, 1))
    for name, values in (("qpos", qpos), ("qvel", qvel), ("act", act), ("ctrl", ctrl)):
        target = getattr(d, name)
        if isinstance(d, mjo.MjoData):
            target.assign(values)
        else:
            target[:] = values
