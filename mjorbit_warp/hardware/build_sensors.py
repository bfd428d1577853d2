"""Adding spacecraft sensors to a spec: a native ``<user>`` sensor, and one text for what MJCF has no field for."""

from typing import Any

import mujoco

from mjorbit_warp.hardware.sensor import TYPES, Sensor
from mjorbit_warp.hardware.text import encode, part_name


class SensorsBuilder:
    """The ``add_sensor`` method of MjoSpec."""

    mj: mujoco.MjSpec

    def add_sensor(self, name: Any = None, type: Any = None, site: str = "", **params: Any) -> Any:
        """A spacecraft sensor, e.g. ``spec.add_sensor("mag", "magnetometer", "imu", noise=1e-8)``.

        A ``type`` of MuJoCo's own (``mjtSensor``) is handed on to ``mujoco.MjSpec.add_sensor``.

        Args:
          name: of the sensor; ``data.sensor(name)`` is its output.
          type: see hardware.Sensor.
          site: whose position and axes the sensor has; none for wheel_speed.
          params: fields of hardware.Sensor: noise, bias, walk, quantum, rate, half_angle, frame, wheel; numbers or
            sequences of them.

        Returns:
          The ``mujoco.MjsSensor``.

        Raises:
          ValueError: a parameter is wrong, in one sentence with the sensor's name.
        """
        if not isinstance(type, str):
            more = {key: value for key, value in (("name", name), ("type", type)) if value is not None}
            return self.mj.add_sensor(**more, **params)
        where = f"sensor {name}"
        try:
            sensor = Sensor(type, **params)
        except (ValueError, TypeError) as error:
            unknown = str(error).partition("unexpected keyword argument ")[2]
            raise ValueError(f"{where}: {f'there is no parameter {unknown}' if unknown else error}") from None
        if any(s.name == name for s in self.mj.sensors):
            raise ValueError(f"{where}: there is a sensor {name!r} already: give it another name")
        target: dict[str, Any] = {}
        if type != "wheel_speed":
            if self.mj.site(site) is None:
                known = ", ".join(s.name for s in self.mj.sites if s.name) or "none in this model"
                raise ValueError(f"{where}: there is no site {site!r}: allowed are {known}")
            target = {"objtype": mujoco.mjtObj.mjOBJ_SITE, "objname": site}
        elif site:
            raise ValueError(f"{where}: type wheel_speed has no site: give wheel=<actuator> alone")
        made = self.mj.add_sensor(
            name=name,
            type=mujoco.mjtSensor.mjSENS_USER,
            dim=TYPES[type],
            needstage=mujoco.mjtStage.mjSTAGE_ACC,
            datatype=mujoco.mjtDataType.mjDATATYPE_REAL,
            **target,
        )
        self.mj.add_text(name=part_name(Sensor.KIND, name), data=encode(sensor))
        return made
