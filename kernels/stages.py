"""The classical RK4 tableau."""

import warp as wp


@wp.func
def stage_fraction(stage: int) -> wp.float64:
    """Time of an RK4 stage as a fraction of the step: 0, ½, ½, 1; 0 outside RK4 (stage −1)."""
    if stage <= 0:
        return wp.float64(0.0)
    if stage == 3:
        return wp.float64(1.0)
    return wp.float64(0.5)


@wp.func
def stage_weight(stage: int) -> wp.float64:
    """1/6, 1/3, 1/3, 1/6."""
    if stage == 0 or stage == 3:
        return wp.float64(1.0) / wp.float64(6.0)
    return wp.float64(1.0) / wp.float64(3.0)
