"""Magnetic field of the central body: a spherical-harmonic sum in float64, without a singularity at the poles."""

from functools import cache

import warp as wp

from mjorbit_warp.constants import SECONDS_PER_CENTURY
from mjorbit_warp.magnetic_field import coefficient_index

_PER_YEAR = 100.0 / SECONDS_PER_CENTURY  # [years/s]


@wp.struct
class MagneticFieldModel:
    """Internal magnetic field, as ``GaussCoefficients`` packs it: order by order, and by degree within an order.

    Attributes:
      radius: reference radius of the coefficients [m]                   (*,)
      t0: time at which ``years`` holds [s past J2000 TT]                (*,)
      years: from the coefficients' reference epoch to t0 [years]        (*,)
      value: g, h at the reference epoch, scaled by their norms [T]      (*, ncoef)
      rate: secular variation of ``value`` [T/year]                      (*, ncoef)
    """

    radius: wp.array[wp.float64]
    t0: wp.array[wp.float64]
    years: wp.array[wp.float64]
    value: wp.array2d[wp.vec2d]
    rate: wp.array2d[wp.vec2d]


@wp.func
def field_years(t: wp.float64, worldid: int, field: MagneticFieldModel) -> wp.float64:
    """Years from the coefficients' reference epoch to ``t`` [s past J2000 TT]: years(t0) + (t − t0)/(Julian year)."""
    t0 = field.t0[worldid % field.t0.shape[0]]
    return field.years[worldid % field.years.shape[0]] + (t - t0) * wp.float64(wp.static(_PER_YEAR))


@cache
def magnetic_field_func(degree: int):
    """Func of the field up to ``degree``, 1 to 13. Its loops are unrolled: all factors of n and m are constants."""

    @wp.func
    def magnetic_field(x_ecef: wp.vec3d, years: wp.float64, worldid: int, field: MagneticFieldModel) -> wp.vec3d:
        """Field B = −∇V [T] in body-fixed axes at ``x_ecef`` [m], ``years`` after the coefficients' reference epoch.

        V = a Σ_m Σ_n ρ^(n+1) [g Re (s + i t)^m + h Im (s + i t)^m] Q_nm(u), where ρ = a/r and (s, t, u) = x/r.
        Q_nm is the m-th derivative of the Legendre polynomial P_n over the factor of its highest power, so that
        Q_n = u Q_(n−1) − K Q_(n−2), K = ((n−1)² − m²)/((2n−1)(2n−3)): Wertz, "Spacecraft Attitude Determination and
        Control", appendix H, without its sin^m θ. The factor, and Schmidt's, are in the coefficients. Nothing is
        divided by the distance from the axis: by Pines, AIAA Journal 11 (1973) 1508, in our signs, with W = V/(a ρ),
        B = ρ² {(x/r) [Σ (n + m + 1) W_nm + u ∂W/∂u] − (∂W/∂s, ∂W/∂t, ∂W/∂u)}.
        """
        inverse = wp.float64(1.0) / wp.length(x_ecef)
        unit = x_ecef * inverse
        rho = field.radius[worldid % field.radius.shape[0]] * inverse
        rho2 = rho * rho
        rs = rho * unit[0]  # ρ s, ρ t, ρ u: the powers of ρ ride on the recursions
        rt = rho * unit[1]
        ru = rho * unit[2]
        row = worldid % field.value.shape[0]
        rate_row = worldid % field.rate.shape[0]

        w_s = wp.float64(0.0)  # ∂W/∂s, ∂W/∂t, ∂W/∂u, and Σ (n + m + 1) W_nm
        w_t = wp.float64(0.0)
        w_u = wp.float64(0.0)
        w_r = wp.float64(0.0)
        re = wp.float64(1.0)  # ρ^m (s + i t)^m
        im = wp.float64(0.0)
        re_last = wp.float64(0.0)  # the same of m − 1
        im_last = wp.float64(0.0)
        for m in range(wp.static(degree + 1)):
            p = wp.float64(1.0)  # ρ^(n−m) times Q_nm, and times its derivative
            q = wp.float64(0.0)
            p_last = wp.float64(0.0)
            q_last = wp.float64(0.0)
            sum_g = wp.float64(0.0)
            sum_h = wp.float64(0.0)
            for n in range(m, wp.static(degree + 1)):
                if wp.static(n > m):
                    kappa = rho2 * wp.float64(wp.static(((n - 1) ** 2 - m * m) / ((2 * n - 1) * (2 * n - 3))))
                    p_next = ru * p - kappa * p_last
                    q_next = rho * p + (ru * q - kappa * q_last)
                    p_last = p
                    q_last = q
                    p = p_next
                    q = q_next
                if wp.static(n > 0):
                    k = wp.static(coefficient_index(degree, n, m))
                    c = field.value[row, k] + field.rate[rate_row, k] * years
                    sum_g += c[0] * p
                    sum_h += c[1] * p
                    w = re * c[0] + im * c[1]
                    w_u += w * q
                    w_r += wp.float64(wp.static(n + m + 1.0)) * (w * p)
            mu = rho * wp.float64(wp.static(1.0 * m))  # m (s + i t)^(m−1) is what s and t leave of each term
            w_s += mu * (re_last * sum_g + im_last * sum_h)
            w_t += mu * (re_last * sum_h - im_last * sum_g)
            re_last = re
            im_last = im
            re = rs * re_last - rt * im_last
            im = rs * im_last + rt * re_last
        radial = w_r + unit[2] * w_u
        return (unit * radial - wp.vec3d(w_s, w_t, w_u)) * rho2

    return magnetic_field
