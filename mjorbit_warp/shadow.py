"""Precision "shadow": what it needs, and its launches."""

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import warp as wp

from mjorbit_warp.kernels.shadow import Shadow, _shadow_advance, _shadow_reset, _shadow_stage

if TYPE_CHECKING:
    import mujoco_warp as mjw

    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

PRECISIONS = ("single", "shadow", "conserving")
_LINEAR_ACT = [int(mujoco.mjtDyn.mjDYN_NONE), int(mujoco.mjtDyn.mjDYN_INTEGRATOR), int(mujoco.mjtDyn.mjDYN_FILTER)]


def check_shadow(mj: mujoco.MjModel, rk4: bool, precision: str = "shadow") -> None:
    """Refuse, in one sentence, a model whose step the shadow cannot repeat."""
    if not rk4:
        raise ValueError(
            f'precision "{precision}" needs the RK4 integrator, as the error of a single-stage one is not rounding: '
            'set integrator="RK4" in <option>, or precision="single"'
        )
    if not np.isin(mj.actuator_dyntype, _LINEAR_ACT).all():
        raise ValueError(f'precision "{precision}" integrates actuator dyntypes none, integrator and filter only')


def make_shadow(d: "mjw.Data", nv: int) -> Any:
    """The float64 copy of a fresh MJWarp Data."""
    shadow: Any = Shadow()
    shadow.qpos = wp.array(d.qpos.numpy(), dtype=wp.float64)
    shadow.qvel = wp.array(d.qvel.numpy(), dtype=wp.float64)
    shadow.act = wp.zeros(d.act.shape, dtype=wp.float64)
    shadow.stage_qacc = wp.zeros((3, d.nworld, nv), dtype=float)
    return shadow


def shadow_stage(d: "MjoData", stage: int) -> None:
    """One launch in an evaluation: adopt what the user wrote, or keep the acceleration of the stage before."""
    dd = d.mjw
    wp.launch(
        _shadow_stage,
        dim=(d.nworld, max(dd.qpos.shape[1], dd.act.shape[1])),
        inputs=[dd.qpos, dd.qvel, dd.act, dd.qacc, stage],
        outputs=[d.shadow],
    )


def shadow_advance(m: "MjoModel", d: "MjoData") -> None:
    """One launch after a step: the same step in float64, rounded into MJWarp's arrays."""
    mm, dd = m.mjw, d.mjw
    wp.launch(
        _shadow_advance,
        dim=(d.nworld, mm.njnt),
        inputs=[mm.opt.timestep, mm.jnt_type, mm.jnt_qposadr, mm.jnt_dofadr, dd.qacc_warmstart, dd.act_dot],
        outputs=[d.shadow, dd.qpos, dd.qvel, dd.act],
    )


def shadow_reset(d: "MjoData", mask: wp.array) -> None:
    """Masked worlds: the shadow is what MJWarp's arrays hold."""
    dd = d.mjw
    wp.launch(_shadow_reset, dim=d.nworld, inputs=[mask, dd.qpos, dd.qvel, dd.act], outputs=[d.shadow])
