"""Magnetic field of the central body: the classical sum in spherical components, float64 over leading dimensions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjorbit_warp.magnetic_field import GaussCoefficients

F64 = NDArray[np.float64]


def schmidt_functions(cosine: F64, sine: F64, degree: int) -> tuple[F64, F64, F64]:
    """Schmidt semi-normalised P_nm(cos θ), dP_nm/dθ and P_nm/sin θ, each (degree + 1, degree + 1, …) by n and m.

    The recursion (Langel 1987, in Jacobs, "Geomagnetism", volume 1, chapter 4) runs on P_nm/sin θ for m ≥ 1,
    and dP_nm/dθ = n cos θ (P_nm/sin θ) − √(n² − m²) (P_(n−1)m/sin θ): the poles are points like any other. Column 0 of
    the third array is P_n0 itself; the field multiplies it by m = 0.
    """
    x = np.zeros((degree + 1, degree + 1, *np.shape(cosine)))
    lift = (..., *[None] * np.ndim(cosine))
    x[0, 0], x[1, 0], x[1, 1] = 1.0, cosine, 1.0
    for n in range(2, degree + 1):
        m = np.arange(n)
        now, before = (2.0 * n - 1.0) / np.sqrt(n**2 - m**2), np.sqrt(((n - 1.0) ** 2 - m**2).clip(0.0) / (n**2 - m**2))
        x[n, :n] = now[lift] * cosine * x[n - 1, :n] - before[lift] * x[n - 2, :n]
        x[n, n] = np.sqrt((2.0 * n - 1.0) / (2.0 * n)) * sine * x[n - 1, n - 1]
    p = x * sine
    p[:, 0] = x[:, 0]
    degrees, orders = np.arange(degree + 1.0)[:, None], np.arange(degree + 1.0)
    slope = degrees[lift] * cosine * x
    slope[1:] -= np.sqrt((degrees**2 - orders**2).clip(0.0))[1:][lift] * x[:-1]
    slope[:, 0] = -np.sqrt(degrees[:, 0] * (degrees[:, 0] + 1.0) / 2.0)[lift] * p[:, 1]
    return p, slope, x


def magnetic_field(x_ecef: ArrayLike, years: ArrayLike, coefficients: GaussCoefficients) -> F64:
    """B = −∇V [T] in body-fixed axes at ``x_ecef`` (…, 3) [m], ``years`` (…) after the coefficients' reference epoch.

    V = a Σ (a/r)^(n+1) (g_nm cos mφ + h_nm sin mφ) P_nm(cos θ) (Winch et al. 2005, Geophysical Journal International
    160; Alken et al. 2021, Earth, Planets and Space 73:49), by components along r, θ and φ. On the axis φ is 0.
    """
    c = coefficients
    x, time, radius = (np.asarray(a, dtype=np.float64) for a in (x_ecef, years, c.radius))
    shape = np.broadcast_shapes(x.shape[:-1], time.shape, radius.shape, c.g.shape[:-2])
    x = np.broadcast_to(x, (*shape, 3))

    def by_degree(table: F64) -> F64:
        full = np.broadcast_to(table, (*(1,) * (len(shape) + 2 - table.ndim), *table.shape))
        return np.moveaxis(full, (-2, -1), (0, 1))

    g = by_degree(c.g) + time * by_degree(c.g_rate)
    h = by_degree(c.h) + time * by_degree(c.h_rate)
    r = np.linalg.norm(x, axis=-1)
    across = np.hypot(x[..., 0], x[..., 1])
    cosine, sine = x[..., 2] / r, across / r
    phi = np.arctan2(x[..., 1], x[..., 0])
    p, slope, over_sine = schmidt_functions(cosine, sine, c.degree)

    n = np.arange(c.degree + 1.0).reshape(-1, *[1] * len(shape))
    cos_m, sin_m = np.cos(n * phi), np.sin(n * phi)
    power = (radius / r) ** (n + 2.0)
    even = g * cos_m + h * sin_m
    odd = (g * sin_m - h * cos_m) * n
    b_r = np.sum((n + 1.0) * power * np.sum(even * p, axis=1), axis=0)
    b_theta = -np.sum(power * np.sum(even * slope, axis=1), axis=0)
    b_phi = np.sum(power * np.sum(odd * over_sine, axis=1), axis=0)

    b_across = b_r * sine + b_theta * cosine
    c_phi, s_phi = np.cos(phi), np.sin(phi)
    b = (b_across * c_phi - b_phi * s_phi, b_across * s_phi + b_phi * c_phi, b_r * cosine - b_theta * sine)
    return np.stack(b, axis=-1)
