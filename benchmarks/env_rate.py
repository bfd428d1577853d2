"""What a task costs: steps of a whole environment ÷ replayed steps of its model alone, in one run.

python -m benchmarks.env_rate --out benchmarks/results/env_cpu.json
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

import mjorbit_warp as mjo
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


def measure(options: dict[str, Any], nworld: int, nstep: int, repeat: int) -> list[dict[str, Any]]:
    """Medians over alternating blocks of ``nstep`` steps, and of the ratios within a round."""
    env = Reorient(nworld, seed=0, **options)
    actions = np.random.default_rng(0).uniform(-0.3, 0.3, (nworld, env.nact)).astype(np.float32)
    calls = callers(env, actions)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeat + 1):
        for name, call in calls.items():
            wp.synchronize()
            start = time.perf_counter()
            for _ in range(nstep):
                call()
            wp.synchronize()
            times[name].append(time.perf_counter() - start)
        if env.data.bad_worlds():
            raise RuntimeError(f"worlds went bad, timings mean nothing: {env.data.bad_worlds()}")
    bare = times["model alone"][1:]
    out = []
    for name, values in times.items():
        seconds = statistics.median(values[1:])
        ratios = [a / b for a, b in zip(values[1:], bare, strict=True)]
        out.append(
            {
                "stepped": name,
                "env_steps_per_s": nworld * nstep / seconds,
                "model_steps_per_s": nworld * nstep * env.decimation / seconds,
                "ratio_median": statistics.median(ratios),
            }
        )
    return out


def main() -> None:
    """Run and print or write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nworld", type=int, default=256)
    parser.add_argument("--nstep", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--out")
    args = parser.parse_args()
    wp.config.log_level = wp.LOG_WARNING
    results = {name: measure(options, args.nworld, args.nstep, args.repeat) for name, options in CASES.items()}
    result = {"device": str(wp.get_device()), **{k: v for k, v in vars(args).items() if k != "out"}, "results": results}
    text = json.dumps(result, indent=1)
    print(text)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
