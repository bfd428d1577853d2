"""Splines and weights of the planner in NumPy."""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def spline(knots: F64, x: F64, order: str = "cubic") -> F64:
    """Values (…, n, nu) of splines through ``knots`` (…, nknot, nu) at ``x`` (n,) in knot intervals, held outside.

    "zero" holds the knot before; "cubic" is Hermite's in the Bernstein form, with the slopes of np.gradient.
    """
    last = knots.shape[-2] - 1
    if last == 0:
        return np.repeat(knots, x.size, axis=-2)
    x = np.clip(x, 0.0, last)
    k = np.minimum(x.astype(int), last - 1)
    s = (x - k)[:, None]
    a, b = knots[..., k, :], knots[..., k + 1, :]
    if order == "zero":
        return np.where(x[:, None] == last, b, a)
    if order == "linear":
        return (1.0 - s) * a + s * b
    slopes = np.gradient(knots, axis=-2)
    p1, p2 = a + slopes[..., k, :] / 3.0, b - slopes[..., k + 1, :] / 3.0
    t = 1.0 - s
    return t**3 * a + 3.0 * t * t * s * p1 + 3.0 * t * s * s * p2 + s**3 * b


def weights(cost: F64, kind: str, temperature: float = 1.0, nelite: int = 10) -> F64:
    """Weights (n,) of costs (n,), which sum to 1; none where a cost is not finite."""
    good = np.isfinite(cost)
    out = np.zeros(cost.shape)
    if kind == "elite":
        best = np.argsort(np.where(good, cost, np.inf), kind="stable")[:nelite]
        out[best] = good[best]
    elif good.any():
        out[good] = np.exp((cost[good].min() - cost[good]) / temperature)
    return out / max(out.sum(), 1e-300)
