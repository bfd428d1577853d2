"""Docking: welds and connects that are switched on in chosen worlds, as the bodies are at that moment."""

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import warp as wp

from mjorbit_warp.kernels.latch import Frames, _latch, _unlatch
from mjorbit_warp.latch_data import latchable, model_numbers, write_latches
from mjorbit_warp.reset import world_mask
from mjorbit_warp.step import check_pair, refresh_velocities

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


def equality_id(mj: mujoco.MjModel, eq: str | int) -> int:
    """Index of a constraint that can be latched, given by name or index; ValueError says which can."""
    can = [mj.eq(int(i)).name or f"#{i}" for i in latchable(mj)]
    allowed = f"welds and connects between bodies can be latched, here {', '.join(can) or 'there is none'}"
    names = [mj.eq(i).name for i in range(mj.neq)]
    if isinstance(eq, str) and eq and eq in names:
        index = names.index(eq)
    elif isinstance(eq, int | np.integer) and not isinstance(eq, bool) and 0 <= eq < mj.neq:
        index = int(eq)
    else:
        raise ValueError(f"no equality constraint {eq!r} in the model: {allowed}")
    if index not in latchable(mj):
        kind = mujoco.mjtEq(int(mj.eq_type[index])).name.removeprefix("mjEQ_").lower()
        sites = " of sites" if mj.eq_objtype[index] == mujoco.mjtObj.mjOBJ_SITE else ""
        raise ValueError(f"equality {eq!r} is a {kind}{sites}: {allowed}")
    return index


def mjo_latch(m: "MjoModel", d: "MjoData", eq: str | int, mask: Any = None) -> None:
    """Switch a weld or connect on in chosen worlds such that it holds the two bodies as they are: docking.

    The relative pose at this moment takes the place of the one in the MJCF, so nothing is pulled: the constraint only
    takes out the relative velocity, within its time constant (``solref``), by forces that are equal and opposite. Total
    momentum stays; angular momentum does but for the gap that opens meanwhile (v times the time constant, at most)
    times the impulse. A weld holds pose, a connect the point that is its anchor in body 1; anchor, ``torquescale`` and
    ``solref`` are the model's. Latching anew takes the pose anew. ``<weld body1="…" body2="…" active="false"/>`` is
    what a docking port needs in the MJCF.

    Poses belong to the data, not to the model: they are part of get_state, and mjo_reset forgets them. What is written
    into ``model.eq_data`` later reaches such a data at its next latch, reset, set_const or set_state. Positions are
    fresh afterwards in every world; other worlds keep their bits. Call it between steps or replays, or inside a
    capture: it is launches alone, if the mask is a Warp array.

    Args:
      eq: name or index of the equality constraint.
      mask: (nworld,) bool, Warp array on the data's device or array-like; None latches all.

    Raises:
      ValueError: no such constraint, one of joints, tendons or sites, or a mask of another shape.
    """
    check_pair(m, d)
    index = equality_id(m.mj, eq)
    chosen = world_mask(d, mask)
    is_weld = m.mj.eq_type[index] == mujoco.mjtEq.mjEQ_WELD
    with wp.ScopedDevice(d.device):
        refresh_velocities(m, d)
        frames: Any = Frames()
        frames.pos, frames.mat, frames.quat = d.mjw.xpos, d.mjw.xmat, d.mjw.xquat
        wp.launch(
            _latch,
            dim=d.nworld,
            inputs=[m.mjw.eq_obj1id, m.mjw.eq_obj2id, model_numbers(m, d.latch), frames, chosen, index, bool(is_weld)],
            outputs=[d.mjw.eq_active, d.latch.struct],
        )
        write_latches(m, d)


def mjo_unlatch(m: "MjoModel", d: "MjoData", eq: str | int, mask: Any = None) -> None:
    """Switch a weld or connect off in chosen worlds and forget the pose that it held; the bodies fly on as they are.

    Args and errors: as mjo_latch.
    """
    check_pair(m, d)
    index = equality_id(m.mj, eq)
    chosen = world_mask(d, mask)
    with wp.ScopedDevice(d.device):
        wp.launch(_unlatch, dim=d.nworld, inputs=[chosen, index], outputs=[d.mjw.eq_active, d.latch.struct])
        write_latches(m, d)
