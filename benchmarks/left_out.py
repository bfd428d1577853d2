"""How far the effects that are left out would move a spacecraft in a day: the figures of docs/wrong_physics.md.

python -m benchmarks.left_out --out benchmarks/results/left_out.json      # half a minute

Circular orbits at 400 km, 24 starts around each of two inclinations, point mass and J2, with and without one effect:

- tesseral_22: the largest tesseral term, C22 and S22 of EGM2008 (Pavlis et al. 2012, J. Geophys. Res. 117, B04406);
- relativity: Schwarzschild's term, IERS Conventions 2010, equation 10.12;
- solid_tides: k2 = 0.3, Moon and Sun in one line (Rizos & Stolz 1985; Montenbruck & Gill, "Satellite Orbits", 3.7.2).

Beside them the light of the Earth above the point under the Sun, as a share of direct sunlight: a sphere that reflects
0.29 and emits 240 W/m² (Loeb et al. 2018, J. Climate 31, 895), by the view factor (R/r)² of a sphere. And the air's
density of NRLMSIS 2.1 at 400 km, F10.7 = 200 over F10.7 = 70, where pymsis is installed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import parser, report, result
from mjorbit_warp.constants import EARTH

F64 = NDArray[np.float64]
Force = Callable[[float, F64, F64], F64]

C = 299792458.0  # m/s
SPIN = 7.292115e-5  # rad/s
C22, S22 = 2.43938e-6 * np.sqrt(10.0 / 24.0), -1.40027e-6 * np.sqrt(10.0 / 24.0)
K2 = 0.3
MOON, SUN = (4.902800e12, 3.844e8), (1.32712440e20, 1.495979e11)  # GM [m³/s²], distance [m]
ALTITUDE, DAY, STEP, STARTS = 4.0e5, 86400.0, 10.0, 24
INCLINATIONS = (51.6, 97.0)  # deg
SOLAR, ALBEDO, INFRARED = 1361.0, 0.29, 240.0  # W/m², 1, W/m²


def dot(a: F64, b: F64) -> F64:
    """Along the last axis, kept."""
    return np.sum(a * b, axis=-1, keepdims=True)


def central(t: float, x: F64, v: F64) -> F64:
    """Point mass and J2, pole along z."""
    del t, v
    d = np.sqrt(dot(x, x))
    z = x[..., 2:]
    pole = np.array([0.0, 0.0, 1.0])
    j2 = 1.5 * EARTH.j2 * EARTH.mu * EARTH.radius**2 / d**5
    return -EARTH.mu * x / d**3 + j2 * ((5.0 * z**2 / d**2 - 1.0) * x - 2.0 * z * pole)


def tesseral_22(t: float, x: F64, v: F64) -> F64:
    """Gradient of 3 μ R²/r⁵ [C22 (x² − y²) + 2 S22 x y] in turning axes."""
    del v
    c, s = np.cos(SPIN * t), np.sin(SPIN * t)
    turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    q = x @ turn.T
    d2 = dot(q, q)
    shape = np.array([[C22, S22, 0.0], [S22, -C22, 0.0], [0.0, 0.0, 0.0]])
    form = q @ shape
    scale = 3.0 * EARTH.mu * EARTH.radius**2 / d2**2.5
    return (scale * (2.0 * form - 5.0 * dot(q, form) * q / d2)) @ turn


def relativity(t: float, x: F64, v: F64) -> F64:
    """Of a non-rotating Earth."""
    del t
    d = np.sqrt(dot(x, x))
    return EARTH.mu / (C**2 * d**3) * ((4.0 * EARTH.mu / d - dot(v, v)) * x + 4.0 * dot(x, v) * v)


def solid_tides(t: float, x: F64, v: F64) -> F64:
    """Of degree 2, both bodies along x."""
    del t, v
    d = np.sqrt(dot(x, x))
    e, towards = x / d, np.array([1.0, 0.0, 0.0])
    cos = e[..., :1]
    strength = sum(gm / distance**3 for gm, distance in (MOON, SUN))
    return 0.5 * K2 * strength * EARTH.radius**5 / d**4 * ((3.0 - 15.0 * cos**2) * e + 6.0 * cos * towards)


def starts() -> tuple[F64, F64]:
    """Positions and velocities, (2·24, 3): argument of latitude and node go around together, at different rates."""
    u = np.linspace(0.0, 2.0 * np.pi, STARTS, endpoint=False)
    node = 5.0 * u
    out = []
    for i in np.radians(INCLINATIONS):
        p = np.stack([np.cos(node), np.sin(node), 0.0 * u], -1)
        q = np.stack([-np.sin(node) * np.cos(i), np.cos(node) * np.cos(i), np.full_like(u, np.sin(i))], -1)
        r = EARTH.radius + ALTITUDE
        cu, su = np.cos(u)[:, None], np.sin(u)[:, None]
        out.append((r * (cu * p + su * q), np.sqrt(EARTH.mu / r) * (cu * q - su * p)))
    return np.concatenate([x for x, _ in out]), np.concatenate([v for _, v in out])


def path(forces: list[Force]) -> F64:
    """Positions each hour over a day, (25, starts, 3), by RK4; its error is common to all paths and drops out."""
    x, v = starts()
    kept = [x]
    count = round(DAY / STEP)

    def f(t: float, x: F64, v: F64) -> F64:
        return np.sum([force(t, x, v) for force in forces], axis=0)

    for k in range(count):
        t, h = k * STEP, STEP
        a1 = f(t, x, v)
        x2, v2 = x + 0.5 * h * v, v + 0.5 * h * a1
        a2 = f(t + 0.5 * h, x2, v2)
        x3, v3 = x + 0.5 * h * v2, v + 0.5 * h * a2
        a3 = f(t + 0.5 * h, x3, v3)
        x4, v4 = x + h * v3, v + h * a3
        a4 = f(t + h, x4, v4)
        x, v = x + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4), v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        if (k + 1) % (count // 24) == 0:
            kept.append(x)
    return np.array(kept)


def air() -> float | None:
    """Density at high over low solar activity, 400 km, mean of 24 places; None without pymsis."""
    try:
        import pymsis
    except ImportError:
        return None
    lon = np.arange(0.0, 360.0, 15.0)
    date = np.full(lon.size, np.datetime64("2026-03-20T12:00"))
    rho = []
    for flux in (70.0, 200.0):
        f107 = np.full(lon.size, flux)
        out = pymsis.calculate(
            date, lon, np.zeros(lon.size), np.full(lon.size, 400.0), f107, f107, [[4.0] * 7] * lon.size
        )
        rho.append(float(out[:, 0].mean()))
    return rho[1] / rho[0]


def measure() -> dict[str, Any]:
    """Largest and median distance [m] from the same start without the effect, within a day, and the shares."""
    base = path([central])
    out: dict[str, Any] = {}
    for effect in (tesseral_22, relativity, solid_tides):
        away = np.linalg.norm(path([central, effect]) - base, axis=-1).max(axis=0)
        out[effect.__name__] = {"largest_m": float(away.max()), "median_m": float(np.median(away))}
    view = (EARTH.radius / (EARTH.radius + ALTITUDE)) ** 2
    out["earth_light_over_sunlight"] = {"albedo": ALBEDO * view, "infrared": INFRARED / SOLAR * view}
    out["air_density_high_over_low_sun"] = air()
    return out


def main() -> None:
    """Run and report."""
    args = parser(__doc__).parse_args()
    report(result(args, measure()), args.out)


if __name__ == "__main__":
    main()
