"""The studies of ``python -m benchmarks --study``, on two worlds."""

import contextlib
import io

import numpy as np
import pytest

from mjorbit_warp.bench.benchmark import Settings
from mjorbit_warp.bench.report import report
from mjorbit_warp.bench.studies import run_studies
from mjorbit_warp.bench.study_first_step import first_step_here


def test_studies() -> None:
    """The reference path on two worlds, and the first step of a process as it is measured in one."""
    settings = Settings(nworld=(2,), device="cpu", repeat=2, nstep=1, sample_s=1e-4, integrators=("implicitfast",))
    result = run_studies(("reference",), settings)
    (study,) = result["studies"]
    (row,) = study["rows"]
    times = row["samples_s"]
    pairs = zip(times["reference"], times["bare"], strict=True)
    assert row["ratio"] == pytest.approx(np.median([a / b for a, b in pairs])) and row["nthread"] == 2
    assert "reference: " in report(result, "short") and "µs/step" in report(result, "human")
    job = {"name": "gravity", "scene": "two_arm", "integrator": "implicitfast", "nworld": 2, "device": "cpu"}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        first_step_here(job)
    assert 0.0 < float(said.getvalue()) < 300.0


def test_study_deterministic() -> None:
    """Two runs on a CPU repeat to the bit with the switch and without; the ratio is that of the samples."""
    settings = Settings(
        scenes=("two_arm",), nworld=(2,), device="cpu", repeat=2, nstep=1, sample_s=1e-4, integrators=("implicitfast",)
    )
    (study,) = run_studies(("deterministic",), settings)["studies"]
    (row,) = study["rows"]
    assert row["repeats, off"] and row["repeats, on"]
    pairs = zip(row["samples_s"]["on"], row["samples_s"]["off"], strict=True)
    assert row["ratio"] == pytest.approx(np.median([a / b for a, b in pairs]))
