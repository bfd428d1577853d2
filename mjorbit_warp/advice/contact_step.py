"""Time constants of soft constraints against the step: MuJoCo needs timeconst ≥ 2h."""

from collections.abc import Iterator

import mujoco
import numpy as np

from mjorbit_warp.advice.record import Advice, Subject, listed, name_of
from mjorbit_warp.inspect_geoms import contact_pairs


def time_constant(solref: np.ndarray) -> float:
    """Of (timeconst, dampratio), or of (−stiffness, −damping), where damping is 2/timeconst [s]; inf if there is none.

    MuJoCo divides both by dmax of the impedance.
    """
    if solref[0] > 0.0:
        return float(solref[0])
    damping = -float(solref[1])
    return 2.0 / damping if damping > 0.0 else np.inf


def constraints(mj: mujoco.MjModel) -> Iterator[tuple[str, str, np.ndarray]]:
    """Kind, name and solref of everything that may become a constraint."""
    pairs = contact_pairs(mj)
    explicit = mj.npair if len(pairs) >= mj.npair else 0
    if mj.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_OVERRIDE) and len(pairs):
        yield "option", "o_solref", mj.opt.o_solref
    else:
        for p in range(explicit):
            yield "pair", name_of(mj.pair(p), "pair", p), mj.pair_solref[p]
        for g in map(int, np.unique(pairs[explicit:])):
            yield "geom", name_of(mj.geom(g), "geom", g), mj.geom_solref[g]
    for j in map(int, np.flatnonzero(mj.jnt_limited)):
        yield "limit of joint", name_of(mj.joint(j), "joint", j), mj.jnt_solref[j]
    for i in map(int, np.flatnonzero(mj.dof_frictionloss)):
        j = int(mj.dof_jntid[i])
        yield "friction of joint", name_of(mj.joint(j), "joint", j), mj.dof_solref[i]
    for t in map(int, np.flatnonzero(mj.tendon_limited)):
        yield "limit of tendon", name_of(mj.tendon(t), "tendon", t), mj.tendon_solref_lim[t]
    for e in range(mj.neq):
        name = str(mujoco.mj_id2name(mj, mujoco.mjtObj.mjOBJ_EQUALITY, e) or f"equality {e}")
        yield "equality", name, mj.eq_solref[e]


_FLAGS = {"limit of joint": "limit", "limit of tendon": "limit", "friction of joint": "frictionloss"}


def contact_step_advice(s: Subject) -> list[Advice]:
    """Time constants below 2h, one piece of advice for each kind of constraint."""
    if not s.can_run or s.mj.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE or s.has_flag("constraint"):
        return []
    h = s.step
    found: dict[str, list[tuple[float, str, bool]]] = {}
    for kind, name, solref in constraints(s.mj):
        tau = time_constant(solref)
        if tau < 2.0 * h * (1.0 - 1e-9) and not s.has_flag(_FLAGS.get(kind, kind if kind == "equality" else "contact")):
            found.setdefault(kind, []).append((tau, name, bool(solref[0] > 0.0)))
    out = []
    for kind, rows in found.items():
        least = min(tau for tau, _, _ in rows)
        raised = all(standard for _, _, standard in rows) and not s.has_flag("refsafe")
        then = (
            f"MuJoCo raises it to {2.0 * h:g} s, so it is softer than written"
            if raised
            else "the constraint can be unstable"
        )
        out.append(
            Advice(
                "warning",
                "step-contact",
                listed(kind, list(dict.fromkeys(name for _, name, _ in rows))),
                f"a time constant of {least:.4g} s is less than twice the step of {h:g} s: {then}",
                f'a timestep of at most {least / 2.0:.3g} s, or solref="{2.0 * h:g} 1"',
            )
        )
    return out
