"""All gravity on the bodies near the reference orbit, relative to that on the orbit's origin."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp._vector import by_component
from mjorbit_warp.effects import Effects
from mjorbit_warp.reference.gravity import encke_difference, gravity_gradient_torque, j2_difference
from mjorbit_warp.reference.poses import Poses
from mjorbit_warp.reference.third_body import third_body_gravity
from mjorbit_warp.reference.zonal import zonal_gravity

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


def gravity_difference(d: "MjoData", effects: Effects, r_c: F64, rho: F64) -> F64:
    """Gravity at ``rho`` (nworld, n, 3) [m] less that at the origin ``r_c`` (nworld, 3) [m/s²], world axes."""
    origin, pole = r_c[:, None], d.orbit.pole[:, None]
    mu, radius = d.central_mu[:, None], d.central_radius[:, None]
    a = encke_difference(origin, rho, mu)
    if effects.j2:
        a += j2_difference(origin, rho, mu, radius, d.central_j2[:, None], pole)
    if effects.zonal > 2:
        # 1e-5 of g: a plain difference is right to 1e-20 m/s²
        points = np.concatenate([origin, origin + rho], axis=1)
        there = zonal_gravity(points, mu, radius, d.environment_zonal[:, None], pole)
        a += there[:, 1:] - there[:, :1]
    if effects.sun:
        a += third_body_gravity(rho, (d.environment.sun - r_c)[:, None], d.environment_sun_mu[:, None])
    if effects.moon:
        a += third_body_gravity(rho, (d.environment.moon - r_c)[:, None], d.environment_moon_mu[:, None])
    return a


def body_gravity(d: "MjoData", effects: Effects, r_c: F64, poses: Poses) -> F64:
    """Force [N] and torque [N·m] of gravity about each body's COM (nworld, nbody, 6), world axes; origin at ``r_c``."""
    out = np.zeros((d.nworld, d.model.mj.nbody, 6), order="F")
    origin, rho = by_component(r_c), poses.xipos[:, 1:]
    out[:, 1:, :3] = d.parameter("body_mass")[:, 1:, None] * gravity_difference(d, effects, origin, rho)
    if effects.gravity_gradient:
        assert poses.ximat is not None
        at = origin[:, None] + rho
        axes, inertia = poses.ximat[:, 1:], d.parameter("body_inertia")[:, 1:]
        out[:, 1:, 3:] = gravity_gradient_torque(at, d.central_mu[:, None], axes, inertia)
    return out
