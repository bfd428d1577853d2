"""States put back into masked worlds, without the host: also inside a graph."""

from functools import cache
from typing import Any

import warp as wp


@cache
def restore_kernel(dtype: Any):
    """Kernel that copies columns of a bank of states into masked rows of an array of ``dtype``."""

    @wp.kernel(module="unique", enable_backward=False)
    def _restore(
        # In:
        bank_in: wp.array2d[wp.float64],
        row_in: wp.array[int],
        mask_in: wp.array[bool],
        offset: int,
        # Out:
        target_out: wp.array2d[dtype],
    ):
        """(world × entry)"""
        worldid, i = wp.tid()
        if mask_in[worldid]:
            target_out[worldid, i] = dtype(bank_in[row_in[worldid], offset + i])

    return _restore


@wp.kernel(enable_backward=False)
def _clear_status(mask_in: wp.array[bool], status_out: wp.array[int]):
    """No faults in the masked worlds (world)."""
    worldid = wp.tid()
    if mask_in[worldid]:
        status_out[worldid] = 0
