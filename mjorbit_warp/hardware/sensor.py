"""Spacecraft sensors: the parameters that MuJoCo's ``<user>`` sensor has no field for. SI units, angles in radians."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

# number of outputs by type; the order is that of the kernels
TYPES = {
    "magnetometer": 3,
    "coarse_sun_sensor": 1,
    "fine_sun_sensor": 3,
    "star_tracker": 4,
    "gyro": 3,
    "accelerometer": 3,
    "gps": 6,
    "nadir": 3,
    "altitude": 1,
    "wheel_speed": 1,
}
NEED_ORBIT = ("magnetometer", "coarse_sun_sensor", "fine_sun_sensor", "gps", "nadir", "altitude")
SUN_SENSORS = ("coarse_sun_sensor", "fine_sun_sensor")
FRAMES = ("eci", "ecef")


@dataclass(frozen=True)
class Sensor:
    """A sensor at a site, in the site's axes.

    | type | output |
    |---|---|
    | magnetometer | magnetic field [T] |
    | coarse_sun_sensor | cosine of the Sun's angle from the site's z axis, 0 behind, times the sunlit fraction |
    | fine_sun_sensor | unit vector to the Sun; 0 0 0 in the dark or out of view |
    | star_tracker | quaternion (w ≥ 0, x, y, z) that turns the site's axes into ECI |
    | gyro | angular velocity relative to ECI [rad/s] |
    | accelerometer | specific force [m/s²]: acceleration relative to ECI minus gravity, both at the site |
    | gps | position [m] and velocity [m/s] of the site, ECI or ECEF; in float64 in ``data.sensors[name]`` |
    | nadir | unit vector to the central body's centre |
    | altitude | height above the ellipsoid [m], evaluated in float64 |
    | wheel_speed | rotor speed relative to its body [rad/s] |

    Errors: output = quantised(truth + bias + random walk + noise). Each is one number for all components, or one per
    component; gps takes (position, velocity) or six. Those of a star tracker are rotations about the site's axes [rad],
    with z the boresight; those of unit vectors are added before the vector is made unit again.

    ``sensordata`` is float32: 0.5 m for a gps in low orbit, 8 m in a geostationary one.

    Attributes:
      type: one of the above
      noise: standard deviation of each sample
      bias: constant
      walk: random walk of the bias, standard deviation after 1 s [unit/√s]
      quantum: step that outputs are rounded to; 0 for none
      rate: samples per second, held in between; 0 samples at every step [Hz]
      half_angle: largest angle from the site's z axis that a sun sensor sees [rad]
      frame: axes of gps: eci or ecef, whose velocity is relative to the turning axes
      wheel: actuator of the reaction wheel whose speed is measured
    """

    type: str
    noise: tuple[float, ...] = (0.0,)
    bias: tuple[float, ...] = (0.0,)
    walk: tuple[float, ...] = (0.0,)
    quantum: tuple[float, ...] = (0.0,)
    rate: float = 0.0
    half_angle: float = math.pi
    frame: str = "eci"
    wheel: str = ""
    KIND: ClassVar[str] = "sensor"

    def __post_init__(self) -> None:
        if self.type not in TYPES:
            raise ValueError(f"type is {self.type!r}: allowed are {', '.join(TYPES)}")
        for name in ("noise", "bias", "walk", "quantum"):
            self._check_error(name)
        if not 0.0 <= self.rate < math.inf:
            raise ValueError(f"rate is {self.rate!r} Hz: it cannot be negative, 0 samples at every step")
        if not 0.0 < self.half_angle <= math.pi:
            raise ValueError(f"half_angle is {self.half_angle!r}: an angle in (0, π] rad is expected")
        if self.half_angle != math.pi and self.type not in SUN_SENSORS:
            raise ValueError(f"half_angle belongs to sun sensors, not to type {self.type}")
        if self.frame not in FRAMES:
            raise ValueError(f"frame is {self.frame!r}: allowed are {', '.join(FRAMES)}")
        if self.frame != "eci" and self.type != "gps":
            raise ValueError(f"frame belongs to type gps, not to type {self.type}")
        if bool(self.wheel) != (self.type == "wheel_speed"):
            raise ValueError("type wheel_speed and wheel=<actuator> belong together")

    def _check_error(self, name: str) -> None:
        value = getattr(self, name)
        numbers = tuple(float(x) for x in np.atleast_1d(np.asarray(value, dtype=np.float64)))
        object.__setattr__(self, name, numbers)
        if not all(math.isfinite(x) for x in numbers):
            raise ValueError(f"{name} is {value!r}: finite numbers are expected")
        if name != "bias" and any(x < 0.0 for x in numbers):
            raise ValueError(f"{name} is {value!r}: it cannot be negative")
        allowed = (2, 6) if self.type == "gps" else (1, self.error_size)
        if len(numbers) not in allowed and any(numbers):
            meaning = "2 (position, velocity) or 6" if self.type == "gps" else " or ".join(map(str, sorted({*allowed})))
            raise ValueError(
                f"{name} has {len(numbers)} number{'s' if len(numbers) > 1 else ''}: type {self.type} takes {meaning}"
            )
        if name == "quantum" and self.type == "star_tracker" and any(numbers):
            raise ValueError("type star_tracker has no quantum")

    @property
    def error_size(self) -> int:
        """Number of error components: three rotations for a star tracker, else one per output."""
        return 3 if self.type == "star_tracker" else TYPES[self.type]

    def errors(self, name: str) -> tuple[float, ...]:
        """Six numbers of an error, one per component, the rest 0."""
        numbers = getattr(self, name)
        size = self.error_size
        if len(numbers) == 1:
            numbers = numbers * size
        elif self.type == "gps" and len(numbers) == 2:
            numbers = (numbers[0],) * 3 + (numbers[1],) * 3
        return numbers + (0.0,) * (6 - size)
