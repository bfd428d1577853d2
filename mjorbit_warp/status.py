"""Bits that say what went wrong in a world."""

import enum

import numpy as np
from numpy.typing import NDArray


class Status(enum.IntFlag):
    """Bits of ``data.status``; they stay until the world is reset.

    NONFINITE: a coordinate, a velocity or the orbit is not finite. BELOW_SURFACE: the orbit's origin is inside the
    central body. TOO_FAR: a body's COM is farther than 10 % of |r_c| from the origin. OVERFLOW: contacts or constraints
    were dropped (a solver that ran out of iterations drops nothing). WHEEL_SATURATED: a reaction wheel reached its
    largest speed; nothing is wrong with the world.
    """

    NONFINITE = 1
    BELOW_SURFACE = 2
    TOO_FAR = 4
    OVERFLOW = 8
    WHEEL_SATURATED = 16


FAULTS = Status.NONFINITE | Status.BELOW_SURFACE | Status.TOO_FAR | Status.OVERFLOW


def worlds_by_status(status: NDArray[np.int32], bits: Status = FAULTS) -> dict[str, list[int]]:
    """Worlds by the name of each of ``bits`` that is set."""
    found = {str(bit.name): np.flatnonzero(status & bit).tolist() for bit in Status if bit in bits}
    return {name: worlds for name, worlds in found.items() if worlds}
