"""The last states of every world, kept on the device as it steps."""

import warp as wp

wp.set_module_options({"enable_backward": False})

FLOAT32 = wp.constant(0)  # codes of Columns.dtype
FLOAT64 = wp.constant(1)
INT32 = wp.constant(2)
INT64 = wp.constant(3)
BOOL = wp.constant(4)


@wp.struct
class Columns:
    """Where each column of a state vector lives.

    Attributes:
      ptr: address in world 0                    (size,)
      stride: bytes from one world to the next   (size,)
      dtype: one of the codes above              (size,)
    """

    ptr: wp.array[wp.uint64]
    stride: wp.array[int]
    dtype: wp.array[int]


@wp.func
def column_value(columns: Columns, worldid: int, i: int) -> wp.float64:
    """Column ``i`` of the state of a world, exactly (integers up to 2^53)."""
    ptr = columns.ptr[i] + wp.uint64(worldid) * wp.uint64(columns.stride[i])
    dtype = columns.dtype[i]
    if dtype == FLOAT32:
        single = wp.array(ptr=ptr, shape=(1,), dtype=wp.float32)
        return wp.float64(single[0])
    if dtype == FLOAT64:
        double = wp.array(ptr=ptr, shape=(1,), dtype=wp.float64)
        return double[0]
    if dtype == INT32:
        short = wp.array(ptr=ptr, shape=(1,), dtype=wp.int32)
        return wp.float64(short[0])
    if dtype == INT64:
        long = wp.array(ptr=ptr, shape=(1,), dtype=wp.int64)
        return wp.float64(long[0])
    flag = wp.array(ptr=ptr, shape=(1,), dtype=wp.bool)
    if flag[0]:
        return wp.float64(1.0)
    return wp.float64(0.0)


@wp.kernel
def _push(
    # In:
    columns: Columns,
    frozen_in: wp.array[bool],
    count_in: wp.array[int],
    # Out:
    states_out: wp.array3d[wp.float64],
):
    """Start of a step (world × column): the state takes the place of the oldest; a frozen world keeps what it has."""
    worldid, i = wp.tid()
    if not frozen_in[worldid]:
        states_out[count_in[worldid] % states_out.shape[0], worldid, i] = column_value(columns, worldid, i)


@wp.kernel
def _pushed(frozen_in: wp.array[bool], count_out: wp.array[int]):
    """After _push (world)."""
    worldid = wp.tid()
    if not frozen_in[worldid]:
        count_out[worldid] = count_out[worldid] + 1


@wp.kernel
def _forget(mask_in: wp.array[bool], count_out: wp.array[int]):
    """Masked worlds have no states (world)."""
    worldid = wp.tid()
    if mask_in[worldid]:
        count_out[worldid] = 0
