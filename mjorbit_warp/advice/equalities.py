"""Welds and other equality constraints that do not hold where the model starts: switched on, they throw the bodies."""

from collections.abc import Iterator

import mujoco
import numpy as np

from mjorbit_warp.advice.record import Advice, Subject, name_of, silent, trial

_TOLERANCE = 1e-3  # m, rad: of poses written with four digits, or recorded from a soft constraint at rest
_WELD, _CONNECT = int(mujoco.mjtEq.mjEQ_WELD), int(mujoco.mjtEq.mjEQ_CONNECT)
_KINDS = {
    _WELD: "weld",
    _CONNECT: "connect",
    int(mujoco.mjtEq.mjEQ_JOINT): "joint equality",
    int(mujoco.mjtEq.mjEQ_TENDON): "tendon equality",
}


def violations(mj: mujoco.MjModel, eq: int, qpos: np.ndarray) -> tuple[float, float]:
    """By how much a constraint is violated: a distance or coordinate [m, rad], and the angle of a weld [rad]."""
    other = trial(mj, "contact", "actuation")
    other.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    other.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    data = mujoco.MjData(other)
    data.qpos[:] = qpos
    data.eq_active[:] = 0
    data.eq_active[eq] = 1
    with silent():
        mujoco.mj_fwdPosition(other, data)
    rows = (data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)) & (data.efc_id == eq)
    error = data.efc_pos[rows]
    angle = 0.0
    if int(mj.eq_type[eq]) == _WELD:
        scale = float(mj.eq_data[eq, 10]) or 1.0  # torquescale
        half = float(np.linalg.norm(error[3:])) / scale
        angle = 2.0 * float(np.arcsin(min(half, 1.0)))
        error = error[:3]
    return float(np.linalg.norm(error)), angle


def _starts(mj: mujoco.MjModel) -> Iterator[tuple[str, np.ndarray]]:
    yield "qpos0", mj.qpos0
    for k in range(mj.nkey):
        yield f"keyframe {name_of(mj.key(k), 'key', k)}", mj.key_qpos[k]


def _said(kind: str, distance: float, angle: float) -> str:
    if kind == "weld":
        return f"{distance:.3g} m and {np.degrees(angle):.3g}° from its pose"
    return f"{distance:.3g} m apart" if kind == "connect" else f"off by {distance:.3g}"


def _compiled_pose(s: Subject, eq: int, name: str) -> bool:
    """Whether a weld between bodies got its pose from qpos0, as the file has none."""
    if int(s.mj.eq_type[eq]) != _WELD or s.mj.eq_objtype[eq] != mujoco.mjtObj.mjOBJ_BODY:
        return False
    if s.spec is not None:
        source = next((e for e in s.spec.equalities if int(e.id) == eq), None)
        return source is not None and not np.any(source.data[6:10])
    return max(violations(s.mj, eq, s.mj.qpos0)) < 1e-9


def equality_advice(s: Subject) -> list[Advice]:
    """Active constraints that do not hold at qpos0 or a keyframe, and inactive welds that hold the pose of qpos0."""
    out: list[Advice] = []
    mj = s.mj
    if not np.isfinite(mj.qpos0).all():
        return out
    for eq in range(mj.neq):
        kind = _KINDS.get(int(mj.eq_type[eq]))
        if kind is None:
            continue
        name = name_of(mj.equality(eq), "equality", eq)
        if not mj.eq_active0[eq]:
            if _compiled_pose(s, eq, name):
                offset = mj.eq_data[eq, 3:6]
                out.append(
                    Advice(
                        "warning",
                        "stale-weld",
                        f"weld {name}",
                        f"it is inactive and stores the pose of qpos0, {np.linalg.norm(offset):.4g} m apart: switched "
                        "on anywhere else it throws the bodies there",
                        "switch it on with mjo_latch, which stores the pose at that moment, or write the docked pose "
                        'as relpose="…"',
                    )
                )
            continue
        missed = []
        for start, qpos in _starts(mj):
            distance, angle = violations(mj, eq, qpos) if np.isfinite(qpos).all() else (0.0, 0.0)
            if max(distance, angle) > _TOLERANCE:
                missed.append((distance, angle, start))
        if missed:
            distance, angle, start = max(missed, key=lambda row: max(row[:2]))
            more = f" (the worst of {len(missed)} poses)" if len(missed) > 1 else ""
            out.append(
                Advice(
                    "warning",
                    "stale-weld",
                    f"{kind} {name}",
                    f"at {start} it is {_said(kind, distance, angle)}{more}: it throws the bodies in the first steps",
                    'make the pose and the constraint agree there, or start with active="false"',
                )
            )
    return out
