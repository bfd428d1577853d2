"""Single-gimbal control moment gyros: a rotor of constant momentum that turns about the gimbal axis."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _quat, _vector

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


def spin_direction(gimbal: F64, spin_axis: F64, angle: F64) -> F64:
    """Direction of the rotor (…, 3): ``spin_axis`` turned by ``angle`` (…) [rad] about ``gimbal``, by a quaternion."""
    half = 0.5 * angle[..., None]
    return _quat.rotate(np.concatenate([np.cos(half), np.sin(half) * gimbal], axis=-1), spin_axis)


def cmg_loads(d: "MjoData", stage: int) -> tuple[F64, F64]:
    """Torque by the gimbals' motion [N·m] and momentum [N·m·s] (nworld, nbody, 3), world axes.

    The momentum h0 s turns with the gimbal: torque −h0 δ̇ g×s. Rates are bounded so that the angle ends the step within
    its limits; bounds are set at the step's start (stage 0, −1).
    """
    state, parts = d.hardware, d.hardware.cmgs
    angle = d.act[:, parts.act]
    if stage <= 0:
        limits = np.stack([d.cmg_min_angle - angle, d.cmg_max_angle - angle], axis=-1) / d.timestep[:, None, None]
        state.gimbal_bounds[..., 0] = np.minimum(limits[..., 0], 0.0)
        state.gimbal_bounds[..., 1] = np.maximum(limits[..., 1], 0.0)
    low, high = state.gimbal_bounds[..., 0], state.gimbal_bounds[..., 1]
    state.gimbal_rate[:] = np.minimum(np.maximum(parts.command(d), low), high)
    spin_axes = np.array([part.spin_axis for part in parts.parts])
    gimbal = np.broadcast_to(parts.axis, (*angle.shape, 3))
    h = d.cmg_momentum[..., None] * parts.turned(d, spin_direction(gimbal, spin_axes, angle))
    turning = _vector.cross(parts.turned(d, parts.axis) * state.gimbal_rate[..., None], h)
    return parts.on_bodies(-turning), parts.on_bodies(h)
