"""Model predictive path integral control with worlds as rollouts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.broadcast import branch_state, broadcast_state
from mjorbit_warp.data import make_data
from mjorbit_warp.graph import CapturedStep
from mjorbit_warp.kernels import planning as kernel
from mjorbit_warp.rollout import Rollout
from mjorbit_warp.rollout_arrays import write
from mjorbit_warp.seed import check_seed
from mjorbit_warp.status import Status

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

SPLINES = {"zero": 0, "linear": 1, "cubic": 2}
WEIGHTS = {"exponential": 0, "elite": 1}
Cost = Callable[..., Any]


@dataclass(frozen=True)
class Plan:
    """What a replanning found.

    Attributes:
      controls: commands from now on, one row for each row of the rollouts   (nrow, nu)
      cost: of each rollout; the first is the old plan's                     (nrollout,)
      weight: of each rollout, 0 for a bad one                               (nrollout,)
      bad: rollouts whose cost or state was not finite; the plan comes from the others
    """

    controls: NDArray[np.float32]
    cost: NDArray[np.float32]
    weight: NDArray[np.float32]
    bad: list[int]

    @property
    def effective_samples(self) -> float:
        """1/Σw²: how many rollouts the plan comes from."""
        return float(1.0 / np.sum(self.weight**2))


class MPPI:
    """Plans commands by sampling splines around the last plan and rolling all of them out at once.

    Noise depends on the seed, the number of the replanning and the rollout alone: plans repeat to the bit.

    Attributes:
      data: of the rollouts, one world each
      rollout: the Rollout, its tape and records
      nominal: knots of the plan                              (1, nknot, nu)
      phase: where in the first interval of the knots now is, 0 to 1   (1,)
      knots: knots of the rollouts                            (nrollout, nknot, nu)
      cost, weight: of the rollouts                           (nrollout,)
      controls: the plan, on the device                       (nrow, 1, nu)
      sigma, temperature: as given; what is written into them counts from the next plan on   (nu,), (1,)
    """

    def __init__(
        self,
        model: "MjoModel",
        cost: Cost,
        *,
        horizon: float,
        nrollout: int = 128,
        nknot: int = 5,
        decimation: int = 1,
        spline: str = "cubic",
        sigma: Any = 0.1,
        ramp: int = 0,
        weights: str = "exponential",
        temperature: float = 1.0,
        nelite: int = 10,
        limits: Any = None,
        record: Sequence[str] = ("qpos", "qvel"),
        captured: bool = False,
        seed: int = 0,
        **sizes: Any,
    ) -> None:
        """Allocate everything; nothing is allocated in ``plan``.

        Args:
          model: that the rollouts step; the plant's own or one of the same coordinates, e.g. without an orbit.
          cost: f(rollout) returns (nrollout,) costs, Warp, torch, DLPack or NumPy, which stay on the device if they are
            there; or, ``captured``, f(rollout, out) launches kernels that fill ``out``, and the whole replanning is one
            graph. NaN and infinity mean that a rollout does not count, and so does a state that is not finite.
          horizon: of the rollouts [s].
          decimation: steps that a command is held.
          sigma: standard deviation of a knot's noise, one for all or one per command, in the command's units.
          ramp: noise grows over the rollouts with this power; 0, it is the same in all.
          weights: "exponential" with ``temperature`` in units of the cost, or "elite": the mean of ``nelite``.
          limits: (nu, 2) of the commands, default their ``ctrlrange``.
          record: fields that the cost reads.
          sizes: capacities, as in make_data.
        """
        nu, dt = int(model.mj.nu), float(model.mj.opt.timestep)
        self.dt = decimation * dt
        nrow = round(horizon / self.dt) if 0.0 < horizon < math.inf else 0
        if nrow < 1:
            raise ValueError(f"horizon is {horizon!r} s: at least one command of {self.dt:g} s is expected")
        for name, value in (("nrollout", nrollout), ("nknot", nknot), ("nelite", nelite), ("decimation", decimation)):
            if not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name} is {value!r}: a positive integer is expected")
        if spline not in SPLINES or weights not in WEIGHTS:
            raise ValueError(
                f"spline is {spline!r} and weights {weights!r}: allowed are {', '.join(SPLINES)} and "
                f"{', '.join(WEIGHTS)}"
            )
        if not 0.0 < temperature < math.inf:
            raise ValueError(f"temperature is {temperature!r}: it must be positive")
        if nu == 0:
            raise ValueError("the model has no actuators to plan for")
        self.model, self.horizon, self._user_cost = model, nrow * self.dt, cost
        self._order, self._kind = SPLINES[spline], WEIGHTS[weights]
        self._ramp = int(ramp)
        self._nelite = int(nelite)
        self.data = make_data(model, int(nrollout), sensor_noise=False, **sizes)
        self.rollout = Rollout(model, self.data, nrow, decimation=decimation, record=record)
        with wp.ScopedDevice(self.data.device):
            self.sigma: Any = wp.array(per_control(sigma, nu, "sigma"), dtype=float)
            self.temperature: Any = wp.array([temperature], dtype=float)
            self._limits: Any = wp.array(_limits(model, limits), dtype=wp.vec2)
            self.nominal: Any = wp.zeros((1, nknot, nu), dtype=float)
            self._shifted: Any = wp.zeros((1, nknot, nu), dtype=float)
            self.phase: Any = wp.zeros(1, dtype=float)
            self.knots: Any = wp.zeros((nrollout, nknot, nu), dtype=float)
            self.cost: Any = wp.zeros(nrollout, dtype=float)
            self.weight: Any = wp.zeros(nrollout, dtype=float)
            self._seed: Any = wp.array([check_seed(seed)], dtype=wp.int64)
            self._count: Any = wp.zeros(1, dtype=wp.int64)
            self._raw: Any = wp.zeros(nrollout, dtype=float)
            self.controls: Any = wp.zeros((nrow, 1, nu), dtype=float)
            self._all: Any = wp.array(np.arange(nrollout), dtype=int)
        self._interval = self.horizon / max(nknot - 1, 1)  # between knots [s]
        self._graph: Any = None
        self._checked = False
        if captured:
            r = self.rollout
            own = [self.nominal, self.knots, self.cost, self.weight, self._raw, self._count, self.controls, r.tape]
            extra = [*own, *r.scratch()]
            self._graph = CapturedStep(model, self.data, nrow * decimation, self._replan_captured, extra)

    @property
    def count(self) -> int:
        """Number of plans since the last reset, which their noise depends on (reads from the device)."""
        return int(self._count.numpy()[0])

    def reset(self, nominal: Any = 0.0, *, phase: float = 0.0, count: int = 0, seed: int | None = None) -> None:
        """Forget the plan, or take another: so that one planner can serve several worlds in turn.

        Args:
          nominal: knots, one number for all, one per command, or (nknot, nu).
          phase, count: as they were when ``nominal`` was kept; plans go on to the same bits.
          seed: of the noise from now on; None keeps it.
        """
        shape = self.nominal.shape[1:]
        self.nominal.assign(np.broadcast_to(np.asarray(nominal, dtype=np.float32), shape)[None].copy())
        self.phase.fill_(phase)
        self._count.fill_(count)
        if seed is not None:
            self._seed.fill_(check_seed(seed))

    def search(
        self,
        plant: "MjoData",
        world: int = 0,
        *,
        sigma: Any,
        temperature: float,
        nplan: int = 40,
        restarts: int = 4,
    ) -> float:
        """Look far for a first plan: start afresh ``restarts`` times, each with noise that narrows; the cheapest stays.

        Where different ways lead to the goal, a planner that starts to move at once may take one that ends short of it.

        Args:
          plant, world: as in ``plan``.
          sigma, temperature: of the first of ``nplan`` plans; they shrink geometrically to the planner's own.

        Returns:
          The cost of what was found.
        """
        for name, value in (("nplan", nplan), ("restarts", restarts)):
            if not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name} is {value!r}: a positive integer is expected")
        if not 0.0 < temperature < math.inf:
            raise ValueError(f"temperature is {temperature!r}: it must be positive")
        narrow, cold = self.sigma.numpy().copy(), self.temperature.numpy().copy()
        wide, hot = per_control(sigma, narrow.size, "sigma"), np.full(1, temperature, dtype=np.float32)
        found, best = math.inf, self.nominal.numpy().copy()
        self.phase.zero_()
        try:
            for _ in range(restarts):
                self.nominal.zero_()
                for x in np.linspace(0.0, 1.0, nplan):
                    self.sigma.assign(wide ** (1.0 - x) * narrow**x)
                    self.temperature.assign(hot ** (1.0 - x) * cold**x)
                    start = self.nominal.numpy().copy()
                    cost = float(self.plan(plant, world).cost[0])  # of ``start``
                if cost < found:
                    found, best = cost, start
        finally:
            self.sigma.assign(narrow)
            self.temperature.assign(cold)
            self.nominal.assign(best)
        return found

    def shift(self, seconds: float) -> None:
        """Warm start: the plan ``seconds`` later, its end held.

        Knots stay where they are in time until they have passed: to interpolate new ones would blur the plan a little
        each time.
        """
        phase = float(self.phase.numpy()[0]) + seconds / self._interval
        passed = int(phase + 1e-6)  # a knot that is reached has passed
        if passed:
            wp.copy(self._shifted, self.nominal)
            inputs = [self._shifted, passed]
            wp.launch(kernel._shift, dim=self.nominal.shape[1:], inputs=inputs, outputs=[self.nominal])
        self.phase.fill_(max(phase - passed, 0.0))

    def plan(self, plant: "MjoData", world: int = 0) -> Plan:
        """Plan from a world of the plant, which is not touched: its state, orbit and clock are where rollouts start.

        Raises:
          RuntimeError: no rollout has a finite cost.
          TypeError, ValueError: the cost is no (nrollout,) of numbers, in one sentence.
        """
        with wp.ScopedDevice(self.data.device):
            self._branch(plant, world)
            if self._graph is not None:
                self._graph()
                self._check_captured()
            else:
                self._tapes()
                self.rollout.run()
                write(self.cost, self._user_cost(self.rollout), "the cost")
                self._average()
            wp.synchronize_device(self.data.device)
        cost, weight = self.cost.numpy().copy(), self.weight.numpy().copy()
        bad = np.flatnonzero(~np.isfinite(cost)).tolist()
        if len(bad) == cost.size:
            lost = np.count_nonzero(self.data.status.numpy() & Status.NONFINITE)
            raise RuntimeError(
                f"no rollout of {cost.size} has a finite cost, and {lost} have a state that is not finite: "
                "the plan is as it was before"
            )
        return Plan(self.controls.numpy()[:, 0].copy(), cost, weight, bad)

    def _check_captured(self) -> None:
        """Once: ValueError if the graph fills the costs otherwise than the function does (see rollout_captured)."""
        if self._checked:
            return
        again = wp.zeros_like(self.cost)
        self._user_cost(self.rollout, again)
        got, want = self.cost.numpy(), again.numpy()
        known = np.isfinite(got) | (self.data.status.numpy() & Status.NONFINITE == 0)
        if not np.allclose(
            got[known], want[known], rtol=1e-3, atol=1e-6, equal_nan=True
        ):  # atomics may round otherwise
            raise ValueError(
                "the cost cannot be captured: it works on the host, or with torch, where it should only launch Warp "
                "kernels; pass captured=False"
            )
        self._checked = True

    def _branch(self, plant: "MjoData", world: int) -> None:
        if plant.model is self.model:
            broadcast_state(self.model, plant, self.data, world=world)
        else:
            branch_state(plant, self.data, world, self._all)

    def _tapes(self) -> None:
        inputs = [self.nominal, self.sigma, self._limits, self._seed, self._count, self._ramp]
        wp.launch(kernel._sample, dim=self.knots.shape, inputs=inputs, outputs=[self.knots])
        self._evaluate(self.knots, self.rollout.tape)

    def _evaluate(self, knots: Any, tape: Any) -> None:
        step = self.dt / self._interval
        inputs = [knots, self._limits, self.phase, step, self._order]
        wp.launch(kernel._evaluate, dim=tape.shape, inputs=inputs, outputs=[tape])

    def _average(self) -> None:
        n = self.cost.shape[0]
        inputs = [self.cost, self.data.status, self.temperature, self._nelite, self._kind]
        wp.launch(kernel._weigh, dim=n, inputs=inputs, outputs=[self._raw])
        inputs = [self._raw, self.data.status]
        wp.launch(kernel._normalize, dim=n, inputs=inputs, outputs=[self.cost, self.weight, self._count])
        inputs = [self.knots, self.weight]
        wp.launch(kernel._average, dim=self.nominal.shape[1:], inputs=inputs, outputs=[self.nominal])
        self._evaluate(self.nominal, self.controls)

    def _replan_captured(self) -> None:
        self._tapes()
        self.rollout.launch()
        self._user_cost(self.rollout, self.cost)
        self._average()


def per_control(values: Any, nu: int, name: str) -> NDArray[np.float32]:
    array = np.asarray(values, dtype=np.float32)
    if array.shape not in ((), (nu,)) or not np.isfinite(array).all() or (array < 0.0).any():
        raise ValueError(f"{name} is {values!r}: one number or {nu}, none negative, are expected")
    return np.broadcast_to(array, (nu,)).copy()


def _limits(model: "MjoModel", limits: Any) -> NDArray[np.float32]:
    mj = model.mj
    if limits is None:
        limited = mj.actuator_ctrllimited.astype(bool)[:, None]
        return np.where(limited, mj.actuator_ctrlrange, [-np.inf, np.inf]).astype(np.float32)
    array = np.asarray(limits, dtype=np.float32)
    if array.shape != (mj.nu, 2) or not (array[:, 0] < array[:, 1]).all():
        raise ValueError(f"limits has shape {array.shape}: ({mj.nu}, 2), the lower ones first, are expected")
    return array
