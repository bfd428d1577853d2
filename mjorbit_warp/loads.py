"""Launches of the loads in a dynamics evaluation, and of what follows a step."""

import dataclasses
from typing import TYPE_CHECKING, Any

import warp as wp

from mjorbit_warp.effects import Effects
from mjorbit_warp.hardware.arrays import parts_struct
from mjorbit_warp.kernels.environment import EnvironmentModel, EnvironmentState, environment_kernel
from mjorbit_warp.kernels.hardware import Commands, Wheels
from mjorbit_warp.kernels.magnetic_field import MagneticFieldModel
from mjorbit_warp.kernels.momentum_devices import _act_dot
from mjorbit_warp.kernels.project import Feedback, project_kernel
from mjorbit_warp.kernels.propagate import _advance_clock, propagate_kernel
from mjorbit_warp.kernels.shadow import Shadow
from mjorbit_warp.kernels.types import CentralBody, OrbitState
from mjorbit_warp.kernels.wrench import BodyState, wrench_kernel

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


def effects_now(m: "MjoModel") -> Effects:
    """Effects under MJWarp's integrator and disable flags as they are now."""
    return m.effects(int(m.mjw.opt.integrator), int(m.mjw.opt.disableflags))


def external_torque(effects: Effects) -> bool:
    """Whether anything but gravity, wheels and CMGs turns a body."""
    return effects.drag or effects.light or effects.thrusters or effects.field > 0


def _bodies(m: "MjoModel", d: "MjoData") -> Any:
    bodies: Any = BodyState()
    bodies.rootid, bodies.mass, bodies.inertia = m.mjw.body_rootid, m.mjw.body_mass, m.mjw.body_inertia
    for name in ("xipos", "ximat", "subtree_com", "cvel", "crb", "site_xpos", "site_xmat"):
        setattr(bodies, name, getattr(d.mjw, name))
    return bodies


def _commands(m: "MjoModel", d: "MjoData") -> Any:
    commands: Any = Commands()
    commands.ctrl, commands.act = d.mjw.ctrl, d.mjw.act
    commands.limited, commands.range = m.mjw.actuator_ctrllimited, m.mjw.actuator_ctrlrange
    return commands


def _feedback(m: "MjoModel", d: "MjoData") -> Any:
    feedback: Any = Feedback()
    feedback.bodies, feedback.roots = d.hardware.pushed, d.hardware.roots
    feedback.body_subtreemass = m.mjw.body_subtreemass
    feedback.force = d.hardware.state.force
    return feedback


def _environment(m: "MjoModel", d: "MjoData") -> tuple[Any, Any, Any, Any, Any]:
    """(central body, environment's model and state, magnetic field, orbit): null structs without an orbit."""
    if d.orbit is None:
        return CentralBody(), EnvironmentModel(), EnvironmentState(), MagneticFieldModel(), OrbitState()
    environment = d.environment
    return m.central.struct, m.parameters["environment"].struct, environment.state, environment.field, d.orbit.state


def environment_stage(m: "MjoModel", d: "MjoData", effects: Effects, stage: int) -> None:
    """Sun, Moon and body axes at the evaluation's time: one launch where something needs them.

    Stage 2 of RK4 is at the time of stage 1, so nothing is launched there.
    """
    sense = stage <= 0  # MJWarp evaluates sensors at the start of a step
    sun = effects.moving_sun or (sense and m.sensors.sun)
    axes = effects.field > 0 or (sense and m.sensors.axes)
    if d.orbit is None or stage == 2 or not (sun or effects.moon or axes):
        return
    wp.launch(
        environment_kernel(effects.body, sun, effects.moon, axes),
        dim=d.nworld,
        inputs=[m.mjw.opt.timestep, d.environment.axes, d._clock, stage],
        outputs=[d.environment.state],
    )


def add_loads(m: "MjoModel", d: "MjoData", stage: int) -> None:
    """Body wrenches at RK4 stage ``stage`` (−1 outside a step), then their projection, added to ``qfrc_passive``."""
    effects = effects_now(m)
    if d.orbit is None and not (effects.devices or effects.thrusters):
        return
    environment_stage(m, d, effects, stage)
    if d.conserving is not None and external_torque(effects):
        effects = dataclasses.replace(effects, keep_torque=True)
    mm, dd = m.mjw, d.mjw
    central, model, state, field, orbit = _environment(m, d)
    parts = parts_struct(m.parameters)
    wp.launch(
        wrench_kernel(effects),
        dim=(d.nworld, mm.nbody),
        inputs=[
            mm.opt.timestep,
            central,
            model,
            field,
            parts,
            _bodies(m, d),
            d._clock,
            _commands(m, d),
            state,
            stage,
        ],
        outputs=[orbit, d.hardware.state, d.wrench],
    )
    tree = [mm.body_rootid, mm.body_subtreenum, mm.body_dofadr, mm.body_dofnum, dd.xipos, dd.subtree_com, dd.cdof]
    wp.launch(
        project_kernel(effects.feedback),
        dim=(d.nworld, mm.nbody),
        inputs=[*tree, _feedback(m, d), d.wrench, stage],
        outputs=[orbit, d.qfrc_orbit, dd.qfrc_passive],
    )


def write_act_dot(m: "MjoModel", d: "MjoData") -> None:
    """Activations of wheels and CMGs advance by what the bodies have felt: one launch in MJWarp's actuation."""
    state = d.hardware.state
    width = max(state.wheel_torque.shape[1], state.gimbal_rate.shape[1])
    wheels, cmgs = m.parameters["wheel"].struct, m.parameters["cmg"].struct
    wp.launch(_act_dot, dim=(d.nworld, width), inputs=[wheels, cmgs, state], outputs=[d.mjw.act_dot])


def propagate(m: "MjoModel", d: "MjoData", coupled: bool) -> None:
    """After MJWarp's step: orbit, clock, LVLH frame and status, in one launch; frozen worlds are put back."""
    dd, timestep = d.mjw, m.mjw.opt.timestep
    effects, hardware = effects_now(m), d.hardware.state
    wheels = m.parameters["wheel"].struct if effects.wheels else Wheels()  # none that could be saturated
    faults, status = d.faults, [d.faults.state, d.status]
    motion = [dd.qpos, dd.qvel, dd.act, Shadow() if d.shadow is None else d.shadow]
    if d.orbit is None:
        wp.launch(
            _advance_clock,
            dim=d.nworld,
            inputs=[timestep, wheels, hardware, faults.counts, faults.held],
            outputs=[*motion, d._clock, dd.time, *status],
        )
        return
    central, model, state, _, orbit = _environment(m, d)
    wp.launch(
        propagate_kernel(effects.origin, coupled),
        dim=d.nworld,
        inputs=[timestep, central, model, wheels, state, hardware, dd.xipos, faults.counts, faults.held],
        outputs=[*motion, orbit, d._clock, dd.time, d.orbit.lvlh, *status],
    )
