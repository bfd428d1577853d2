"""What the orbit costs: replayed mjo_step ÷ replayed bare mujoco_warp.step, on the same model and state, in one run.

python benchmarks/step_cost.py --nworld 256 --repeat 15 --out benchmarks/results/step_cost_cpu.json
"""

import argparse
import json
import platform
import statistics
import time
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.models import model_path

INTEGRATORS = {"RK4": mujoco.mjtIntegrator.mjINT_RK4, "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST}


def two_arm(integrator: str) -> mjo.MjoModel:
    """The two-arm free-flyer in a 51.6° orbit, J2 and gravity gradient on."""
    spec = mjo.MjoSpec.from_file(model_path("two_arm"))
    spec.orbit = mjo.Orbit.circular(altitude=400e3, inclination=np.radians(51.6))
    spec.option.integrator = INTEGRATORS[integrator]
    return spec.compile()


def initial_state(nworld: int, nq: int, nv: int) -> tuple[np.ndarray, np.ndarray]:
    """Scattered worlds near the origin, joints bent, slowly tumbling."""
    rng = np.random.default_rng(1)
    qpos = rng.uniform(-0.5, 0.5, (nworld, nq))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    return qpos, rng.uniform(-0.01, 0.01, (nworld, nv))


def measure(integrator: str, nworld: int, nstep: int, repeat: int) -> dict[str, Any]:
    """Medians of alternating replays of the two graphs."""
    model = two_arm(integrator)
    qpos, qvel = initial_state(nworld, model.nq, model.nv)
    data = mjo.make_data(model, nworld=nworld)
    bare_model, bare = mjw.put_model(model.mj), mjw.make_data(model.mj, nworld=nworld)
    for d in (data, bare):
        d.qpos.assign(qpos)
        d.qvel.assign(qvel)
    coupled = mjo.capture(model, data, nstep=nstep)
    mjw.step(bare_model, bare)
    with wp.ScopedCapture() as captured:
        for _ in range(nstep):
            mjw.step(bare_model, bare)

    def clock(call: Any) -> float:
        wp.synchronize()
        start = time.perf_counter()
        call()
        wp.synchronize()
        return (time.perf_counter() - start) / nstep

    times: dict[str, list[float]] = {"mjo_step": [], "mjw.step": []}
    for i in range(repeat + 1):
        pair = (clock(coupled), clock(lambda: wp.capture_launch(captured.graph)))
        if i:  # the first pair warms caches
            times["mjo_step"].append(pair[0])
            times["mjw.step"].append(pair[1])
    ratios = [a / b for a, b in zip(times["mjo_step"], times["mjw.step"], strict=True)]
    if data.bad_worlds() or not np.isfinite(bare.qpos.numpy()).all():
        raise RuntimeError(f"worlds went bad, timings mean nothing: {data.bad_worlds()}")
    return {
        "integrator": integrator,
        "graph": True,
        "mjo_step_ms": 1e3 * statistics.median(times["mjo_step"]),
        "mjw_step_ms": 1e3 * statistics.median(times["mjw.step"]),
        "ratio_median": statistics.median(ratios),
        "ratio_min": min(ratios),
        "ratio_max": max(ratios),
    }


def main() -> None:
    """Run both integrators and print or write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nworld", type=int, default=256)
    parser.add_argument("--nstep", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--out")
    args = parser.parse_args()
    result = {
        "device": str(wp.get_device()),
        "machine": platform.machine(),
        "versions": {"mujoco_warp": mjw.__version__, "warp": wp.__version__, "mujoco": mujoco.__version__},
        "nworld": args.nworld,
        "nstep": args.nstep,
        "repeat": args.repeat,
        "results": [measure(name, args.nworld, args.nstep, args.repeat) for name in INTEGRATORS],
    }
    text = json.dumps(result, indent=1)
    print(text)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
