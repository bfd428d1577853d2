"""Rotor inertia that is stored twice."""

import mujoco
import numpy as np

from mjorbit_warp.advice.record import Advice, Subject, name_of

_SAME = 1e-3  # relative


def body_moment(mj: mujoco.MjModel, joint: int) -> float:
    """Moment of inertia of a hinge's own body about the hinge [kg·m²]."""
    b = int(mj.jnt_bodyid[joint])
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, mj.body_iquat[b])
    along = axes.reshape(3, 3).T @ mj.jnt_axis[joint]
    offset = np.cross(mj.jnt_axis[joint], mj.body_ipos[b] - mj.jnt_pos[joint])
    return float(along @ (mj.body_inertia[b] * along) + mj.body_mass[b] * offset @ offset)


def _drives(mj: mujoco.MjModel, a: int) -> tuple[str, float] | None:
    """Name and armature of the joint or tendon that an actuator drives; None for other transmissions."""
    i = int(mj.actuator_trnid[a, 0])
    kind = mujoco.mjtTrn(int(mj.actuator_trntype[a]))
    if kind in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT):
        return f"joint {name_of(mj.joint(i), 'joint', i)}", float(mj.dof_armature[mj.jnt_dofadr[i]])
    if kind == mujoco.mjtTrn.mjTRN_TENDON:
        return f"tendon {name_of(mj.tendon(i), 'tendon', i)}", float(mj.tendon_armature[i])
    return None


def armature_advice(s: Subject) -> list[Advice]:
    """Armature on a joint and on its actuator; armature equal to the moment of the body that turns."""
    mj, out = s.mj, []
    for a in range(len(mj.actuator_trntype)):
        driven = _drives(mj, a)
        if driven is None or driven[1] == 0.0 or mj.actuator_armature[a] == 0.0:
            continue
        rotor, gear = float(mj.actuator_armature[a]), float(mj.actuator_gear[a, 0])
        out.append(
            Advice(
                "warning",
                "armature-twice",
                f"{driven[0]}, actuator {name_of(mj.actuator(a), 'actuator', a)}",
                f"both have armature, and they add: {driven[1]:g} + {gear:g}²·{rotor:g} = "
                f"{driven[1] + gear * gear * rotor:g}",
                "keep one: on the joint the inertia as the joint feels it, or on the actuator the rotor's own",
            )
        )
    for j in range(mj.njnt):
        if mj.jnt_type[j] != mujoco.mjtJoint.mjJNT_HINGE:
            continue
        armature, moment = float(mj.dof_armature[mj.jnt_dofadr[j]]), body_moment(mj, j)
        if armature > 0.0 and abs(armature - moment) < _SAME * armature:
            body = int(mj.jnt_bodyid[j])
            out.append(
                Advice(
                    "warning",
                    "armature-twice",
                    f"joint {name_of(mj.joint(j), 'joint', j)}",
                    f"its armature {armature:g} is what body {name_of(mj.body(body), 'body', body)} already has about "
                    "the axis, so a rotor that is modelled as that body counts twice",
                    "remove the armature; it carries no momentum either",
                )
            )
    return out
