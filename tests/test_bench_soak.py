"""The soak, in small: it passes, and it notices a leak and a bad world."""

from typing import Any

import numpy as np
import pytest

from benchmarks import soak


@pytest.mark.parametrize("backend", ["warp", "reference"])
def test_a_short_soak(backend: str) -> None:
    found = soak.soak(backend, "RK4", nworld=4, nstep=200)
    assert found["passed"] and found["clock_error_s"] == 0.0 and found["bad_worlds"] == {}
    assert found["memory"][0]["step"] < found["memory"][-1]["step"] == 200


def test_a_leak_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 MB in each status."""
    kept: list[Any] = []
    whole = soak.mjo_ref.mjo_status

    def leaks(*words: Any) -> Any:
        kept.append(np.ones(1 << 17))
        return whole(*words)

    monkeypatch.setattr(soak, "EVERY", soak.PER_CALL)
    monkeypatch.setattr(soak.mjo_ref, "mjo_status", leaks)
    found = soak.soak("reference", "RK4", nworld=2, nstep=200)
    assert not found["passed"] and found["growth_bytes"]["process"] > soak.GROWTH


def test_a_bad_world_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def nan(run: Any, values: np.ndarray) -> None:
        values[1] = np.nan
        run.data.xfrc_applied[:] = values

    monkeypatch.setattr(soak.Reference, "push", nan)
    found = soak.soak("reference", "RK4", nworld=2, nstep=100)
    assert not found["passed"] and found["bad_worlds"] == {"NONFINITE": 1}
