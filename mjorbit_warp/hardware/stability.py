"""Whether explicit integration can carry the momentum that is stored in a body."""

import mujoco
import numpy as np

from mjorbit_warp.hardware.compiled import Hardware


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


def check_gyroscopic(mj: mujoco.MjModel, hardware: Hardware) -> None:
    """Refuse RK4 where a wheel or CMG turns its body's axis by more than a radian per step: dt |h| > I_min.

    The nutation of a body with momentum h has a rate up to |h|/I; RK4 is stable up to 2.8 rad and right well below 1.
    """
    if mj.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4 or not hardware.any("reaction_wheel", "cmg"):
        return
    data = mujoco.MjData(mj)
    mujoco.mj_kinematics(mj, data)
    mujoco.mj_comPos(mj, data)
    for kind in ("reaction_wheel", "cmg"):
        parts = getattr(hardware, kind)
        for name, part, body in zip(parts.names, parts.parts, parts.body, strict=True):
            largest = part.momentum if kind == "cmg" else part.inertia * part.max_speed
            least = float(np.linalg.eigvalsh(subtree_inertia(mj, data, int(body)))[0])
            if np.isfinite(largest) and mj.opt.timestep * largest > least:
                raise ValueError(
                    f"{kind.replace('_', ' ')} {name} can store {largest:g} N·m·s on {least:g} kg·m², too much for "
                    f"RK4 at a step of {mj.opt.timestep:g} s: use a step below {least / largest:.2g} s, or implicitfast"
                )
