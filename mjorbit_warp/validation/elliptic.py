"""Jacobi's elliptic functions by the arithmetic-geometric mean."""

from typing import Any

import numpy as np


def quarter_period(k: float) -> float:
    """Complete elliptic integral K of modulus ``k`` (Abramowitz & Stegun 17.6.3)."""
    a, b = 1.0, float(np.sqrt(1.0 - k * k))
    for _ in range(12):
        a, b = 0.5 * (a + b), float(np.sqrt(a * b))
    return float(np.pi / (2.0 * a))


def jacobi(u: Any, k: float) -> tuple[Any, Any, Any]:
    """sn, cn, dn of ``u`` and modulus ``k`` (Abramowitz & Stegun 16.4), over any shape."""
    a, b, c, rows = 1.0, float(np.sqrt(1.0 - k * k)), float(k), []
    for _ in range(12):
        a, b, c = 0.5 * (a + b), float(np.sqrt(a * b)), 0.5 * (a - b)
        rows.append((a, c))
    phi = 2.0 ** len(rows) * a * np.asarray(u, dtype=np.float64)
    for a_n, c_n in reversed(rows):
        phi = 0.5 * (phi + np.arcsin(c_n / a_n * np.sin(phi)))
    sn, cn = np.sin(phi), np.cos(phi)
    return sn, cn, np.sqrt(1.0 - (k * sn) ** 2)
