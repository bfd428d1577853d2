"""Air drag and sunlight on plates and spheres, in float64 over leading dimensions."""

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _vector

F64 = NDArray[np.float64]
Number = F64 | float
Yes = NDArray[np.bool_] | bool


def air_velocity(r: F64, pole: F64, rate: Number) -> F64:
    """Velocity of the air that turns with the central body (…, 3) [m/s], ECI; ``rate`` (…) [rad/s] about ``pole``."""
    return _vector.cross(np.asarray(rate)[..., None] * pole, r)


def wind_eci(r: F64, pole: F64, wind: F64) -> F64:
    """(east, north, up) [m/s] at ``r`` into ECI (…, 3); on the axis east is ECI's x.

    North is what is left of the pole at right angles to up: (p̂ − sin φ n̂)/cos φ.
    """
    up = r / np.linalg.norm(r, axis=-1, keepdims=True)
    sine = np.sum(up * pole, axis=-1, keepdims=True)
    level = pole - sine * up
    cosine = np.linalg.norm(level, axis=-1, keepdims=True)
    on_axis = cosine < 1e-9
    x = np.broadcast_to(np.array([1.0, 0.0, 0.0]), r.shape)
    north = np.where(on_axis, _vector.cross(up, x), level / np.where(on_axis, 1.0, cosine))
    axes = np.stack([np.where(on_axis, x, _vector.cross(north, up)), north, up], axis=-1)
    return np.einsum("...ij,...j->...i", axes, np.broadcast_to(wind, r.shape))


def drag_force(normal: F64, u: F64, density: Number, drag: Number, area: Number, two_sided: Yes, sphere: Yes) -> F64:
    """Force of the air (…, 3) [N]: dynamic pressure ½ ρ u² on C_D A_D against u, A_D the area seen along the wind.

    ``u`` (…, 3) of the surface through the air [m/s]; A_D u = A max(0, n·u) of a plate, |n·u| of a two-sided one, A u
    of a sphere: no division by the speed.
    """
    through = np.sum(normal * u, axis=-1)
    flux = np.where(two_sided, np.abs(through), np.maximum(through, 0.0))
    flux = np.where(sphere, np.linalg.norm(u, axis=-1), flux)
    return (-0.5 * np.asarray(density) * drag * area * flux)[..., None] * u


def srp_force(
    normal: F64,
    light: F64,
    pressure: Number,
    area: Number,
    specular: Number,
    diffuse: Number,
    reflectivity: Number,
    two_sided: Yes,
    sphere: Yes,
) -> F64:
    """Force of sunlight (…, 3) [N]; ``light`` unit vector to the Sun, ``pressure`` [N/m²] with shadow in it.

    Momentum of what arrives on a lit plate, P A c ŝ per second with c = n·ŝ, less what leaves: a mirrored ray
    2 c n − ŝ for the specular share, (2/3) n for the diffuse one (Wertz, equation 17-57); −P C_r A ŝ on a sphere.
    """
    cosine = np.sum(normal * light, axis=-1)
    back = np.asarray(two_sided) & (cosine < 0.0)
    n = np.where(back[..., None], -normal, normal)
    c = np.where(back, -cosine, np.maximum(cosine, 0.0))[..., None]
    ks, kd = np.asarray(specular)[..., None], np.asarray(diffuse)[..., None]
    plate = -c * (light + ks * (2.0 * c * n - light) + kd * (2.0 / 3.0) * n)
    ball = -np.asarray(reflectivity)[..., None] * light
    return (np.asarray(pressure) * area)[..., None] * np.where(np.asarray(sphere)[..., None], ball, plate)
