"""noise= on sensors where nothing reads it."""

import mujoco
import numpy as np

from mjorbit_warp.advice.record import Advice, Subject, listed, name_of


def sensor_advice(s: Subject) -> list[Advice]:
    """Noise is drawn for MuJoCo's own sensors and for spacecraft sensors; not for other <user> sensors."""
    mj = s.mj
    noisy = [int(i) for i in np.flatnonzero(mj.sensor_noise > 0.0)]
    if not noisy or s.has_flag("sensor"):  # the flag has advice of its own
        return []
    known = s.sensors or ()
    user = [i for i in noisy if mj.sensor_type[i] == mujoco.mjtSensor.mjSENS_USER and mj.sensor(i).name not in known]
    if not user or s.sensors is None:
        return []
    return [
        Advice(
            "warning",
            "noise-unused",
            listed("sensor", [name_of(mj.sensor(i), "sensor", i) for i in user]),
            "noise= is without effect on a <user> sensor that nothing here fills",
            "make it a spacecraft sensor (spec.add_sensor, or mjo_sensor:<name> in <custom>), or add the noise where "
            "you fill it",
        )
    ]
