"""What a task costs: steps of a whole environment ÷ replayed steps of its model alone, in one run.

python -m benchmarks.env_rate --out benchmarks/results/env_cpu.json             # a minute on 2 cores
"""

import dataclasses
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

import mjorbit_warp as mjo
from benchmarks.common import alternate, parser, report, result
from mjorbit_warp.bench.metrics import paired_ratio
from mjorbit_warp.envs import Reorient

CASES: dict[str, dict[str, Any]] = {
    "implicitfast": {"integrator": "IMPLICITFAST"},
    "RK4, drag and sunlight": {"integrator": "RK4", "environment": True},
}


def callers(env: Reorient, actions: Any) -> dict[str, Callable[[], Any]]:
    """One step of the environment, or of the model alone, each on its own data and from a random state."""
    bare = mjo.make_data(env.model, nworld=env.nworld)
    bare.qpos.assign(env.data.qpos)
    bare.ctrl.assign(2.5 * actions)
    replay = mjo.capture(env.model, bare, nstep=env.decimation)
    on_device = wp.array(actions, dtype=float, device=env.data.device)
    out: dict[str, Callable[[], Any]] = {
        "model alone": replay,
        "environment, actions on the device": lambda: env.step(on_device),
        "environment, actions in NumPy": lambda: env.step(actions),
    }
    try:
        from mjorbit_warp.envs.gymnasium_env import GymnasiumEnv
    except ImportError:
        return out
    adapter = GymnasiumEnv(env)
    return out | {"Gymnasium": lambda: adapter.step(actions)}


def repeated(call: Callable[[], Any], count: int) -> Callable[[], None]:
    """``count`` calls in one."""

    def many() -> None:
        for _ in range(count):
            call()

    return many


def measure(case: str, nworld: int, nstep: int, repeat: int) -> list[dict[str, Any]]:
    """Alternating blocks of ``nstep`` steps, and the ratios within a round."""
    env = Reorient(nworld, seed=0, **CASES[case])
    actions = np.random.default_rng(0).uniform(-0.3, 0.3, (nworld, env.nact)).astype(np.float32)
    times = alternate({name: repeated(call, nstep) for name, call in callers(env, actions).items()}, repeat)
    if bad := env.data.bad_worlds():
        raise RuntimeError(f"worlds went bad, timings mean nothing: {bad}")
    out = []
    for name, values in times.items():
        rate = nworld * nstep / statistics.median(values)
        row = {"case": case, "stepped": name, "env_steps_per_s": rate, "model_steps_per_s": rate * env.decimation}
        out.append(row | {"over_model_alone": dataclasses.asdict(paired_ratio(values, times["model alone"]))})
    return out


def main() -> None:
    """Run and print or write JSON."""
    words = parser(__doc__)
    words.add_argument("--nworld", type=int, default=256)
    words.add_argument("--nstep", type=int, default=20)
    words.add_argument("--repeat", type=int, default=9)
    args = words.parse_args()
    wp.config.log_level = wp.LOG_WARNING
    rows = [row for case in CASES for row in measure(case, args.nworld, args.nstep, args.repeat)]
    report(result(args, rows), args.out)


if __name__ == "__main__":
    main()
