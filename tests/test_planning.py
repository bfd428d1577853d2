"""The planner: its parts against NumPy, and plans that get better."""

from typing import Any

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.kernels import planning as kernel
from mjorbit_warp.planning import MPPI
from mjorbit_warp.planning.mppi import SPLINES, WEIGHTS
from mjorbit_warp.reference import planning as twin
from mjorbit_warp.status import Status
from tests.conftest import compile_model, scatter
from tests.test_rollout_arrays import Outside

GOAL = 0.4


@pytest.mark.parametrize("order", list(SPLINES))
@pytest.mark.parametrize("nknot", [1, 2, 5])
def test_splines(order: str, nknot: int) -> None:
    """Float32's rounding of values of 1; beyond the ends they are held."""
    knots = np.random.default_rng(0).normal(size=(3, nknot, 2)).astype(np.float32)
    limits = wp.array(np.tile([-np.inf, np.inf], (2, 1)), dtype=wp.vec2)
    tape: Any = wp.zeros((40, 3, 2), dtype=float)
    start, step = -0.5, 0.15
    phase: Any = wp.array([start], dtype=float)
    inputs = [wp.array(knots, dtype=float), limits, phase, step, SPLINES[order]]
    wp.launch(kernel._evaluate, dim=tape.shape, inputs=inputs, outputs=[tape])
    x = start + step * np.arange(40, dtype=np.float32)
    if order == "zero":
        x = x + 1e-6  # not on a knot's very edge
    want = twin.spline(knots.astype(float), x, order)
    assert np.abs(np.swapaxes(tape.numpy(), 0, 1) - want).max() < 3e-6


def test_cubic_is_catmull_rom() -> None:
    """The textbook's matrix between inner knots (Catmull & Rom, 1974)."""
    p, s = np.random.default_rng(1).normal(size=4), np.linspace(0.0, 0.99, 7)
    matrix = 0.5 * np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]])
    want = np.stack([np.ones_like(s), s, s**2, s**3], axis=1) @ matrix @ p
    assert np.abs(twin.spline(p[:, None], 1.0 + s)[:, 0] - want).max() < 1e-14


@pytest.mark.parametrize("kind", list(WEIGHTS))
def test_weights(kind: str) -> None:
    cost = np.random.default_rng(2).uniform(0.0, 5.0, 50).astype(np.float32)
    cost[[3, 7]], cost[11] = np.nan, cost[12]
    status = np.zeros(50, dtype=np.int32)
    status[[4, 20]] = Status.NONFINITE
    status[[1, 5]] = Status.WHEEL_SATURATED  # which is no fault
    costs, flags = wp.array(cost, dtype=float), wp.array(status, dtype=int)
    raw, weight, count = wp.zeros(50, dtype=float), wp.zeros(50, dtype=float), wp.zeros(1, dtype=wp.int64)
    temperature: Any = wp.array([0.7], dtype=float)
    wp.launch(kernel._weigh, dim=50, inputs=[costs, flags, temperature, 6, WEIGHTS[kind]], outputs=[raw])
    wp.launch(kernel._normalize, dim=50, inputs=[raw, flags], outputs=[costs, weight, count])
    cost[[4, 20]] = np.nan
    assert np.array_equal(costs.numpy(), cost, equal_nan=True)
    assert np.abs(weight.numpy() - twin.weights(cost.astype(float), kind, 0.7, 6)).max() < 1e-6
    assert weight.numpy().sum() == pytest.approx(1.0, abs=1e-6) and count.numpy()[0] == 1
    if kind == "elite":
        assert np.count_nonzero(weight.numpy()) == 6


def distance(rollout: mjo.Rollout) -> Any:
    """Squared distance of the joints from the goal over the horizon, in NumPy."""
    return np.sum((rollout["qpos"].numpy()[:, :, 7:] - GOAL) ** 2, axis=(0, 2))


@wp.kernel
def _distance(qpos: wp.array3d[float], out: wp.array[float]):
    w = wp.tid()
    total = float(0.0)  # noqa: UP018 (declares a variable of the kernel)
    for row in range(qpos.shape[0]):
        for i in range(7, qpos.shape[2]):
            total += (qpos[row, w, i] - 0.4) * (qpos[row, w, i] - 0.4)
    out[w] = total


def launched(rollout: mjo.Rollout, out: Any) -> None:
    wp.launch(_distance, dim=out.shape[0], inputs=[rollout["qpos"]], outputs=[out])


SETTINGS: dict[str, Any] = {"horizon": 1.0, "nrollout": 24, "nknot": 3, "sigma": 0.3, "temperature": 2.0, "seed": 5}


@pytest.fixture
def plant(two_arm: mjo.MjoModel) -> mjo.MjoData:
    d = mjo.make_data(two_arm)
    scatter(d, seed=7)
    return d


def test_plans_get_better(two_arm: mjo.MjoModel, plant: mjo.MjoData) -> None:
    """Six replannings of one moment; the plant keeps its bits, the first rollout is the plan before."""
    planner = MPPI(two_arm, distance, **SETTINGS)
    before = mjo.get_state(two_arm, plant).numpy().copy()
    plans = [planner.plan(plant) for _ in range(6)]
    assert np.array_equal(mjo.get_state(two_arm, plant).numpy(), before)
    assert plans[-1].cost[0] < 0.9 * plans[0].cost[0]  # the servos are soft: a second is short
    assert all(1.0 <= p.effective_samples <= 24.0 and p.weight.sum() == pytest.approx(1.0, abs=1e-5) for p in plans)
    assert plans[0].controls.shape == (10, two_arm.nu) and np.abs(planner.rollout.tape.numpy()[:, 0]).max() > 0.0
    executed = mjo.rollout(two_arm, plant, plans[-1].controls, restore=True)
    assert distance(executed)[0] == pytest.approx(planner.plan(plant).cost[0], rel=1e-5)


def test_captured_and_repeated(two_arm: mjo.MjoModel, plant: mjo.MjoData) -> None:
    """One graph for a replanning, a cost in NumPy, and a second planner: the same bits, whatever noise came between."""
    graph = MPPI(two_arm, launched, captured=True, **SETTINGS)
    assert not graph.nominal.numpy().any()  # capturing plans nothing
    again = MPPI(two_arm, launched, captured=True, **SETTINGS)
    loose = MPPI(two_arm, lambda r: _launched_cost(r), **SETTINGS)
    for _ in range(3):
        a, b, c = (p.plan(plant) for p in (graph, again, loose))
        assert np.array_equal(a.controls, b.controls) and np.array_equal(a.cost, b.cost)
        assert np.array_equal(a.controls, c.controls)
    assert graph._graph.ncapture == 1
    other = MPPI(two_arm, launched, captured=True, **(SETTINGS | {"seed": 6}))
    assert not np.array_equal(other.plan(plant).cost, graph.plan(plant).cost)


def _launched_cost(rollout: mjo.Rollout) -> Any:
    out: Any = wp.zeros(rollout.data.nworld, dtype=float)
    launched(rollout, out)
    return out


def two_valleys(rollout: mjo.Rollout) -> Any:
    """Of the mean command u: a dent of depth 0.2 at 0, where planners start, and a valley of depth 1 about 1.5."""
    u = rollout.tape.numpy().astype(float).mean(axis=(0, 2))
    return 1.0 - 0.2 * np.exp(-((u / 0.05) ** 2)) - np.exp(-(((u - 1.5) / 0.6) ** 2))


def test_search_looks_further_than_plans(two_arm: mjo.MjoModel, plant: mjo.MjoData) -> None:
    """Narrow noise stays in the near dent; a search finds the valley, and leaves all but the plan as it was."""
    settings = SETTINGS | {"nknot": 1, "sigma": 0.02, "temperature": 0.02}
    planner = MPPI(two_arm, two_valleys, **settings)
    stuck = [planner.plan(plant) for _ in range(20)][-1].cost[0]
    assert 0.79 < stuck < 0.81
    before = mjo.get_state(two_arm, plant).numpy().copy()
    found = planner.search(plant, sigma=3.0, temperature=1.0, nplan=25, restarts=2)
    assert np.array_equal(mjo.get_state(two_arm, plant).numpy(), before)
    assert found < 0.3 and planner.plan(plant).cost[0] == pytest.approx(found, abs=1e-6)
    assert np.all(planner.sigma.numpy() == np.float32(0.02)) and planner.temperature.numpy()[0] == np.float32(0.02)
    for given, text in (
        ({"nplan": 0}, "nplan is 0"),
        ({"temperature": -1.0}, "temperature is -1.0"),
        ({"sigma": [1]}, "sigma is"),
    ):
        with pytest.raises(ValueError, match=text):
            planner.search(plant, **({"sigma": 1.0, "temperature": 1.0} | given))


def test_noise_and_limits(two_arm: mjo.MjoModel, plant: mjo.MjoData) -> None:
    """The first rollout has no noise, the others sigma's, within the limits; a ramp makes it grow."""
    sigma, limits = np.linspace(0.1, 0.8, two_arm.nu), np.tile([-0.5, 0.6], (two_arm.nu, 1))
    planner = MPPI(
        two_arm, distance, **(SETTINGS | {"nrollout": 400, "sigma": sigma, "limits": limits, "horizon": 0.1})
    )
    planner.reset(0.2)
    planner.plan(plant)
    knots = planner.knots.numpy()
    assert np.all(knots[0] == np.float32(0.2)) and knots.min() >= -0.5 and knots.max() <= np.float32(0.6)
    spread = np.sqrt(np.mean((knots[1:, :, 0] - 0.2) ** 2))
    assert spread == pytest.approx(0.1, rel=0.1)  # 1197 samples: 2 %; five times that
    ramp = MPPI(two_arm, distance, **(SETTINGS | {"nrollout": 400, "sigma": 0.1, "ramp": True, "horizon": 0.1}))
    ramp.plan(plant)
    near, far = (np.std(ramp.knots.numpy()[part]) for part in (slice(1, 100), slice(300, 400)))
    assert far > 4.0 * near


def test_warm_start(two_arm: mjo.MjoModel) -> None:
    """After shifts the plan is the old one, later, to the bit where its last knot is not yet passed; its end held."""
    planner = MPPI(two_arm, distance, **(SETTINGS | {"spline": "linear", "nknot": 6}))
    knots = np.random.default_rng(3).normal(size=(6, two_arm.nu)).astype(np.float32)
    planner.reset(knots)
    for _ in range(4):
        planner.shift(0.1)  # half an interval
    assert np.array_equal(planner.nominal.numpy()[0], knots[[2, 3, 4, 5, 5, 5]]) and planner.phase.numpy()[0] < 1e-5
    planner.shift(0.05)
    planner._evaluate(planner.nominal, planner.controls)
    want = twin.spline(knots.astype(float), 2.25 + 0.5 * np.arange(10), "linear")
    assert np.abs(planner.controls.numpy()[:, 0] - want).max() < 1e-5


@pytest.mark.parametrize(("spline", "rows"), [("linear", 10), ("cubic", 5)])
def test_replanning_without_noise_follows_the_plan(
    two_arm: mjo.MjoModel, plant: mjo.MjoData, spline: str, rows: int
) -> None:
    """Commands of replannings are those of the first plan, a cubic's until a knot has passed: nothing is blurred."""
    planner = MPPI(two_arm, distance, **(SETTINGS | {"spline": spline, "nknot": 3, "sigma": 0.0}))
    planner.reset(np.random.default_rng(4).normal(size=(3, two_arm.nu)))
    want = planner.plan(plant).controls
    for k in range(rows):
        assert np.abs(planner.plan(plant).controls[0] - want[k]).max() < 1e-5  # float32 of values of 2
        planner.shift(planner.dt)


def test_one_planner_for_two_plants(two_arm: mjo.MjoModel) -> None:
    """Plans that are taken up again, each with its own seed, are those of planners of their own, to the bit."""
    worlds = mjo.make_data(two_arm, 2)
    scatter(worlds, seed=9)
    shared = MPPI(two_arm, launched, captured=True, **SETTINGS)
    own = [MPPI(two_arm, launched, **(SETTINGS | {"seed": seed, "captured": True})) for seed in (11, 12)]
    kept = [(np.zeros(shared.nominal.shape[1:]), 0.0, 0)] * 2
    for _ in range(3):
        for w, planner in enumerate(own):
            nominal, phase, count = kept[w]
            shared.reset(nominal, phase=phase, count=count, seed=11 + w)
            assert np.array_equal(shared.plan(worlds, w).controls, planner.plan(worlds, w).controls)
            for p in (shared, planner):
                p.shift(0.2)
            kept[w] = shared.nominal.numpy()[0].copy(), float(shared.phase.numpy()[0]), shared.count


def test_bad_costs(two_arm: mjo.MjoModel, plant: mjo.MjoData) -> None:
    def some(rollout: mjo.Rollout) -> Any:
        cost = distance(rollout)
        cost[[2, 5]] = np.nan, np.inf
        return cost

    plan = MPPI(two_arm, some, **SETTINGS).plan(plant)
    assert plan.bad == [2, 5] and not plan.weight[[2, 5]].any()
    hopeless = MPPI(two_arm, lambda r: np.full(24, np.nan), **SETTINGS)
    hopeless.reset(0.1)
    message = "no rollout of 24 has a finite cost, and 0 have a state that is not finite: the plan is as it was before"
    with pytest.raises(RuntimeError, match=message):
        hopeless.plan(plant)
    assert np.all(hopeless.nominal.numpy() == np.float32(0.1))


def test_bad_states(two_arm: mjo.MjoModel, plant: mjo.MjoData) -> None:
    """A rollout whose state was lost does not count, whatever its cost says; it starts afresh in the next plan."""

    def cheap(rollout: mjo.Rollout) -> Any:
        cost, status = distance(rollout), rollout.data.status.numpy().copy()
        if not cheap.calls:
            cost[7], status[7] = -100.0, status[7] | Status.NONFINITE
            rollout.data.status.assign(status)
        cheap.calls += 1
        return cost

    cheap.calls = 0  # type: ignore[attr-defined]
    planner = MPPI(two_arm, cheap, **SETTINGS)
    plan = planner.plan(plant)
    assert plan.bad == [7] and plan.weight[7] == 0.0 and np.isnan(plan.cost[7])
    assert plan.weight.sum() == pytest.approx(1.0, abs=1e-5)
    assert planner.plan(plant).bad == [] and planner.rollout.length.numpy().tolist() == [10] * 24


def test_another_model_starts_where_the_plant_is(two_arm: mjo.MjoModel, plant: mjo.MjoData) -> None:
    """Orbit and clock too, at each plan; both orbits make RK4 steps, which differ in rounding."""
    for _ in range(5):
        mjo.mjo_step(two_arm, plant)
    coarse = compile_model("two_arm", "implicitfast")
    planner = MPPI(coarse, distance, **(SETTINGS | {"record": ("qpos", "orbit.r", "time")}))
    first = planner.plan(plant)
    start = mjo.get_state(two_arm, plant)
    for k in range(3):
        mjo.mjo_step(two_arm, plant)
        r, time = (planner.rollout[name].numpy()[k] for name in ("orbit.r", "time"))
        assert np.abs(r - plant.orbit.r.numpy()).max() < 1e-8  # of 6.8e6 m
        assert np.abs(time - plant.time.numpy()).max() < 1e-12
    planner.plan(plant)
    mjo.set_state(two_arm, plant, start)
    planner.reset()
    again = planner.plan(plant)
    assert np.array_equal(again.controls, first.controls) and np.array_equal(again.cost, first.cost)
    with pytest.raises(ValueError, match="the other model has an orbit and this data has none"):
        planner.plan(mjo.make_data(compile_model("two_arm", orbit=None)))
    with pytest.raises(ValueError, match="the other model has other coordinates or commands"):
        planner.plan(mjo.make_data(compile_model("box_satellite")))


def test_costs_of_other_libraries(two_arm: mjo.MjoModel, plant: mjo.MjoData, monkeypatch: pytest.MonkeyPatch) -> None:
    """torch and DLPack: the plan of the same numbers in Warp, and torch's never come to the host."""
    torch = pytest.importorskip("torch")

    def computed(rollout: mjo.Rollout) -> Any:
        return torch.sum((wp.to_torch(rollout["qpos"])[:, :, 7:] - GOAL) ** 2, dim=(0, 2))

    costs = {
        "float32": lambda r: wp.to_torch(_launched_cost(r)),
        "float64": lambda r: wp.to_torch(_launched_cost(r)).double(),
        "strided": lambda r: torch.stack([wp.to_torch(_launched_cost(r))] * 2, dim=1)[:, 1],
        "DLPack": lambda r: Outside(_launched_cost(r).numpy()),
    }
    want = MPPI(two_arm, _launched_cost, **SETTINGS).plan(plant)
    for name, cost in costs.items():
        assert np.array_equal(MPPI(two_arm, cost, **SETTINGS).plan(plant).controls, want.controls), name

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("a tensor came to the host")

    for name in ("cpu", "numpy", "tolist", "__array__"):
        monkeypatch.setattr(torch.Tensor, name, refuse)
    plan = MPPI(two_arm, computed, **SETTINGS).plan(plant)
    assert np.abs(plan.cost - want.cost).max() < 1e-5 * want.cost.max()  # sums in another order
    assert np.abs(plan.controls - want.controls).max() < 1e-4
    with pytest.raises(ValueError, match=r"the cost has shape \(10, 24\): \(24,\) is expected"):
        MPPI(two_arm, lambda r: wp.to_torch(r["qpos"])[:, :, 7], **SETTINGS).plan(plant)
    with pytest.raises(TypeError, match=r"the cost has dtype torch\.complex64: real numbers are expected"):
        MPPI(two_arm, lambda r: torch.zeros(24, dtype=torch.complex64), **SETTINGS).plan(plant)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 0.01}, "horizon is 0.01 s: at least one command of 0.1 s"),
        ({"nrollout": 0}, "nrollout is 0: a positive integer"),
        ({"spline": "quintic"}, "spline is 'quintic' and weights 'exponential': allowed are zero, linear, cubic"),
        ({"temperature": 0.0}, "temperature is 0.0: it must be positive"),
        ({"sigma": [0.1, 0.2]}, r"sigma is \[0.1, 0.2\]: one number or 8"),
        ({"limits": np.zeros((8, 2))}, r"limits has shape \(8, 2\)"),
        ({"record": ("nothing",)}, "record has 'nothing', which is no field"),
    ],
)
def test_bad_settings(two_arm: mjo.MjoModel, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MPPI(two_arm, distance, **(SETTINGS | change))


def test_a_cost_that_cannot_be_captured(two_arm: mjo.MjoModel, plant: mjo.MjoData) -> None:
    """On a CPU a graph would keep the costs of its first call."""
    if not plant.device.is_cpu:
        pytest.skip("CUDA refuses this itself")
    planner = MPPI(two_arm, lambda r, out: out.assign(distance(r)), captured=True, **SETTINGS)
    with pytest.raises(ValueError, match="the cost cannot be captured: it works on the host"):
        planner.plan(plant)


def test_bad_shape_of_a_cost(two_arm: mjo.MjoModel, plant: mjo.MjoData) -> None:
    with pytest.raises(ValueError, match=r"the cost has shape \(3,\): \(24,\) is expected"):
        MPPI(two_arm, lambda r: np.zeros(3), **SETTINGS).plan(plant)
