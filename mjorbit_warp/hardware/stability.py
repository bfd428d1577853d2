"""Whether explicit integration can carry the momentum that is stored in a body."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.hardware.compiled import Hardware

F64 = NDArray[np.float64]


def subtree_inertia(mj: mujoco.MjModel, data: mujoco.MjData, body: int) -> np.ndarray:
    """Inertia of a body's subtree about its own COM, world axes [kg·m²]; ``data`` after mj_kinematics and mj_comPos."""
    com = data.subtree_com[body]
    total = np.zeros((3, 3))
    for b in range(mj.nbody):
        parent = b
        while parent > body:
            parent = int(mj.body_parentid[parent])
        if parent != body:
            continue
        axes = data.ximat[b].reshape(3, 3)
        d = data.xipos[b] - com
        total += axes @ np.diag(mj.body_inertia[b]) @ axes.T + mj.body_mass[b] * (d @ d * np.eye(3) - np.outer(d, d))
    return total


def largest_momentum(axes: F64, limits: F64, gimbals: F64, rotors: F64) -> float:
    """Largest |Σh| [N·m·s] of wheels about ``axes`` (n, 3) within ±``limits``, and of CMGs about ``gimbals``.

    It is the maximum of the envelope's support function over 2000 directions u, 0.1 % below the true one at most:
    Σ h |a·u| + Σ h0 √(1 − (g·u)²).
    """
    k = np.arange(2000) + 0.5
    z, turn = 1.0 - k / 1000.0, k * np.pi * (3.0 - np.sqrt(5.0))
    u = np.stack([np.sqrt(1.0 - z * z) * np.cos(turn), np.sqrt(1.0 - z * z) * np.sin(turn), z], axis=1)
    u = np.concatenate([u, axes])  # exact for one wheel
    wheels = np.abs(u @ axes.T) @ limits
    cmgs = np.sqrt(np.maximum(0.0, 1.0 - (u @ gimbals.T) ** 2)) @ rotors
    return float((wheels + cmgs).max())


def check_gyroscopic(mj: mujoco.MjModel, hardware: Hardware) -> None:
    """Refuse RK4 where wheels and CMGs turn their body's axes by more than a radian per step: dt |h| > I_min.

    The nutation of a body with momentum h has a rate up to |h|/I; RK4 is stable up to 2.8 rad and right well below 1.
    Wheels without a largest speed are not counted.
    """
    if mj.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4 or not hardware.any("reaction_wheel", "cmg"):
        return
    data = mujoco.MjData(mj)
    mujoco.mj_kinematics(mj, data)
    mujoco.mj_comPos(mj, data)
    wheels, cmgs = hardware.reaction_wheel, hardware.cmg
    limits = np.array([part.inertia * part.max_speed for part in wheels.parts])
    rotors = cmgs.values("momentum")
    for body in np.unique(np.concatenate([wheels.body, cmgs.body])):
        w, c = (wheels.body == body) & np.isfinite(limits), cmgs.body == body
        axes = [np.einsum("nij,nj->ni", data.site_xmat[p.site].reshape(-1, 3, 3), p.axis) for p in (wheels, cmgs)]
        largest = largest_momentum(axes[0][w], limits[w], axes[1][c], rotors[c])
        least = float(np.linalg.eigvalsh(subtree_inertia(mj, data, int(body)))[0])
        if mj.opt.timestep * largest > least:
            names = [*np.array(wheels.names)[w], *np.array(cmgs.names)[c]]
            raise ValueError(
                f"{', '.join(names)} can store {largest:.4g} N·m·s on {least:g} kg·m², too much for RK4 at a step of "
                f"{mj.opt.timestep:g} s: use a step below {least / largest:.2g} s, or implicitfast"
            )
