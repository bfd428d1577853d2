"""MuJoCo's RK4 with an evaluation of ours at each stage."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _quat, _vector
from mjorbit_warp.reference.orbit import STAGES, WEIGHTS

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]
_DYN = mujoco.mjtDyn
_INTEGRATED = [int(x) for x in (_DYN.mjDYN_NONE, _DYN.mjDYN_INTEGRATOR, _DYN.mjDYN_FILTER)]


def check_rk4(mj: mujoco.MjModel) -> None:
    """Refuse activation dynamics that MuJoCo advances by other formulas than act + dt·act_dot."""
    for i, dyntype in enumerate(mj.actuator_dyntype):
        if dyntype not in _INTEGRATED:
            name = mj.actuator(i).name or f"actuator {i}"
            raise NotImplementedError(
                f"{name} has dyntype {_DYN(dyntype).name}: RK4 of the reference backend integrates none, integrator "
                "and filter"
            )
    for size, what in ((mj.nhistory, "delayed controls or sensors"), (mj.nplastic, "plastic springs")):
        if size:
            raise NotImplementedError(f"the model has {what}, which RK4 of the reference backend does not advance")


def quat_integrate(quat: F64, rotation: F64) -> F64:
    """Quaternion turned by a rotation vector in its own axes [rad] (MuJoCo's mju_quatIntegrate)."""
    angle = np.linalg.norm(rotation, axis=-1, keepdims=True)
    axis = np.divide(rotation, angle, out=np.zeros_like(rotation), where=angle > 0.0)
    turn = np.concatenate([np.cos(0.5 * angle), np.sin(0.5 * angle) * axis], axis=-1)
    out = _quat.mul(quat, turn)
    return out / np.linalg.norm(out, axis=-1, keepdims=True)


def bortz(angle: F64) -> F64:
    """(1 − (x/2) cot(x/2))/x² for x = ``angle`` in [0, π]; its Taylor series where the closed form cancels."""
    x2 = np.minimum(angle, 0.5) ** 2
    tail = 1.0 / 30240.0 + x2 * (1.0 / 1209600.0 + x2 * (1.0 / 47900160.0 + x2 * 691.0 / 1307674368000.0))
    series = 1.0 / 12.0 + x2 * (1.0 / 720.0 + x2 * tail)
    half = 0.5 * np.maximum(angle, 0.5)
    return np.where(angle < 0.5, series, (1.0 - half / np.tan(half)) / (4.0 * half * half))


def expmap_rate(theta: F64, omega: F64) -> F64:
    """Rate of a rotation vector θ for the body rate ω: ω + ½ θ×ω + c θ×(θ×ω), c = bortz(|θ|).

    The Munthe-Kaas correction of MuJoCo 4.0's RK4 (J. E. Bortz, IEEE Trans. AES-7, 1971, for the coefficient).
    """
    angle = np.linalg.norm(theta, axis=-1, keepdims=True)
    turns = np.round(angle / (2.0 * np.pi))  # the same rotation by an angle in [−π, π]
    scale = np.divide(angle - 2.0 * np.pi * turns, angle, out=np.ones_like(angle), where=angle > 0.0)
    theta = theta * scale
    once = _vector.cross(theta, omega)
    return omega + 0.5 * once + bortz(np.abs(angle * scale)) * _vector.cross(theta, once)


class Joints:
    """Addresses of the coordinates, for moving along velocities."""

    def __init__(self, mj: mujoco.MjModel) -> None:
        kinds = mj.jnt_type
        free, ball = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
        rotating = np.flatnonzero(np.isin(kinds, (free, ball)))
        self.quats: list[tuple[slice, slice]] = []
        linear_q: list[int] = []
        linear_v: list[int] = []
        for j in range(mj.njnt):
            q, v = int(mj.jnt_qposadr[j]), int(mj.jnt_dofadr[j])
            if j not in rotating:
                linear_q.append(q)
                linear_v.append(v)
                continue
            if kinds[j] == free:
                linear_q += range(q, q + 3)
                linear_v += range(v, v + 3)
                q, v = q + 3, v + 3
            self.quats.append((slice(q, q + 4), slice(v, v + 3)))
        self.linear_q, self.linear_v = np.array(linear_q, dtype=int), np.array(linear_v, dtype=int)

    def move(self, qpos: F64, displacement: F64) -> F64:
        """qpos moved by velocity × time (…, nv)."""
        out = qpos.copy()
        out[:, self.linear_q] += displacement[:, self.linear_v]
        for q, v in self.quats:
            out[:, q] = quat_integrate(qpos[:, q], displacement[:, v])
        return out

    def corrected(self, qvel: F64, displacement: F64) -> F64:
        """Rates of the coordinates at a stage reached by ``displacement``."""
        out = qvel.copy()
        for _, v in self.quats:
            out[:, v] = expmap_rate(displacement[:, v], qvel[:, v])
        return out


def _limit_act(mj: mujoco.MjModel, act: F64) -> F64:
    for i in np.flatnonzero(mj.actuator_actlimited):
        part = slice(mj.actuator_actadr[i], mj.actuator_actadr[i] + mj.actuator_actnum[i])
        act[:, part] = np.clip(act[:, part], *mj.actuator_actrange[i])
    return act


def rk4_step(d: "MjoData", evaluate: Callable[["MjoData", int], None]) -> None:
    """One step of mj_RungeKutta; ``evaluate(d, stage)`` fills qacc and act_dot with all loads of that stage."""
    mj, dt = d.batch.model, d.timestep[:, None]
    joints = d.joints
    q0, v0, act0 = d.qpos.copy(), d.qvel.copy(), d.act.copy()
    rate = v0
    sum_rate, sum_qacc, sum_act = np.zeros_like(v0), np.zeros_like(v0), np.zeros_like(act0)
    for stage in range(4):
        if stage:
            h = STAGES[stage] * dt
            displacement = h * rate
            d.qpos[:] = joints.move(q0, displacement)
            d.qvel[:] = v0 + h * d.qacc
            d.act[:] = act0 + h * d.act_dot
            rate = joints.corrected(d.qvel, displacement)
        evaluate(d, stage)
        sum_rate += WEIGHTS[stage] * rate
        sum_qacc += WEIGHTS[stage] * d.qacc
        sum_act += WEIGHTS[stage] * d.act_dot
    d.qpos[:] = joints.move(q0, dt * sum_rate)
    d.qvel[:] = v0 + dt * sum_qacc
    d.act[:] = _limit_act(mj, act0 + dt * sum_act)
    d.qacc_warmstart[:] = d.qacc
