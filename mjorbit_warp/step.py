"""One coupled step, one evaluation, and the loads inside them."""

from typing import TYPE_CHECKING

import mujoco_warp as mjw
import warp as wp

from mjorbit_warp.kernels.clock import _stage_time
from mjorbit_warp.kernels.project import _project
from mjorbit_warp.kernels.propagate import _advance_clock, _refresh, propagate_kernel
from mjorbit_warp.kernels.wrench import wrench_kernel
from mjorbit_warp.momentum import momentum_correct, momentum_stage
from mjorbit_warp.shadow import check_shadow, shadow_advance, shadow_stage
from mjorbit_warp.worlds import check_owner

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

_BOTH_PASSIVE = int(mjw.DisableBit.SPRING | mjw.DisableBit.DAMPER)


def _evaluation(m: "MjoModel"):
    """The function that MJWarp's passive callback runs in every dynamics evaluation."""

    def evaluate(mjw_model: mjw.Model, mjw_data: mjw.Data) -> None:
        d = m.data_of(mjw_data)
        stage = 0
        if d._stage is not None:
            stage = d._stage
            d._stage += 1
        if stage > 3:
            raise RuntimeError("MJWarp evaluated the dynamics more than 4 times in a step: is the sleep flag on?")
        if m.callback.has_control() and not mjw_model.opt.disableflags & mjw.DisableBit.ACTUATION:
            wp.launch(_stage_time, dim=d.nworld, inputs=[mjw_model.opt.timestep, d.time, stage], outputs=[d.stage_time])
            m.callback.run_control(mjw_model, mjw_data)
        if d.shadow is not None and d._stage is not None:
            shadow_stage(d, stage)
        if d.orbit is not None:
            add_orbit_forces(m, d, stage)

    return evaluate


def _end_of_passive(m: "MjoModel"):
    """The function that runs after the user's passive hooks, when every external force but the actuators' is known."""

    def finish(mjw_model: mjw.Model, mjw_data: mjw.Data) -> None:
        d = m.data_of(mjw_data)
        if d.shadow is not None and d._stage is not None:
            momentum_stage(m, d, d._stage - 1)

    return finish


def add_orbit_forces(m: "MjoModel", d: "MjoData", stage: int) -> None:
    """Two launches: body wrenches at RK4 stage ``stage``, then their projection, added to ``qfrc_passive``."""
    mm, dd = m.mjw, d.mjw
    wp.launch(
        wrench_kernel(m.options.j2, m.options.gravity_gradient),
        dim=(d.nworld, mm.nbody),
        inputs=[mm.opt.timestep, mm.body_mass, mm.body_inertia, m.central.struct, dd.xipos, dd.ximat, stage],
        outputs=[d.orbit.state, d.wrench],
    )
    wp.launch(
        _project,
        dim=(d.nworld, mm.nv),
        inputs=[mm.body_rootid, mm.body_subtreenum, mm.dof_bodyid, dd.xipos, dd.subtree_com, dd.cdof, d.wrench],
        outputs=[d.qfrc_orbit, dd.qfrc_passive],
    )


def _propagate(m: "MjoModel", d: "MjoData", coupled: bool) -> None:
    dd, timestep = d.mjw, m.mjw.opt.timestep
    if d.orbit is None:
        wp.launch(
            _advance_clock,
            dim=d.nworld,
            inputs=[timestep, dd.qpos, dd.qvel, dd.overflow],
            outputs=[d._clock, dd.time, d.status],
        )
        return
    wp.launch(
        propagate_kernel(m.options.j2, coupled),
        dim=d.nworld,
        inputs=[timestep, m.central.struct, dd.qpos, dd.qvel, dd.xipos, dd.overflow],
        outputs=[d.orbit.state, d._clock, dd.time, d.orbit.lvlh, d.status],
    )


def check_pair(m: "MjoModel", d: "MjoData") -> None:
    """The data belongs to the model, and our callbacks are in place (installed here if not)."""
    check_owner(m, d)
    if m._evaluate is None:
        m._evaluate = _evaluation(m), _end_of_passive(m)
    m.callback.install(*m._evaluate)


def mjo_step(m: "MjoModel", d: "MjoData") -> None:
    """Advance every world by one step: multibody and reference orbit together.

    With the RK4 integrator every stage sees the orbit of its own time, so the whole system converges at fourth order.
    With a single-stage integrator forces are those at t_n and the orbit makes an RK4 step over the interval. Afterwards
    ``qpos``, ``qvel``, ``orbit`` and ``time`` are at t_(n+1); ``xipos`` and the like belong to the last evaluation, as
    in MuJoCo (absolute_state and mjo_forward refresh them). After a hook that raised, the state is that of an RK4
    stage: restore one.
    """
    check_pair(m, d)
    coupled = m.mjw.opt.integrator == mjw.IntegratorType.RK4
    if d.shadow is not None:
        check_shadow(m.mj, coupled)
    if m.mjw.opt.disableflags & _BOTH_PASSIVE == _BOTH_PASSIVE:
        raise ValueError("the flags spring and damper are both disabled, so MJWarp would skip the orbit: enable one")
    with wp.ScopedDevice(d.device):
        if m.mjw.neq:
            refresh_velocities(m, d)
        d._stage = 0
        try:
            mjw.step(m.mjw, d.mjw)
            evaluations = d._stage
        finally:
            d._stage = None
        if evaluations != (4 if coupled else 1):
            raise RuntimeError(
                f"MJWarp evaluated the dynamics {evaluations} times in a step instead of {4 if coupled else 1}: "
                "is the flag sleep enabled?"
            )
        if d.shadow is not None:
            shadow_advance(m, d)
            momentum_correct(m, d)
        _propagate(m, d, coupled)


def refresh_velocities(m: "MjoModel", d: "MjoData") -> None:
    """Positions, and ``cvel``, at the current state.

    MJWarp's weld and connect rows read ``cvel`` of the evaluation before: without this a step would depend on who
    looked at the data since, and a world that was NaN would stay so after a reset.
    """
    mjw.kinematics(m.mjw, d.mjw)
    mjw.com_pos(m.mjw, d.mjw)
    mjw.com_vel(m.mjw, d.mjw)


def mjo_forward(m: "MjoModel", d: "MjoData") -> None:
    """Evaluate the dynamics at the current state without advancing: positions, forces, sensors, ``qacc``."""
    check_pair(m, d)
    with wp.ScopedDevice(d.device):
        if d.orbit is not None:
            wp.launch(_refresh, dim=d.nworld, inputs=[d.orbit.state], outputs=[d._clock, d.orbit.lvlh])
        if m.mjw.neq:
            refresh_velocities(m, d)
        mjw.forward(m.mjw, d.mjw)
