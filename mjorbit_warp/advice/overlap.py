"""Starts inside each other: geoms that overlap and joints beyond their limits at qpos0, which are thrown apart."""

import mujoco
import numpy as np

from mjorbit_warp.advice.record import Advice, Subject, listed, name_of, silent, trial

_DEEP = 1e-3  # m, rad: a start that was settled by simulating it, or written with four digits


def overlap_advice(s: Subject) -> list[Advice]:
    """Contacts deeper than a millimetre, and limits passed by more than 1e-3, at qpos0."""
    mj = s.mj
    if not np.isfinite(mj.qpos0).all() or s.has_flag("constraint"):
        return []
    data = mujoco.MjData(trial(mj, "actuation"))
    with silent():
        mujoco.mj_fwdPosition(mj, data)
    out = []
    deep: dict[tuple[int, int], float] = {}
    for k in range(data.ncon):
        pair = int(data.contact.geom[k, 0]), int(data.contact.geom[k, 1])
        if pair[0] >= 0 and pair[1] >= 0 and data.contact.dist[k] < -_DEEP:
            deep[pair] = min(deep.get(pair, 0.0), float(data.contact.dist[k]))
    if deep:
        names = ["–".join(name_of(mj.geom(g), "geom", g) for g in pair) for pair in deep]
        out.append(
            Advice(
                "warning",
                "overlap",
                listed("geom", names),
                f"they overlap by up to {-min(deep.values()):.3g} m at qpos0 and are thrown apart in the first steps",
                "move them apart, or let them pass with contype, conaffinity or <exclude>",
            )
        )
    limited = data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
    beyond = {int(data.efc_id[k]): -float(data.efc_pos[k]) for k in np.flatnonzero(limited & (data.efc_pos < -_DEEP))}
    if beyond:
        out.append(
            Advice(
                "warning",
                "overlap",
                listed("joint", [name_of(mj.joint(j), "joint", j) for j in beyond]),
                f"qpos0 is up to {max(beyond.values()):.3g} rad or m beyond the limit: the first steps throw it back",
                "a range that holds ref, or another ref",
            )
        )
    return out
