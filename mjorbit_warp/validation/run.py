"""Running cases; what comes out is plain data, for a table, for JSON, for the document and the plots."""

import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mjorbit_warp.bench.machine import processor
from mjorbit_warp.check import MjoWarning
from mjorbit_warp.run_file import package_versions
from mjorbit_warp.validation.case import Case, Growth, Limit, Series, Skipped
from mjorbit_warp.validation.registry import variants

KEPT = 40  # points of a series in the JSON


def _short(x: float) -> float:
    return float(f"{x:.3g}") if np.isfinite(x) else float("nan")


def _points(series: Series) -> dict[str, Any]:
    kept = np.unique(np.linspace(0, series.t.size - 1, min(KEPT, series.t.size)).round().astype(int))
    return {"t": [_short(x) for x in series.t[kept]], "value": [_short(x) for x in series.value[kept]]}


def _judge(name: str, limit: Limit, growth: Growth, variant: str) -> dict[str, Any]:
    out: dict[str, Any] = {"unit": limit.unit, "below": limit.below[variant], "reason": limit.reason}
    if limit.above is not None:
        out["above"] = limit.above
    if name not in growth:
        return out | {"verdict": "FAIL", "worst": float("nan"), "t": [], "value": []}
    series = growth[name]
    verdict = "PASS" if limit.passes(series, variant) else "FAIL"
    return out | {"verdict": verdict, "worst": _short(series.worst), **_points(series)}


def run_variant(case: Case, variant: str) -> dict[str, Any]:
    """One case on one variant: its quantities, each with verdict, worst value and course; or why it was skipped."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjoWarning)  # "the model has no orbit" is meant here
        try:
            growth = case.run(variant)
        except Skipped as reason:
            return {"verdict": "SKIPPED", "why": str(reason)}
    quantities = {
        name: _judge(name, limit, growth, variant) for name, limit in case.limits.items() if variant in limit.below
    }
    bad = any(q["verdict"] == "FAIL" for q in quantities.values())
    seconds = round(time.perf_counter() - began, 1)
    return {"verdict": "FAIL" if bad else "PASS", "seconds": seconds, "quantities": quantities}


def run_cases(cases: Iterable[Case], backend: str, say: Callable[[str], None]) -> dict[str, Any]:
    """Run cases one after another; ``say`` gets the lines of each result as soon as it is there."""
    from mjorbit_warp.validation.report import lines

    results: dict[str, Any] = {}
    for case in cases:
        chosen = variants(case, backend)
        if not chosen:
            continue
        entry = case.describe() | {"fast": case.fast, "variants": {}}
        for variant in chosen:
            entry["variants"][variant] = run_variant(case, variant)
            for line in lines(case.name, variant, entry["variants"][variant]):
                say(line)
        results[case.name] = entry
    return {"backend": backend, "processor": processor(), "versions": package_versions(), "cases": results}


def verdicts(result: dict[str, Any]) -> dict[str, list[str]]:
    """Names of "case on variant" by verdict."""
    out: dict[str, list[str]] = {"PASS": [], "FAIL": [], "SKIPPED": []}
    for name, case in result["cases"].items():
        for variant, one in case["variants"].items():
            out[one["verdict"]].append(f"{name} ({variant})")
    return out
