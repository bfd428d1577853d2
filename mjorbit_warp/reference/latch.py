"""Docking in the reference backend, as mjorbit_warp.latch."""

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _quat
from mjorbit_warp.latch import equality_id
from mjorbit_warp.latch_data import latchable
from mjorbit_warp.worlds import check_reference

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.reference.data import MjoData


class LatchData:
    """Poses that latched constraints hold, n the number that can be latched.

    Attributes:
      eq: their indices                                                 (n,)
      on: whether a world holds a pose of its own                       (nworld, n)
      pose: its numbers, in the layout of ``eq_data``                   (nworld, n, 12)
      written: whether they stand in the batch's eq_data                (nworld, n)
      kept: what stood there before                                     (nworld, n, 12)
    """

    def __init__(self, mj: mujoco.MjModel, nworld: int) -> None:
        self.eq = latchable(mj)
        shape = (nworld, self.eq.size)
        self.on, self.written = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        self.pose, self.kept = np.zeros((*shape, 12)), np.zeros((*shape, 12))

    def model_numbers(self, d: "MjoData") -> NDArray[np.float64]:
        """The model's own numbers of these constraints, (nworld, n, 12)."""
        now = d.parameter("eq_data")[:, self.eq]
        return np.where(self.written[..., None], self.kept, now)


def write_latches(d: "MjoData", on: NDArray[np.bool_] | None = None) -> None:
    """Put the poses that are held (or of ``on``) into the batch's eq_data, and the model's numbers back elsewhere."""
    latch = d.latch
    wanted = latch.on if on is None else on
    if not (wanted.any() or latch.written.any()):
        return
    latch.kept[:] = latch.model_numbers(d)
    d.batch.expand("eq_data")[:, latch.eq] = np.where(wanted[..., None], latch.pose, latch.kept)
    latch.written[:] = wanted


def mjo_latch(m: "MjoModel", d: "MjoData", eq: str | int, mask: Any = None) -> None:
    """Switch a weld or connect on in chosen worlds such that it holds the two bodies as they are.

    Args and errors: as mjorbit_warp.mjo_latch.
    """
    from mjorbit_warp.reference.state import masked_worlds

    check_reference(m, d)
    index = equality_id(m.mj, eq)
    ids = masked_worlds(d, mask)
    if not ids.size:
        return
    d.batch.forward(stage=mujoco.mjtStage.mjSTAGE_POS.value)
    row = int(np.flatnonzero(d.latch.eq == index)[0])
    numbers = np.broadcast_to(d.latch.model_numbers(d)[:, row], (d.nworld, 12))[ids].copy()
    body1, body2 = int(m.mj.eq_obj1id[index]), int(m.mj.eq_obj2id[index])
    turn1, turn2 = d.xquat[ids, body1], d.xquat[ids, body2]
    between, anchor = d.xpos[ids, body2] - d.xpos[ids, body1], numbers[:, :3]
    if m.mj.eq_type[index] == mujoco.mjtEq.mjEQ_WELD:
        numbers[:, 3:6] = _quat.rotate(_quat.conj(turn1), between + _quat.rotate(turn2, anchor))
        numbers[:, 6:10] = _quat.mul(_quat.conj(turn1), turn2)
    else:
        numbers[:, 3:6] = _quat.rotate(_quat.conj(turn2), _quat.rotate(turn1, anchor) - between)
    d.latch.pose[ids, row] = numbers
    d.latch.on[ids, row] = True
    d.eq_active[ids, index] = 1
    write_latches(d)


def mjo_unlatch(m: "MjoModel", d: "MjoData", eq: str | int, mask: Any = None) -> None:
    """Switch a weld or connect off in chosen worlds and forget the pose that it held."""
    from mjorbit_warp.reference.state import masked_worlds

    check_reference(m, d)
    index = equality_id(m.mj, eq)
    ids = masked_worlds(d, mask)
    d.latch.on[ids, int(np.flatnonzero(d.latch.eq == index)[0])] = False
    d.eq_active[ids, index] = 0
    write_latches(d)
