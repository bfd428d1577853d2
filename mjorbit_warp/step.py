"""One coupled step, one evaluation, and the loads inside them."""

from typing import TYPE_CHECKING

import mujoco_warp as mjw
import warp as wp

from mjorbit_warp.conserving import conserving_correct, conserving_stage
from mjorbit_warp.hardware.propellant import burn
from mjorbit_warp.kernels.clock import _stage_time
from mjorbit_warp.latch_data import own_eq_data
from mjorbit_warp.loads import add_loads, propagate, write_act_dot
from mjorbit_warp.momentum import momentum_correct, momentum_stage
from mjorbit_warp.orbit_data import refresh_orbit
from mjorbit_warp.origin import recenter
from mjorbit_warp.sensors import ACC, fill_sensors
from mjorbit_warp.shadow import check_shadow, shadow_advance, shadow_stage
from mjorbit_warp.status_arrays import hold
from mjorbit_warp.worlds import check_warp

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
        add_loads(m, d, -1 if d._stage is None else stage)

    return evaluate


def _end_of_passive(m: "MjoModel"):
    """The function that runs after the user's passive hooks, when every external force but the actuators' is known."""

    def finish(mjw_model: mjw.Model, mjw_data: mjw.Data) -> None:
        d = m.data_of(mjw_data)
        if d._stage is None:
            return
        if d.conserving is not None:
            conserving_stage(m, d, d._stage - 1)
        elif d.shadow is not None:
            momentum_stage(m, d, d._stage - 1)

    return finish


def _act_dyn(m: "MjoModel"):
    """The function that sets the rates of our activations, before a user's act_dyn hook."""

    def act_dyn(mjw_model: mjw.Model, mjw_data: mjw.Data) -> None:
        write_act_dot(m, m.data_of(mjw_data))

    return act_dyn


def _sensor(m: "MjoModel"):
    """The function that fills our sensors once all of MuJoCo's are, before a user's sensor hook."""

    def sensor(mjw_model: mjw.Model, mjw_data: mjw.Data, stage: int) -> None:
        if int(stage) == ACC:
            d = m.data_of(mjw_data)
            fill_sensors(m, d, advance=d._stage is not None)

    return sensor


def check_pair(m: "MjoModel", d: "MjoData") -> None:
    """The data belongs to the model, and our callbacks are in place (installed here if not)."""
    check_warp(m, d)
    if m._evaluate is None:
        before = {"passive": _evaluation(m)}
        if m.hardware.any("reaction_wheel", "cmg"):
            before["act_dyn"] = _act_dyn(m)
        if len(m.sensors):
            before["sensor"] = _sensor(m)
        m._evaluate = before, {"passive": _end_of_passive(m)}
    m.callback.install(*m._evaluate)


def mjo_step(m: "MjoModel", d: "MjoData") -> None:
    """Advance every world by one step: multibody and reference orbit together.

    With the RK4 integrator every stage sees the orbit of its own time, so the whole system converges at fourth order.
    With a single-stage integrator forces are those at t_n and the orbit makes an RK4 step over the interval. Afterwards
    ``qpos``, ``qvel``, ``orbit`` and ``time`` are at t_(n+1); ``xipos`` and the like belong to the last evaluation, as
    in MuJoCo (absolute_state and mjo_forward refresh them). After a hook that raised, the state is that of an RK4
    stage: restore one. A world that is not finite keeps ``qpos``, ``qvel``, ``act``, orbit and clock from then on.
    """
    check_pair(m, d)
    coupled = m.mjw.opt.integrator == mjw.IntegratorType.RK4
    if d.shadow is not None:
        check_shadow(m.mj, coupled, d.precision)
    if m.mjw.opt.disableflags & _BOTH_PASSIVE == _BOTH_PASSIVE:
        raise ValueError("the flags spring and damper are both disabled, so MJWarp would skip the orbit: enable one")
    with wp.ScopedDevice(d.device):
        hold(d)
        if d.ring is not None:
            d.ring.push(d)
        if m.mjw.neq:
            refresh_velocities(m, d)
        d._stage = 0
        try:
            with own_eq_data(m, d):
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
        if d.conserving is not None:
            conserving_correct(m, d)
        elif d.shadow is not None:
            momentum_correct(m, d)
        burn(m, d)
        propagate(m, d, coupled)
        if d.recenter is not None:
            recenter(m, d, None, d.recenter)


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
        refresh_orbit(d)
        if m.mjw.neq:
            refresh_velocities(m, d)
        with own_eq_data(m, d):
            mjw.forward(m.mjw, d.mjw)
