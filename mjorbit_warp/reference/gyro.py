"""Gyroscopic torque of stored momentum in the form that single-stage integrators can take."""

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _vector

F64 = NDArray[np.float64]


def midpoint_rate(omega: F64, h: F64, inertia: F64, dt: F64) -> F64:
    """Rate halfway through a step of I ω̇ = h×ω (…, 3) [rad/s], ``h`` and I held (design section 9).

    ω_m = ω + (dt/2) I⁻¹ (h×ω_m): linear in ω_m, as h×ω_m = [h]× ω_m.
    """
    skew = np.swapaxes(_vector.cross(h[..., None, :], np.eye(3)), -1, -2)  # columns h×e_k
    matrix = np.eye(3) - 0.5 * dt[..., None, None] * np.linalg.solve(inertia, skew)
    return np.asarray(np.linalg.solve(matrix, omega[..., None])[..., 0], dtype=np.float64)
