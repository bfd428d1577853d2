"""Drag and sunlight on all surfaces of all bodies."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _vector
from mjorbit_warp.effects import Effects
from mjorbit_warp.reference.atmosphere import altitude, density
from mjorbit_warp.reference.eclipse import eclipse_conical, eclipse_cylindrical
from mjorbit_warp.reference.surfaces import air_velocity, drag_force, srp_force, wind_eci

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData
    from mjorbit_warp.reference.motion import BodyMotion

F64 = NDArray[np.float64]
LIGHT_SPEED = 299792458.0  # exact, SI [m/s]
AU = 149597870700.0  # exact, IAU 2012 resolution B2 [m]


def surface_drag(d: "MjoData", effects: Effects, r: F64, v: F64, motion: "BodyMotion", normal: F64) -> F64:
    """Force of the air on each surface (nworld, n, 3) [N], world axes; density at its own place, air at the COM's."""
    parts, pole = d.hardware.surfaces, d.orbit.pole[:, None]
    body = parts.body
    at_body = r[:, None] + d.xipos[:, body]
    air = air_velocity(at_body, pole, d.environment_air_rate[:, None])
    if effects.wind:
        air = air + wind_eci(at_body, pole, d.environment_wind[:, None])
    u = v[:, None] - air + motion.velocity[:, body] + _vector.cross(motion.omega[:, body], parts.arm(d))
    bands = d.model.options.atmosphere
    at = r[:, None] + d.site_xpos[:, parts.site]
    height = altitude(at, pole, d.central_radius[:, None], d.environment_flattening[:, None])
    assert bands is not None
    rho = density(height, bands.altitude, bands.density, bands.scale_height)
    rho = rho * d.environment_density_scale[:, None]
    return drag_force(normal, u, rho, d.surface_drag, d.surface_area, parts.flags("two_sided"), parts.flags("sphere"))


def sunlit_fraction(d: "MjoData", eclipse: str, at: F64) -> F64 | float:
    """Share of the solar disc that is seen from ``at`` (nworld, n, 3) [m]."""
    if eclipse == "none":
        return 1.0
    sun, radius = d.environment.sun[:, None], d.environment_eclipse_radius[:, None]
    if eclipse == "conical":
        return eclipse_conical(at, sun, d.environment_sun_radius[:, None], radius)
    return eclipse_cylindrical(at, sun, radius)


def surface_light(d: "MjoData", effects: Effects, r: F64, normal: F64) -> F64:
    """Force of sunlight on each surface (nworld, n, 3) [N], world axes."""
    parts = d.hardware.surfaces
    at = r[:, None] + d.site_xpos[:, parts.site]
    to_sun = d.environment.sun[:, None] - at
    distance = np.linalg.norm(to_sun, axis=-1)
    flux = d.environment_solar_flux[:, None] * (AU / distance) ** 2 * sunlit_fraction(d, effects.eclipse, at)
    return srp_force(
        normal,
        to_sun / distance[..., None],
        flux / LIGHT_SPEED,
        d.surface_area,
        d.surface_specular,
        d.surface_diffuse,
        d.surface_reflectivity,
        parts.flags("two_sided"),
        parts.flags("sphere"),
    )


def surface_loads(d: "MjoData", effects: Effects, r: F64, v: F64, motion: "BodyMotion | None") -> tuple[F64, F64]:
    """(force [N], torque about the COM [N·m]) on each body (nworld, nbody, 3), world axes; orbit at ``r``, ``v``."""
    parts = d.hardware.surfaces
    normal = d.site_xmat[:, parts.site][..., 2]
    force = np.zeros(normal.shape)
    if effects.drag:
        assert motion is not None
        force += surface_drag(d, effects, r, v, motion, normal)
    if effects.light:
        force += surface_light(d, effects, r, normal)
    return parts.on_bodies(force), parts.on_bodies(_vector.cross(parts.arm(d), force))
