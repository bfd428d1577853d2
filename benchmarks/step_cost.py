"""What the orbit costs: replayed mjo_step ÷ replayed bare mujoco_warp.step, on the same model and state, in one run.

python -m benchmarks.step_cost --nworld 256 --repeat 15 --out benchmarks/results/step_cost_cpu.json
"""

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp

import mjorbit_warp as mjo
from benchmarks.scenes import add_hardware, add_sensors, full_options, two_arm_spec

CASES = (
    ("RK4 single", "mjw.step"),
    ("implicitfast single", "mjw.step"),
    ("RK4 shadow", "single"),
    ("RK4 single hardware", "mjw.step"),
    ("implicitfast single hardware", "mjw.step"),
    ("RK4 single sensors", "mjw.step"),
    ("implicitfast single sensors", "mjw.step"),
)


def two_arm(integrator: str, equipment: str) -> mjo.MjoModel:
    """The two-arm free-flyer with gravity alone (""), all loads and "hardware", or "sensors" on top of that."""
    spec = two_arm_spec(integrator)
    if equipment:
        add_hardware(spec)
        spec.options = full_options()
    if equipment == "sensors":
        add_sensors(spec)
    return spec.compile()


def fill(data: Any) -> None:
    """Scattered worlds near the origin, joints bent, slowly tumbling."""
    rng = np.random.default_rng(1)
    qpos = rng.uniform(-0.5, 0.5, data.qpos.shape)
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    data.qpos.assign(qpos)
    data.qvel.assign(rng.uniform(-0.01, 0.01, data.qvel.shape))
    data.ctrl.assign(rng.uniform(-0.02, 0.02, data.ctrl.shape))


def coupled_step(model: mjo.MjoModel, nworld: int, nstep: int, precision: str) -> Callable[[], None]:
    """Replay of mjo_step; raises afterwards if a world went bad."""
    data = mjo.make_data(model, nworld=nworld, precision=precision)
    fill(data)
    replay = mjo.capture(model, data, nstep=nstep)

    def call() -> None:
        replay()
        if data.bad_worlds():
            raise RuntimeError(f"worlds went bad, timings mean nothing: {data.bad_worlds()}")

    return call


def bare_step(model: mjo.MjoModel, nworld: int, nstep: int) -> Callable[[], None]:
    """Replay of MJWarp's own step on the same model and state, without an orbit."""
    bare_model, bare = mjw.put_model(model.mj), mjw.make_data(model.mj, nworld=nworld)
    fill(bare)
    mjw.step(bare_model, bare)
    with wp.ScopedCapture() as captured:
        for _ in range(nstep):
            mjw.step(bare_model, bare)

    def call() -> None:
        wp.capture_launch(captured.graph)
        if not np.isfinite(bare.qpos.numpy()).all():
            raise RuntimeError("the bare step went bad, timings mean nothing")

    return call


def measure(name: str, baseline: str, nworld: int, nstep: int, repeat: int) -> dict[str, Any]:
    """Medians of two replays that alternate; ``name`` is "integrator precision" and what is on board."""
    integrator, precision, equipment = (*name.split(), "")[:3]
    model = two_arm(integrator, equipment)
    calls = [coupled_step(model, nworld, nstep, precision)]
    if baseline == "mjw.step":
        calls.append(bare_step(model, nworld, nstep))
    else:
        calls.append(coupled_step(model, nworld, nstep, baseline))

    def clock(call: Callable[[], None]) -> float:
        wp.synchronize()
        start = time.perf_counter()
        call()
        wp.synchronize()
        return (time.perf_counter() - start) / nstep

    pairs = [[clock(call) for call in calls] for _ in range(repeat + 1)][1:]  # the first pair warms caches
    ratios = [a / b for a, b in pairs]
    return {
        "step": name,
        "baseline": baseline,
        "graph": True,
        "step_ms": 1e3 * statistics.median(a for a, _ in pairs),
        "baseline_ms": 1e3 * statistics.median(b for _, b in pairs),
        "ratio_median": statistics.median(ratios),
        "ratio_min": min(ratios),
        "ratio_max": max(ratios),
    }


def main() -> None:
    """Run all cases and print or write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nworld", type=int, default=256)
    parser.add_argument("--nstep", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--cases", default="", help="only cases whose name contains this")
    parser.add_argument("--out")
    args = parser.parse_args()
    result = {
        "device": str(wp.get_device()),
        "machine": platform.machine(),
        "versions": {"mujoco_warp": mjw.__version__, "warp": wp.__version__, "mujoco": mujoco.__version__},
        "nworld": args.nworld,
        "nstep": args.nstep,
        "repeat": args.repeat,
        "results": [measure(*case, args.nworld, args.nstep, args.repeat) for case in CASES if args.cases in case[0]],
    }
    text = json.dumps(result, indent=1)
    print(text)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
