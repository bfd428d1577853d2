"""Frames of the reference orbit on the device."""

import warp as wp


@wp.func
def lvlh_axes(r: wp.vec3d, v: wp.vec3d) -> wp.mat33d:
    """Rows are the LVLH axes in ECI: x radial, z along r × v (cross-track), y completes (in-track)."""
    x = wp.normalize(r)
    z = wp.normalize(wp.cross(r, v))
    y = wp.cross(z, x)
    return wp.mat33d(x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])
