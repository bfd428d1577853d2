"""How the model is held: reasons to refuse it, and trees that are fixed on purpose."""

import mujoco

from mjorbit_warp.advice.record import Advice, Subject
from mjorbit_warp.check import refusals

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


def is_held(mj: mujoco.MjModel) -> bool:
    """Whether a model has a tree that is fixed to the world."""
    return any(code == "no-free-joint" for code, _ in refusals(mj))
