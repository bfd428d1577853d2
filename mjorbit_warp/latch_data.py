"""Poses that latched constraints of an MjoData hold, beside the model's ``eq_data``, which all its data share."""

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.kernels.latch import NDATA, Latches, _forget_latches, _write_latches

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

KINDS = (int(mujoco.mjtEq.mjEQ_WELD), int(mujoco.mjtEq.mjEQ_CONNECT))


def latchable(mj: mujoco.MjModel) -> NDArray[np.intp]:
    """Indices of the welds and connects between bodies."""
    bodies = mj.eq_objtype == int(mujoco.mjtObj.mjOBJ_BODY)
    return np.flatnonzero(np.isin(mj.eq_type, KINDS) & bodies)


@dataclasses.dataclass
class LatchData:
    """Device arrays, n the number of constraints that can be latched.

    Attributes:
      eq: their indices                                                       (n,)
      on: whether a world holds a pose of its own                             (nworld, n) bool
      pose: its numbers, in the layout of ``eq_data``                         (nworld, n, 12)
      data: what MJWarp reads once there was a latch                          (nworld, neq) of eq_data's type
      used: whether there was a latch, or a state was written that may have one
      shared: the model's eq_data while ``data`` stands in its place, else None
      struct: the arrays for kernels
    """

    eq: NDArray[np.intp]
    on: wp.array
    pose: wp.array
    data: wp.array
    used: bool
    shared: Any
    struct: Any


def numbers(array: wp.array) -> wp.array:
    """A (…, neq, 12) view of eq_data as floats."""
    return wp.array(ptr=array.ptr, dtype=float, shape=(*array.shape, NDATA), device=array.device, copy=False)


def make_latches(m: "MjoModel", nworld: int) -> LatchData | None:
    """Arrays for nworld worlds, or None if the model has nothing to latch."""
    eq = latchable(m.mj)
    if not eq.size:
        return None
    slot = np.full(m.mj.neq, -1)
    slot[eq] = np.arange(eq.size)
    struct: Any = Latches()
    struct.slot = wp.array(slot, dtype=int)
    struct.on = wp.zeros((nworld, eq.size), dtype=bool)
    struct.pose = wp.zeros((nworld, eq.size, NDATA), dtype=float)
    data: Any = wp.zeros((nworld, m.mj.neq), dtype=m.mjw.eq_data.dtype)
    data._is_batched = True  # as MJWarp marks its own
    struct.data = numbers(data)
    return LatchData(eq, struct.on, struct.pose, data, False, None, struct)


def model_numbers(m: "MjoModel", latch: LatchData) -> wp.array:
    """The model's own eq_data as floats."""
    return numbers(m.mjw.eq_data if latch.shared is None else latch.shared)


def write_latches(m: "MjoModel", d: "MjoData") -> None:
    """After latches, their state or the model's eq_data were written: one launch."""
    if d.latch is None:
        return
    d.latch.used = True
    shape = (d.nworld, m.mj.neq, NDATA)
    wp.launch(_write_latches, dim=shape, inputs=[model_numbers(m, d.latch)], outputs=[d.latch.struct])


def rewrite_latches(m: "MjoModel") -> None:
    """After the model's eq_data was computed anew: every data that has latched takes it over where it holds no pose."""
    for d in m.datas():
        if d.latch is not None and d.latch.used:
            write_latches(m, d)


def forget_latches(m: "MjoModel", d: "MjoData", mask: wp.array) -> None:
    """Reset: masked worlds have the model's eq_data again."""
    if d.latch is not None and d.latch.used:
        wp.launch(_forget_latches, dim=d.latch.on.shape, inputs=[mask], outputs=[d.latch.struct])
        write_latches(m, d)


@contextlib.contextmanager
def own_eq_data(m: "MjoModel", d: "MjoData") -> Iterator[None]:
    """MJWarp's functions read this data's poses inside, not those of the model."""
    latch = d.latch
    if latch is None or not latch.used or latch.shared is not None:
        yield
        return
    model: mjw.Model = m.mjw
    latch.shared = model.eq_data
    model.eq_data = latch.data
    try:
        yield
    finally:
        model.eq_data, latch.shared = latch.shared, None
