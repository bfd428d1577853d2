"""The fast half of the validation, the parts it is made of, and that a wrong simulation fails it."""

import sys

import mpmath
import numpy as np
import pytest

from mjorbit_warp import _quat
from mjorbit_warp.validation import attitude, closed_forms
from mjorbit_warp.validation.case import Limit, figure, measured
from mjorbit_warp.validation.elliptic import jacobi, quarter_period
from mjorbit_warp.validation.kepler import kepler
from mjorbit_warp.validation.models import MU
from mjorbit_warp.validation.registry import CASES, select, variants
from mjorbit_warp.validation.run import run_variant, verdicts
from mjorbit_warp.validation.truth import load

HOST = [(name, v) for name, case in CASES.items() if case.fast for v in variants(case, "reference")]
# two of the Warp backend here, all of them in `mjorbit-warp validate --backend both`
WARP = [(name, v) for name in ("clohessy_wiltshire", "torque_free_tumble") for v in ("warp", "shadow")]


def test_half_of_the_registry_is_fast() -> None:
    assert 2 * len(select(fast=True)) >= len(CASES)


@pytest.mark.parametrize("name, variant", HOST + WARP)
def test_case_passes(name: str, variant: str) -> None:
    """Tolerances, with their reasons, are the case's own."""
    result = run_variant(CASES[name], variant)
    assert result["verdict"] == "PASS", {k: (q["verdict"], q["worst"]) for k, q in result["quantities"].items()}
    assert set(result["quantities"]) == {k for k, limit in CASES[name].limits.items() if variant in limit.below}


@pytest.mark.parametrize("name", ["basilisk_spacecraft", "basilisk_mjscene"])
def test_basilisk_in_this_process(name: str) -> None:
    pytest.importorskip("Basilisk")
    assert run_variant(CASES[name], "reference")["verdict"] == "PASS"


def test_without_basilisk_a_case_is_skipped_not_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.partition(".")[0] == "Basilisk"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "Basilisk", None)
    results = {}
    for name in ("basilisk_spacecraft", "basilisk_mjscene"):
        result = run_variant(CASES[name], "reference")
        assert result == {
            "verdict": "SKIPPED",
            "why": "this comparison needs Basilisk: pip install 'mjorbit-warp[basilisk]'",
        }
        results[name] = {"variants": {"reference": result}}
    assert verdicts({"cases": results}) == {"PASS": [], "FAIL": [], "SKIPPED": [f"{n} (reference)" for n in results]}


def test_a_wrong_constant_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mu that is off by 1e-9 shows in the orbit: 7500 km times 2π times 1.5e-9 is centimetres."""
    monkeypatch.setattr(closed_forms, "MU", MU * (1.0 + 1e-9))
    result = run_variant(CASES["kepler_relative"], "reference")
    assert result["verdict"] == "FAIL" and result["quantities"]["orbit"]["worst"] > 1e-3


def test_what_a_limit_lets_pass() -> None:
    limit = Limit("m", {"reference": 1.0}, "a test", above=0.5)
    assert limit.passes(figure(0.7), "reference") and limit.passes(figure(1.0), "reference")
    for bad in (1.1, 0.4, np.nan, np.inf):
        assert not limit.passes(figure(bad), "reference")
    assert not limit.passes(measured([0, 1, 2], x=[0.7, 0.3, 0.7])["x"], "reference")
    missing = run_variant(
        type(CASES["astropy_sun"])("x", "x", "", "", "", "", "", {"y": limit}, lambda variant: {}), "reference"
    )
    assert missing["verdict"] == "FAIL"  # a quantity that a run does not give is no pass


def test_each_case_says_what_it_is() -> None:
    for case in CASES.values():
        assert all(case.describe().values()) and case.variants
        assert all(limit.reason and limit.below for limit in case.limits.values()), case.name


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="no validation case 'gg_libratoin': perhaps you meant gg_libration"):
        select(["gg_libratoin"])
    with pytest.raises(ValueError, match="backend is 'gpu': allowed are reference, warp, both"):
        variants(CASES["gg_libration"], "gpu")


@pytest.mark.parametrize("k", [0.0, 0.1, 0.6, 0.99])
def test_elliptic_functions(k: float) -> None:
    """Against mpmath: float64 rounding of arguments of 20 and less."""
    u = np.linspace(-20.0, 20.0, 81)
    got = jacobi(u, k)
    for values, kind in zip(got, ("sn", "cn", "dn"), strict=True):
        want = [float(mpmath.ellipfun(kind, float(x), k=k)) for x in u]
        assert np.abs(values - want).max() < 2e-13
    assert abs(quarter_period(k) - float(mpmath.ellipk(k * k))) < 1e-14


def test_kepler_against_34_digits() -> None:
    """Three revolutions of the Taylor truth: 1e-9 m is a unit in the last place of 6800 km."""
    truth = load("free_body_leo")
    for i in (1, 40, -1):
        r, v = kepler(truth["ref_r"][0], truth["ref_v"][0], truth["t"][i], MU)
        limit = 2e-7 if np.finfo(r.dtype).nmant == 52 else 2e-9  # without extended precision: the phase, rounded
        assert np.abs(r.astype(float) - truth["ref_r"][i]).max() < limit
        assert np.abs(v.astype(float) - truth["ref_v"][i]).max() < 1e-9


def test_free_rotation_obeys_eulers_equations() -> None:
    """By central differences of 0.01 s: ω' = I⁻¹(Iω × ω) and q' = ½ q ω, to their h² of 1e-9."""
    h = 0.01
    t = np.arange(60001) * h
    quat, omega = attitude.free_rotation(t)
    same_side = np.sign(np.sum(quat[1:] * quat[:-1], axis=1))  # q and −q are one attitude
    quat[1:] *= np.cumprod(same_side)[:, None]
    inertia = np.array([attitude.I1, attitude.I2, attitude.I3])
    middle = slice(1, -1)
    rate = (omega[2:] - omega[:-2]) / (2.0 * h)
    assert np.abs(rate - np.cross(inertia * omega[middle], omega[middle]) / inertia).max() < 1e-9
    spin = np.concatenate([np.zeros((t.size, 1)), omega], axis=1)
    change = (quat[2:] - quat[:-2]) / (2.0 * h)
    assert np.abs(change - 0.5 * _quat.mul(quat[middle], spin[middle])).max() < 1e-9
