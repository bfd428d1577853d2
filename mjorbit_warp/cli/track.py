"""What the demo keeps of a run."""

import dataclasses
import math
from typing import Any

import mujoco_warp as mjw
import numpy as np

from mjorbit_warp import frames
from mjorbit_warp.absolute import absolute_state
from mjorbit_warp.data import MjoData
from mjorbit_warp.model import MjoModel


@dataclasses.dataclass
class Motion:
    """Whole systems of n worlds at one time.

    Attributes:
      time: [s].
      pos_of, vel_of: centre of mass in the orbit-following frame [m], [m/s]   (n, 3)
      pos, vel: the same in LVLH                                               (n, 3)
      axes: LVLH ← OF                                                          (n, 3, 3)
      h: magnitude of the angular momentum about the centre of mass [N·m·s]    (n,)
    """

    time: float
    pos_of: Any
    vel_of: Any
    pos: Any
    vel: Any
    axes: Any
    h: Any


def observe(model: MjoModel, data: MjoData) -> Motion:
    """Refresh kinematics and read every world's whole system (body 1 and what it carries)."""
    absolute_state(model, data)
    mjw.subtree_vel(model.mjw, data.mjw)
    r, v = data.orbit.r.numpy(), data.orbit.v.numpy()
    com = data.subtree_com.numpy()[:, 1].astype(np.float64)
    velocity = data.subtree_linvel.numpy()[:, 1].astype(np.float64)
    pos, vel = frames.lvlh_from_of(r, v, com, velocity)
    h = np.linalg.norm(data.subtree_angmom.numpy()[:, 1].astype(np.float64), axis=1)
    return Motion(float(data.time.numpy()[0]), com, velocity, pos, vel, frames.lvlh_axes(r, v), h)


def clohessy_wiltshire(pos: Any, vel: Any, n: float, t: float) -> Any:
    """Relative position [m] in LVLH after t [s] on a circular orbit of mean motion n [rad/s].

    W. H. Clohessy and R. S. Wiltshire, "Terminal guidance system for satellite rendezvous", 1960.
    """
    (x, y, z), (vx, vy, vz) = pos.T, vel.T
    s, c = math.sin(n * t), math.cos(n * t)
    return np.stack(
        [
            (4.0 - 3.0 * c) * x + s / n * vx + 2.0 / n * (1.0 - c) * vy,
            6.0 * (s - n * t) * x + y - 2.0 / n * (1.0 - c) * vx + (4.0 * s - 3.0 * n * t) / n * vy,
            c * z + s / n * vz,
        ],
        axis=-1,
    )


class Track:
    """History of the first ``nplotted`` worlds.

    Attributes:
      motion: one Motion per record.
      attitude: quaternions of the bus        (records, n, 4)
      joints, commands: of world 0 [rad]      (records, nu)
    """

    def __init__(self, nplotted: int) -> None:
        self.nplotted = nplotted
        self.motion: list[Motion] = []
        self.attitude: list[Any] = []
        self.joints: list[Any] = []
        self.commands: list[Any] = []

    def record(self, data: MjoData, motion: Motion) -> None:
        """Keep what is plotted."""
        keep = {f.name: getattr(motion, f.name) for f in dataclasses.fields(motion)}
        self.motion.append(Motion(**{k: v if k == "time" else v[: self.nplotted] for k, v in keep.items()}))
        qpos = data.qpos.numpy()  # on the CPU a view of the live array: copies are kept
        self.attitude.append(qpos[: self.nplotted, 3:7].astype(np.float64))
        self.joints.append(qpos[0, 7:].copy())
        self.commands.append(data.ctrl.numpy()[0].copy())
