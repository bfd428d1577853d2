"""Contacts and rows of constraints that a world can need."""

import mujoco
import numpy as np

from mjorbit_warp.inspect_geoms import contact_pairs
from mjorbit_warp.report import BufferReport

G = mujoco.mjtGeom
# most contacts of a pair of geoms in MJWarp's collision functions; spheres have one with anything
_SPECIAL = {
    (G.mjGEOM_PLANE, G.mjGEOM_ELLIPSOID): 1,
    (G.mjGEOM_PLANE, G.mjGEOM_CAPSULE): 2,
    (G.mjGEOM_PLANE, G.mjGEOM_BOX): 8,
    (G.mjGEOM_CAPSULE, G.mjGEOM_CAPSULE): 2,
    (G.mjGEOM_CAPSULE, G.mjGEOM_BOX): 2,
    (G.mjGEOM_BOX, G.mjGEOM_BOX): 8,
}
_MOST = {tuple(sorted(int(kind) for kind in pair)): n for pair, n in _SPECIAL.items()}
_CONVEX = 4  # a face on a face
_SDF = 40  # its default number of starting points
_PYRAMID = {1: 1, 3: 4, 4: 6, 6: 10}  # rows of a contact by condim; with an elliptic cone as many as condim
_EQUALITY = {
    int(mujoco.mjtEq.mjEQ_CONNECT): 3,
    int(mujoco.mjtEq.mjEQ_WELD): 6,
    int(mujoco.mjtEq.mjEQ_JOINT): 1,
    int(mujoco.mjtEq.mjEQ_TENDON): 1,
}


def contacts_of(kind: int, other: int) -> int:
    """Most contacts of a geom of one type with a geom of another."""
    if int(G.mjGEOM_SDF) in (kind, other):
        return _SDF
    if int(G.mjGEOM_SPHERE) in (kind, other) and int(G.mjGEOM_HFIELD) not in (kind, other):
        return 1
    return _MOST.get(tuple(sorted((kind, other))), _CONVEX)


def allocated(mj: mujoco.MjModel) -> tuple[int, int]:
    """nconmax and njmax that MJWarp's make_data takes if it is not told: its rule of thumb, which sees no contacts."""
    sizes = sorted([2 ** (k + 4) for k in range(10)] + [3 * 2 ** (k + 3) for k in range(9)])  # 16, 24, 32, 48 … 8192
    field, flex = mj.nhfield > 0, mj.nflex > 0
    sdf = bool((mj.geom_type == int(G.mjGEOM_SDF)).any())
    wanted = (
        max(mj.nv * 0.35 * field * 10 + 45, 256 * flex, 64 * sdf),
        max(mj.nv * 2.26 * field * 18 + 53, 512 * flex, 256 * sdf),
    )
    contacts, rows = (next((size for size in sizes if size >= x), int(x)) for x in wanted)
    return int(contacts), int(rows)


def _largest(mj: mujoco.MjModel) -> tuple[int, int, str]:
    pairs = contact_pairs(mj)
    pyramid = mj.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    explicit = mj.npair if len(pairs) >= mj.npair else 0
    contacts = rows = 0
    for i, (one, other) in enumerate(pairs):
        n = contacts_of(int(mj.geom_type[one]), int(mj.geom_type[other]))
        condim = int(mj.pair_dim[i]) if i < explicit else int(max(mj.geom_condim[one], mj.geom_condim[other]))
        contacts += n
        rows += n * (_PYRAMID[condim] if pyramid else condim)
    parts = {"contacts": rows}
    parts["equality constraints"] = sum(_EQUALITY.get(int(kind), 0) for kind in mj.eq_type)
    parts["limits"] = int(np.count_nonzero(mj.jnt_limited) + np.count_nonzero(mj.tendon_limited))
    parts["friction"] = int(np.count_nonzero(mj.dof_frictionloss) + np.count_nonzero(mj.tendon_frictionloss))
    said = ", ".join(f"{n} rows of {name}" for name, n in parts.items() if n) or "no constraints"
    touching = f"{contacts} contacts of {len(pairs)} pairs of geoms, " if contacts else ""
    return contacts, sum(parts.values()), touching + said


def _seen(mj: mujoco.MjModel) -> tuple[int, int, str]:
    data = mujoco.MjData(mj)
    states = [("qpos0", mj.qpos0)]
    states += [(f"keyframe {mj.key(k).name or k}", mj.key_qpos[k]) for k in range(mj.nkey)]
    most = (0, 0, "qpos0")
    for name, qpos in states:
        if not np.isfinite(qpos).all():
            continue
        mujoco.mj_resetData(mj, data)
        data.qpos[:] = qpos
        mujoco.mj_fwdPosition(mj, data)
        if (data.nefc, data.ncon) > (most[1], most[0]):
            most = (int(data.ncon), int(data.nefc), name)
    return most


def buffer_report(mj: mujoco.MjModel) -> BufferReport:
    """What the geoms and limits of a model can ask for, what they do ask for at its poses, and what is allocated."""
    contacts, rows, reason = _largest(mj)
    seen_contacts, seen_rows, where = _seen(mj)
    nconmax, njmax = allocated(mj)
    return BufferReport(contacts, rows, seen_contacts, seen_rows, where, nconmax, njmax, reason)
