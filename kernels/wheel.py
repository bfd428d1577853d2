"""Reaction wheels: motor torque with friction and limits. Momentum is absolute, the body's inertia without J_s a aᵀ."""

import warp as wp


@wp.func
def wheel_friction(
    speed: float, coulomb: float, viscous: float, stiction_speed: float, inertia: float, dt: float
) -> float:
    """Friction torque on the rotor [N·m]: −(C sign Ω + c Ω), with the Coulomb part linear through Ω = 0.

    It is linear below ``stiction_speed`` or below the speed that it would stop within a step, whichever is larger, so
    that friction never reverses a wheel.
    """
    linear = wp.max(stiction_speed, dt * coulomb / inertia)
    return -(coulomb * wp.clamp(speed / linear, -1.0, 1.0) + viscous * speed)


@wp.func
def wheel_bounds(speed: float, max_speed: float, inertia: float, dt: float) -> wp.vec2:
    """Lowest and highest rotor torque [N·m] that keep |Ω| within its limit over a step that starts at ``speed``.

    A wheel beyond its limit is not pushed back by the bound: it may only turn back on command or by friction.
    """
    low = wp.min(0.0, inertia * (-max_speed - speed) / dt)
    high = wp.max(0.0, inertia * (max_speed - speed) / dt)
    return wp.vec2(low, high)
