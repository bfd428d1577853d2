"""Commands that MuJoCo C would quietly take as zero."""

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

_ACTUATION = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
_CLAMP = int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)


def _bad_commands(d: "MjoData") -> NDArray[np.bool_] | None:
    """Worlds with a command that is NaN or beyond mjMAXVAL after clamping; None without one.

    MuJoCo C sets all commands of such a world to 0 (mj_fwdActuation); MJWarp's become NaN, as they should here.
    """
    ctrl = d.ctrl
    if not ctrl.size or np.abs(ctrl).max() <= mujoco.mjMAXVAL:
        return None
    mj = d.batch.model
    values = np.array(ctrl)
    if not mj.opt.disableflags & _CLAMP:
        limited = mj.actuator_ctrllimited.astype(bool)
        low, high = np.moveaxis(d.parameter("actuator_ctrlrange")[:, limited], -1, 0)
        values[:, limited] = np.clip(values[:, limited], low, high)
    bad: NDArray[np.bool_] = ~(np.abs(values) <= mujoco.mjMAXVAL).all(axis=1)
    return bad if bad.any() else None


def note_commands(d: "MjoData") -> None:
    """In an evaluation of a step, after the control hook."""
    if d.batch.model.opt.disableflags & _ACTUATION:
        return
    bad = _bad_commands(d)
    if bad is not None:
        d.bad_commands = bad if d.bad_commands is None else d.bad_commands | bad


def lose_bad_commands(d: "MjoData") -> None:
    """At the end of a step: where it had a bad command the velocity is NaN, so that the world is named and frozen."""
    if d.bad_commands is not None:
        d.qvel[d.bad_commands] = np.nan
        d.bad_commands = None
