"""Propellant: what thrusters burn, and the mass and inertia that a tank's body is left with."""

import warp as wp

from mjorbit_warp.kernels.hardware import HardwareState, Thrusters

wp.set_module_options({"enable_backward": False})

STANDARD_GRAVITY = 9.80665  # 3rd CGPM, 1901 [m/s²]


@wp.struct
class Tanks:
    """Tanks and their bodies.

    Attributes:
      body: body of each tank                                                       (ntank,)
      capacity: propellant that the body's nominal mass includes [kg]               (ntank,)
      propellant: what is left [kg]                                                 (nworld, ntank)
      applied: propellant in the body's mass as it was last written [kg]            (nworld, ntank)
      written: mass that was last written, NaN before [kg]                          (nworld, ntank)
      full_mass, full_inertia: of the body with a full tank [kg], [kg·m²]           (nworld, ntank)
    """

    body: wp.array[int]
    capacity: wp.array[wp.float64]
    propellant: wp.array2d[wp.float64]
    applied: wp.array2d[wp.float64]
    written: wp.array2d[float]
    full_mass: wp.array2d[float]
    full_inertia: wp.array2d[wp.vec3]


@wp.struct
class BodyMass:
    """MJWarp's masses, one row per world."""

    parentid: wp.array[int]
    subtreenum: wp.array[int]
    mass: wp.array2d[float]
    inertia: wp.array2d[wp.vec3]
    subtreemass: wp.array2d[float]


@wp.func
def write_mass(tanks: Tanks, bodies: BodyMass, worldid: int, tank: int):
    """Mass and inertia of a tank's body for the propellant that is left: m = full − burnt, J ∝ m, COM and pose kept.

    A mass that is not the one last written here is the user's, with the propellant of that time in it. Subtree masses
    of the body and its ancestors are summed anew: a running difference would lose what float32 cannot hold.
    """
    body = tanks.body[tank]
    now = bodies.mass[worldid, body]
    capacity = tanks.capacity[tank]
    if now != tanks.written[worldid, tank]:
        full = now + float(capacity - tanks.applied[worldid, tank])
        tanks.full_mass[worldid, tank] = full
        tanks.full_inertia[worldid, tank] = bodies.inertia[worldid, body] * (full / now)
    full = tanks.full_mass[worldid, tank]
    left = tanks.propellant[worldid, tank]
    new = float(wp.float64(full) - (capacity - left))
    tanks.applied[worldid, tank] = left
    tanks.written[worldid, tank] = new
    if new == now:
        return
    bodies.mass[worldid, body] = new
    bodies.inertia[worldid, body] = tanks.full_inertia[worldid, tank] * (new / full)
    ancestor = body
    while ancestor >= 0:
        total = float(0.0)
        for b in range(ancestor, ancestor + bodies.subtreenum[ancestor]):
            total += bodies.mass[worldid, b]
        bodies.subtreemass[worldid, ancestor] = total
        if ancestor == 0:
            ancestor = -1
        else:
            ancestor = bodies.parentid[ancestor]


@wp.kernel
def _burn(
    # Model:
    thrusters: Thrusters,
    # Data in:
    hardware: HardwareState,
    frozen_in: wp.array[bool],
    # Data out:
    tanks: Tanks,
    bodies: BodyMass,
):
    """After a step (world): Δm = −∫F dt/(g₀ I_sp), no less than what the tank holds (Tsiolkovsky's mass flow)."""
    worldid = wp.tid()
    if frozen_in[worldid]:
        return
    for i in range(thrusters.tank.shape[0]):
        tank = thrusters.tank[i]
        if tank >= 0:
            impulse = hardware.impulse[worldid, i]
            isp = wp.float64(thrusters.specific_impulse[worldid % thrusters.specific_impulse.shape[0], i])
            left = tanks.propellant[worldid, tank] - impulse / (wp.float64(STANDARD_GRAVITY) * isp)
            tanks.propellant[worldid, tank] = wp.max(left, wp.float64(0.0))
    for tank in range(tanks.body.shape[0]):
        write_mass(tanks, bodies, worldid, tank)


@wp.kernel
def _fill(
    # In:
    mask_in: wp.array[bool],
    propellant0_in: wp.array2d[wp.float64],
    # Data out:
    tanks: Tanks,
    bodies: BodyMass,
):
    """Reset of the masked worlds (world): the propellant of the start, and the masses that go with it."""
    worldid = wp.tid()
    if mask_in[worldid]:
        for tank in range(tanks.body.shape[0]):
            tanks.propellant[worldid, tank] = propellant0_in[worldid, tank]
            write_mass(tanks, bodies, worldid, tank)


@wp.kernel
def _write_masses(tanks: Tanks, bodies: BodyMass):
    """Masses (world) after somebody wrote the propellant."""
    worldid = wp.tid()
    for tank in range(tanks.body.shape[0]):
        write_mass(tanks, bodies, worldid, tank)
