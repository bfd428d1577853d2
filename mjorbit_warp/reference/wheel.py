"""Reaction wheels: motor torque with friction and limits; momentum is absolute."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]
Number = F64 | float


def wheel_friction(
    speed: F64, coulomb: Number, viscous: Number, stiction_speed: Number, inertia: Number, dt: Number
) -> F64:
    """Friction torque on the rotor (…) [N·m]: a viscous coefficient c + C/|Ω|, the latter held below a speed.

    The speed is the larger of ``stiction_speed`` and what the Coulomb torque takes from the rotor in a step ``dt``.
    """
    slowest = np.maximum(stiction_speed, np.asarray(dt) * coulomb / inertia)
    return -(viscous + coulomb / np.maximum(np.abs(speed), slowest)) * speed


def wheel_bounds(speed: F64, max_speed: Number, inertia: Number, dt: Number) -> F64:
    """Lowest and highest rotor torque (…, 2) [N·m] that reach ±``max_speed`` in a step from ``speed``, 0 beyond it."""
    room = np.maximum(0.0, np.stack([max_speed + speed, max_speed - speed], axis=-1))
    return room * np.array([-1.0, 1.0]) * (np.asarray(inertia) / dt)[..., None]


def wheel_loads(d: "MjoData", omega: F64, stage: int) -> tuple[F64, F64, F64]:
    """Motor torque [N·m] and momentum [N·m·s] (nworld, nbody, 3), axial inertia tensors [kg·m²] (nworld, nbody, 3, 3).

    World axes, ``omega`` of all bodies. Keeps the rotor torques, and at the step's start (stage 0, −1) their bounds.
    """
    state, parts = d.hardware, d.hardware.wheels
    dt = d.timestep[:, None]
    axis = parts.turned(d, parts.axis)
    h = d.act[:, parts.act]
    inertia = d.wheel_inertia
    speed = h / inertia - np.sum(axis * omega[:, parts.body], axis=-1)
    if stage <= 0:
        state.wheel_bounds[:] = wheel_bounds(speed, d.wheel_max_speed, inertia, dt)
    friction = wheel_friction(speed, d.wheel_coulomb, d.wheel_viscous, d.wheel_stiction_speed, inertia, dt)
    low, high = state.wheel_bounds[..., 0], state.wheel_bounds[..., 1]
    state.wheel_torque[:] = np.minimum(np.maximum(parts.command(d) + friction, low), high)
    tensors = np.einsum("wn,wni,wnj->wnij", np.broadcast_to(inertia, h.shape), axis, axis)
    carried = parts.on_bodies(tensors.reshape(*h.shape, 9)).reshape(d.nworld, -1, 3, 3)
    return parts.on_bodies(-state.wheel_torque[..., None] * axis), parts.on_bodies(h[..., None] * axis), carried


def wheel_saturated(d: "MjoData") -> NDArray[np.bool_]:
    """Whether a wheel of a world began the step within 1e-6 of its largest speed (nworld,)."""
    least = 1e-6 * d.wheel_inertia * d.wheel_max_speed / d.timestep[:, None]
    return (np.abs(d.hardware.wheel_bounds) < least[..., None]).any(axis=(1, 2))
