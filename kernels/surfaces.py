"""Air drag and solar radiation pressure on flat plates and spheres."""

import warp as wp


@wp.func
def facing(cosine: float, two_sided: bool) -> float:
    """Projected share of a plate's area: its front only, or both sides."""
    if two_sided:
        return wp.abs(cosine)
    return wp.max(cosine, 0.0)


@wp.func
def drag_force(
    normal: wp.vec3, u: wp.vec3, density: float, drag: float, area: float, two_sided: bool, sphere: bool
) -> wp.vec3:
    """−½ ρ |u| C_D A_D u [N], A_D = A max(0, n·û); a sphere's A_D is its cross-section (design section 4).

    ``u`` velocity of the surface relative to the air [m/s], ``density`` ρ [kg/m³], ``area`` A [m²].
    """
    speed = wp.length(u)
    if speed == 0.0:
        return wp.vec3(0.0)
    projected = area
    if not sphere:
        projected = area * facing(wp.dot(normal, u) / speed, two_sided)
    return u * (-0.5 * density * drag * projected * speed)


@wp.func
def srp_force(
    normal: wp.vec3,
    light: wp.vec3,
    pressure: float,
    area: float,
    specular: float,
    diffuse: float,
    reflectivity: float,
    two_sided: bool,
    sphere: bool,
) -> wp.vec3:
    """Force of sunlight [N]: −P A (n·s) [(1 − k_s) s + 2 (k_d/3 + k_s n·s) n] on a lit plate, −P C_r A s on a sphere.

    ``light`` s: unit vector to the Sun, ``pressure`` P [N/m²] with shadow and distance in it. Lambertian diffusion:
    Wertz, "Spacecraft Attitude Determination and Control", equation 17-57.
    """
    if sphere:
        return light * (-pressure * area * reflectivity)
    cosine = wp.dot(normal, light)
    n = normal
    if two_sided and cosine < 0.0:
        n = -normal
        cosine = -cosine
    if cosine <= 0.0:
        return wp.vec3(0.0)
    along_n = 2.0 * (diffuse / 3.0 + specular * cosine)
    return (light * (1.0 - specular) + n * along_n) * (-pressure * area * cosine)
