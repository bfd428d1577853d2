"""All cases by name."""

import difflib
from collections.abc import Sequence

from mjorbit_warp.validation import (
    astronomy,
    attitude,
    basilisk,
    budgets,
    closed_forms,
    coupled,
    mujoco_c,
    truth_hardware,
    truth_motion,
)
from mjorbit_warp.validation.case import BACKENDS, Case

FAMILIES = (closed_forms, attitude, astronomy, truth_motion, truth_hardware, mujoco_c, budgets, coupled, basilisk)
CASES: dict[str, Case] = {case.name: case for family in FAMILIES for case in family.CASES}


def select(names: Sequence[str] = (), *, fast: bool = False) -> list[Case]:
    """Cases by name, all without a name; ValueError for one that is not there."""
    for name in names:
        if name not in CASES:
            like = difflib.get_close_matches(name, CASES, 1)
            hint = f"perhaps you meant {like[0]}" if like else f"there are {', '.join(CASES)}"
            raise ValueError(f"no validation case {name!r}: {hint}")
    chosen = [CASES[name] for name in dict.fromkeys(names)] if names else list(CASES.values())
    return [case for case in chosen if case.fast or not fast]


def variants(case: Case, backend: str) -> tuple[str, ...]:
    """What of a case runs for --backend; ValueError for an unknown backend."""
    if backend not in BACKENDS:
        raise ValueError(f"backend is {backend!r}: allowed are {', '.join(BACKENDS)}")
    return tuple(v for v in case.variants if v in BACKENDS[backend])
