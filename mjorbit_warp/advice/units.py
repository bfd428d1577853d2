"""Angles in the wrong unit: MJCF reads degrees unless <compiler angle="radian"/> says otherwise."""

import math
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from mjorbit_warp.advice.record import Advice, Subject, listed, name_of

_ANGLE = 1 << 6  # of MjsCompiler.authored: the field degree, by its place in mjspecmacro.h
_TURNS = 4.0 * math.pi  # more than two turns are rarely meant
_DECLARE = '<compiler angle="radian"/> or <compiler angle="degree"/>'
_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
_BALL = int(mujoco.mjtJoint.mjJNT_BALL)
_ALT = (mujoco.mjtOrientation.mjORIENTATION_EULER, mujoco.mjtOrientation.mjORIENTATION_AXISANGLE)


def is_fraction_of_pi(x: float) -> bool:
    """Whether a number is a multiple of π/12 = 15°, up to 2π and to 0.5 % (1.57, 3.1416, 0.785 …)."""
    k = round(abs(x) / (math.pi / 12.0))
    return 1 <= k <= 24 and abs(abs(x) - k * math.pi / 12.0) < 0.005 * abs(x) and abs(x) != round(abs(x), 1)


def _declared(compiler: Any) -> bool:
    return bool(compiler.authored & _ANGLE) or not compiler.degree  # a URDF is in radians, undeclared


def _where(kind: str, element: Any) -> str:
    return f"{kind} {element.name}" if element.name else f"{kind} of {element.parent.name or 'a body'}"


def _turned(spec: mujoco.MjSpec) -> Iterator[tuple[str, Any, list[float]]]:
    """Elements that are turned by angles: their kind and name, their compiler, the angles."""
    for kind, elements in (
        ("body", spec.bodies),
        ("geom", spec.geoms),
        ("site", spec.sites),
        ("camera", spec.cameras),
        ("frame", spec.frames),
    ):
        for element in elements:
            alt = element.alt
            if alt.type == _ALT[0]:
                yield _where(kind, element), element.compiler, [float(x) for x in alt.euler]
            elif alt.type == _ALT[1]:
                yield _where(kind, element), element.compiler, [float(alt.axisangle[3])]


def _angular(spec: mujoco.MjSpec) -> list[Any]:
    kinds = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_BALL)
    return [joint for joint in spec.joints if joint.type in kinds]


def _undeclared(spec: mujoco.MjSpec) -> list[Advice]:
    joints = [
        _where("joint", j)
        for j in _angular(spec)
        if not _declared(j.compiler) and (np.any(j.range) or j.ref or j.springref)
    ]
    turned = [where for where, compiler, angles in _turned(spec) if not _declared(compiler) and any(angles)]
    if not joints and not turned:
        return []
    return [
        Advice(
            "warning",
            "angle-unit",
            listed("", joints + turned).strip(),
            "the file does not say in which unit its angles are, so they are read as degrees",
            f"declare the unit: {_DECLARE}",
        )
    ]


def _radians_as_degrees(s: Subject) -> list[Advice]:
    """From the source's own numbers if there are any, else from compiled limits that are (π k/12)°."""
    limited = []
    for j in range(s.mj.njnt):
        if not s.mj.jnt_limited[j] or int(s.mj.jnt_type[j]) not in (_HINGE, _BALL):
            continue
        given = [math.degrees(x) for x in s.mj.jnt_range[j] if x]
        if s.spec is not None:
            source = next((x for x in _angular(s.spec) if int(x.id) == j), None)
            if source is None or not source.compiler.degree:
                continue
            guess = not _declared(source.compiler) and max(map(abs, given), default=0.0) <= 2.0 * math.pi + 0.01
        else:
            guess = False
        if given and (guess or all(map(is_fraction_of_pi, given))):
            low, high = s.mj.jnt_range[j]
            written = " ".join(f"{math.degrees(x):.5g}" for x in (low, high))
            limited.append((name_of(s.mj.joint(j), "joint", j), f"{written} became {low:.3g} {high:.3g} rad"))
    out = []
    if limited:
        out.append(
            Advice(
                "warning",
                "range-in-radians",
                listed("joint", [name for name, _ in limited]),
                f"a range that looks like radians was read as degrees: {limited[0][1]}",
                '<compiler angle="radian"/>, or write the range in degrees under a declared angle="degree"',
            )
        )
    turned = [] if s.spec is None else list(_turned(s.spec))
    wide = [where for where, compiler, angles in turned if not compiler.degree and max(map(abs, angles)) > 2 * math.pi]
    if wide:
        out.append(
            Advice(
                "warning",
                "euler-in-degrees",
                listed("", wide).strip(),
                "euler or axisangle is more than a turn: it looks like degrees that were read as radians",
                '<compiler angle="degree"/>, or write the angles in radians',
            )
        )
    wrong = [where for where, compiler, angles in turned if compiler.degree and any(map(is_fraction_of_pi, angles))]
    if wrong:
        out.append(
            Advice(
                "warning",
                "euler-in-radians",
                listed("", wrong).strip(),
                "euler or axisangle looks like radians and was read as degrees",
                '<compiler angle="radian"/>, or write the angles in degrees',
            )
        )
    return out


def _degrees_as_radians(mj: mujoco.MjModel) -> list[Advice]:
    hinges = [j for j in range(mj.njnt) if mj.jnt_limited[j] and int(mj.jnt_type[j]) == _HINGE]
    wide = [name_of(mj.joint(j), "joint", j) for j in hinges if np.abs(mj.jnt_range[j]).max() > _TURNS]
    out = []
    if wide:
        out.append(
            Advice(
                "warning",
                "range-in-degrees",
                listed("joint", wide),
                "the range is more than two turns: it looks like degrees that were read as radians",
                'write the range in radians, as URDF always has it; in an MJCF, <compiler angle="degree"/> does too',
            )
        )
    servos = []
    for a in range(len(mj.actuator_trntype)):
        c = int(mj.actuator_ctrladr[a])
        on_hinge = mj.actuator_trntype[a] == mujoco.mjtTrn.mjTRN_JOINT and (
            int(mj.jnt_type[int(mj.actuator_trnid[a, 0])]) == _HINGE
        )
        if on_hinge and mj.actuator_biasprm[a, 1] < 0.0 and mj.actuator_ctrlnum[a] and mj.actuator_ctrllimited[c]:
            # the set point is ctrl·gain/stiffness, in units of the length: gear times the angle
            scale = mj.actuator_gainprm[a, 0] / -mj.actuator_biasprm[a, 1] / (mj.actuator_gear[a, 0] or 1.0)
            if np.abs(mj.actuator_ctrlrange[c] * scale).max() > _TURNS:
                servos.append(name_of(mj.actuator(a), "actuator", a))
    if servos:
        out.append(
            Advice(
                "warning",
                "ctrl-in-degrees",
                listed("actuator", servos),
                "the ctrlrange of a servo on a hinge is more than two turns: it is in radians whatever the compiler's "
                "angle is",
                "write ctrlrange in radians",
            )
        )
    return out


def unit_advice(s: Subject) -> list[Advice]:
    """Unit not declared; radians read as degrees; degrees read as radians."""
    out = [] if s.spec is None else _undeclared(s.spec)
    return out + _radians_as_degrees(s) + _degrees_as_radians(s.mj)
