"""Sunlit fraction of the Sun's apparent disc behind a spherical central body, in float64 over leading dimensions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]


def _angle(u: F64, v: F64) -> F64:
    """Angle between two vectors (…), accurate near 0 and π: 2 atan2(|û − v̂|, |û + v̂|) (Kahan)."""
    u = u / np.linalg.norm(u, axis=-1, keepdims=True)
    v = v / np.linalg.norm(v, axis=-1, keepdims=True)
    return 2.0 * np.arctan2(np.linalg.norm(u - v, axis=-1), np.linalg.norm(u + v, axis=-1))


def disc_overlap(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> F64:
    """Area common to two plane discs of radii ``a``, ``b`` whose centres are ``c`` apart (…).

    Two sectors less the kite of the two radii pairs: a² α + b² β − 2 K, where the triangle a, b, c has area K and half
    perimeter s, and tan²(α/2) = (s − a)(s − c)/(s (s − b)). 0 outside, the smaller disc inside.
    """
    a, b, c = (np.asarray(x, dtype=np.float64) for x in (a, b, c))
    s = 0.5 * (a + b + c)
    sa, sb, sc = (np.maximum(x, 0.0) for x in (0.5 * (b + c - a), 0.5 * (a + c - b), 0.5 * (a + b - c)))
    alpha = 2.0 * np.arctan2(np.sqrt(sa * sc), np.sqrt(s * sb))
    beta = 2.0 * np.arctan2(np.sqrt(sb * sc), np.sqrt(s * sa))
    lens = a**2 * alpha + b**2 * beta - 2.0 * np.sqrt(s * sa * sb * sc)
    return np.where(c >= a + b, 0.0, np.where(c <= np.abs(a - b), np.pi * np.minimum(a, b) ** 2, lens))


def eclipse_conical(r: F64, sun: F64, sun_radius: ArrayLike, body_radius: ArrayLike) -> F64:
    """Sunlit fraction (…) in [0, 1] at ``r`` (…, 3): umbra 0, penumbra, antumbra 1 − (b/a)², full light 1.

    ``r`` and ``sun`` [m] from the central body's centre. One less the share of the solar disc's apparent area that the
    body's covers, both taken as plane discs. 0 inside the body.
    """
    to_sun = sun - r
    distance = np.linalg.norm(r, axis=-1)
    inside = distance <= body_radius
    down = np.where(inside[..., None], -to_sun, -r)  # any direction will do inside, where r may be 0
    a = np.arcsin(np.minimum(1.0, np.asarray(sun_radius) / np.linalg.norm(to_sun, axis=-1)))
    b = np.arcsin(np.asarray(body_radius) / np.maximum(distance, body_radius))
    lit = np.clip(1.0 - disc_overlap(a, b, _angle(down, to_sun)) / (np.pi * a**2), 0.0, 1.0)
    return np.where(inside, 0.0, lit)


def eclipse_cylindrical(r: F64, sun: F64, body_radius: ArrayLike) -> F64:
    """1 in light, 0 in the cylinder behind the body or inside it (…); ``r`` and ``sun`` [m] from the body's centre."""
    to_sun = sun - r
    direction = to_sun / np.linalg.norm(to_sun, axis=-1, keepdims=True)
    along = np.sum(r * direction, axis=-1)
    off_axis = np.linalg.norm(r - along[..., None] * direction, axis=-1)
    dark = ((along < 0.0) & (off_axis < body_radius)) | (np.linalg.norm(r, axis=-1) <= body_radius)
    return np.where(dark, 0.0, 1.0)
