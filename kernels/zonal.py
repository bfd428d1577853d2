"""Zonal gravity of a central body up to degree 6, float64."""

from functools import cache

import warp as wp


@cache
def zonal_func(degree: int):
    """Func ``zonal_gravity(r, mu, radius, zonal, pole)`` for J2 up to J``degree``, 2 to 6, unrolled."""
    if degree not in range(2, 7):
        raise ValueError(f"degree of the zonal field is {degree!r}: allowed are 2 to 6")

    @wp.func
    def zonal_gravity(
        r: wp.vec3d, mu: wp.float64, radius: wp.float64, zonal: wp.array[wp.float64], pole: wp.vec3d
    ) -> wp.vec3d:
        """Acceleration [m/s²] at ``r`` [m], ECI axes, without the point mass; ``zonal`` J2, J3 … about ``pole``.

        The gradient of −(μ/r) Σ J_n (R/r)^n P_n(s), s = r̂·p̂: (μ/r²) Σ J_n (R/r)^n [P′_{n+1}(s) r̂ − P′_n(s) p̂], since
        (n + 1) P_n + s P′_n = P′_{n+1} (Abramowitz & Stegun 8.5.4). The derivatives come from
        n P′_{n+1} = (2n + 1) s P′_n − (n + 1) P′_{n−1}. Potential: Vallado, "Fundamentals of Astrodynamics", 8.6.
        """
        inverse = wp.float64(1.0) / wp.length(r)
        u = r * inverse
        s = wp.dot(u, pole)
        ratio = radius * inverse
        power = ratio
        before = wp.float64(1.0)  # P′_1
        here = wp.float64(3.0) * s  # P′_2
        along_r = wp.float64(0.0)
        along_pole = wp.float64(0.0)
        for i in range(wp.static(degree - 1)):
            n = wp.float64(wp.static(i + 2))
            after = ((n + n + wp.float64(1.0)) * s * here - (n + wp.float64(1.0)) * before) / n
            power = power * ratio
            weight = zonal[wp.static(i)] * power
            along_r += weight * after
            along_pole += weight * here
            before = here
            here = after
        return (u * along_r - pole * along_pole) * (mu * inverse * inverse)

    return zonal_gravity
