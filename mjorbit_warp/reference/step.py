"""One coupled step and one evaluation of the reference backend."""

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from mjorbit_warp.callbacks import NAMES
from mjorbit_warp.reference.commands import lose_bad_commands, note_commands
from mjorbit_warp.reference.environment import environment_stage
from mjorbit_warp.reference.orbit import STAGES, advance_orbit, orbit_stage
from mjorbit_warp.reference.poses import Poses, mujoco_poses
from mjorbit_warp.reference.propellant import burn
from mjorbit_warp.reference.rk4 import check_rk4, rk4_step
from mjorbit_warp.reference.sensors import fill_sensors
from mjorbit_warp.reference.status import Frozen, update_status
from mjorbit_warp.reference.wrench import feedback_acceleration, project, wrench
from mjorbit_warp.worlds import check_reference

if TYPE_CHECKING:
    from mjorbit_warp.effects import Effects
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.reference.data import MjoData

_POS = mujoco.mjtStage.mjSTAGE_POS.value
_ACTUATION = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
_NO_ORBIT = np.zeros((1, 3))


def _loads(d: "MjoData", effects: "Effects", stage: int) -> None:
    """Control hook, then all loads at the rows' state, written with the user's into the rows.

    ``stage`` of RK4, 0 of a single-stage integrator, −1 outside a step.
    """
    m = d.model
    d.stage_time[:] = d.time + STAGES[max(stage, 0)] * d.timestep
    if m.callback.control and not d.batch.model.opt.disableflags & _ACTUATION:
        m.callback.control(m, d)
    if stage == 0 or (stage > 0 and m.callback.control):
        note_commands(d)
    if effects.orbit or effects.devices or effects.thrusters:
        poses = _poses(d, effects)
        r = v = _NO_ORBIT
        if effects.orbit:
            if stage != 2:  # at the time of stage 1
                environment_stage(d, effects, d.clock.epoch + d.stage_time)
            r, v = orbit_stage(d, effects, max(stage, 0))
        d.wrench[:] = loads = wrench(d, effects, r, v, stage, poses)
        if effects.feedback:
            _follow(d, loads, max(stage, 0))
        d.qfrc_orbit[:] = project(d, poses, loads)
    d.batch.bind("qfrc_applied")[:] = d.qfrc_applied + d.qfrc_orbit


def _poses(d: "MjoData", effects: "Effects") -> Poses:
    """Where the bodies are now: by MuJoCo if parts read its fields too, else by our kinematics, in less time."""
    if d.kinematics is not None:
        return d.kinematics(d, bool(effects.gravity_gradient))
    d.batch.forward(stage=_POS)
    return mujoco_poses(d)


def _follow(d: "MjoData", loads: np.ndarray, stage: int) -> None:
    """The origin accelerates by a_fb, and −m a_fb is added to the loads (design equations 9 and 11)."""
    a_fb = feedback_acceleration(d)
    d.orbit.feedback[:] = a_fb
    d.orbit.stage_a[stage] += a_fb
    loads[..., :3] -= d.parameter("body_mass")[..., None] * a_fb[:, None]


def _evaluate(d: "MjoData", effects: "Effects", stage: int) -> None:
    """A whole dynamics evaluation: ``qacc`` and ``act_dot`` at the rows' state."""
    _loads(d, effects, stage)
    d.batch.forward()
    if d.hardware.momentum_act.size:
        _act_rates(d, effects)
    if stage <= 0:
        fill_sensors(d, effects, stage == 0, d.qvel, d.act)


def _act_rates(d: "MjoData", effects: "Effects") -> None:
    """Activations of wheels and CMGs advance by what the bodies have felt."""
    d.act_dot[:] = d.batch.bind("act_dot")
    if effects.devices:
        d.act_dot[:, d.hardware.momentum_act] = d.hardware.act_rates()


def _check(m: "MjoModel", d: "MjoData") -> None:
    check_reference(m, d)
    for name in NAMES:
        if name != "control" and getattr(m.callback, name) is not None:
            raise NotImplementedError(
                f"the reference backend has no {name} callback: it calls control alone, forces go to data.qfrc_applied"
            )


def mjo_step(m: "MjoModel", d: "MjoData") -> None:
    """Advance every world by one step, as mjorbit_warp.mjo_step."""
    _check(m, d)
    effects, frozen = d.effects, Frozen(d)
    if d.batch.model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        check_rk4(d.batch.model)
        rk4_step(d, lambda data, stage: _evaluate(data, effects, stage))
    else:
        _single_stage(d, effects)
    lose_bad_commands(d)
    frozen.burn_nothing(d)
    burn(m, d)
    if d.orbit is not None:
        advance_orbit(d)
    d.clock.tick(d.timestep)
    frozen.put_back()
    d.batch.bind("time")[:] = d.time
    update_status(d, effects, frozen)


def _single_stage(d: "MjoData", effects: "Effects") -> None:
    """Loads at t_n; the orbit makes an RK4 step of its own, with Sun, Moon and a_fb held."""
    _loads(d, effects, 0)
    if d.orbit is not None:
        for stage in range(1, 4):
            orbit_stage(d, effects, stage)
            if effects.feedback:
                d.orbit.stage_a[stage] += d.orbit.feedback
    qvel, act = d.qvel.copy(), d.act.copy()
    d.batch.step()
    if d.hardware.momentum_act.size:
        _act_rates(d, effects)
        if effects.devices:
            ours = d.hardware.momentum_act
            d.act[:, ours] = act[:, ours] + d.timestep[:, None] * d.act_dot[:, ours]
    fill_sensors(d, effects, True, qvel, act)


def mjo_forward(m: "MjoModel", d: "MjoData") -> None:
    """Evaluate the dynamics at the current state without advancing, as mjorbit_warp.mjo_forward."""
    from mjorbit_warp.frames import lvlh_axes

    _check(m, d)
    if d.orbit is not None:
        d.orbit.lvlh[:] = lvlh_axes(d.orbit.r, d.orbit.v)
    _evaluate(d, d.effects, -1)


def mjo_sense(m: "MjoModel", d: "MjoData") -> np.ndarray:
    """Sensors at the current state without stepping, as mjorbit_warp.mjo_sense: a mjo_forward, then ``sensordata``."""
    mjo_forward(m, d)
    return d.sensordata
