"""Keyframes by name, and those that give less than all numbers."""

from typing import TYPE_CHECKING

import mujoco
import numpy as np

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel


def keyframe_id(m: "MjoModel", keyframe: str | int) -> int:
    """Index of a keyframe given by name or index; ValueError lists what there is."""
    names = [m.mj.key(i).name or f"#{i}" for i in range(m.mj.nkey)]
    if isinstance(keyframe, str) and keyframe in names:
        return names.index(keyframe)
    if isinstance(keyframe, int | np.integer) and 0 <= keyframe < m.mj.nkey:
        return int(keyframe)
    raise ValueError(f"no keyframe {keyframe!r}: the model has {', '.join(names) or 'none'}")


def given_numbers(spec: mujoco.MjSpec) -> list[dict[str, int]]:
    """How many numbers each keyframe has in its source; compiling a spec fills them up."""
    fields = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")
    return [{field: len(getattr(key, field)) for field in fields} for key in spec.keys]


def short_keyframes(mj: mujoco.MjModel, given: list[dict[str, int]]) -> list[str]:
    """One line for each keyframe that gives some numbers of a field and not all: MuJoCo takes the rest as they start.

    A field that is left out is meant; half of one is more likely a free joint with six numbers instead of seven.
    """
    sizes = {"qpos": mj.nq, "qvel": mj.nv, "act": mj.na, "ctrl": mj.nu, "mpos": 3 * mj.nmocap, "mquat": 4 * mj.nmocap}
    notes = []
    for index, counts in enumerate(given):
        short = [f"{n} of the {sizes[field]} numbers of {field}" for field, n in counts.items() if 0 < n < sizes[field]]
        if short:
            name = mj.key(index).name or f"#{index}"
            notes.append(f"keyframe {name} gives {' and '.join(short)}: the others are those of the model's start")
    return notes
