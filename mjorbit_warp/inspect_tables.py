"""Bodies, joints, actuators and solver of a compiled model, for its report."""

from typing import Any

import mujoco
import numpy as np

from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.report import ActuatorReport, BodyReport, JointReport, SolverReport

NO_FORCE = "gain 0: exerts no force in plain MuJoCo"


def integrator_name(value: int) -> str:
    """Name of an integrator as <option> has it, also of those that this package has no use for."""
    known = {int(number): name for name, number in INTEGRATORS.items()}
    return known.get(int(value)) or mujoco.mjtIntegrator(int(value)).name.removeprefix("mjINT_").lower()


def _name(item: Any, kind: str, index: int) -> str:
    return str(item.name) or f"{kind} {index}"


def _enum(value: Any, kind: Any, prefix: str) -> str:
    return kind(int(value)).name.removeprefix(prefix)


def floats(values: Any) -> tuple[float, ...]:
    """Python's own numbers."""
    return tuple(float(x) for x in np.ravel(values))


def body_reports(mj: mujoco.MjModel) -> tuple[BodyReport, ...]:
    """All bodies but the world."""
    out = []
    for b in range(1, mj.nbody):
        parent = int(mj.body_parentid[b])
        out.append(
            BodyReport(
                name=_name(mj.body(b), "body", b),
                parent="world" if parent == 0 else _name(mj.body(parent), "body", parent),
                mass=float(mj.body_mass[b]),
                com=floats(mj.body_ipos[b]),
                inertia=floats(mj.body_inertia[b]),
                ndof=int(mj.body_dofnum[b]),
                fixed=int(mj.body_weldid[b]) == 0,
            )
        )
    return tuple(out)


def joint_reports(mj: mujoco.MjModel) -> tuple[JointReport, ...]:
    """All joints, ranges in rad or m."""
    out = []
    for j in range(mj.njnt):
        kind = _enum(mj.jnt_type[j], mujoco.mjtJoint, "mjJNT_").lower()
        dof = int(mj.jnt_dofadr[j])
        body = int(mj.jnt_bodyid[j])
        out.append(
            JointReport(
                name=_name(mj.joint(j), "joint", j),
                type=kind,
                body=_name(mj.body(body), "body", body),
                axis=floats(mj.jnt_axis[j]) if kind in ("hinge", "slide") else None,
                range=floats(mj.jnt_range[j]) if mj.jnt_limited[j] else None,
                damping=float(mj.dof_damping[dof]),
                stiffness=float(np.ravel(mj.jnt_stiffness[j])[0]),
                armature=float(mj.dof_armature[dof]),
            )
        )
    return tuple(out)


def _target(mj: mujoco.MjModel, a: int) -> str:
    kind = mujoco.mjtTrn(int(mj.actuator_trntype[a]))
    index = int(mj.actuator_trnid[a, 0])
    owners = {
        mujoco.mjtTrn.mjTRN_JOINT: ("joint", mj.joint),
        mujoco.mjtTrn.mjTRN_JOINTINPARENT: ("joint", mj.joint),
        mujoco.mjtTrn.mjTRN_SITE: ("site", mj.site),
        mujoco.mjtTrn.mjTRN_SLIDERCRANK: ("site", mj.site),
        mujoco.mjtTrn.mjTRN_TENDON: ("tendon", mj.tendon),
        mujoco.mjtTrn.mjTRN_BODY: ("body", mj.body),
    }
    if kind not in owners or index < 0:
        return kind.name.removeprefix("mjTRN_").lower()
    word, lookup = owners[kind]
    return f"{word} {str(lookup(index).name) or index}"


def actuator_reports(mj: mujoco.MjModel) -> tuple[ActuatorReport, ...]:
    """All actuators."""
    out = []
    for a in range(len(mj.actuator_trntype)):
        first, count = int(mj.actuator_ctrladr[a]), int(mj.actuator_ctrlnum[a])
        gain = mj.actuator_gainprm[a]
        bias = mj.actuator_biasprm[a]
        has_bias = int(mj.actuator_biastype[a]) != int(mujoco.mjtBias.mjBIAS_NONE) and bool(np.any(bias))
        inert = not np.any(gain) and not has_bias
        limited = count > 0 and bool(mj.actuator_ctrllimited[first])
        out.append(
            ActuatorReport(
                name=_name(mj.actuator(a), "actuator", a),
                target=_target(mj, a),
                gain=float(gain[0]),
                bias=floats(bias[:3]) if has_bias else (0.0, 0.0, 0.0),
                dynamics=_enum(mj.actuator_dyntype[a], mujoco.mjtDyn, "mjDYN_").lower(),
                ctrl=tuple(range(first, first + count)),
                ctrlrange=floats(mj.actuator_ctrlrange[first]) if limited else None,
                note=NO_FORCE if inert else "",
            )
        )
    return tuple(out)


def solver_report(mj: mujoco.MjModel) -> SolverReport:
    """How constraints are solved."""
    return SolverReport(
        solver=_enum(mj.opt.solver, mujoco.mjtSolver, "mjSOL_"),
        iterations=int(mj.opt.iterations),
        ls_iterations=int(mj.opt.ls_iterations),
        tolerance=float(mj.opt.tolerance),
        cone=_enum(mj.opt.cone, mujoco.mjtCone, "mjCONE_").lower(),
        jacobian=_enum(mj.opt.jacobian, mujoco.mjtJacobian, "mjJAC_").lower(),
    )
