"""Springs, dampers and servos against the step: the linear motion of the joints, as each integrator steps it."""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.advice.record import Advice, Subject, name_of, silent, trial

F64 = NDArray[np.float64]
_GROWTH = 1e-6  # per step: above the rounding of a double eigenvalue 1
_EPS = 1e-6  # rad, m
_MOST = 120  # dofs: beyond it the eigenvalues take seconds
_PER_RADIAN = 1.0  # |ω|h of a motion that is resolved: 6 steps per period


@dataclass(frozen=True)
class Linear:
    """M q̈ = −K q − D q̇ of a model's joints, free joints left out of K and D.

    Attributes:
      mass: of all dofs at qpos0, with armature                       (nv, nv)
      stiffness, damping: of the joints                               (n, n)
      implicit: the damping that an Euler step treats implicitly      (n, n)
      dofs: of the joints                                             (n,)
    """

    mass: F64
    stiffness: F64
    damping: F64
    implicit: F64
    dofs: NDArray[np.intp]


def linear(mj: mujoco.MjModel) -> Linear:
    """Linearise springs, dampers and actuators at qpos0 by differences, without their limits, and at zero command."""
    other = trial(mj, "constraint", "contact")
    other.actuator_forcelimited[:] = 0
    other.jnt_actfrclimited[:] = 0
    data = mujoco.MjData(other)
    free = np.zeros(mj.nv, dtype=bool)
    for j in np.flatnonzero(mj.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)):
        free[mj.jnt_dofadr[j] : mj.jnt_dofadr[j] + 6] = True
    dofs = np.flatnonzero(~free)
    numbers = [int(i) for i in dofs]

    def force(dof: int, q: float, v: float) -> F64:
        mujoco.mj_resetData(other, data)
        move = np.zeros(mj.nv)
        move[dof] = 1.0
        mujoco.mj_integratePos(other, data.qpos, move, q)
        data.qvel[dof] = v
        mujoco.mj_fwdPosition(other, data)
        mujoco.mj_fwdVelocity(other, data)
        mujoco.mj_fwdActuation(other, data)
        forces: F64 = np.array(data.qfrc_passive) + np.array(data.qfrc_actuator)
        return forces[dofs]

    with silent():
        columns = [np.subtract(force(i, _EPS, 0.0), force(i, -_EPS, 0.0)) / (-2.0 * _EPS) for i in numbers]
        rated = [np.subtract(force(i, 0.0, _EPS), force(i, 0.0, -_EPS)) / (-2.0 * _EPS) for i in numbers]
        mujoco.mj_resetData(other, data)
        mujoco.mj_forward(other, data)
        mass = np.zeros((mj.nv, mj.nv))
        mujoco.mj_fullM(other, data, mass)
    n = len(dofs)
    k, d = (np.array(x).reshape(n, n).T for x in (columns, rated))
    for matrix in (k, d):
        matrix[np.abs(matrix) < 1e-7 * np.abs(matrix).max(initial=0.0)] = 0.0
    damped = np.zeros(n) if mj.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_DAMPER) else mj.dof_damping[dofs]
    implicit = np.diag(damped)
    return Linear(mass, k, d, implicit, dofs)


def _mobility(model: Linear, extra: F64) -> F64:
    """Acceleration of the joints by their forces, with the base free to react: (M + extra)⁻¹ of the joints."""
    mass = model.mass.copy()
    mass[np.ix_(model.dofs, model.dofs)] += extra
    inverse: F64 = np.asarray(np.linalg.inv(mass), dtype=np.float64)
    return inverse[np.ix_(model.dofs, model.dofs)]


def rates(model: Linear) -> tuple[Any, Any]:
    """Eigenvalues λ [1/s] of the exact motion, (2n,), and its eigenvectors (q, q̇) in columns."""
    n = len(model.dofs)
    y = _mobility(model, np.zeros((n, n)))
    system = np.block([[np.zeros((n, n)), np.eye(n)], [-y @ model.stiffness, -y @ model.damping]])
    values, vectors = np.linalg.eig(system)
    return values, vectors


def growth(model: Linear, h: float, integrator: int, eulerdamp: bool = True) -> float:
    """Largest factor by which one step of ``h`` seconds multiplies a motion of the joints; up to 1 is stable.

    RK4: |1 + z + z²/2 + z³/6 + z⁴/24| at z = λh. Others: v' = v − h(M + hB)⁻¹(Kq + Dv), q' = q + hv', where B is the
    damping of the joints for Euler, and all damping for implicit and implicitfast.
    """
    n = len(model.dofs)
    if n == 0:
        return 1.0
    if integrator == int(mujoco.mjtIntegrator.mjINT_RK4):
        z = rates(model)[0] * h
        return float(np.abs(1.0 + z + z**2 / 2.0 + z**3 / 6.0 + z**4 / 24.0).max())
    if integrator == int(mujoco.mjtIntegrator.mjINT_EULER):
        implicit = model.implicit if eulerdamp else np.zeros((n, n))
    else:
        implicit = model.damping
    y = _mobility(model, h * implicit)
    vq, vv = -h * y @ model.stiffness, np.eye(n) - h * y @ model.damping
    return float(np.abs(np.linalg.eigvals(np.block([[np.eye(n) + h * vq, h * vv], [vq, vv]]))).max())


def critical_step(model: Linear, h: float, integrator: int, eulerdamp: bool = True) -> float | None:
    """The step below ``h`` at which growth begins, to 1 %, by bisection; None if there is none."""
    low, high = h, h
    while growth(model, low, integrator, eulerdamp) > 1.0 + _GROWTH:
        high, low = low, low / 2.0
        if low < 1e-9 * h:
            return None
    while high - low > 0.01 * high:
        middle = 0.5 * (low + high)
        if growth(model, middle, integrator, eulerdamp) > 1.0 + _GROWTH:
            high = middle
        else:
            low = middle
    return low


def servo_step_advice(s: Subject) -> list[Advice]:
    """A step at which joints swing up, or that does not resolve an oscillation; gains of the wrong sign."""
    if not s.can_run or s.mj.nv > _MOST:
        return []
    if s.has_flag("actuation") and not (s.mj.dof_damping.any() or s.mj.jnt_stiffness.any()):
        return []
    model = linear(s.mj)
    if not model.stiffness.any() and not model.damping.any():
        return []
    h, integrator, eulerdamp = s.step, int(s.mj.opt.integrator), not s.has_flag("eulerdamp")
    eigenvalues, vectors = rates(model)
    # of the stiffest motion: largest |λ|
    fastest = int(np.argmax(np.abs(eigenvalues)))
    away = int(np.argmax(eigenvalues.real))
    if eigenvalues[away].real > _GROWTH * abs(eigenvalues[fastest]):  # no matter of the step
        return [
            Advice(
                "warning",
                "servo-sign",
                _joint(s.mj, model, vectors[:, away]),
                f"springs, dampers and servos drive it away from rest, e-fold in {1.0 / eigenvalues[away].real:.3g} s",
                "a gain has the wrong sign: the biasprm of a servo is 0 −kp −kv",
            )
        ]
    factor = growth(model, h, integrator, eulerdamp)
    if factor > 1.0 + _GROWTH:
        limit = critical_step(model, h, integrator, eulerdamp)
        below = "no step is stable" if limit is None else f"stable below {limit:.3g} s"
        return [
            Advice(
                "warning",
                "step-servo",
                _joint(s.mj, model, vectors[:, fastest]),
                f"springs, dampers and servos make it move at up to {abs(eigenvalues[fastest]):.4g} /s, which a step "
                f"of {h:g} s makes grow by a factor of {factor:.3g} each step ({below})",
                f"a timestep below {limit:.2g} s, or smaller gains" if limit else "gains that damp",
            )
        ]
    swings = np.abs(eigenvalues.imag)
    swing = int(np.argmax(swings))
    if swings[swing] * h > _PER_RADIAN:
        return [
            Advice(
                "warning",
                "step-servo",
                _joint(s.mj, model, vectors[:, swing]),
                f"springs and servos make it oscillate at {swings[swing]:.4g} rad/s, only "
                f"{2.0 * np.pi / (swings[swing] * h):.2g} steps of {h:g} s per period",
                f"a timestep below {_PER_RADIAN / swings[swing]:.2g} s, or a smaller stiffness",
            )
        ]
    return []


def _joint(mj: mujoco.MjModel, model: Linear, vector: Any) -> str:
    dof = int(model.dofs[int(np.argmax(np.abs(vector[len(model.dofs) :])))])
    j = int(mj.dof_jntid[dof])
    return f"joint {name_of(mj.joint(j), 'joint', j)}"
