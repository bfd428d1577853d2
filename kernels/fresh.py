"""Results of evaluations of masked worlds put back to what they are in new data."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.struct
class Rows:
    """Arrays with a row for each world.

    Attributes:
      ptr: address of the row of world 0                 (narray,)
      words: 32-bit words of a row                       (narray,)
      start: where the row is in ``fresh``               (narray,)
      fresh: rows of new data, one after the other       (sum of words,)
    """

    ptr: wp.array[wp.uint64]
    words: wp.array[int]
    start: wp.array[int]
    fresh: wp.array[wp.uint32]


@wp.func
def row_of(rows: Rows, worldid: int, i: int):
    """Words of a world's row of array ``i``."""
    offset = wp.uint64(worldid) * wp.uint64(4 * rows.words[i])
    return wp.array(ptr=rows.ptr[i] + offset, shape=(rows.words[i],), dtype=wp.uint32)


@wp.kernel
def _keep_fresh(rows: Rows):
    """Remember the rows of world 0 (array)."""
    i = wp.tid()
    row = row_of(rows, 0, i)
    for k in range(rows.words[i]):
        rows.fresh[rows.start[i] + k] = row[k]


@wp.kernel
def _make_fresh(mask_in: wp.array[bool], rows: Rows):
    """Masked worlds have those rows (world × array)."""
    worldid, i = wp.tid()
    if mask_in[worldid]:
        row = row_of(rows, worldid, i)
        for k in range(rows.words[i]):
            row[k] = rows.fresh[rows.start[i] + k]
