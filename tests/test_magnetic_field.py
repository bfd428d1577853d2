"""Magnetic field: closed form, published models, and the Warp func against its NumPy twin."""

import pathlib
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import pytest
import warp as wp

from mjorbit_warp.epoch import seconds_from_time
from mjorbit_warp.kernels.magnetic_field import MagneticFieldModel, field_years, magnetic_field_func
from mjorbit_warp.magnetic_field import GaussCoefficients, MagneticField, decimal_year, seconds_from_decimal_year
from mjorbit_warp.reference.magnetic_field import magnetic_field

DATA = pathlib.Path(__file__).parent / "data"
A = 6371.2e3
NT = 1e-9
YEAR = 365.25 * 86400.0
# case H06: IGRF-13's dipole of 2020, three points on the Earth-fixed axes and between them
H06 = MagneticField.dipole(-29404.8 * NT, -1450.9 * NT, 4652.5 * NT)
H06_X = np.array([[A, 0.0, 0.0], [0.0, 0.0, A], [6871e3 / np.sqrt(2.0), 0.0, 6871e3 / np.sqrt(2.0)]])
H06_B = np.array(
    [[-2901.8, -4652.5, 29404.8], [1450.9, -4652.5, -58809.6], [-35743.5990, -3709.2854, -13456.8729]]
)  # [nT]


def cartesian(r: Any, theta: Any, phi: Any) -> tuple[np.ndarray, np.ndarray]:
    """Position and the matrix of the unit vectors along r, θ, φ (columns); angles in degrees."""
    t, p = np.radians(theta), np.radians(phi)
    zero = np.zeros_like(t)
    e_r = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], axis=-1)
    e_theta = np.stack([np.cos(t) * np.cos(p), np.cos(t) * np.sin(p), -np.sin(t)], axis=-1)
    e_phi = np.stack([-np.sin(p), np.cos(p), zero], axis=-1)
    return e_r * np.asarray(r)[..., None], np.stack([e_r, e_theta, e_phi], axis=-1)


@pytest.fixture(scope="module")
def tables() -> dict[str, np.ndarray]:
    """50 states of the Basilisk comparison, two of them over the poles; positions in planet-fixed axes."""
    with np.load(DATA / "environment_tables.npz") as file:
        table = dict(file)
    table["r_P"] = table["r_N"] @ table["C_PN"].T
    return table


def padded(c: GaussCoefficients, degree: int) -> GaussCoefficients:
    """The same field with zeros up to ``degree``."""
    add = ((0, degree - c.degree),) * 2
    g, h, g_rate, h_rate = (np.pad(table, add) for table in (c.g, c.h, c.g_rate, c.h_rate))
    return GaussCoefficients(g, h, g_rate, h_rate, c.radius, c.year)


def make_evaluator(degree: int) -> Callable[..., np.ndarray]:
    """The Warp func at positions and times; point i reads the coefficients of world i."""
    func = magnetic_field_func(degree)

    @wp.kernel(module="unique", enable_backward=False)
    def _evaluate(x: wp.array[wp.vec3d], t: wp.array[wp.float64], field: MagneticFieldModel, b_out: wp.array[wp.vec3d]):
        i = wp.tid()
        b_out[i] = func(x[i], field_years(t[i], i, field), i, field)

    def evaluate(x: np.ndarray, years: Any, *coefficients: GaussCoefficients) -> np.ndarray:
        packed = [padded(c, degree).packed() for c in coefficients]
        t = np.broadcast_to(np.asarray(years) * YEAR + 4e8, x.shape[:-1])
        field = MagneticFieldModel()
        field.radius = wp.array([c.radius for c in coefficients], dtype=wp.float64)
        field.t0, field.years = wp.array([4e8 + YEAR], dtype=wp.float64), wp.array([1.0], dtype=wp.float64)
        field.value = wp.array(np.stack([value for value, _ in packed]), dtype=wp.vec2d)
        field.rate = wp.array(np.stack([rate for _, rate in packed]), dtype=wp.vec2d)
        out = wp.zeros(len(x), dtype=wp.vec3d)
        wp.launch(
            _evaluate,
            dim=len(x),
            inputs=[wp.array(x, dtype=wp.vec3d), wp.array(t, dtype=wp.float64), field],
            outputs=[out],
        )
        return out.numpy()

    return evaluate


@pytest.fixture(scope="module")
def full() -> Callable[..., np.ndarray]:
    """The Warp func of degree 13."""
    return make_evaluator(13)


@pytest.fixture(scope="module")
def dipole() -> Callable[..., np.ndarray]:
    """The Warp func of degree 1."""
    return make_evaluator(1)


def points(count: int, seed: int) -> np.ndarray:
    """Positions from the ground to beyond GEO; the first four on the axis and a millimetre beside it."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x[:4] = [[0, 0, 1], [0, 0, -1], [1.5e-10, 0, 1], [0, -1.5e-10, -1]]
    return x * 10 ** rng.uniform(np.log10(A), np.log10(5e7), (count, 1))


def test_dipole_axes(dipole: Any) -> None:
    """H06: every component, not the magnitude alone; north at the equator, down at the north pole."""
    c = H06.at(None)
    np.testing.assert_allclose(magnetic_field(H06_X, 0.0, c) / NT, H06_B, rtol=0, atol=6e-5)
    np.testing.assert_allclose(dipole(H06_X, 0.0, c) / NT, H06_B, rtol=0, atol=6e-5)


def test_dipole_closed_form(dipole: Any) -> None:
    """(R/r)³ [3 u (u·d) − d] with d = (g11, h11, g10)."""
    x, c = points(200, 1), H06.at(None)
    r = np.linalg.norm(x, axis=1, keepdims=True)
    d, u = np.array([c.g[1, 1], c.h[1, 1], c.g[1, 0]]), x / r
    want = (A / r) ** 3 * (3.0 * u * (u @ d)[:, None] - d)
    assert np.abs(magnetic_field(x, 0.0, c) - want).max() < 1e-18
    assert np.abs(dipole(x, 0.0, c) - want).max() < 1e-18


def test_dipole_truth(tables: Any, dipole: Any) -> None:
    g10, g11, h11 = tables["dipole_g10_g11_h11"]
    c = MagneticField.dipole(g10, g11, h11, float(tables["dipole_radius"])).at(None)
    for func in (magnetic_field, dipole):
        assert np.abs(func(tables["r_P"], 0.0, c) @ tables["C_PN"] - tables["dipole_B_N"]).max() < 1e-18


def test_wmm_truth(tables: Any, full: Any) -> None:
    """WMM2025 with its secular variation. The pole points of wmm_check_B_N are good to 4e-15 T themselves."""
    year = float(tables["wmm_decimal_year"])
    c = MagneticField.from_cof(DATA / "WMM2025.COF").at(seconds_from_decimal_year(year))
    assert (c.degree, c.year) == (12, 2025.0)
    for func in (magnetic_field, full):
        got = func(tables["r_P"], year - 2025.0, c) @ tables["C_PN"]
        assert np.abs(got - tables["wmm_B_N"]).max() < 1e-18
        assert np.abs(got - tables["wmm_check_B_N"]).max() < 1e-14


def test_igrf_table(full: Any) -> None:
    """Values of ppigrf, an independent implementation, at 9 dates from 1901 to 2029; they have six decimals."""
    table = np.loadtxt(DATA / "ppigrf_igrf14.csv", delimiter=",")
    for year in np.unique(table[:, 0]):
        rows = table[table[:, 0] == year]
        x, axes = cartesian(rows[:, 1] * 1e3, rows[:, 2], rows[:, 3])
        start = 5.0 * (year // 5.0)
        begin, end = seconds_from_decimal_year(start), seconds_from_decimal_year(start + 5.0)
        t = begin + (year - start) / 5.0 * (end - begin)
        c = MagneticField.igrf().at(t)
        want = np.einsum("...ij,...j->...i", axes, rows[:, 4:])
        assert np.abs(magnetic_field(x, c.years(t), c) / NT - want).max() < 1e-4
        assert np.abs(full(x, c.years(t), c) / NT - want).max() < 1e-4


def test_igrf_against_ppigrf() -> None:
    """At the same dates, all of them linear in elapsed time between the five-yearly epochs: 1e-5 nT."""
    ppigrf = pytest.importorskip("ppigrf")
    rng = np.random.default_rng(2)
    r, theta, phi = rng.uniform(6371.2, 9000.0, 50), rng.uniform(1.0, 179.0, 50), rng.uniform(-180.0, 180.0, 50)
    x, axes = cartesian(r * 1e3, theta, phi)
    for date in (datetime(2025, 1, 1), datetime(2026, 3, 1), datetime(1987, 3, 4)):
        want = np.stack([np.ravel(b) for b in ppigrf.igrf_gc(r, theta, phi, date)], axis=-1)
        t = (date - datetime(2000, 1, 1, 12)).total_seconds()
        c = MagneticField.igrf().at(t)
        got = np.einsum("...ji,...j->...i", axes, magnetic_field(x, c.years(t), c)) / NT
        assert np.abs(got - want).max() < 1e-5


@pytest.mark.parametrize("name", ["dipole", "full"])
def test_kernel_against_twin(name: str, request: pytest.FixtureRequest) -> None:
    """With rates, at the poles, each world with its own coefficients and radius."""
    x, years = points(400, 3), np.random.default_rng(4).uniform(-1.0, 5.0, 400)
    degree = {"dipole": 1, "full": 13}[name]
    one = MagneticField.igrf(degree).at(seconds_from_decimal_year(2026.0))
    two = GaussCoefficients(1.3 * one.g, -one.h, 2.0 * one.g_rate, one.h_rate, 6.5e6, one.year)
    got = request.getfixturevalue(name)(x, years, one, two)
    both = GaussCoefficients(
        *(np.stack([getattr(c, f) for c in (one, two)] * 200) for f in ("g", "h", "g_rate", "h_rate")),
        radius=np.tile([one.radius, two.radius], 200),
        year=one.year,
    )
    # t in seconds past J2000 holds the years to 1e-15 of 4e8 s: 2e-15 years times 1e-7 T/year
    assert np.abs(got - magnetic_field(x, years, both)).max() < 1e-18


def test_field_is_curl_and_divergence_free() -> None:
    """Central differences over 100 m of the twin's Cartesian components, relative to |B|/r."""
    c = MagneticField.igrf().at(0.0)
    x, h = points(50, 6), 100.0
    step = h * np.eye(3)
    jacobian = np.stack([(magnetic_field(x + s, 0.0, c) - magnetic_field(x - s, 0.0, c)) / (2 * h) for s in step], -1)
    scale = (np.linalg.norm(magnetic_field(x, 0.0, c), axis=1) / np.linalg.norm(x, axis=1))[:, None, None]
    assert np.abs(np.trace(jacobian, axis1=1, axis2=2) / scale[:, 0, 0]).max() < 1e-6
    assert np.abs((jacobian - np.swapaxes(jacobian, 1, 2)) / scale).max() < 1e-6


def test_truncation() -> None:
    """A lower degree leaves terms out, in the constructor or later, and packing keeps every number."""
    t = seconds_from_decimal_year(2026.0)
    c = MagneticField.igrf(4).at(t)
    assert c.degree == 4 and c.packed()[0].shape == (14, 2)
    want = MagneticField.igrf().at(t)
    np.testing.assert_array_equal(c.g, want.g[:5, :5])
    np.testing.assert_array_equal(want.truncated(4).h_rate, c.h_rate)
    assert MagneticField.from_cof(DATA / "WMM2025.COF", degree=6).degree == 6
    back = GaussCoefficients.from_packed(*want.packed(), want.radius, want.year)
    for name in ("g", "h", "g_rate", "h_rate"):
        np.testing.assert_allclose(getattr(back, name), getattr(want, name), rtol=1e-15)
    for degree in (0, 14):
        with pytest.raises(ValueError, match=f"degree of the magnetic field is {degree}: 1 to 13"):
            MagneticField.igrf(degree)


def test_time() -> None:
    """Calendar years; pieces follow on each other; without an epoch only a constant field works."""
    from astropy.time import Time

    t = seconds_from_time(Time("2026-03-15T06:30:00", scale="tt"))
    assert decimal_year(t) == pytest.approx(2026 + 73 / 365 + 6.5 / 8760, abs=1e-9)
    assert decimal_year(seconds_from_decimal_year(2024.75)) == pytest.approx(2024.75, abs=1e-12)
    assert seconds_from_decimal_year(2000.0) == -43200.0
    field = MagneticField.igrf()
    for year in (1905.0, 2000.0, 2020.0, 2025.0):
        before, after = (field.at(seconds_from_decimal_year(year) + s) for s in (-1.0, 0.0))
        assert after.year == year and before.year == year - 5.0
        years = before.years(seconds_from_decimal_year(year))
        assert years == pytest.approx(5.0, abs=3e-3)  # Julian years in five calendar years
        np.testing.assert_allclose(before.g + years * before.g_rate, after.g, rtol=0, atol=1e-18)
    with pytest.raises(ValueError, match="igrf14 varies with time, so the orbit needs an epoch"):
        field.at(None)
    assert H06.at(1e9) is H06.at(None)


def test_validity() -> None:
    for year in (1899.9, 2030.1):
        with pytest.raises(ValueError, match=r"outside 1900\.0 to 2030\.0, where the magnetic field igrf14 is valid"):
            MagneticField.igrf().at(seconds_from_decimal_year(year))
    late = MagneticField.igrf(extrapolate=True).at(seconds_from_decimal_year(2035.0))
    assert late.year == 2025.0 and late.years(seconds_from_decimal_year(2035.0)) == pytest.approx(10.0, abs=3e-3)
    with pytest.raises(ValueError, match=r"outside 2025\.0 to 2030\.0"):
        MagneticField.from_cof(DATA / "WMM2025.COF").at(0.0)


def test_text_round_trip() -> None:
    """Everything is kept, to the last digit; what cannot be read is refused by name."""
    wmm = MagneticField.from_cof(DATA / "WMM2025.COF", degree=3, extrapolate=True)
    for field in (H06, MagneticField.igrf(6, extrapolate=True), wmm):
        again = MagneticField.from_text(field.to_text())
        assert again == field and hash(again) == hash(field) and again.to_text() == field.to_text()
        np.testing.assert_array_equal(again.at(1e9).packed(), field.at(1e9).packed())
    assert MagneticField.from_text("igrf degree=6") == MagneticField.igrf(6)
    assert MagneticField.from_text("igrf") != H06
    for text, message in {
        "wmm": "it must begin with dipole, igrf, gauss",
        "igrf order=3": "order of magnetic field igrf is not known: allowed are degree, extrapolate",
        "igrf extrapolate=yes": "0 or 1 expected",
        "igrf degree=x": "cannot be read",
        "dipole g10=1e-5": "cannot be read",
        "gauss g=0,1,2 h=0,0": "cannot be read",
    }.items():
        with pytest.raises(ValueError, match=message):
            MagneticField.from_text(text)


def test_wrong_numbers_are_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="tesla are expected, not nT"):
        MagneticField.dipole(-29404.8, -1450.9, 4652.5)
    with pytest.raises(ValueError, match="rates but no year"):
        MagneticField.gauss(np.zeros((2, 2)), np.zeros((2, 2)), g_rate=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="g has shape"):
        MagneticField.gauss(np.zeros((2, 3)), np.zeros((2, 3)))
    (tmp_path / "x.cof").write_text("hello\n1 0\n")
    with pytest.raises(ValueError, match="is not a WMM coefficient file"):
        MagneticField.from_cof(tmp_path / "x.cof")
