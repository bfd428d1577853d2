"""All gravity on the bodies near the reference orbit, relative to that on the orbit's origin."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.effects import Effects
from mjorbit_warp.reference.gravity import encke_difference, j2_difference
from mjorbit_warp.reference.third_body import third_body_gravity
from mjorbit_warp.reference.zonal import zonal_gravity

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


def gravity_difference(d: "MjoData", effects: Effects, r_c: F64, rho: F64 | None = None) -> F64:
    """Gravity at the COMs, or at ``rho``, less that at the origin ``r_c`` (nworld, n, 3) [m/s²], world axes."""
    rho, origin = d.xipos if rho is None else rho, r_c[:, None]
    mu, radius, pole = d.central_mu[:, None], d.central_radius[:, None], d.orbit.pole[:, None]
    a = encke_difference(origin, rho, mu)
    if effects.j2:
        a = a + j2_difference(origin, rho, mu, radius, d.central_j2[:, None], pole)
    if effects.zonal > 2:
        # 1e-5 of g: a plain difference is right to 1e-20 m/s²
        points = np.concatenate([origin, origin + rho], axis=1)
        there = zonal_gravity(points, mu, radius, d.environment_zonal[:, None], pole)
        a = a + (there[:, 1:] - there[:, :1])
    if effects.sun:
        a = a + third_body_gravity(rho, (d.environment.sun - r_c)[:, None], d.environment_sun_mu[:, None])
    if effects.moon:
        a = a + third_body_gravity(rho, (d.environment.moon - r_c)[:, None], d.environment_moon_mu[:, None])
    return a
