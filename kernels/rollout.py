"""Rollouts: commands from a tape, records of fields, worlds that stop; and one world's state onto others."""

from functools import cache
from typing import Any

import warp as wp

from mjorbit_warp.status import Status

NONFINITE = wp.constant(int(Status.NONFINITE))


@wp.kernel(enable_backward=False)
def _read_tape(
    # In:
    tape_in: wp.array3d[float],
    row_in: wp.array[int],
    # Data out:
    ctrl_out: wp.array2d[float],
    bad_out: wp.array[bool],
):
    """Commands of the current row (world × command), shared by all worlds if the tape has one; NaN becomes 0.

    Tapes and records are rings: row k is at k modulo their length.
    """
    worldid, i = wp.tid()
    u = tape_in[row_in[0] % tape_in.shape[0], worldid % tape_in.shape[1], i]
    if not wp.isfinite(u):
        u = 0.0
        bad_out[worldid] = True
    ctrl_out[worldid, i] = u


@wp.kernel(enable_backward=False)
def _check_ctrl(ctrl_out: wp.array2d[float], bad_out: wp.array[bool]):
    """A policy's commands (world × command): what is not finite becomes 0, and the world is named."""
    worldid, i = wp.tid()
    if not wp.isfinite(ctrl_out[worldid, i]):
        ctrl_out[worldid, i] = 0.0
        bad_out[worldid] = True


@cache
def record_kernel(dtype: Any):
    """Kernel that copies a field into the current row, for a scalar type."""

    @wp.kernel(module="unique", enable_backward=False)
    def _record(
        # Data in:
        field_in: wp.array2d[dtype],
        # In:
        row_in: wp.array[int],
        done_in: wp.array[bool],
        # Out:
        record_out: wp.array3d[dtype],
    ):
        """(world × entry); a world that has stopped repeats its last row."""
        worldid, i = wp.tid()
        row = row_in[0]
        place = row % record_out.shape[0]
        if done_in[worldid] and row > 0:
            record_out[place, worldid, i] = record_out[(row - 1) % record_out.shape[0], worldid, i]
        else:
            record_out[place, worldid, i] = field_in[worldid, i]

    return _record


@wp.kernel(enable_backward=False)
def _end_row(
    # Data in:
    status_in: wp.array[int],
    # Out:
    done_out: wp.array[bool],
    length_out: wp.array[int],
    status_out: wp.array[int],
):
    """After a row (world): count it where the world has not stopped; a world that is not finite stops."""
    worldid = wp.tid()
    status_out[worldid] = status_in[worldid]
    if not done_out[worldid]:
        length_out[worldid] = length_out[worldid] + 1
        if (status_in[worldid] & NONFINITE) != 0:
            done_out[worldid] = True


@wp.kernel(enable_backward=False)
def _next_row(row_out: wp.array[int]):
    """On to the next row."""
    row_out[0] = row_out[0] + 1


@wp.kernel(enable_backward=False)
def _stop_worlds(mask_in: wp.array[bool], done_out: wp.array[bool]):
    """Worlds of the mask stop (world), besides those that have."""
    worldid = wp.tid()
    if mask_in[worldid]:
        done_out[worldid] = True


@cache
def broadcast_kernel(source: Any, target: Any):
    """Kernel that copies one row onto others, for two scalar types."""

    @wp.kernel(module="unique", enable_backward=False)
    def _broadcast(
        source_in: wp.array2d[source],
        row: int,
        ids_in: wp.array[int],
        target_out: wp.array2d[target],
    ):
        """(chosen world × entry)"""
        k, i = wp.tid()
        target_out[ids_in[k], i] = target(source_in[row, i])

    return _broadcast
