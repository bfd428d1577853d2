"""An orbit as MuJoCo C's passive force, as the paper describes it: the reference held over a step, or at each stage."""

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from mjorbit_warp.reference.gravity import encke_difference
from mjorbit_warp.validation.kepler import kepler


class PassiveOrbit:
    """Gravity relative to a Kepler orbit, on each body's COM, in MuJoCo's passive callback.

    Args:
      r0, v0: the reference orbit at time 0 [m, m/s].
      mu: [m³/s²]
      frozen: use the reference of the step's start at all stages of RK4; else that of the stage's own time.
      command: joint commands at a time [s], asked for at each stage.
    """

    def __init__(self, r0: Any, v0: Any, mu: float, frozen: bool, command: Callable[[float], np.ndarray]) -> None:
        self.r0, self.v0, self.mu, self.frozen, self.command = r0, v0, mu, frozen, command
        self._known: dict[float, np.ndarray] = {}
        self._begin = 0.0

    def reference(self, t: float) -> np.ndarray:
        """Position of the reference orbit at ``t`` [m]; RK4 asks for the middle of a step twice."""
        if t not in self._known:
            if len(self._known) > 8:
                self._known.clear()
            self._known[t] = np.asarray(kepler(self.r0, self.v0, t, self.mu)[0], dtype=np.float64)
        return self._known[t]

    def _passive(self, m: mujoco.MjModel, d: mujoco.MjData) -> None:
        r_c = self.reference(self._begin if self.frozen else d.time)
        force = m.body_mass[1:, None] * encke_difference(r_c[None], d.xipos[1:], self.mu)
        jacobian = np.empty((3, m.nv))
        for body in range(1, m.nbody):
            mujoco.mj_jacBodyCom(m, d, jacobian, None, body)
            d.qfrc_passive += force[body - 1] @ jacobian

    def _control(self, m: mujoco.MjModel, d: mujoco.MjData) -> None:
        d.ctrl[:] = self.command(d.time)

    def steps(self, m: mujoco.MjModel, d: mujoco.MjData, count: int) -> None:
        """Advance; MuJoCo's callbacks are global, and are put back."""
        before = mujoco.get_mjcb_passive(), mujoco.get_mjcb_control()
        mujoco.set_mjcb_passive(self._passive)
        mujoco.set_mjcb_control(self._control)
        try:
            for _ in range(count):
                self._begin = d.time
                mujoco.mj_step(m, d)
        finally:
            mujoco.set_mjcb_passive(before[0])
            mujoco.set_mjcb_control(before[1])
