"""Loads on the bodies and their generalised forces."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _vector
from mjorbit_warp.effects import Effects
from mjorbit_warp.reference.body_gravity import body_gravity
from mjorbit_warp.reference.cmg import cmg_loads
from mjorbit_warp.reference.gravity import gradient_torque
from mjorbit_warp.reference.gyro import midpoint_rate
from mjorbit_warp.reference.magnetics import magnetic_torque
from mjorbit_warp.reference.motion import BodyMotion, composite_inertia
from mjorbit_warp.reference.poses import Poses
from mjorbit_warp.reference.surface_loads import surface_loads
from mjorbit_warp.reference.thruster import thruster_loads
from mjorbit_warp.reference.wheel import wheel_loads

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


def wrench(d: "MjoData", effects: Effects, r: F64, v: F64, stage: int, poses: Poses) -> F64:
    """Force [N] and torque about each body's COM [N·m], world axes, (nworld, nbody, 6); orbit at ``r``, ``v``.

    ``stage`` of RK4, −1 outside a step. With parts, MuJoCo's fields must be those of ``poses``. Keeps what the parts
    do, and in ``hardware.force`` the external, non-gravitational forces.
    """
    shape = (d.nworld, d.model.mj.nbody, 6)
    out = body_gravity(d, effects, r, poses) if effects.orbit else np.zeros(shape, order="F")
    force, torque = out[..., :3], out[..., 3:]
    if d.hardware.present:
        _hardware_loads(d, effects, r, v, stage, force, torque)
    out[:, 0] = 0.0
    return out


def _hardware_loads(d: "MjoData", effects: Effects, r: F64, v: F64, stage: int, force: F64, torque: F64) -> None:
    """Adds what surfaces, thrusters, dipoles, wheels and CMGs do."""
    motion = BodyMotion(d) if effects.drag or effects.devices else None
    d.hardware.force[:] = 0.0
    if effects.drag or effects.light:
        f, t = surface_loads(d, effects, r, v, motion)
        d.hardware.force += f
        torque += t
    if effects.thrusters:
        f, t = thruster_loads(d, stage)
        d.hardware.force += f
        torque += t
    force += d.hardware.force
    if effects.field:
        torque += magnetic_torque(d, r, effects.rods)
    if effects.wheels or effects.cmgs:
        rotors = _momentum_devices(d, effects, motion, stage, torque)
        if effects.orbit and effects.gravity_gradient and rotors is not None:
            torque += gradient_torque(r[:, None] + d.xipos, d.central_mu[:, None], rotors)


def _momentum_devices(d: "MjoData", effects: Effects, motion: BodyMotion | None, stage: int, torque: F64) -> F64 | None:
    """Adds motor and gyroscopic torques of wheels and CMGs; axial inertia tensors of the rotors, if any."""
    assert motion is not None
    h = np.zeros_like(torque)
    rotors = None
    if effects.wheels:
        t, momentum, rotors = wheel_loads(d, motion.omega, stage)
        torque += t
        h += momentum
    if effects.cmgs:
        t, momentum = cmg_loads(d, stage)
        torque += t
        h += momentum
    b = d.hardware.carriers
    rate = motion.omega[:, b]
    if not effects.coupled:
        rate = midpoint_rate(rate, h[:, b], composite_inertia(d, b), d.timestep[:, None])
    torque[:, b] += _vector.cross(h[:, b], rate)
    return rotors


def feedback_acceleration(d: "MjoData") -> F64:
    """Acceleration of the origin a_fb = ΣF/Σm (nworld, 3) [m/s²], over the bodies that move (design equation 10)."""
    moving = d.model.mj.body_treeid >= 0
    return d.hardware.force.sum(axis=1) / d.parameter("body_mass")[:, moving].sum(axis=1, keepdims=True)


def project(d: "MjoData", poses: Poses, wrenches: F64) -> F64:
    """Σ Jᵀ f (design equation 12), (nworld, nv): each dof times the resultant on the bodies that it moves.

    The body Jacobian comes from ``cdof`` (rotation, translation) at a point of the tree.
    """
    force = wrenches[..., :3]
    moment = wrenches[..., 3:] + _vector.cross(poses.arm, force)
    cdof = poses.cdof.T  # components first, as the loads have them
    out = np.zeros((d.model.mj.nv, d.nworld))
    for k in range(3):
        out += cdof[k] * (d.moved_by @ moment[..., k].T)
        out += cdof[3 + k] * (d.moved_by @ force[..., k].T)
    return out.T


def ancestry(parent: NDArray[np.int32]) -> NDArray[np.bool_]:
    """(nbody, nbody), whether the second body is in the subtree of the first."""
    nbody = parent.size
    ancestor = np.eye(nbody, dtype=bool)
    for body in range(1, nbody):
        ancestor[body] |= ancestor[parent[body]]
    return ancestor.T


def bodies_moved_by_dof(parent: NDArray[np.int32], dof_body: NDArray[np.int32]) -> F64:
    """(nv, nbody), 1 where the dof's body is the body itself or an ancestor of it."""
    return ancestry(parent)[dof_body].astype(np.float64)
