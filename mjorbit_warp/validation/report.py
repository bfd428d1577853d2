"""Results as lines of text."""

import math
from typing import Any

import numpy as np

from mjorbit_warp.validation.case import Case


def growth(quantity: dict[str, Any]) -> str:
    """The error at about a quarter, half and all of the time; one number for a quantity that has no course."""
    t, value = quantity["t"], quantity["value"]
    if len(t) < 4:
        return " ".join(f"{x:.3g}" for x in value)
    end = t[-1]
    picks = [int(np.argmin([abs(x - share * end) for x in t])) for share in (0.25, 0.5, 1.0)]
    return " → ".join(f"{value[i]:.1e}" for i in picks)


def bound(quantity: dict[str, Any]) -> str:
    """The allowed range, with its unit."""
    text = f"≤ {quantity['below']:.3g}"
    if "above" in quantity:
        text = f"{quantity['above']:.3g} … {quantity['below']:.3g}"
    return f"{text} {quantity['unit']}".rstrip()


def number(x: float) -> str:
    """A value to two digits."""
    return "not finite" if math.isnan(x) else f"{x:.3g}" if 0.1 <= abs(x) < 1e4 else f"{x:.1e}"


def lines(name: str, variant: str, result: dict[str, Any]) -> list[str]:
    """A case on a variant: a line per quantity."""
    if result["verdict"] == "SKIPPED":
        return [f"SKIPPED  {name:22} {variant:9} {result['why']}"]
    out = [
        f"{q['verdict']:8} {name:22} {variant:9} {quantity:22} {number(q['worst']):>10}   {bound(q):22} {growth(q)}"
        for quantity, q in result["quantities"].items()
    ]
    out[-1] += f"   [{result['seconds']:.0f} s]"
    return out


HEAD = f"{'verdict':8} {'case':22} {'variant':9} {'quantity':22} {'worst':>10}   {'allowed':22} at ¼, ½ and the end"


def listing(case: Case) -> str:
    """What a case is, for --list."""
    rows = [f"{case.name}{'  (fast)' if case.fast else ''}: {case.title}"]
    rows += [f"    {k}: {v}" for k, v in case.describe().items() if k != "title"]
    for name, limit in case.limits.items():
        values = ", ".join(f"{variant} {value:.3g}" for variant, value in limit.below.items())
        low = "" if limit.above is None else f", at least {limit.above:.3g}"
        rows.append(f"    {name} [{limit.unit or '1'}] at most {values}{low}: {limit.reason}")
    return "\n".join(rows)
