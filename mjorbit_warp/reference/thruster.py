"""Thrusters: force along the site's axis, proportional or on-off."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _vector
from mjorbit_warp.reference.propellant import limit_and_count

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]
Number = F64 | float


def on_off_thrust(u: F64, largest: F64, min_pulse: Number, now: Number, until: F64, dt: Number) -> tuple[F64, F64]:
    """Mean force over the step [N], and time up to which the pulse lasts [s], both (…), of an on-off thruster.

    On where at least half of the largest force is commanded; a pulse that starts lasts ``min_pulse`` at least, and what
    is left of it after the command is spread over the step.
    """
    on = (2.0 * u >= largest) & (largest > 0.0)
    starts = on & (until <= now)
    share = np.where(on, 1.0, np.clip((until - now) / dt, 0.0, 1.0))
    return largest * share, np.where(starts, np.add(now, min_pulse), until)


def thruster_loads(d: "MjoData", stage: int) -> tuple[F64, F64]:
    """(force [N], torque about the COM [N·m]) on each body (nworld, nbody, 3), world axes.

    An on-off thruster decides at the step's start (stage 0) and keeps its force; outside a step (−1) it shows what it
    would do.
    """
    state, parts = d.hardware, d.hardware.thrusters
    thrust = np.maximum(parts.command(d), 0.0)
    on_off = parts.flags("on_off")
    if on_off.any():
        mean = state.thrust
        if stage <= 0:
            largest = np.broadcast_to(d.parameter("actuator_ctrlrange")[:, parts.ctrl, 1], thrust.shape)
            now, dt = d.time[:, None], d.timestep[:, None]
            mean, until = on_off_thrust(thrust, largest, d.thruster_min_pulse, now, state.fire_until, dt)
            if stage == 0:
                state.fire_until[:] = np.where(on_off, until, state.fire_until)
        thrust = np.where(on_off, mean, thrust)
    thrust = limit_and_count(d, thrust, stage)
    state.thrust[:] = thrust
    force = parts.turned(d, parts.axis) * thrust[..., None]
    return parts.on_bodies(force), parts.on_bodies(_vector.cross(parts.arm(d), force))
