"""Sunlit fraction of the Sun's apparent disc behind a spherical central body, float64."""

import warp as wp


@wp.func
def disc_overlap(a: wp.float64, b: wp.float64, c: wp.float64) -> wp.float64:
    """Area common to two plane discs of radii ``a`` and ``b`` whose centres are ``c`` apart, |a − b| < c < a + b.

    Two circular segments R² (φ − sin φ cos φ), φ half the angle that the common chord is seen under from each centre.
    Half the chord is Heron's 2 × area/c, and φ its atan2: no arc cosine that loses half its digits at a touch.
    """
    zero = wp.float64(0.0)
    heron = (a + b + c) * wp.max(zero, a + b - c) * wp.max(zero, c + a - b) * wp.max(zero, c - a + b)
    chord = wp.sqrt(heron) / (wp.float64(2.0) * c)
    along = (c * c + (a - b) * (a + b)) / (wp.float64(2.0) * c)
    half_a = wp.atan2(chord, along)
    half_b = wp.atan2(chord, c - along)
    return a * a * half_a - chord * along + b * b * half_b - chord * (c - along)


@wp.func
def eclipse_conical(r: wp.vec3d, sun: wp.vec3d, sun_radius: wp.float64, body_radius: wp.float64) -> wp.float64:
    """Sunlit fraction in [0, 1] at ``r``: umbra 0, penumbra, antumbra 1 − (b/a)², full light 1.

    ``r`` and ``sun`` [m] from the central body's centre, the same axes. Apparent radii a = asin(R_s/|sun − r|) and
    b = asin(R_b/|r|), separation c of the centres; the discs overlap as if plane (Montenbruck & Gill, "Satellite
    Orbits", section 3.4.2). 0 inside the body.
    """
    one = wp.float64(1.0)
    to_sun = sun - r
    distance = wp.length(r)
    if distance <= body_radius:
        return wp.float64(0.0)
    if wp.dot(r, to_sun) >= distance * sun_radius:
        return one  # c ≥ 90° + a and b ≤ 90°: the day side needs no arc functions
    a = wp.asin(wp.min(one, sun_radius / wp.length(to_sun)))
    b = wp.asin(body_radius / distance)
    c = wp.atan2(wp.length(wp.cross(r, to_sun)), -wp.dot(r, to_sun))
    if c >= a + b:
        return one
    if c <= b - a:
        return wp.float64(0.0)
    if c <= a - b:
        return one - (b / a) * (b / a)
    return wp.clamp(one - disc_overlap(a, b, c) / (wp.float64(wp.static(wp.PI)) * a * a), wp.float64(0.0), one)


@wp.func
def eclipse_cylindrical(r: wp.vec3d, sun: wp.vec3d, body_radius: wp.float64) -> wp.float64:
    """1 in light, 0 in a cylinder of ``body_radius`` behind the body, or inside it (Vallado, section 5.3.2).

    ``r`` and ``sun`` [m] from the central body's centre. The cylinder's axis is the line to the Sun from ``r``.
    """
    to_sun = wp.normalize(sun - r)
    if wp.length(r) <= body_radius:
        return wp.float64(0.0)
    if wp.dot(r, to_sun) < wp.float64(0.0) and wp.length(wp.cross(r, to_sun)) < body_radius:
        return wp.float64(0.0)
    return wp.float64(1.0)
