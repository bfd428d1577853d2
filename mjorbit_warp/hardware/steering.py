"""A steering law for clusters of single-gimbal CMGs, as an example: gimbal rates for a torque."""

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel

F64 = NDArray[np.float64]
# phases of the off-diagonal terms, so that no direction is left out at any time
_PHASES = np.array([0.0, 0.5 * np.pi, np.pi])


def cmg_axes(model: "MjoModel") -> tuple[F64, F64, F64]:
    """(gimbal axes, spin axes at angle 0, momenta [N·m·s]) of the CMGs, (n, 3), (n, 3), (n,), in their bodies' axes."""
    cmg, mj = model.hardware.cmg, model.mj
    spin = np.array([part.spin_axis for part in cmg.parts], dtype=np.float64).reshape(-1, 3)
    gimbal = np.empty_like(spin)
    turned = np.empty_like(spin)
    for i, site in enumerate(cmg.site):
        mujoco.mju_rotVecQuat(gimbal[i], cmg.axis[i], mj.site_quat[site])
        mujoco.mju_rotVecQuat(turned[i], spin[i], mj.site_quat[site])
    return gimbal, turned, cmg.values("momentum")


def cmg_momentum(angles: ArrayLike, gimbal: F64, spin: F64, momentum: F64) -> F64:
    """Σ h0 s(δ) [N·m·s] (…, 3), s(δ) = cos δ s0 + sin δ (g×s0), of gimbal angles (…, n) [rad]."""
    delta = np.asarray(angles, dtype=np.float64)[..., None]
    return np.sum(momentum[:, None] * (np.cos(delta) * spin + np.sin(delta) * np.cross(gimbal, spin)), axis=-2)


def cmg_steering(
    angles: ArrayLike,
    torque: ArrayLike,
    gimbal: F64,
    spin: F64,
    momentum: F64,
    *,
    time: ArrayLike = 0.0,
    robustness: float = 0.01,
    sharpness: float = 10.0,
    dither: float = 0.1,
) -> F64:
    """Gimbal rates [rad/s] (…, n) that give ``torque`` [N·m] (…, 3) on the body, where that is possible.

    The torque of the gimbals is −A δ̇ with columns A_i = h0 g×s. The singularity-robust inverse
    δ̇ = −Aᵀ (A Aᵀ + λ E)⁻¹ τ has λ = robustness · exp(−sharpness · det A Aᵀ), both for momenta of 1, and E = 1 with
    off-diagonal terms dither · sin(time/2 + φ) that lead out of internal singularities: B. Wie, D. Bailey and
    C. Heiberg, "Singularity Robust Steering Logic for Redundant Single-Gimbal Control Moment Gyros", J. Guidance 24
    (2001) 865. Near a singularity the torque is not exact.
    """
    delta = np.asarray(angles, dtype=np.float64)[..., None]
    wanted = np.asarray(torque, dtype=np.float64)
    scale = float(np.mean(momentum))
    spin_rate = -np.sin(delta) * spin + np.cos(delta) * np.cross(gimbal, spin)
    a = np.swapaxes(spin_rate * (momentum[:, None] / scale), -1, -2)
    gram = a @ np.swapaxes(a, -1, -2)
    weight = robustness * np.exp(-sharpness * np.linalg.det(gram))
    off = dither * np.sin(0.5 * np.asarray(time, dtype=np.float64)[..., None] + _PHASES)
    e = np.broadcast_to(np.eye(3), gram.shape).copy()
    for k, (i, j) in enumerate(((1, 2), (0, 2), (0, 1))):
        e[..., i, j] = e[..., j, i] = off[..., k]
    solved = np.linalg.solve(gram + weight[..., None, None] * e, wanted[..., None] / scale)
    return -(np.swapaxes(a, -1, -2) @ solved)[..., 0]
