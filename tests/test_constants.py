"""Central bodies against published values, astropy and erfa."""

import dataclasses
import math

import astropy.constants
import erfa
import numpy as np
import pytest

from mjorbit_warp.constants import EARTH, J2000_JD, MARS, MOON, SECONDS_PER_CENTURY, CentralBody, central_body


def test_earth_size_is_the_wgs84_ellipsoid():
    radius, _ = erfa.eform(1)
    assert EARTH.radius == float(radius)


def test_earth_mu():
    # The nominal value of IAU 2015 resolution B3 is the same constant, rounded to five digits in 1e14 m³/s².
    assert abs(EARTH.mu - astropy.constants.GM_earth.value) < 5e8 + 1e7


def test_earth_rate_is_that_of_the_rotation_angle():
    days = 10.0
    turned = (float(erfa.era00(J2000_JD, days)) - float(erfa.era00(J2000_JD, 0.0))) / (days * 86400.0)
    whole = 10 * 2.0 * math.pi / (days * 86400.0)  # era00 returns the angle without its whole turns
    # 1e-15 rad/s moves an object on the equator by 0.2 m in a year
    assert abs(EARTH.rotation_rate - (whole + turned)) < 1e-15


# name: published mu [m³/s²], normalised C20 or None, J2, reference radius [m], sidereal period [s]
PUBLISHED = [
    # EGM96 C20 (Lemoine et al. 1998)
    (EARTH, 398600.4418e9, -0.484165371736e-3, 6378137.0, 86164.0989),
    # DE440: GM, J2 = 2.0321568464952570e-4; period of the mean rotation 27.321661 d
    (MOON, 4902.800118e9, -2.0321568464952570e-4 / math.sqrt(5.0), 1738.0e3, 27.321661 * 86400.0),
    # DE440 GM; GMM-3 C20 (Genova et al. 2016); Horizons: 24.622962 h
    (MARS, 42828.375816e9, -8.7502113235452894e-4, 3396.0e3, 24.622962 * 3600.0),
]


@pytest.mark.parametrize("body, mu, c20, radius, period", PUBLISHED, ids=lambda x: getattr(x, "name", None))
def test_published_values(body, mu, c20, radius, period):
    assert abs(body.mu - mu) < 1e-12 * mu  # typed from the same decimal digits
    assert abs(body.j2 + math.sqrt(5.0) * c20) < 5e-10  # the last digit that is kept
    assert body.radius == radius
    assert abs(2.0 * math.pi / body.rotation_rate - period) < 0.1  # s, the periods are published to that


def test_names():
    assert central_body(" Earth ") is EARTH
    assert central_body(MARS) is MARS
    for wrong in ("pluto", 3, None):
        with pytest.raises(ValueError, match=r"central body .* is not known: allowed are earth, moon, mars"):
            central_body(wrong)


@pytest.mark.parametrize("field", ["mu", "radius", "j2", "rotation_rate"])
@pytest.mark.parametrize("value", [math.nan, math.inf, "1"])
def test_not_a_number_is_refused(field, value):
    with pytest.raises(ValueError, match=rf"{field} of central body 'earth' is .*: a finite number is expected"):
        dataclasses.replace(EARTH, **{field: value})


@pytest.mark.parametrize("field", ["mu", "radius"])
def test_not_positive_is_refused(field):
    for value in (0.0, -1.0):
        with pytest.raises(ValueError, match=rf"{field} of central body 'earth' is .*: it must be positive"):
            dataclasses.replace(EARTH, **{field: value})


def test_numpy_numbers_are_numbers():
    body = CentralBody("rock", np.float32(1.0), np.int64(2), 0.0, 0)
    assert body.radius == 2


def test_century():
    assert SECONDS_PER_CENTURY == 36525 * 86400
