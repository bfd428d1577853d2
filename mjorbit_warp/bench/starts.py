"""Starts and commands of a scene's worlds; a world is the same for every contender and however many there are."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.bench.scenes import Scene

F64 = NDArray[np.float64]
_SPREAD = 0.3  # half the range of where a world's spacecraft start [m]


def starts(mj: mujoco.MjModel, scene: Scene, nworld: int, seed: int = 1) -> tuple[F64, F64, F64]:
    """``qpos`` (nworld, nq), ``qvel`` (nworld, nv) and ``ctrl`` (nworld, nu) at the start.

    All free trees of a world move by the same offset, so that what touches goes on touching.
    """
    qpos = np.tile(mj.qpos0, (nworld, 1))
    for name, values in scene.qpos.items():
        address = int(mj.joint(name).qposadr[0])
        qpos[:, address : address + len(values)] = values
    qvel, ctrl = np.empty((nworld, mj.nv)), np.empty((nworld, mj.nu))
    low, high = command_range(mj, scene)
    free = mj.jnt_qposadr[mj.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)]
    offset = np.stack([_column(seed, "place", k, nworld, _SPREAD) for k in range(3)], axis=1)
    for address in free:
        qpos[:, address : address + 3] += offset
    for address in mj.jnt_qposadr[mj.jnt_type == int(mujoco.mjtJoint.mjJNT_HINGE)]:
        qpos[:, address] += _column(seed, "bend", int(address), nworld, scene.bend)
    for k in range(mj.nv):
        qvel[:, k] = _column(seed, "speed", k, nworld, scene.speed)
    for k in range(mj.nu):  # parts that only "everything" has come last: the others are told the same
        ctrl[:, k] = 0.5 * (low[k] + high[k]) + _column(seed, "ctrl", k, nworld, 0.5 * (high[k] - low[k]))
    return qpos, qvel, ctrl


def _column(seed: int, what: str, k: int, nworld: int, half: float) -> F64:
    """Uniform numbers in ±half, one per world; the first worlds' do not depend on how many there are."""
    return np.random.default_rng([seed, *what.encode(), k]).uniform(-half, half, nworld)


def command_range(mj: mujoco.MjModel, scene: Scene) -> tuple[F64, F64]:
    """Lowest and highest command of each actuator; parts that the scene does not name use a tenth of their range."""
    low, high = np.zeros(mj.nu), np.zeros(mj.nu)
    for i in range(mj.nactuator):
        name, u = mj.actuator(i).name, int(mj.actuator_ctrladr[i])
        if name in scene.ctrl:
            low[u], high[u] = scene.ctrl[name]
        elif name.startswith(("wheel_", "rod_", "jet_")):
            low[u], high[u] = 0.1 * mj.actuator_ctrlrange[u]
        elif "*" in scene.ctrl:
            low[u], high[u] = scene.ctrl["*"]
    return low, high
