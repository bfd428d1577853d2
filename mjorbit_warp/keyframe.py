"""Keyframes by name."""

from typing import TYPE_CHECKING

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
