"""What a compiled MuJoCo model must be before an orbit is added to it."""

from collections.abc import Iterator

import mujoco
import numpy as np

_BOTH_PASSIVE = int(mujoco.mjtDisableBit.mjDSBL_SPRING) | int(mujoco.mjtDisableBit.mjDSBL_DAMPER)


class MjoWarning(UserWarning):
    """Something about a model that its user should know, in one line."""


def _trees_without_free_joint(mj: mujoco.MjModel) -> list[str]:
    roots = [b for b in range(1, mj.nbody) if mj.body_parentid[b] == 0 and mj.body_mocapid[b] < 0]
    free = {int(mj.jnt_bodyid[j]) for j in range(mj.njnt) if mj.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE}
    return [mj.body(b).name or f"body {b}" for b in roots if b not in free]


# a NaN anywhere spreads; an infinite range or force limit means none
_PREFIXES = ("body_", "jnt_", "dof_", "geom_", "site_", "actuator_", "eq_", "tendon_", "sensor_")
_FINITE = ("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis")


def _not_finite(mj: mujoco.MjModel) -> Iterator[str]:
    """Arrays with entries that cannot be computed with, and the body or joint of the first one."""
    for name in dir(mj):
        if not name.startswith(_PREFIXES):
            continue
        values = getattr(mj, name)
        if not (isinstance(values, np.ndarray) and values.dtype.kind == "f"):
            continue
        bad = ~np.isfinite(values) if name in _FINITE else np.isnan(values)
        if bad.any():
            row = int(np.argwhere(bad)[0][0])
            kind = {"body": mj.body, "jnt": mj.joint, "geom": mj.geom, "site": mj.site}.get(name.partition("_")[0])
            of = f" of {kind(row).name or row}" if kind else ""
            yield f"{name}{of} is {np.array2string(values[row], separator=', ')}"


def _on_free_joint(mj: mujoco.MjModel, joint: int) -> str:
    """What a free joint has that is of joints alone, and why it must not; empty if it has nothing."""
    dofs = slice(mj.jnt_dofadr[joint], mj.jnt_dofadr[joint] + 6)
    holding = {
        "damping": mj.dof_damping[dofs].any() or mj.dof_dampingpoly[dofs].any(),
        "stiffness": mj.jnt_stiffness[joint] != 0.0 or mj.jnt_stiffnesspoly[joint].any(),
        "frictionloss": mj.dof_frictionloss[dofs].any(),
    }
    found = [name for name, is_there in holding.items() if is_there]
    reasons = [f"{' and '.join(found)}, which holds the spacecraft to the orbit's origin"] if found else []
    if mj.dof_armature[dofs].any():
        reasons.append("armature, which is inertia that gravity does not pull")
    return ", and ".join(reasons)


def refusals(mj: mujoco.MjModel, require_free_joint: bool = True) -> Iterator[tuple[str, str]]:
    """Why a model cannot be simulated correctly in orbit: a short code and a sentence for each reason."""
    fixed = _trees_without_free_joint(mj)
    if mj.nbody == 1:
        yield "no-body", "the model has no body but the world: add a <body> with a <freejoint/>"
    elif mj.nv == 0 and require_free_joint and not fixed:
        yield "no-free-joint", "the model has no degrees of freedom: give its root body a <freejoint/>"
    if fixed and require_free_joint:
        more = f" and {len(fixed) - 4} more" if len(fixed) > 4 else ""
        yield (
            "no-free-joint",
            f"{', '.join(fixed[:4])}{more} has no free joint and is held by the orbit's moving origin: add "
            "<freejoint/> as its first child, or compile with require_free_joint=False to keep it fixed there",
        )
    step = float(mj.opt.timestep)
    if not (step > 0.0 and 1e-38 < step < 1e38):  # MJWarp's is float32
        yield "step", f"the timestep is {step}: a positive number of seconds is expected"
    if mj.opt.disableflags & _BOTH_PASSIVE == _BOTH_PASSIVE:
        yield (
            "passive-flags",
            "the flags spring and damper are both disabled, so MJWarp skips all passive forces, orbital ones too: "
            "enable one of them in <option><flag/> and set stiffness or damping to 0 instead",
        )
    if mj.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_SLEEP):
        yield (
            "sleep",
            "the sleep flag is enabled, which stops slow orbital drift as if it were rest: "
            'remove sleep="enable" from <option><flag/>',
        )
    for joint in range(mj.njnt):
        if mj.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE and (reason := _on_free_joint(mj, joint)):
            name = mj.joint(joint).name or f"joint {joint}"
            yield (
                "free-joint",
                f"free joint {name} has {reason}: use <freejoint/>, which inherits none from the defaults",
            )


def check_model(mj: mujoco.MjModel, require_free_joint: bool = True) -> None:
    """Refuse, in one sentence, a model that cannot be simulated correctly in orbit."""
    for _, sentence in refusals(mj, require_free_joint):
        raise ValueError(sentence)


def check_initial_state(mj: mujoco.MjModel, distance: float | None) -> None:
    """Refuse numbers, a reference pose or a keyframe that are not finite, or a body far from the orbit's origin.

    Args:
      distance: |r_c| of the orbit [m], None without one.
    """
    for what in _not_finite(mj):
        raise ValueError(f"{what}: finite numbers are expected")
    states = [("qpos0", mj.qpos0)]
    for key in range(mj.nkey):
        name = f"keyframe {mj.key(key).name or key}"
        states += [(f"{name}: {field}", getattr(mj, f"key_{field}")[key]) for field in ("qpos", "qvel", "act", "ctrl")]
    for name, values in states:
        if not np.isfinite(values).all():
            raise ValueError(f"{name} of the model has entries that are not finite: {np.ravel(values).tolist()}")
    if distance is None:
        return
    data = mujoco.MjData(mj)
    mujoco.mj_kinematics(mj, data)
    far = np.linalg.norm(data.xipos, axis=1)
    body = int(np.argmax(far))
    if far[body] > 0.1 * distance:
        raise ValueError(
            f"{mj.body(body).name or f'body {body}'} is {far[body]:.6g} m from the orbit's origin, more than 10 % of "
            f"the orbit's radius of {distance:.6g} m: positions in the MJCF are relative to the orbit"
        )


def zero_gravity(mj: mujoco.MjModel) -> str | None:
    """Set ``opt.gravity`` to zero in place; a one-line report if it was not. The orbit supplies gravity."""
    gravity = mj.opt.gravity.copy()
    if not gravity.any():
        return None
    mj.opt.gravity[:] = 0.0
    was = " ".join(f"{g:g}" for g in gravity)
    return f"gravity {was} of the MJCF was set to 0 0 0: gravity comes from the orbit alone"
