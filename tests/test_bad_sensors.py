"""What is refused of sensors, in one sentence with the sensor's name."""

from typing import Any

import pytest

import mjorbit_warp as mjo
from tests.sensed import ORBIT, XML, sensed_spec


def refuse(message: str, **changes: Any) -> None:
    spec = sensed_spec() if "spec" not in changes else changes.pop("spec")
    with pytest.raises(ValueError, match=message):
        spec.add_sensor(**changes)


def test_bad_sensors_are_refused_in_one_sentence() -> None:
    refuse("sensor x: type is 'sonar': allowed are magnetometer, coarse_sun_sensor", name="x", type="sonar", site="imu")
    refuse("sensor x: there is no site 'nowhere': allowed are imu, rw, jet, tip", name="x", type="gyro", site="nowhere")
    refuse("sensor mag: there is a sensor 'mag' already", name="mag", type="gyro", site="imu")
    refuse("sensor x: noise is -1.0: it cannot be negative", name="x", type="gyro", site="imu", noise=-1.0)
    refuse("sensor x: there is no parameter 'nois'", name="x", type="gyro", site="imu", nois=1.0)
    refuse("sensor x: noise has 2 numbers: type gyro takes 1 or 3", name="x", type="gyro", site="imu", noise=(1.0, 2.0))
    refuse(
        r"sensor x: noise has 1 number: type gps takes 2 \(position, velocity\) or 6", name="x", type="gps", noise=1.0
    )
    refuse("sensor x: rate is -2 Hz: it cannot be negative", name="x", type="gyro", site="imu", rate=-2)
    refuse("sensor x: half_angle belongs to sun sensors", name="x", type="gyro", site="imu", half_angle=1.0)
    refuse("sensor x: frame is 'teme': allowed are eci, ecef", name="x", type="gps", site="imu", frame="teme")
    refuse("sensor x: type wheel_speed and wheel=<actuator> belong together", name="x", type="wheel_speed")
    refuse("sensor x: type star_tracker has no quantum", name="x", type="star_tracker", site="imu", quantum=1e-3)


def compile_with(xml_sensor: str, text: str, orbit: Any = ORBIT, **options: Any) -> None:
    xml = XML.replace("</sensor>", xml_sensor + "</sensor>")
    xml = xml.removesuffix("</mujoco>") + f"<custom><text name='mjo_sensor:x' data='{text}'/></custom></mujoco>"
    spec = mjo.MjoSpec.from_string(xml)
    spec.orbit, spec.options = orbit, mjo.OrbitOptions(**options)
    spec.compile()


USER = '<user name="x" dim="{}" objtype="site" objname="imu"/>'
NO_EPOCH = mjo.Orbit(r=ORBIT.r, v=ORBIT.v)


@pytest.mark.parametrize(
    ("sensor", "text", "orbit", "message"),
    [
        (USER.format(2), "type=nadir", ORBIT, "sensor x: dim is 2: type nadir has 3"),
        (
            USER.format(3),
            "type=magnetometer",
            ORBIT,
            "sensor x: type magnetometer needs a magnetic field",
        ),
        (USER.format(3), "type=fine_sun_sensor", NO_EPOCH, "sensor x: the Sun needs the orbit's epoch"),
        (USER.format(1), "type=altitude", None, "sensor x: type altitude needs an orbit: set spec.orbit"),
        (
            USER.format(1),
            "type=wheel_speed wheel=rw",
            ORBIT,
            "sensor x: 'rw' is not a reaction wheel",
        ),
        (USER.format(3), "type=gyro noise=-1", ORBIT, "sensor x: noise is .*: it cannot be negative"),
        (USER.format(3), "type=sonar", ORBIT, "sensor x: type is 'sonar': allowed are magnetometer"),
        (USER.format(3), "noise=1", ORBIT, "sensor x lacks type"),
        ('<user name="x" dim="3"/>', "type=gyro", ORBIT, "sensor x: type gyro needs a site"),
        (
            '<gyro name="x" site="imu"/>',
            "type=gyro",
            ORBIT,
            "sensor x is MuJoCo's own gyro",
        ),
        ("", "type=gyro", ORBIT, "<custom> mjo_sensor:x names no sensor: allowed are none in this model"),
        (
            USER.format(3).replace("/>", ' noise="1"/>'),
            "type=gyro noise=1",
            ORBIT,
            "sensor x: noise is given twice",
        ),
    ],
)
def test_bad_mjcf_is_refused_in_one_sentence(sensor: str, text: str, orbit: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compile_with(sensor, text, orbit)
