"""The forces of benchmarks/left_out.py against the potentials they come from, by differences, and closed forms."""

import numpy as np
import pytest

from benchmarks import left_out
from mjorbit_warp.constants import EARTH

X = np.array([[4.1e6, -3.3e6, 4.2e6], [-1.2e6, 6.5e6, 1.9e6]])  # m, tilted
T = 4321.0


def gradient(potential, x):  # type: ignore[no-untyped-def]
    """Central differences over 100 m: rounding 1e-16·U/100 m and truncation are below 1e-9 of U/r."""
    h = 100.0
    return np.stack([(potential(x + h * e) - potential(x - h * e)) / (2.0 * h) for e in np.eye(3)], axis=-1)


def test_tesseral_22() -> None:
    """3 μ/r (R/r)² cos²φ (C22 cos 2λ + S22 sin 2λ), λ counted from the turned Greenwich."""

    def potential(x: np.ndarray) -> np.ndarray:
        r = np.linalg.norm(x, axis=-1)
        cos2 = 1.0 - (x[:, 2] / r) ** 2
        angle = 2.0 * (np.arctan2(x[:, 1], x[:, 0]) - left_out.SPIN * T)
        wave = 1.574618e-6 * np.cos(angle) - 9.03872e-7 * np.sin(angle)  # C22, S22, not normalised
        return 3.0 * EARTH.mu * EARTH.radius**2 / r**3 * cos2 * wave

    got = left_out.tesseral_22(T, X, 0.0 * X)
    assert np.abs(got - gradient(potential, X)).max() < 1e-9  # m/s², of 1e-4: coefficients to six digits
    assert np.abs(got).max() > 1e-5


def test_solid_tides() -> None:
    """k2 GM/d (R/d)² (R/r)³ P2(cos), summed over both bodies."""

    def potential(x: np.ndarray) -> np.ndarray:
        r = np.linalg.norm(x, axis=-1)
        legendre = 1.5 * (x[:, 0] / r) ** 2 - 0.5
        return sum(0.3 * gm / d**3 * EARTH.radius**5 / r**3 * legendre for gm, d in (left_out.MOON, left_out.SUN))

    got = left_out.solid_tides(T, X, 0.0 * X)
    assert np.abs(got - gradient(potential, X)).max() < 1e-12  # m/s², of 4e-7
    assert np.abs(got).max() > 1e-7


def test_relativity() -> None:
    """On a circular orbit 3 μ/(c² r) of gravity, outwards."""
    x = np.array([[6.778e6, 0.0, 0.0]])
    v = np.array([[0.0, 0.6, 0.8]]) * np.sqrt(EARTH.mu / 6.778e6)
    gravity = EARTH.mu / 6.778e6**2
    assert left_out.relativity(T, x, v)[0] == pytest.approx(
        [3.0 * EARTH.mu / (299792458.0**2 * 6.778e6) * gravity, 0, 0]
    )


def test_central() -> None:
    """Zonal potential of degree 2."""

    def potential(x: np.ndarray) -> np.ndarray:
        r = np.linalg.norm(x, axis=-1)
        p2 = 1.5 * (x[:, 2] / r) ** 2 - 0.5
        return EARTH.mu / r * (1.0 - EARTH.j2 * (EARTH.radius / r) ** 2 * p2)

    assert (
        np.abs(left_out.central(T, X, 0.0 * X) - gradient(potential, X)).max() < 1e-7
    )  # m/s²: rounding of U over 100 m
