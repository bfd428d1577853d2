"""Atmospheres: tables, their text, MSIS, altitude above an ellipsoid, and the kernels."""

import importlib.util
import math
import sys
from typing import Any

import erfa
import numpy as np
import pytest
import warp as wp
from astropy.time import Time

from mjorbit_warp.atmosphere import WGS84_FLATTENING, Atmosphere
from mjorbit_warp.kernels import atmosphere as kernel
from mjorbit_warp.reference import atmosphere as twin
from tests.conftest import DATA

RE = 6378137.0
Z = np.array([0.0, 0.0, 1.0])
RISING = Atmosphere((0.0, 10.0, 30.0), (1.0, 2.0, 2.0), (-10.0 / math.log(2.0), math.inf, 0.0), 0.1)


def test_exponential_is_basilisks() -> None:
    """50 positions, spherical altitude: ρ0 exp(−(r − R)/H)."""
    data = np.load(DATA / "environment_tables.npz")
    air = Atmosphere.exponential(float(data["atm_rho0"]), float(data["atm_scale_height"]))
    h = twin.altitude(data["r_N"], Z, float(data["atm_radius"]), 0.0)
    assert np.abs(h - (np.linalg.norm(data["r_N"], axis=1) - data["atm_radius"])).max() < 1e-8
    assert np.abs(air.at(h) / data["atm_rho"] - 1.0).max() < 1e-11  # 1e-9 m of rounding in h at GEO, times 36e6 m/H


def test_us76_meets_at_its_bases() -> None:
    """Each band's formula at the next base gives the next row: a misprint in any of the 84 numbers shows."""
    h, rho, scale = Atmosphere.us76().bands.T
    jumps = np.abs(rho[:-1] * np.exp(-np.diff(h) / scale[:-1]) / rho[1:] - 1.0)
    assert len(h) == 28 and h[0] == 0.0 and h[-1] == 1e6
    assert jumps[0] < 1.4e-3 and jumps[1:].max() < 1.5e-4


def test_us76_against_the_standard_itself() -> None:
    """US Standard Atmosphere 1976, table I, geometric altitude [km] and density [kg/m³]: same order all the way."""
    for km, rho, limit in ((0, 1.2250, 1e-12), (20, 8.8910e-2, 0.13), (50, 1.0269e-3, 0.05), (86, 6.958e-6, 0.06)):
        assert Atmosphere.us76().at(km * 1e3) == pytest.approx(rho, rel=limit)
    # at 400 km CIRA's mean is a third denser
    assert Atmosphere.us76().at(400e3) == pytest.approx(2.803e-12, rel=0.35)


def test_table_is_log_linear() -> None:
    h, rho = [100e3, 120e3, 150e3, 200e3], [1e-7, 1e-8, 1e-8, 1e-9]
    air = Atmosphere.table(h, rho, flattening=0.003)
    assert air.at(h) == pytest.approx(rho, rel=1e-15)
    assert air.at([110e3, 130e3, 175e3]) == pytest.approx([10**-7.5, 1e-8, 10**-8.5], rel=1e-13)
    assert air.at([80e3, 250e3]) == pytest.approx([1e-6, 1e-10], rel=1e-13)  # both ends go on
    assert air.flattening == 0.003 and air.at(np.zeros((2, 3))).shape == (2, 3)


def test_last_band_may_end_the_air() -> None:
    assert RISING.at([-10.0, 0.0, 10.0, 20.0, 29.999, 30.0, 1e9]) == pytest.approx([0.5, 1.0, 2.0, 2.0, 2.0, 0.0, 0.0])
    assert np.array_equal(Atmosphere.exponential(3.0, math.inf).at([-1e6, 0.0, 1e9]), [3.0, 3.0, 3.0])


AIRS = {"us76": Atmosphere.us76(), "exponential": Atmosphere.exponential(1.1e-12, 58.7e3, 4e5), "rising": RISING}


@pytest.mark.parametrize("air", AIRS.values(), ids=AIRS)
def test_text_round_trip_is_exact(air: Atmosphere) -> None:
    text = air.to_text()
    assert Atmosphere.from_text(text) == air and hash(Atmosphere.from_text(text)) == hash(air)
    assert not set(text) & set("\"'<>&\n")  # as it is in an XML attribute


@pytest.mark.parametrize("text", ["", "us76", "flattening 0", "flattening 0; 1 2", "flattening x; 1 2 3", "f 0; 1 2 3"])
def test_text_that_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="'flattening f; altitude density scale_height; …' is expected"):
        Atmosphere.from_text(text)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Atmosphere.table([0.0], [1.0]), "at least 2, are expected"),
        (lambda: Atmosphere.table([0.0, 1.0], [1.0]), "same length"),
        (
            lambda: Atmosphere.table([0.0, 0.0], [1.0, 0.5]),
            "altitudes of the table must be finite and strictly increasing",
        ),
        (lambda: Atmosphere.table([0.0, math.nan], [1.0, 0.5]), "altitudes of the table must be finite"),
        (lambda: Atmosphere.table([0.0, 1.0], [1.0, 0.0]), "densities of the table must be finite and positive"),
        (lambda: Atmosphere.table([0.0, 1.0], [1.0, 1.0]), "density must fall over the last interval"),
        (lambda: Atmosphere.exponential(0.0, 7e3), "densities of the atmosphere must be finite and positive"),
        (lambda: Atmosphere.exponential(1.0, 0.0), "scale heights of the atmosphere must not be 0"),
        (lambda: Atmosphere.exponential(1.0, -7e3), "nor the last one negative"),
        (lambda: Atmosphere.exponential(1.0, 7e3, flattening=1.0), "flattening of the atmosphere is 1.0"),
        (lambda: Atmosphere((0.0, 1.0), (1.0,), (1.0,)), "2 altitudes, 1 densities and 1 scale heights"),
    ],
)
def test_what_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


EPOCH = Time("2026-03-15T06:30:00", scale="utc")
QUIET = {"f107": 150.0, "f107a": 150.0, "ap": 15.0}
needs_msis = pytest.mark.skipif(importlib.util.find_spec("pymsis") is None, reason="needs the env extra")


@needs_msis
def test_msis_at_a_place() -> None:
    """The rows are pymsis's own numbers there, exactly as float32 gives them."""
    import pymsis

    h = np.array([150e3, 400e3, 700e3])
    place = {"latitude": math.radians(51.6), "longitude": math.radians(-30.0)}
    air = Atmosphere.msis(EPOCH, altitude=h, **place, **QUIET)
    found = pymsis.calculate(np.datetime64("2026-03-15T06:30"), -30.0, 51.6, h / 1e3, 150.0, 150.0, [[15.0] * 7])
    assert np.array_equal(air.density, np.ravel(found[..., 0]).astype(np.float64))
    assert air.flattening == WGS84_FLATTENING and air.at(h) == pytest.approx(air.density, rel=1e-14)
    storm = Atmosphere.msis(
        EPOCH, altitude=h, **place, **{**QUIET, "ap": [80.0, 200.0, 150.0, 100.0, 60.0, 30.0, 20.0]}
    )
    assert (np.array(storm.density) > 1.05 * np.array(air.density)).all()


@needs_msis
def test_msis_average() -> None:
    """Between noon and midnight, and within the solar cycle's range about the mean table."""
    air = Atmosphere.msis(EPOCH, **QUIET)
    h = 400e3
    # 06:30 UTC: noon is at 82.5° E
    day, night = (
        Atmosphere.msis(EPOCH, altitude=[h, h + 1e3], latitude=0.0, longitude=math.radians(x), **QUIET).density[0]
        for x in (112.5, -67.5)
    )
    assert night < air.at(h) < day
    assert 0.5 < air.at(h) / Atmosphere.us76().at(h) < 2.0
    quiet, active = (Atmosphere.msis(EPOCH, f107=x, f107a=x, ap=4.0).at(h) for x in (70.0, 230.0))
    assert 5.0 < active / quiet < 30.0
    # one latitude alone, all local times
    assert Atmosphere.msis(EPOCH, altitude=[h, h + 1e3], latitude=0.0, **QUIET).density[0] > air.at(h)


@needs_msis
def test_msis_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="time scale is unknown"):
        Atmosphere.msis("2026-03-15", **QUIET)
    with pytest.raises(ValueError, match=r"f107a is nan: a positive number"):
        Atmosphere.msis(EPOCH, **{**QUIET, "f107a": math.nan})
    with pytest.raises(ValueError, match="one number, or MSIS's seven"):
        Atmosphere.msis(EPOCH, **{**QUIET, "ap": [1.0, 2.0]})
    monkeypatch.setitem(sys.modules, "pymsis", None)
    with pytest.raises(ImportError, match=r"pip install 'mjorbit-warp\[env\]'"):
        Atmosphere.msis(EPOCH, **QUIET)


def positions(seed: int, n: int = 2000) -> np.ndarray:
    """From 10 km below the ground to beyond GEO, some on the axis and on the equator."""
    rng = np.random.default_rng(seed)
    unit = rng.normal(size=(n, 3))
    unit[:4] = [[0, 0, 1], [0, 0, -1], [1, 0, 0], [0, 1, 0]]
    unit[4:40, 2] *= 1e-6
    unit[40:80, :2] *= 1e-6
    height = np.concatenate([rng.uniform(-1e4, 2e6, n // 2), 10 ** rng.uniform(6.0, 8.0, n - n // 2)])
    rng.shuffle(height)
    return unit / np.linalg.norm(unit, axis=1, keepdims=True) * (RE + height + 25e3)[:, None]


def test_altitude_is_geodetic() -> None:
    """ERFA's gc2gd on the same ellipsoid, and a pole in any direction."""
    r = positions(1)
    want = erfa.gc2gde(RE, WGS84_FLATTENING, r)[2]
    assert np.abs(twin.altitude(r, Z, RE, WGS84_FLATTENING) - want).max() < 1e-7  # 1e8 m in float64: 1.5e-8
    q = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    assert np.abs(twin.altitude(r @ q.T, q @ Z, RE, WGS84_FLATTENING) - want).max() < 1e-7
    assert np.abs(twin.altitude(r, Z, RE, 0.0) - (np.linalg.norm(r, axis=1) - RE)).max() < 1e-7


@wp.kernel(module="unique")
def _evaluate(
    r: wp.array[wp.vec3d],
    pole: wp.vec3d,
    radius: wp.float64,
    flattening: wp.float64,
    heights: wp.array[wp.float64],
    table_altitude: wp.array[wp.float64],
    table_density: wp.array[wp.float64],
    table_scale: wp.array[wp.float64],
    h_out: wp.array[wp.float64],
    rho_out: wp.array[wp.float64],
):
    i = wp.tid()
    h_out[i] = kernel.altitude(r[i], pole, radius, flattening)
    rho_out[i] = kernel.density(heights[i], table_altitude, table_density, table_scale)


def on_device(r: np.ndarray, pole: np.ndarray, flattening: float, heights: np.ndarray, air: Atmosphere) -> Any:
    out = [wp.zeros(len(r), dtype=wp.float64) for _ in range(2)]
    table = [wp.array(x, dtype=wp.float64) for x in air.bands.T]
    inputs = [wp.array(r, dtype=wp.vec3d), wp.vec3d(*pole), RE, flattening, wp.array(heights, dtype=wp.float64), *table]
    wp.launch(_evaluate, dim=len(r), inputs=inputs, outputs=out)
    return out[0].numpy(), out[1].numpy()


@pytest.mark.parametrize("air", AIRS.values(), ids=AIRS)
@pytest.mark.parametrize("flattening", [0.0, WGS84_FLATTENING, 1.0 / 169.8])
def test_kernels_are_their_twins(air: Atmosphere, flattening: float) -> None:
    """Altitude relative to the distance; ln ρ relative to its terms, at and beside each base and beyond both ends."""
    r, pole = positions(3), np.array([0.6, 0.0, 0.8])
    bases = np.array(air.altitude)
    edges = np.concatenate([bases, np.nextafter(bases, -np.inf), np.nextafter(bases, np.inf), bases[:1] - 1e4])
    spread = np.random.default_rng(4).uniform(bases[0] - 1e4, 1.2 * bases[-1] + 1e5, len(r) - len(edges))
    heights = np.concatenate([edges, spread])
    h, rho = on_device(r, pole, flattening, heights, air)
    assert (np.abs(h - twin.altitude(r, pole, RE, flattening)) / np.linalg.norm(r, axis=1)).max() < 1e-15
    want = air.at(heights)
    dark = want == 0.0
    assert np.array_equal(rho == 0.0, dark)
    exponent = 1.0 + np.abs(np.log(want[~dark]) - np.log(air.density[0]))
    assert (np.abs(rho[~dark] / want[~dark] - 1.0) / exponent).max() < 1e-14


def test_deep_inside_is_finite() -> None:
    r = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [3e6, 0.0, 0.0], [0.0, 1e6, 3.3e6]])
    h, _ = on_device(r, Z, WGS84_FLATTENING, np.zeros(4), AIRS["us76"])
    assert np.isfinite(h).all() and (h < -2.8e6).all()
