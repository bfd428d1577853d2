"""One coupled step and one evaluation of the reference backend."""

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from mjorbit_warp.callbacks import NAMES
from mjorbit_warp.reference.orbit import STAGES, advance_orbit, orbit_stage
from mjorbit_warp.reference.rk4 import check_rk4, rk4_step
from mjorbit_warp.reference.wrench import project, wrench
from mjorbit_warp.status import Status
from mjorbit_warp.worlds import check_owner

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.reference.data import MjoData

_POS = mujoco.mjtStage.mjSTAGE_POS.value


def _loads(d: "MjoData", stage: int) -> None:
    """Control hook, then the orbit's loads at the rows' state, written with the user's into the rows."""
    m = d.model
    d.stage_time[:] = d.time + STAGES[stage] * d.timestep
    if m.callback.control and not d.batch.model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ACTUATION):
        m.callback.control(m, d)
    if d.orbit is not None:
        d.batch.forward(stage=_POS)
        d.wrench[:] = wrench(d, orbit_stage(d, stage))
        d.qfrc_orbit[:] = project(d, d.wrench)
    d.batch.bind("qfrc_applied")[:] = d.qfrc_applied + d.qfrc_orbit


def _evaluate(d: "MjoData", stage: int) -> None:
    """A whole dynamics evaluation: ``qacc`` and ``act_dot`` at the rows' state."""
    _loads(d, stage)
    d.batch.forward()


def _check(m: "MjoModel", d: "MjoData") -> None:
    check_owner(m, d)
    for name in NAMES:
        if name != "control" and getattr(m.callback, name) is not None:
            raise NotImplementedError(
                f"the reference backend has no {name} callback: it calls control alone, forces go to data.qfrc_applied"
            )


def mjo_step(m: "MjoModel", d: "MjoData") -> None:
    """Advance every world by one step, as mjorbit_warp.mjo_step."""
    _check(m, d)
    if d.batch.model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        check_rk4(d.batch.model)
        rk4_step(d, _evaluate)
    else:
        _loads(d, 0)
        if d.orbit is not None:
            for stage in range(1, 4):  # the orbit makes an RK4 step of its own over the interval
                orbit_stage(d, stage)
        d.batch.step()
    if d.orbit is not None:
        advance_orbit(d)
    d.clock.tick(d.timestep)
    d.batch.bind("time")[:] = d.time
    _update_status(d)


def _update_status(d: "MjoData") -> None:
    finite = np.isfinite(d.qpos).all(axis=1) & np.isfinite(d.qvel).all(axis=1)
    if d.orbit is not None:
        distance = np.linalg.norm(d.orbit.r, axis=-1)
        finite &= np.isfinite(distance) & np.isfinite(d.orbit.v).all(axis=1)
        d.status[distance < d.central_radius] |= Status.BELOW_SURFACE
        far = np.linalg.norm(d.xipos[:, 1:], axis=-1).max(axis=1, initial=0.0) > 0.1 * distance
        d.status[far] |= Status.TOO_FAR
    d.status[~finite] |= Status.NONFINITE


def mjo_forward(m: "MjoModel", d: "MjoData") -> None:
    """Evaluate the dynamics at the current state without advancing, as mjorbit_warp.mjo_forward."""
    from mjorbit_warp.frames import lvlh_axes

    _check(m, d)
    if d.orbit is not None:
        d.orbit.lvlh[:] = lvlh_axes(d.orbit.r, d.orbit.v)
    _evaluate(d, 0)
