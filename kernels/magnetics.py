"""Magnetic dipole of one body: torque rods and residual dipoles."""

import warp as wp

from mjorbit_warp.kernels.hardware import Commands, Dipoles, Magnetorquers, command


@wp.func
def body_dipole(
    rods: Magnetorquers,
    dipoles: Dipoles,
    commands: Commands,
    worldid: int,
    bodyid: int,
    site_xmat: wp.array2d[wp.mat33],
    rods_on: bool,
) -> wp.vec3:
    """Total dipole of a body [A·m²], world axes; its torque in a field B is m×B."""
    m = wp.vec3(0.0)
    if rods_on:
        for i in range(rods.adr[bodyid], rods.adr[bodyid + 1]):
            m += site_xmat[worldid, rods.site[i]] @ (rods.axis[i] * command(commands, worldid, rods.ctrl[i]))
    if dipoles.adr.shape[0] > 0:
        for i in range(dipoles.adr[bodyid], dipoles.adr[bodyid + 1]):
            m += site_xmat[worldid, dipoles.site[i]] @ dipoles.dipole[worldid % dipoles.dipole.shape[0], i]
    return m
