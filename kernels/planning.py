"""Sampling-based planning: knots with noise, splines through them, and the weights of rollouts."""

import warp as wp

from mjorbit_warp.kernels.noise import normal4
from mjorbit_warp.status import Status

wp.set_module_options({"enable_backward": False})

ZERO = wp.constant(0)  # splines
LINEAR = wp.constant(1)
CUBIC = wp.constant(2)
EXPONENTIAL = wp.constant(0)  # weights
ELITE = wp.constant(1)
NONFINITE = wp.constant(int(Status.NONFINITE))


@wp.func
def slope(knots: wp.array3d[float], row: int, k: int, j: int) -> float:
    """Change per knot interval at a knot: central difference, one-sided at the ends (Catmull & Rom, 1974)."""
    last = knots.shape[1] - 1
    if k == 0:
        return knots[row, 1, j] - knots[row, 0, j]
    if k == last:
        return knots[row, last, j] - knots[row, last - 1, j]
    return 0.5 * (knots[row, k + 1, j] - knots[row, k - 1, j])


@wp.func
def spline(knots: wp.array3d[float], row: int, j: int, x: float, order: int) -> float:
    """Value at ``x`` in knot intervals, held outside; the knot before, linear, or cubic Hermite with ``slope``."""
    last = knots.shape[1] - 1
    if last == 0 or x <= 0.0:
        return knots[row, 0, j]
    if x >= float(last):
        return knots[row, last, j]
    k = wp.min(int(wp.floor(x)), last - 1)
    if order == ZERO:
        return knots[row, k, j]
    s = x - float(k)
    a = knots[row, k, j]
    b = knots[row, k + 1, j]
    if order == LINEAR:
        return a + s * (b - a)
    m0 = slope(knots, row, k, j)
    m1 = slope(knots, row, k + 1, j)
    c = 3.0 * (b - a) - 2.0 * m0 - m1
    d = 2.0 * (a - b) + m0 + m1
    return a + s * (m0 + s * (c + s * d))


@wp.kernel
def _sample(
    # In:
    nominal_in: wp.array3d[float],
    sigma_in: wp.array[float],
    limits_in: wp.array[wp.vec2],
    seed_in: wp.array[wp.int64],
    count_in: wp.array[wp.int64],
    ramp: int,
    # Out:
    knots_out: wp.array3d[float],
):
    """Knots of each rollout (rollout × knot × control): nominal + noise, within limits; rollout 0 has none.

    ``ramp`` p > 0 lets the noise grow over the n rollouts as (w/(n − 1))^p of sigma: some search near, some far.
    """
    w, k, j = wp.tid()
    u = nominal_in[0, k, j]
    if w > 0:
        index = k * knots_out.shape[2] + j
        z = normal4(seed_in[0], w, count_in[0], index / 4, 0, 0)
        scale = sigma_in[j]
        for _ in range(ramp):
            scale *= float(w) / float(knots_out.shape[0] - 1)
        u += scale * z[index % 4]
    knots_out[w, k, j] = wp.clamp(u, limits_in[j][0], limits_in[j][1])


@wp.kernel
def _evaluate(
    # In:
    knots_in: wp.array3d[float],
    limits_in: wp.array[wp.vec2],
    phase_in: wp.array[float],
    step: float,
    order: int,
    # Out:
    tape_out: wp.array3d[float],
):
    """Commands of each row (row × rollout × control) at knot time phase + row · step; a cubic's overshoot is cut."""
    row, w, j = wp.tid()
    u = spline(knots_in, w, j, phase_in[0] + step * float(row), order)
    tape_out[row, w, j] = wp.clamp(u, limits_in[j][0], limits_in[j][1])


@wp.kernel
def _shift(nominal_in: wp.array3d[float], by: int, nominal_out: wp.array3d[float]):
    """The nominal without its first ``by`` knots (knot × control), its end held."""
    k, j = wp.tid()
    nominal_out[0, k, j] = nominal_in[0, wp.min(k + by, nominal_in.shape[1] - 1), j]


@wp.func
def counts(cost: float, status: int) -> bool:
    """Whether a rollout's cost and state are finite."""
    return wp.isfinite(cost) and (status & NONFINITE) == 0


@wp.kernel
def _weigh(
    # In:
    cost_in: wp.array[float],
    status_in: wp.array[int],
    temperature_in: wp.array[float],
    nelite: int,
    kind: int,
    # Out:
    raw_out: wp.array[float],
):
    """Weights before they are normalized (rollout), 0 for one that does not count; the largest is 1.

    Exponential: w ∝ exp(−(S − S_min)/λ), G. Williams, A. Aldrich & E. Theodorou, "Model Predictive Path Integral
    Control", J. Guidance 40 (2017) 344. Elite: the ``nelite`` cheapest alike (the lower index where costs are equal).
    """
    w = wp.tid()
    own = cost_in[w]
    lowest = float(wp.inf)
    cheaper = int(0)
    for v in range(cost_in.shape[0]):
        if counts(cost_in[v], status_in[v]):
            lowest = wp.min(lowest, cost_in[v])
            if cost_in[v] < own or (cost_in[v] == own and v < w):
                cheaper += 1
    value = float(0.0)
    if counts(own, status_in[w]):
        if kind == ELITE:
            if cheaper < nelite:
                value = 1.0
        else:
            value = wp.exp(-(own - lowest) / temperature_in[0])
    raw_out[w] = value


@wp.kernel
def _normalize(
    # In:
    raw_in: wp.array[float],
    status_in: wp.array[int],
    # Out:
    cost_out: wp.array[float],
    weight_out: wp.array[float],
    count_out: wp.array[wp.int64],
):
    """Weights that sum to 1 (rollout), summed in a fixed order; the cost of a state that is not finite becomes NaN."""
    w = wp.tid()
    total = float(0.0)
    for v in range(raw_in.shape[0]):
        total += raw_in[v]
    weight_out[w] = 0.0
    if total > 0.0:
        weight_out[w] = raw_in[w] / total
    if (status_in[w] & NONFINITE) != 0:
        cost_out[w] = wp.nan
    if w == 0:
        count_out[0] = count_out[0] + wp.int64(1)


@wp.kernel
def _average(knots_in: wp.array3d[float], weight_in: wp.array[float], nominal_out: wp.array3d[float]):
    """Weighted mean of the rollouts' knots (knot × control), in a fixed order; unchanged where no rollout counts."""
    k, j = wp.tid()
    total = float(0.0)
    weight = float(0.0)
    for w in range(weight_in.shape[0]):
        total += weight_in[w] * knots_in[w, k, j]
        weight += weight_in[w]
    if weight > 0.0:
        nominal_out[0, k, j] = total
