"""Copies between the state vector and the arrays that it is made of, for chosen worlds."""

from functools import cache

import warp as wp


@cache
def gather_kernel(dtype: type):
    """Kernel that copies rows of an array of ``dtype`` into columns of a float64 state."""

    @wp.kernel(module="unique", enable_backward=False)
    def _gather(
        source_in: wp.array2d[dtype],
        world_ids: wp.array[int],
        offset: int,
        state_out: wp.array2d[wp.float64],
    ):
        row, column = wp.tid()
        state_out[row, offset + column] = wp.float64(source_in[world_ids[row], column])

    return _gather


@cache
def scatter_kernel(dtype: type):
    """Kernel that copies columns of a float64 state into rows of an array of ``dtype``."""

    @wp.kernel(module="unique", enable_backward=False)
    def _scatter(
        state_in: wp.array2d[wp.float64],
        world_ids: wp.array[int],
        offset: int,
        target_out: wp.array2d[dtype],
    ):
        row, column = wp.tid()
        target_out[world_ids[row], column] = dtype(state_in[row, offset + column])

    return _scatter
