"""Sun and Moon against ERFA's ephemerides (astropy's builtin) and against each other."""

from typing import Any

import erfa
import numpy as np
import pytest
import warp as wp

from mjorbit_warp import ephemeris_tables as tables
from mjorbit_warp.kernels import ephemeris as kernel
from mjorbit_warp.reference import ephemeris as twin
from tests.conftest import DATA

AU = tables.ASTRONOMICAL_UNIT
DAYS = np.linspace(-18262.5, 18262.5, 20001)  # 1950 to 2050
TIMES = DAYS * 86400.0
SUN = {name: kernel.sun_position_func(name) for name in ("earth", "moon", "mars")}
MOON = {name: kernel.moon_position_func(name) for name in ("earth", "mars")}
SUN_EARTH, SUN_MOON, SUN_MARS, MOON_EARTH, MOON_MARS = *SUN.values(), *MOON.values()


@wp.kernel(module="unique")
def _evaluate(t: wp.array[wp.float64], out: wp.array2d[wp.vec3d]):
    i = wp.tid()
    out[0, i] = SUN_EARTH(t[i])
    out[1, i] = SUN_MOON(t[i])
    out[2, i] = SUN_MARS(t[i])
    out[3, i] = MOON_EARTH(t[i])
    out[4, i] = MOON_MARS(t[i])


def erfa_position(function: Any, *args: Any) -> np.ndarray:
    result = function(2451545.0, DAYS, *args)
    pv = result[0] if isinstance(result, tuple) else result
    return np.asarray(pv["p"]) * AU


@pytest.fixture(scope="module")
def earth() -> np.ndarray:
    return erfa_position(erfa.epv00)


@pytest.fixture(scope="module")
def moon() -> np.ndarray:
    return erfa_position(erfa.moon98)


def errors(got: np.ndarray, want: np.ndarray) -> tuple[float, float]:
    """Worst angle [deg] and worst relative distance."""
    a, b = np.linalg.norm(got, axis=-1), np.linalg.norm(want, axis=-1)
    angle = np.degrees(np.linalg.norm(np.cross(got, want), axis=-1) / (a * b))
    return float(angle.max()), float(np.abs(a / b - 1.0).max())


def test_sun_from_earth_and_moon(earth: np.ndarray, moon: np.ndarray) -> None:
    """0.00215° and 8.3e-6 measured; epv00 is good to 0.00002°."""
    for name, want in (("earth", -earth), ("moon", -earth - moon)):
        angle, distance = errors(twin.sun_position(TIMES, name), want)
        assert angle < 0.003 and distance < 1e-5


def test_moon_from_earth(moon: np.ndarray) -> None:
    """0.0193° and 1.2e-4 measured: what the terms left out add up to."""
    angle, distance = errors(twin.moon_position(TIMES, "earth"), moon)
    assert angle < 0.02 and distance < 1.5e-4


def test_planets_are_the_published_theory() -> None:
    """Every coefficient typed right: ERFA's plan94 is the whole of Simon et al., so the two agree to rounding."""
    from_mars = twin.sun_position(TIMES, "mars")
    assert np.abs(from_mars + erfa_position(erfa.plan94, 4)).max() < 1e-12 * AU
    # from Earth and the Moon the share of the Moon comes in; m₁ r₁ + m₂ r₂ takes it out again
    share = tables.MOON_MASS_FRACTION
    moon = twin.moon_position(TIMES, "earth")
    barycentre = -twin.sun_position(TIMES, "moon") - (1.0 - share) * moon
    assert np.abs(barycentre - erfa_position(erfa.plan94, 3)).max() < 1e-12 * AU


def test_mars_and_moon_close_the_triangle(earth: np.ndarray, moon: np.ndarray) -> None:
    """Moon from Mars = (Sun from Mars) − (Sun from Moon); and a truth that has nothing of ours in it."""
    triangle = twin.sun_position(TIMES, "mars") - twin.sun_position(TIMES, "moon")
    assert np.abs(twin.moon_position(TIMES, "mars") - triangle).max() < 1e-12 * AU
    angle, distance = errors(triangle, earth + moon - erfa_position(erfa.plan94, 4))
    assert angle < 0.005 and distance < 5e-5


# JPL DE421 (Folkner et al. 2009), ICRF, [km]: Julian date TDB, Sun from Mars, Moon from Mars
DE421 = (
    (2433300.5, (225603900.0, -93766695.0, -49131150.0), (154363081.0, 24021547.0, 1919429.0)),
    (2444240.5, (166022668.0, -164593590.0, -79988277.0), (137859883.0, -31764486.0, -22422997.0)),
    (2455198.0, (110052219.0, -196369733.0, -93042016.0), (82308569.0, -63499509.0, -35439032.0)),
    (2466156.5, (47394657.0, -212280492.0, -98647007.0), (17397667.0, -79869310.0, -41217402.0)),
)


@pytest.mark.parametrize("jd, sun, moon", DE421, ids=lambda x: str(x) if isinstance(x, float) else "")
def test_from_mars_against_an_integrated_ephemeris(jd: float, sun: tuple, moon: tuple) -> None:
    """Over 1950-2050, 0.0074° and 3.6e-5 for the Sun, 0.0165° and 1.7e-4 for the Moon, at opposition."""
    t = (jd - 2451545.0) * 86400.0
    angle, distance = errors(twin.sun_position(t, "mars"), 1e3 * np.array(sun))
    assert angle < 0.01 and distance < 1e-4
    angle, distance = errors(twin.moon_position(t, "mars"), 1e3 * np.array(moon))
    assert angle < 0.02 and distance < 2e-4


def test_table_of_the_sun(earth: np.ndarray) -> None:
    """50 instants of 2025 to 2027 from epv00."""
    data = np.load(DATA / "environment_tables.npz")
    t = (data["sun_tdb_jd"] - 2451545.0) * 86400.0
    angle, distance = errors(twin.sun_position(t, "earth"), data["sun_dir"] * data["sun_dist_au"][:, None] * AU)
    assert angle < 0.003 and distance < 1e-5


def test_kernels_are_their_twins() -> None:
    """Relative to the distance; the Moon's arguments reach 8000 rad, whose last digit is 1e-12 rad."""
    t = np.random.default_rng(5).uniform(TIMES[0], TIMES[-1], 500)
    out = wp.zeros((5, t.size), dtype=wp.vec3d)
    wp.launch(_evaluate, dim=t.size, inputs=[wp.array(t, dtype=wp.float64)], outputs=[out])
    want = [twin.sun_position(t, name) for name in SUN] + [twin.moon_position(t, name) for name in MOON]
    for got, expected, limit in zip(out.numpy(), want, (5e-13, 5e-13, 5e-13, 5e-12, 1e-12), strict=True):
        assert (np.linalg.norm(got - expected, axis=1) / np.linalg.norm(expected, axis=1)).max() < limit


def test_any_shape_of_times() -> None:
    t = TIMES[:6].reshape(2, 3)
    assert twin.sun_position(t, "mars").shape == twin.moon_position(t, "Earth").shape == (2, 3, 3)
    assert twin.sun_position(0.0, "earth").shape == (3,)
    assert np.abs(twin.moon_position(t, "earth").reshape(6, 3) - twin.moon_position(TIMES[:6], "earth")).max() < 1e-3


def test_what_is_refused() -> None:
    for function in (lambda: twin.moon_position(0.0, "moon"), lambda: kernel.moon_position_func("moon")):
        with pytest.raises(ValueError, match="the Moon has no position from itself"):
            function()
    for function in (lambda: twin.sun_position(0.0, "venus"), lambda: kernel.sun_position_func("venus")):
        with pytest.raises(ValueError, match="allowed are earth, moon, mars"):
            function()
