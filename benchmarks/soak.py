"""100,000 replayed steps of 1024 tiny worlds: memory stays flat, clocks exact, every world good.

Every 1000 steps a tenth of the worlds is reset, every body gets another push and the status is read, as in a long
training run.
Memory is compared between the end of the warm-up (5 % of the steps) and later; ``--steps`` makes it shorter.
"""

import sys
import time
import warnings
from typing import Any

import numpy as np
import warp as wp

import mjorbit_warp as mjo
from benchmarks.common import memory_in_use, parser, result, write
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.models import model_path

GROWTH = 8 << 20  # bytes an allocator may take without a leak; a leak of 100 bytes in each step would be 9 MB
EVERY = 1000  # steps between resets
PER_CALL = 10


def tiny_model(integrator: str) -> mjo.MjoModel:
    """The box satellite in an orbit."""
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    spec.orbit = mjo.Orbit.circular(altitude=500e3, inclination=0.9)
    spec.option.integrator = INTEGRATORS[integrator]
    return spec.compile()


class Warp:
    """Steps in a graph."""

    def __init__(self, model: mjo.MjoModel, nworld: int) -> None:
        self.model, self.data = model, mjo.make_data(model, nworld=nworld)
        mjo.mjo_reset(model, self.data, np.zeros(nworld, dtype=bool))  # compiled before memory is looked at
        self.step = mjo.capture(model, self.data, nstep=PER_CALL)
        self.reset, self.status = mjo.mjo_reset, mjo.mjo_status

    def push(self, values: np.ndarray) -> None:
        """Forces and torques on the bodies of all worlds."""
        self.data.xfrc_applied.assign(values)

    def clocks(self) -> np.ndarray:
        """Elapsed time of each world [s]."""
        return self.data.time.numpy()


class Reference:
    """The same with the NumPy backend."""

    def __init__(self, model: mjo.MjoModel, nworld: int) -> None:
        self.model, self.data = model, mjo_ref.make_data(model, nworld=nworld)
        self.reset, self.status = mjo_ref.mjo_reset, mjo_ref.mjo_status

    def step(self) -> None:
        """As many steps as a graph's."""
        for _ in range(PER_CALL):
            mjo_ref.mjo_step(self.model, self.data)

    def push(self, values: np.ndarray) -> None:
        """Forces and torques on the bodies of all worlds."""
        self.data.xfrc_applied[:] = values

    def clocks(self) -> np.ndarray:
        """Elapsed time of each world [s]."""
        return self.data.time


def soak(backend: str, integrator: str, nworld: int, nstep: int, marks: int = 20) -> dict[str, Any]:
    """One soak; ``passed`` says whether all held."""
    model = tiny_model(integrator)
    run = (Warp if backend == "warp" else Reference)(model, nworld)
    device = wp.get_device()
    rng = np.random.default_rng(0)
    since = np.zeros(nworld, dtype=np.int64)  # steps since a world's reset
    warm, between = max(PER_CALL, nstep // 20), max(PER_CALL, nstep // marks // PER_CALL * PER_CALL)
    memory: list[dict[str, int]] = []
    start = time.perf_counter()
    for k in range(0, nstep, PER_CALL):
        if k % EVERY == 0:
            mask = rng.random(nworld) < 0.1
            run.reset(model, run.data, mask)
            since[mask] = 0
            run.push(rng.uniform(-0.01, 0.01, (nworld, model.nbody, 6)))
            run.status(model, run.data)
        if k >= warm and (k - warm) % between < PER_CALL:
            wp.synchronize_device(device)
            memory.append({"step": k, **memory_in_use(device)})
        run.step()
        since += PER_CALL
    wp.synchronize_device(device)
    seconds = time.perf_counter() - start
    memory.append({"step": nstep, **memory_in_use(device)})
    first, middle, last = memory[0], memory[len(memory) // 2], memory[-1]
    growth = {key: last[key] - first[key] for key in ("device", "process")}
    # MJWarp's step is float32: the clock counts in that step
    dt = float(np.float32(model.mj.opt.timestep)) if backend == "warp" else float(model.mj.opt.timestep)
    late = float(np.abs(run.clocks() - since * dt).max())
    bad = {name: len(worlds) for name, worlds in run.data.bad_worlds().items()}
    return {
        "backend": backend,
        "integrator": integrator,
        "nworld": nworld,
        "steps": nstep,
        "passed": not bad and late < 1e-9 and max(growth.values()) < GROWTH,
        "growth_bytes": growth,
        "start": first,
        "middle": middle,
        "end": last,
        "allowed_growth_bytes": GROWTH,
        "clock_error_s": late,
        "bad_worlds": bad,
        "seconds": round(seconds, 1),
        "memory": memory,
    }


def main() -> int:
    """The soak of each backend; 0 if all passed."""
    args = parser(__doc__)
    args.add_argument("--steps", type=int, default=100_000, help="a multiple of 10, default 100000")
    args.add_argument("--nworld", type=int, default=1024, help="worlds, default 1024")
    args.add_argument("--backend", nargs="+", choices=("warp", "reference"), default=("warp",), help="default warp")
    args.add_argument(
        "--integrator", choices=("RK4", "implicitfast"), default="implicitfast", help="default implicitfast"
    )
    args.set_defaults(out="benchmarks/results/soak.json")
    given = args.parse_args()
    if given.steps < 100 or given.steps % PER_CALL:
        args.error(f"--steps is {given.steps}: a multiple of {PER_CALL}, at least 100, is expected")
    warnings.simplefilter("ignore", mjo.MjoWarning)
    wp.config.log_level = wp.LOG_WARNING
    rows = []
    for backend in given.backend:
        rows.append(soak(backend, given.integrator, given.nworld, given.steps))
        shown = {k: v for k, v in rows[-1].items() if k != "memory"}
        print("passed" if rows[-1]["passed"] else "FAILED", shown, flush=True)
        write(result(given, rows), given.out)
    return 0 if all(row["passed"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
