"""Grouped arguments of the hardware kernels. ``adr[b] … adr[b + 1]`` are the parts on body b, in a fixed order.

Axes and directions are in the frame of the part's site. Leading dimension ``*`` is 1 or nworld.
"""

import warp as wp


@wp.struct
class Wheels:
    """Reaction wheels, see hardware.ReactionWheel."""

    adr: wp.array[int]
    ctrl: wp.array[int]
    act: wp.array[int]
    site: wp.array[int]
    axis: wp.array[wp.vec3]
    inertia: wp.array2d[float]
    max_speed: wp.array2d[float]
    coulomb: wp.array2d[float]
    viscous: wp.array2d[float]
    stiction_speed: wp.array2d[float]


@wp.struct
class Cmgs:
    """Single-gimbal control moment gyros, see hardware.ControlMomentGyro."""

    adr: wp.array[int]
    ctrl: wp.array[int]
    act: wp.array[int]
    site: wp.array[int]
    axis: wp.array[wp.vec3]
    spin_axis: wp.array[wp.vec3]
    momentum: wp.array2d[float]
    min_angle: wp.array2d[float]
    max_angle: wp.array2d[float]


@wp.struct
class Magnetorquers:
    """Torque rods: the command is the dipole along the axis."""

    adr: wp.array[int]
    ctrl: wp.array[int]
    site: wp.array[int]
    axis: wp.array[wp.vec3]


@wp.struct
class Dipoles:
    """Residual dipoles [A·m²]."""

    adr: wp.array[int]
    site: wp.array[int]
    dipole: wp.array2d[wp.vec3]


@wp.struct
class Thrusters:
    """Thrusters, see hardware.Thruster; ``tank`` is −1 without propellant."""

    adr: wp.array[int]
    ctrl: wp.array[int]
    site: wp.array[int]
    axis: wp.array[wp.vec3]
    on_off: wp.array[bool]
    min_pulse: wp.array2d[float]
    specific_impulse: wp.array2d[float]
    tank: wp.array[int]


@wp.struct
class Surfaces:
    """Plates and spheres, see hardware.Surface."""

    adr: wp.array[int]
    site: wp.array[int]
    two_sided: wp.array[bool]
    sphere: wp.array[bool]
    area: wp.array2d[float]
    drag: wp.array2d[float]
    specular: wp.array2d[float]
    diffuse: wp.array2d[float]
    reflectivity: wp.array2d[float]


@wp.struct
class Commands:
    """Commands of all actuators and their limits, MJWarp's arrays."""

    ctrl: wp.array2d[float]
    limited: wp.array[bool]
    range: wp.array2d[wp.vec2]
    act: wp.array2d[float]


@wp.struct
class HardwareState:
    """What an evaluation leaves for later ones and for MJWarp.

    Attributes:
      wheel_torque: on each rotor about its axis, friction in it [N·m]      (nworld, nwheel)
      wheel_bounds: lowest and highest, fixed at the step's start [N·m]     (nworld, nwheel)
      gimbal_rate: of each CMG [rad/s]                                      (nworld, ncmg)
      gimbal_bounds: lowest and highest, fixed at the step's start [rad/s]  (nworld, ncmg)
      thrust: of each thruster [N]                                          (nworld, nthruster)
      impulse: of each thruster in the step under way [N·s]                  (nworld, nthruster)
      propellant: left in each tank [kg]                                    (nworld, ntank)
      fire_until: elapsed time up to which an on-off pulse lasts [s]        (nworld, nthruster)
      force: non-gravitational external force on each body, world axes [N]  (nworld, nbody)
      torque: the same about its COM, less what wheels and CMGs exert [N·m]; kept for precision "conserving"
    """

    wheel_torque: wp.array2d[float]
    wheel_bounds: wp.array2d[wp.vec2]
    gimbal_rate: wp.array2d[float]
    gimbal_bounds: wp.array2d[wp.vec2]
    thrust: wp.array2d[float]
    impulse: wp.array2d[wp.float64]
    propellant: wp.array2d[wp.float64]
    fire_until: wp.array2d[wp.float64]
    force: wp.array2d[wp.vec3]
    torque: wp.array2d[wp.vec3]


@wp.func
def command(commands: Commands, worldid: int, index: int) -> float:
    """A command within its ``ctrlrange``, as MuJoCo clamps it."""
    u = commands.ctrl[worldid, index]
    if commands.limited[index]:
        limits = commands.range[worldid % commands.range.shape[0], index]
        u = wp.clamp(u, limits[0], limits[1])
    return u
