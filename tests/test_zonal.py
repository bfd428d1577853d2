"""Zonal gravity against the gradient of its potential, published component formulas, and the kernels."""

import math

import mpmath
import numpy as np
import pytest
import warp as wp

from mjorbit_warp.constants import BODIES, EARTH, MARS, MOON, ZONAL
from mjorbit_warp.kernels.gravity import j2_gravity
from mjorbit_warp.kernels.zonal import zonal_func
from mjorbit_warp.reference import gravity
from mjorbit_warp.reference.zonal import zonal_gravity

MU, RE = EARTH.mu, EARTH.radius
Z = np.array([0.0, 0.0, 1.0])
STRONG = (1e-3, -2e-3, 3e-3, -4e-3, 5e-3)  # so that no degree hides behind J2


def states(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in rng.normal(size=(2, n, 3))]
    return unit[0] * rng.uniform(6.5e6, 3e7, (n, 1)), unit[1]


def test_gradient_of_the_potential_in_40_digits() -> None:
    """Central differences of −(μ/r) Σ J_n (R/r)^n P_n(sin φ), poles in any direction."""
    for r, pole in zip(*states(6, 1), strict=True):
        with mpmath.workdps(50):
            p = [mpmath.mpf(float(c)) for c in pole]

            def potential(*x: mpmath.mpf, p: list = p) -> mpmath.mpf:
                d = mpmath.sqrt(sum(c * c for c in x))
                s = sum(a * b for a, b in zip(x, p, strict=True)) / d
                terms = [
                    mpmath.mpf(j) * (RE / d) ** n * mpmath.legendre(n, s)
                    for n, j in zip(range(2, 7), STRONG, strict=True)
                ]
                return -mpmath.mpf(MU) / d * sum(terms)

            h, want = mpmath.mpf("1e-8"), []
            for axis in range(3):
                ends = []
                for sign in (1, -1):
                    x = [mpmath.mpf(float(c)) for c in r]
                    x[axis] += sign * h
                    ends.append(potential(*x))
                want.append(float((ends[0] - ends[1]) / (2 * h)))
        got = zonal_gravity(r, MU, RE, STRONG, pole)
        assert np.abs(got - want).max() < 1e-14 * MU / np.sum(r**2)


@pytest.mark.parametrize("n", [3, 4])
def test_published_components(n: int) -> None:
    """J3 and J4 in components, pole along z: Vallado, 4th ed., equations 8-31; Bate, Mueller & White, section 9.7.1."""
    r, _ = states(50, 2)
    x, y, z = r.T
    d = np.linalg.norm(r, axis=1)
    j = STRONG[n - 2]
    if n == 3:
        k = -5.0 * j * MU * RE**3 / (2.0 * d**7)
        want = [k * x * (3 * z - 7 * z**3 / d**2), k * y * (3 * z - 7 * z**3 / d**2)]
        want.append(k * (6 * z**2 - 7 * z**4 / d**2 - 3.0 / 5.0 * d**2))
    else:
        k = 15.0 * j * MU * RE**4 / (8.0 * d**7)
        level = 1 - 14 * z**2 / d**2 + 21 * z**4 / d**4
        want = [k * x * level, k * y * level, k * z * (5 - 70 * z**2 / (3 * d**2) + 21 * z**4 / d**4)]
    only = np.zeros(5)
    only[n - 2] = j
    got = zonal_gravity(r, MU, RE, only, Z)
    assert (np.abs(got - np.stack(want, axis=-1)).max(axis=1) < 1e-14 * MU / d**2).all()


def test_degree_two_is_j2_gravity() -> None:
    r, pole = states(100, 3)
    want = gravity.j2_gravity(r, MU, RE, EARTH.j2, pole)
    got = zonal_gravity(r, MU, RE, [EARTH.j2], pole)
    assert np.abs(got - want).max() < 3e-17  # eight roundings of 1.5e-2 m/s²


def test_per_world_coefficients() -> None:
    r, pole = states(4, 5)
    table = np.array(STRONG) * np.arange(1, 5)[:, None]
    got = zonal_gravity(r, np.full(4, MU), np.full(4, RE), table, pole)
    for i in range(4):
        assert np.abs(got[i] - zonal_gravity(r[i], MU, RE, table[i], pole[i])).max() < 1e-18


def test_earth_is_pear_shaped() -> None:
    """J3 < 0: the bulge of the southern middle latitudes pulls south at the equator; the stem is at the north pole."""
    j3 = [0.0, ZONAL["earth"][1]]
    assert ZONAL["earth"][1] < 0.0
    assert zonal_gravity(np.array([7e6, 0.0, 0.0]), MU, RE, j3, Z)[2] < 0.0
    north, south = (zonal_gravity(np.array([0.0, 0.0, s * 7e6]), MU, RE, j3, Z)[2] for s in (1.0, -1.0))
    # 4 J3 g (R/r)³ along z at both ends of the axis: gravity is stronger in the north and weaker in the south
    assert north == pytest.approx(4.0 * j3[1] * MU / 49e12 * (RE / 7e6) ** 3) and north < 0.0 and south < 0.0


# normalised C̄30 … C̄60, or J3 … J6 themselves
EGM96 = (0.957254173792e-6, 0.539873863789e-6, 0.685323475630e-7, -0.149957994714e-6)
MRO95A = (-0.118956590524e-4, 0.512912271655e-5, -0.172731825036e-5, 0.134674221293e-5)
DE430_MOON = (8.4597026974594570e-6, -9.7044138365700000e-6, 7.4221608384052890e-7, -1.3767531350969900e-5)


def test_published_coefficients() -> None:
    assert set(ZONAL) == set(BODIES)
    for body in (EARTH, MOON, MARS):
        assert len(ZONAL[body.name]) == 5 and ZONAL[body.name][0] == body.j2
    for name, normalised in (("earth", EGM96), ("mars", MRO95A)):
        for n, c in zip(range(3, 7), normalised, strict=True):
            j = -math.sqrt(2.0 * n + 1.0) * c
            assert ZONAL[name][n - 2] == pytest.approx(j, rel=5e-7)
    assert ZONAL["moon"][1:] == pytest.approx(DE430_MOON, rel=5e-8)


FIELDS = {n: zonal_func(n) for n in range(2, 7)}
ZONAL2, ZONAL3, ZONAL4, ZONAL5, ZONAL6 = FIELDS.values()


@wp.kernel(module="unique")
def _evaluate(
    r: wp.array[wp.vec3d],
    pole: wp.array[wp.vec3d],
    zonal: wp.array2d[wp.float64],
    mu: wp.float64,
    radius: wp.float64,
    out: wp.array2d[wp.vec3d],
):
    i = wp.tid()
    row = zonal[i % zonal.shape[0]]
    out[0, i] = ZONAL2(r[i], mu, radius, row, pole[i])
    out[1, i] = ZONAL3(r[i], mu, radius, row, pole[i])
    out[2, i] = ZONAL4(r[i], mu, radius, row, pole[i])
    out[3, i] = ZONAL5(r[i], mu, radius, row, pole[i])
    out[4, i] = ZONAL6(r[i], mu, radius, row, pole[i])
    out[5, i] = j2_gravity(r[i], mu, radius, row[0], pole[i])


def test_kernels_are_their_twins() -> None:
    """Relative to Σ (n + 1) |J_n| (R/r)^n g, the sum of the absolute terms."""
    n = 500
    r, pole = states(n, 4)
    r[0], r[1] = pole[0] * 7e6, -pole[1] * 7e6  # on the axis
    out = wp.zeros((6, n), dtype=wp.vec3d)
    inputs = [wp.array(r, dtype=wp.vec3d), wp.array(pole, dtype=wp.vec3d), wp.array([STRONG], dtype=wp.float64), MU, RE]
    wp.launch(_evaluate, dim=n, inputs=inputs, outputs=[out])
    got, d = out.numpy(), np.linalg.norm(r, axis=1)
    scale = np.zeros(n)
    for i in range(5):
        scale += (i + 3) * abs(STRONG[i]) * (RE / d) ** (i + 2) * MU / d**2
        error = np.abs(got[i] - zonal_gravity(r, MU, RE, STRONG[: i + 1], pole)).max(axis=1) / scale
        assert error.max() < 1e-14
        if i == 0:
            assert (np.abs(got[0] - got[5]).max(axis=1) / scale).max() < 5e-15


def test_degrees_that_are_refused() -> None:
    for degree in (1, 7, "6"):
        with pytest.raises(ValueError, match="allowed are 2 to 6"):
            zonal_func(degree)
