"""Fresh sensors without stepping."""

from typing import TYPE_CHECKING, Any

import warp as wp

from mjorbit_warp.loads import effects_now, environment_stage
from mjorbit_warp.orbit_data import refresh_orbit
from mjorbit_warp.sensors import fill_sensors
from mjorbit_warp.step import check_pair, mjo_forward, refresh_velocities

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


def mjo_sense(m: "MjoModel", d: "MjoData") -> Any:
    """Sensors at the current state, without stepping: after a step ``sensordata`` still belongs to the step's start.

    Spacecraft sensors but accelerometers need positions and velocities only; where there is an accelerometer, a sensor
    of MuJoCo's own or a sensor hook, this is a whole mjo_forward. The state does not change, that of the noise neither:
    the outputs are those that the next step would give from here, noise included, however often this is called.

    Returns:
      ``data.sensordata`` (nworld, nsensordata).
    """
    check_pair(m, d)
    sensors = m.sensors
    only_ours = len(sensors.parts) == m.mj.nsensor and "accelerometer" not in sensors.types
    if not only_ours or m.callback.sensor is not None or m.callback.is_foreign("sensor"):
        mjo_forward(m, d)
        return d.mjw.sensordata
    with wp.ScopedDevice(d.device):
        refresh_orbit(d)
        refresh_velocities(m, d)
        environment_stage(m, d, effects_now(m), -1)
        fill_sensors(m, d, advance=False)
    return d.mjw.sensordata
