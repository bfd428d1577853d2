"""Gravity of a distant body on the reference orbit, relative to the central body, without cancellation."""

import warp as wp


@wp.func
def third_body_gravity(r: wp.vec3d, s: wp.vec3d, mu: wp.float64) -> wp.vec3d:
    """μ [(s − r)/|s − r|³ − s/|s|³] [m/s²], ECI axes: the pull at ``r`` minus that on the central body.

    ``s`` third body from the central one [m]. It is −μ (r + f s)/|s − r|³ with q = r·(r − 2s)/|s|² and
    f = q (3 + 3q + q²)/(1 + (1 + q)^(3/2)) (R. H. Battin, "An Introduction to the Mathematics and Methods of
    Astrodynamics", 1999, section 8.4).
    """
    q = wp.dot(r, r - wp.float64(2.0) * s) / wp.dot(s, s)
    root = wp.sqrt(wp.float64(1.0) + q)
    three = wp.float64(3.0)
    f = q * (three + q * (three + q)) / (wp.float64(1.0) + root * root * root)
    d = s - r
    d2 = wp.dot(d, d)
    return (r + f * s) * (-mu / (d2 * wp.sqrt(d2)))
