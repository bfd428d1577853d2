"""How the model is held: reasons to refuse it, and trees that are fixed on purpose."""

import mujoco

from mjorbit_warp.advice.record import Advice, Subject, listed, name_of
from mjorbit_warp.check import refusals
from mjorbit_warp.inspect_geoms import contact_pairs

_URDF = "; a URDF must be loaded with MjoSpec.from_file, as MuJoCo itself welds its root link into the world"


def _error(code: str, sentence: str, more: str = "") -> Advice:
    what, _, remedy = sentence.rpartition(": ") if ": " in sentence else (sentence, "", "")
    return Advice("error", code, "", what, remedy + more)


def base_advice(s: Subject) -> list[Advice]:
    """Every reason to refuse the model; trees that were left fixed on purpose are only named."""
    out, said = [], []
    for code, sentence in refusals(s.mj):
        if code == "no-free-joint" and s.asked_fixed:
            what = sentence.partition(" and is held")[0]
            out.append(Advice("info", "fixed-tree", "", f"{what}: it is fixed to the orbit's moving origin", ""))
            continue
        if code == "step" and s.refused is not None and "timestep" in s.refused:
            sentence = s.refused  # it names the file
        said.append(sentence)
        held = s.spec is None and code in ("no-body", "no-free-joint")
        out.append(_error(code, sentence, _URDF if held else ""))
    if s.refused is not None and s.refused not in said:
        out.append(_error("refused", s.refused))
    return out


def world_geom_advice(s: Subject) -> list[Advice]:
    """A floor, table or wall of another scene: the world is the orbit's origin here, and no push moves it."""
    pairs = contact_pairs(s.mj)
    geoms = sorted({int(g) for g in pairs.ravel() if s.mj.geom_bodyid[g] == 0})
    if not geoms:
        return []
    names = [name_of(s.mj.geom(g), "geom", g) for g in geoms]
    return [
        Advice(
            "warning",
            "world-geom",
            listed("geom", names),
            "of the world, which is the orbit's origin here: what touches it is held on the orbit as if by a rail",
            'remove it, give it contype="0" conaffinity="0", or put it on a body with a <freejoint/> and a mass',
        )
    ]


def is_held(mj: mujoco.MjModel) -> bool:
    """Whether a model has a tree that is fixed to the world."""
    return any(code == "no-free-joint" for code, _ in refusals(mj))
