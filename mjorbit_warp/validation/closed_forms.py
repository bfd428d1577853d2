"""Orbital motion against closed forms: Kepler, Clohessy-Wiltshire, the secular rates of J2."""

import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp.elements import elements_from_state
from mjorbit_warp.frames import lvlh_axes, lvlh_rate
from mjorbit_warp.validation.case import Case, Growth, Limit, figure, measured
from mjorbit_warp.validation.kepler import kepler
from mjorbit_warp.validation.models import MU, body_spec
from mjorbit_warp.validation.simulation import Simulation

INERTIA = (10.0, 20.0, 25.0)
AT_REST = np.array([1.0, 0.0, 0.0, 0.0])


def kepler_relative(variant: str) -> Growth:
    """A body some hundred metres off an eccentric orbit, one revolution."""
    orbit = mjo.Orbit.from_elements(
        semi_major_axis=7.5e6, eccentricity=0.1, inclination=0.9, raan=0.5, argument_of_periapsis=1.1, true_anomaly=0.4
    )
    rho, rate = np.array([320.0, -180.0, 90.0]), np.array([0.25, -0.125, 0.5])
    model = body_spec(INERTIA, 1.0, orbit, j2=False, gravity_gradient=False).compile()
    sim = Simulation(model, variant, [*rho, *AT_REST], [*rate, 0, 0, 0], stride=100)
    t, absolute, relative = [], [], []
    for _ in range(65):
        sim.advance()
        r, _ = kepler(orbit.r, orbit.v, sim.t, MU)
        body, _ = kepler(orbit.r + rho.astype(np.longdouble), orbit.v + rate, sim.t, MU)
        t.append(sim.t)
        absolute.append(float(np.linalg.norm(sim.r[0] - r.astype(float))))
        relative.append(float(np.linalg.norm(sim.qpos[0, :3] - (body - r).astype(float))))
    return measured(t, orbit=absolute, relative=relative)


def clohessy_wiltshire(variant: str) -> Growth:
    """Bodies on a closed relative ellipse, 1 m and 10 m from a circular orbit, against the linear theory."""
    orbit = mjo.Orbit.circular(altitude=5e5, inclination=0.7, raan=1.0, argument_of_latitude=0.2)
    n = orbit.mean_motion
    model = body_spec(INERTIA, 2.0, orbit, j2=False, gravity_gradient=False).compile()
    start, rate = np.array([0.8, 0.3, -0.5]), np.array([0.2 * n, -2.0 * n * 0.8, 0.7 * n])
    sizes = np.array([[1.0], [10.0]])
    axes, spin = lvlh_axes(orbit.r, orbit.v), lvlh_rate(orbit.r, orbit.v)
    pos, vel = axes.T @ start, axes.T @ rate
    vel = vel + np.cross(spin, pos)
    qpos = np.hstack([sizes * pos, np.tile(AT_REST, (2, 1))])
    qvel = np.hstack([sizes * vel, np.zeros((2, 3))])
    sim = Simulation(model, variant, qpos, qvel, stride=60)
    (x, y, z), (u, w, q) = start, rate
    t, errors = [], []
    for _ in range(47):
        sim.advance()
        s, c = np.sin(n * sim.t), np.cos(n * sim.t)
        theory = np.array(
            [
                (4 - 3 * c) * x + s / n * u + 2 / n * (1 - c) * w,
                6 * (s - n * sim.t) * x + y - 2 / n * (1 - c) * u + (4 * s - 3 * n * sim.t) / n * w,
                z * c + q / n * s,
            ]
        )
        got = sim.qpos[:, :3] @ lvlh_axes(sim.r[0], sim.v[0]).T
        t.append(sim.t)
        errors.append(np.linalg.norm(got - sizes * theory, axis=1))
    near, far = np.array(errors).T
    growth = measured(t, one_metre=near, ten_metres=far)
    if variant == "reference":
        growth["ratio"] = figure(far.max() / near.max(), t[-1])
    return growth


def _mean_rates(t: np.ndarray, angles: np.ndarray, n: float) -> np.ndarray:
    """Slope of each angle [rad/s] under harmonics of the mean motion, least squares."""
    columns = [np.ones_like(t), t] + [f(k * n * t) for k in range(1, 7) for f in (np.sin, np.cos)]
    basis = np.stack(columns, axis=1)
    basis[:, 1] /= t[-1]
    solution = np.linalg.lstsq(basis, np.unwrap(angles, axis=0), rcond=None)[0]
    return np.asarray(solution[1]) / t[-1]


def j2_secular(variant: str) -> Growth:
    """Node, perigee and mean anomaly over 15 revolutions, with Earth's J2 and a tenth of it.

    Theory: D. Brouwer, "Solution of the problem of artificial satellite theory without drag", Astron. J. 64, 378
    (1959), first order; the mean semi-major axis is the osculating one less the paper's short-period term.
    """
    orbit = mjo.Orbit.from_elements(
        semi_major_axis=7.4e6, eccentricity=0.05, inclination=0.9, raan=0.5, argument_of_periapsis=0.6, true_anomaly=0.3
    )
    spec = body_spec(INERTIA, 15.0, orbit, gravity_gradient=False, orientation="inertial")
    model = spec.compile()
    radius, j2 = orbit.body.radius, orbit.body.j2 * np.array([1.0, 0.1])
    at_origin = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (2, 1))
    sim = Simulation(model, variant, at_origin, np.zeros((2, 6)), stride=10, expand={"central_j2": j2})
    t, angles = [], []
    for _ in range(633):
        sim.advance()
        row = []
        for r, v in zip(sim.r, sim.v, strict=True):
            e = elements_from_state(r, v, MU)
            anomaly = 2.0 * np.arctan2(
                np.sqrt(1.0 - e.eccentricity) * np.sin(e.true_anomaly / 2.0),
                np.sqrt(1.0 + e.eccentricity) * np.cos(e.true_anomaly / 2.0),
            )
            row.append([e.raan, e.argument_of_periapsis, anomaly - e.eccentricity * np.sin(anomaly)])
        t.append(sim.t)
        angles.append(row)
    e = orbit.elements
    a, ecc, c = e.semi_major_axis, e.eccentricity, np.cos(e.inclination)
    eta2, ratio = 1.0 - ecc * ecc, (a / np.linalg.norm(orbit.r)) ** 3
    swing = np.cos(2.0 * (e.argument_of_periapsis + e.true_anomaly))
    mean_a = a - j2 * radius**2 / (2.0 * a) * ((3 * c * c - 1) * (ratio - eta2**-1.5) + 3 * (1 - c * c) * ratio * swing)
    n = np.sqrt(MU / mean_a**3)
    strength = 0.75 * n * j2 * (radius / (mean_a * eta2)) ** 2
    want = np.stack(
        [-2 * strength * c, strength * (5 * c * c - 1), n + strength * np.sqrt(eta2) * (3 * c * c - 1)], axis=1
    )
    got = np.array([_mean_rates(np.array(t), np.array(angles)[:, world], n[world]) for world in range(2)])
    per_day = np.abs(np.degrees(got - want) * 86400.0)
    names = ("node", "perigee", "anomaly")
    growth = {name: figure(per_day[0, k], t[-1]) for k, name in enumerate(names)}
    return growth | {f"{name}_tenth": figure(per_day[1, k], t[-1]) for k, name in enumerate(names)}


_EARTH = "point mass"
_THEORY = "what first-order theory leaves out, J2² of the mean motion (5300°/day): {}"
CASES = (
    Case(
        name="kepler_relative",
        title="a body 378 m off an eccentric orbit and that orbit, one revolution",
        frame="orbit-following, ECI axes",
        forces=_EARTH,
        integrator="RK4",
        step="1 s",
        truth="both two-body orbits in closed form (Kepler's equation, Lagrange's f and g), extended precision",
        limits={
            "orbit": Limit("m", {"reference": 1e-5, "warp": 1e-5, "shadow": 1e-5}, "RK4's truncation at 1 s"),
            "relative": Limit(
                "m",
                {"reference": 1e-8, "warp": 0.1, "shadow": 2e-3},
                "RK4's truncation, 378 m/7500 km of the orbit's; float32 rounds 2 km to 1e-4 m, and forces",
            ),
        },
        run=kepler_relative,
        fast=True,
    ),
    Case(
        name="clohessy_wiltshire",
        title="closed relative ellipses of 1 m and 10 m about a circular orbit, one revolution",
        frame="LVLH from orbit-following",
        forces=_EARTH,
        integrator="RK4",
        step="2 s",
        truth="Clohessy & Wiltshire's linear theory (J. Aerospace Sci. 27, 653, 1960)",
        limits={
            "one_metre": Limit(
                "m",
                {"reference": 1e-6, "warp": 1e-4, "shadow": 5e-6},
                "the theory drops ρ²/r = 1.5e-7 m times some tens; float32 rounds 1 m to 6e-8 m in each step",
            ),
            "ten_metres": Limit("m", {"reference": 1e-4, "warp": 1e-3, "shadow": 1e-4}, "100 times as much"),
            "ratio": Limit("", {"reference": 110.0}, "the rest is quadratic: 10² times as large", above=90.0),
        },
        run=clohessy_wiltshire,
        fast=True,
    ),
    Case(
        name="j2_secular",
        title="mean rates of node, perigee and mean anomaly over 15 revolutions, with J2 and with a tenth of it",
        frame="ECI",
        forces="point mass and J2 about the z axis",
        integrator="RK4",
        step="15 s",
        truth="first-order theory of Brouwer (1959)",
        limits={
            **{
                name: Limit("°/day", {"reference": 0.01, "warp": 0.01}, _THEORY.format("0.006°/day times some"))
                for name in ("node", "perigee", "anomaly")
            },
            **{
                f"{name}_tenth": Limit("°/day", {"reference": 1e-4, "warp": 1e-4}, "a tenth of J2 leaves a hundredth")
                for name in ("node", "perigee", "anomaly")
            },
        },
        run=j2_secular,
    ),
)
