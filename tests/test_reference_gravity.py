"""The NumPy formulas against high precision and against sums over point masses."""

import mpmath
import numpy as np
import pytest

from mjorbit_warp.reference.gravity import (
    encke_difference,
    gravity_gradient_torque,
    j2_difference,
    j2_gravity,
    point_gravity,
)

MU, RE, J2 = 3.986004418e14, 6378137.0, 1.08262668e-3
RNG = np.random.default_rng(7)


def unit(n: int) -> np.ndarray:
    v = RNG.normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def exact_field(r: list, pole: list) -> tuple[list, list]:
    """Point-mass and J2 acceleration in 40 digits, as the gradient of the potential in component form."""
    x = [mpmath.mpf(float(c)) if not isinstance(c, mpmath.mpf) else c for c in r]
    p = [mpmath.mpf(float(c)) for c in pole]
    d = mpmath.sqrt(sum(c * c for c in x))
    z = sum(a * b for a, b in zip(x, p, strict=True))
    point = [-mpmath.mpf(MU) * c / d**3 for c in x]
    k = mpmath.mpf("1.5") * mpmath.mpf(J2) * mpmath.mpf(MU) * mpmath.mpf(RE) ** 2 / d**5
    zonal = [k * ((5 * z**2 / d**2 - 1) * c - 2 * z * q) for c, q in zip(x, p, strict=True)]
    return point, zonal


@pytest.mark.parametrize("distance", [0.01, 1.0, 1e3, 6e5])
def test_differences_against_40_digits(distance: float) -> None:
    """Relative to the difference itself, 1e-13: a naive float64 difference has 1e-7 of it left at 1 cm."""
    with mpmath.workdps(40):
        for r_c, rho, pole in zip(unit(5) * 6.9e6, unit(5) * distance, unit(5), strict=True):
            here = [mpmath.mpf(float(a)) + mpmath.mpf(float(b)) for a, b in zip(r_c, rho, strict=True)]
            near, far = exact_field(here, list(pole)), exact_field(list(r_c), list(pole))
            expected = [[float(a - b) for a, b in zip(n, f, strict=True)] for n, f in zip(near, far, strict=True)]
            got = encke_difference(r_c, rho, MU), j2_difference(r_c, rho, MU, RE, J2, pole)
            for value, truth in zip(got, expected, strict=True):
                assert np.abs(value - truth).max() < 1e-13 * np.linalg.norm(truth)


def test_fields_against_40_digits() -> None:
    for r, pole in zip(unit(5) * 7e6, unit(5), strict=True):
        with mpmath.workdps(40):
            point, zonal = exact_field(list(r), list(pole))
        assert np.abs(point_gravity(r, MU) - np.array(point, dtype=float)).max() < 1e-14  # of 8 m/s²
        assert (
            np.abs(j2_gravity(r, MU, RE, J2, pole) - np.array(zonal, dtype=float)).max() < 1e-16
        )  # a few roundings of 1.5e-2 m/s²


def test_j2_components_of_the_polar_form() -> None:
    """Design equation 1 as printed, pole along z."""
    x, y, z = r = np.array([4.2e6, -3.9e6, 3.7e6])
    d = np.linalg.norm(r)
    k = 1.5 * J2 * MU * RE**2 / d**5
    s = 5.0 * z * z / d**2
    expected = k * np.array([x * (s - 1.0), y * (s - 1.0), z * (s - 3.0)])
    assert np.abs(j2_gravity(r, MU, RE, J2, np.array([0.0, 0.0, 1.0])) - expected).max() < 1e-16


INERTIA = np.array([[120.0, -8.0, 5.0], [-8.0, 90.0, -3.0], [5.0, -3.0, 60.0]])


def principal() -> tuple[np.ndarray, np.ndarray]:
    moments, axes = np.linalg.eigh(INERTIA)
    return axes * np.linalg.det(axes), moments


def test_h01_gravity_gradient_torque() -> None:
    """Known-answer case H01: full tensor, r not along an axis; even in r, and 1/8 at twice the distance."""
    axes, moments = principal()
    r = np.array([4.2e6, -3.9e6, 3.7e6])
    torque = gravity_gradient_torque(r, MU, axes, moments)
    assert np.abs(torque - [3.809716310e-5, 7.922342132e-5, 4.026034003e-5]).max() < 5e-15  # ten printed digits
    assert np.abs(gravity_gradient_torque(2.0 * r, MU, axes, moments) - torque / 8.0).max() < 1e-18
    assert np.abs(gravity_gradient_torque(-r, MU, axes, moments) - torque).max() < 1e-18
    assert np.abs(gravity_gradient_torque(r, MU, axes, np.full(3, 50.0))).max() < 1e-18


def test_gravity_gradient_is_the_sum_over_point_masses() -> None:
    """Six masses on the principal axes that realise the tensor, summed in 40 digits; tilted attitude."""
    axes, moments = principal()
    r = np.array([-5.1e6, 2.2e6, 4.0e6])
    second = 0.5 * (moments.sum() - 2.0 * moments)  # ∫x² dm along each axis
    with mpmath.workdps(40):
        total = [mpmath.mpf(0)] * 3
        for axis in range(3):
            for sign in (-1, 1):
                arm = [mpmath.mpf(float(sign * axes[i, axis])) for i in range(3)]
                mass = mpmath.mpf(float(second[axis])) / 2
                at = [mpmath.mpf(float(a)) + b for a, b in zip(r, arm, strict=True)]
                force, _ = exact_field(at, [0.0, 0.0, 1.0])
                for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
                    total[i] += mass * (arm[j] * force[k] - arm[k] * force[j])
        expected = np.array([float(x) for x in total])
    # the closed form keeps the first term in (arm/r): what is left is of relative size 1e-7
    assert np.abs(gravity_gradient_torque(r, MU, axes, moments) - expected).max() < 1e-6 * np.abs(expected).max()
