"""Quaternions in float32, stored as (w, x, y, z) in the slots of a Warp quaternion, as MJWarp does."""

import warp as wp


@wp.func
def quat_product(a: wp.quat, b: wp.quat) -> wp.quat:
    """Hamilton product a b."""
    return wp.quat(
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@wp.func
def quat_conjugate(q: wp.quat) -> wp.quat:
    """Inverse of a unit quaternion."""
    return wp.quat(q[0], -q[1], -q[2], -q[3])


@wp.func
def quat_rotate(q: wp.quat, v: wp.vec3) -> wp.vec3:
    """q v q* of a unit quaternion."""
    u = wp.vec3(q[1], q[2], q[3])
    t = 2.0 * wp.cross(u, v)
    return v + q[0] * t + wp.cross(u, t)
