"""What MJWarp's deterministic switch costs."""

from typing import Any

import numpy as np
import warp as wp

from mjorbit_warp.bench import metrics
from mjorbit_warp.bench.benchmark import Say, Settings
from mjorbit_warp.bench.contenders import OrbitWarp
from mjorbit_warp.bench.scenes import load_scenes
from mjorbit_warp.bench.timing import seconds_per_step


def deterministic(settings: Settings, say: Say) -> list[dict[str, Any]]:
    """Our step with ``model.opt.deterministic`` ÷ without, and whether two runs of each end in the same bits."""
    rows = []
    device = wp.get_device(settings.device)
    nworld = settings.nworld[0] if settings.nworld else 64
    for scene in load_scenes(settings.scenes or ("two_arm", "docking")):
        for integrator in settings.integrators:
            say(f"deterministic: {scene.name}, {integrator}")
            contenders = []
            for name in ("off", "on"):
                model = scene.compile(integrator, "gravity")
                with wp.ScopedDevice(device):
                    model.opt.deterministic = name == "on"
                contenders.append(OrbitWarp(name, model, scene, nworld, settings.nstep, device, "single"))
            repeats = {f"repeats, {c.name}": _repeats(c) for c in contenders}
            samples = seconds_per_step(contenders, settings.repeat, settings.sample_s)
            ratio = metrics.paired_ratio(samples["on"], samples["off"])
            row: dict[str, Any] = {"scene": scene.name, "integrator": integrator, "nworld": nworld}
            row |= {f"{c.name} µs/step": 1e6 * float(np.median(samples[c.name])) / nworld for c in contenders}
            row |= {"ratio": ratio.median, "low": ratio.low, "high": ratio.high} | repeats
            rows.append(row | {"samples_s": samples})
    return rows


def _repeats(contender: OrbitWarp) -> bool:
    """Whether two runs from the start end in the same bits."""
    ends = []
    for _ in range(2):
        contender.restart()
        for _ in range(5):
            contender.replay()
        ends.append(np.concatenate([contender.plain.qpos.numpy(), contender.plain.qvel.numpy()], axis=1).copy())
    return ends[0].tobytes() == ends[1].tobytes()
