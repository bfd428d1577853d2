"""States put back into masked worlds, without the host: also inside a graph."""

from functools import cache
from typing import Any

import warp as wp

from mjorbit_warp.kernels.status import Faults, clear_status


@cache
def restore_kernel(dtype: Any):
    """Kernel that copies columns of a bank of states into masked rows of an array of ``dtype``.

    A row that the bank does not have gives NaN, or leaves integers as they are, so that the world is frozen and named.
    """
    floating = dtype in (wp.float32, wp.float64)

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
            row = row_in[worldid]
            if row >= 0 and row < bank_in.shape[0]:
                target_out[worldid, i] = dtype(bank_in[row, offset + i])
            elif wp.static(floating):
                target_out[worldid, i] = dtype(wp.nan)

    return _restore


@wp.kernel(enable_backward=False)
def _clear_status(
    # In:
    mask_in: wp.array[bool],
    # Data out:
    overflow_out: wp.array[int],
    faults: Faults,
    status_out: wp.array[int],
):
    """No faults in the masked worlds (world)."""
    worldid = wp.tid()
    if mask_in[worldid]:
        overflow_out[worldid] = 0  # MJWarp only ever adds to it, and status follows it
        clear_status(worldid, faults, status_out)
