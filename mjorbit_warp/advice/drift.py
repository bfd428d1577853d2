"""Angular momentum that an integrator loses or gains on a tumbling model, measured with MuJoCo C."""

import math

import mujoco
import numpy as np

from mjorbit_warp.advice.record import Advice, Subject, free_roots, silent, trial
from mjorbit_warp.inspect_tables import integrator_name
from mjorbit_warp.report import DriftReport

SPIN = 0.1  # rad/s
DURATION = 100.0  # s
WORST = 1e-4  # relative, per 100 s
_STEPS = 10000
_WORK = 300000  # steps times dofs: below a second
_AXIS = np.array([1.0, 2.0, 3.0]) / math.sqrt(14.0)


def momentum_drift(
    mj: mujoco.MjModel, integrator: int, spin: float, steps: int, axis: np.ndarray = _AXIS
) -> float | None:
    """Relative change of |H| of the free tree that changes most; None if it is not finite.

    Every free tree starts at qpos0 as a rigid body that spins about its own COM. No gravity, no contacts, limits or
    equality constraints, no actuators; springs and dampers are on, as inner forces change no H.

    Args:
      spin: [rad/s]
      axis: of the spin, unit vector in the axes of the body with the free joint.
    """
    other = trial(mj, "constraint", "contact", "actuation")
    other.opt.integrator = integrator
    data = mujoco.MjData(other)
    mujoco.mj_kinematics(other, data)
    mujoco.mj_comPos(other, data)
    roots = free_roots(mj)
    for b in roots:
        dof = int(mj.body_dofadr[b])
        data.qvel[dof + 3 : dof + 6] = spin * axis
        rate = data.xmat[b].reshape(3, 3) @ (spin * axis)
        data.qvel[dof : dof + 3] = -np.cross(rate, data.subtree_com[b] - data.xpos[b])

    def momentum() -> np.ndarray:
        mujoco.mj_forward(other, data)
        mujoco.mj_subtreeVel(other, data)
        return np.linalg.norm(data.subtree_angmom[roots], axis=1)

    with silent(), np.errstate(all="ignore"):
        before = momentum()
        mujoco.mj_step(other, data, nstep=steps)
        change = momentum() / before - 1.0
    finite = bool(np.isfinite(data.qvel).all() and np.isfinite(change).all())
    return float(change[np.argmax(np.abs(change))]) if finite else None


def _spin(mj: mujoco.MjModel) -> float:
    """The fastest spin of a free body in a keyframe, 0.1 rad/s at least."""
    dofs = [int(mj.body_dofadr[b]) for b in free_roots(mj)]
    keys = [float(np.linalg.norm(mj.key_qvel[k, i + 3 : i + 6])) for k in range(mj.nkey) for i in dofs]
    return max([SPIN, *(x for x in keys if math.isfinite(x))])


def measure(s: Subject) -> DriftReport | None:
    """Drift of the model's own integrator and of RK4, over 100 s or 10⁴ steps; None without a free body."""
    if not s.can_run or not free_roots(s.mj):
        return None
    steps = max(1, min(round(DURATION / s.step), _STEPS, _WORK // s.mj.nv))
    spin, rk4 = _spin(s.mj), int(mujoco.mjtIntegrator.mjINT_RK4)
    integrator = int(s.mj.opt.integrator)
    best = momentum_drift(s.mj, rk4, spin, steps)
    drift = best if integrator == rk4 else momentum_drift(s.mj, integrator, spin, steps)
    return DriftReport(spin, steps * s.step, integrator_name(integrator), drift, best)


def drift_text(value: float | None) -> str:
    """A drift in words."""
    if value is None:
        return "is lost altogether (the motion diverges)"
    return f"{'gains' if value > 0 else 'loses'} {abs(value):.2g} of itself"


def drift_advice(s: Subject, measured: DriftReport | None) -> list[Advice]:
    """A single-stage integrator that changes |H| by more than 1e-4 in 100 s of a slow tumble."""
    if measured is None or measured.integrator == "RK4":
        return []
    drift = measured.drift
    if drift is not None and abs(drift) * DURATION / measured.duration < WORST:
        return []
    if drift is not None and measured.rk4 is not None and abs(measured.rk4) > 0.5 * abs(drift):
        remedy = (
            "no integrator keeps it: look for what brakes the spacecraft, such as a joint of another tree or a plugin"
        )
    else:
        remedy = 'integrator="RK4" for tumbling bodies, or a smaller timestep: the loss is proportional to it'
    return [
        Advice(
            "warning",
            "integrator-drift",
            "option",
            f"{measured.integrator} at {s.step:g} s: |H| of a spin of {measured.spin:g} rad/s {drift_text(drift)} in "
            f"{measured.duration:g} s, with RK4 it {drift_text(measured.rk4)} (measured, without torques and contacts)",
            remedy,
        )
    ]
