"""What ties a spacecraft to the world, which is the orbit's origin here: nothing pushes it."""

import mujoco

from mjorbit_warp.advice.record import Advice, Subject, listed, name_of
from mjorbit_warp.inspect_geoms import contact_pairs

_SITE = int(mujoco.mjtObj.mjOBJ_SITE)
_POSES = (int(mujoco.mjtEq.mjEQ_WELD), int(mujoco.mjtEq.mjEQ_CONNECT))
_WRAPPED = (int(mujoco.mjtWrap.mjWRAP_SITE),)


def _geoms(mj: mujoco.MjModel) -> list[str]:
    touched = sorted({int(g) for g in contact_pairs(mj).ravel() if mj.geom_bodyid[g] == 0})
    return [name_of(mj.geom(g), "geom", g) for g in touched]


def _equalities(mj: mujoco.MjModel) -> list[str]:
    found = []
    for e in range(mj.neq):
        if int(mj.eq_type[e]) in _POSES:
            ends = (int(mj.eq_obj1id[e]), int(mj.eq_obj2id[e]))
            if 0 in (int(mj.site_bodyid[i]) if int(mj.eq_objtype[e]) == _SITE else i for i in ends):
                found.append(name_of(mj.equality(e), "equality", e))
    return found


def _tendons(mj: mujoco.MjModel) -> list[str]:
    found = []
    for t in range(mj.ntendon):
        path = range(int(mj.tendon_adr[t]), int(mj.tendon_adr[t] + mj.tendon_num[t]))
        sites = [int(mj.wrap_objid[k]) for k in path if int(mj.wrap_type[k]) in _WRAPPED]
        if any(mj.site_bodyid[i] == 0 for i in sites):
            found.append(name_of(mj.tendon(t), "tendon", t))
    return found


def world_advice(s: Subject) -> list[Advice]:
    """Floors, tables and walls of another scene; welds, connects and tendons that end in the world."""
    return [
        Advice(
            "warning",
            "held-by-world",
            listed(kind, names),
            f"{what} the world, which is the orbit's origin here: what {how} it is held on the orbit as if by a rail",
            remedy,
        )
        for kind, names, what, how, remedy in (
            (
                "geom",
                _geoms(s.mj),
                "of",
                "touches",
                'remove it, give it contype="0" conaffinity="0", or put it on a body with a <freejoint/> and a mass',
            ),
            ("equality", _equalities(s.mj), "ties to", "hangs on", "tie it to a body with a <freejoint/> and a mass"),
            ("tendon", _tendons(s.mj), "ends in", "hangs on", "end it in a body with a <freejoint/> and a mass"),
        )
        if names
    ]
