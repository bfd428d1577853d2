"""The first step and capture of a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np
import warp as wp

from mjorbit_warp.bench import metrics
from mjorbit_warp.bench.benchmark import Say, Settings
from mjorbit_warp.bench.contenders import BareWarp, OrbitWarp
from mjorbit_warp.bench.scenes import load_scenes

FIRST = ("bare", "gravity", "bare parts", "everything")


def first_step(settings: Settings, say: Say) -> list[dict[str, Any]]:
    """First step and capture in a fresh process with the kernels in Warp's cache: bare, gravity, everything."""
    return _first_steps(settings, say, cold=False)


def first_step_cold(settings: Settings, say: Say) -> list[dict[str, Any]]:
    """The same with an empty cache: all kernels are compiled, a minute for each."""
    return _first_steps(settings, say, cold=True)


def _first_steps(settings: Settings, say: Say, cold: bool) -> list[dict[str, Any]]:
    rows = []
    nworld = settings.nworld[0] if settings.nworld else 256
    for scene in load_scenes(settings.scenes or ("two_arm",)):
        for integrator in settings.integrators:
            seconds: dict[str, list[float]] = {name: [] for name in FIRST}
            for count in range(cold, 1 + min(settings.repeat, 2 if cold else 5)):
                for name in FIRST:  # in turn; round 0 fills the cache
                    say(f"first step: {scene.name}, {integrator}, {name}")
                    took = _first_step_elsewhere(name, scene.name, integrator, nworld, settings, cold)
                    if count:
                        seconds[name].append(took)
            row: dict[str, Any] = {"scene": scene.name, "integrator": integrator, "nworld": nworld}
            row |= {f"{name} s": float(np.median(values)) for name, values in seconds.items()}
            for of, over in (("gravity", "bare"), ("everything", "bare parts")):
                row[f"{of} ÷ {over}"] = metrics.paired_ratio(seconds[of], seconds[over]).median
            rows.append(row | {"samples_s": seconds})
    return rows


def _first_step_elsewhere(
    name: str, scene: str, integrator: str, nworld: int, settings: Settings, cold: bool = False
) -> float:
    job = {"name": name, "scene": scene, "integrator": integrator, "nworld": nworld, "device": settings.device}
    code = (
        "import json, sys, warp; warp.config.log_level = warp.LOG_ERROR; "
        "from mjorbit_warp.bench.study_first_step import first_step_here; first_step_here(json.loads(sys.argv[1]))"
    )
    with tempfile.TemporaryDirectory() as empty:
        env = {**os.environ, "WARP_CACHE_PATH": empty} if cold else os.environ
        found = subprocess.run(
            [sys.executable, "-c", code, json.dumps(job)], capture_output=True, text=True, env=env, check=False
        )
    if found.returncode:
        raise metrics.Refused(f"the process of {name} failed: {' '.join(found.stderr.strip().splitlines()[-1:])}")
    return float(found.stdout.strip().splitlines()[-1])


def first_step_here(job: dict[str, Any]) -> None:
    """Print the seconds of the first step and its capture in this process."""
    device = wp.get_device(job["device"])
    scene = load_scenes((job["scene"],))[0]
    equipment = "everything" if job["name"] in ("bare parts", "everything") else "gravity"
    model = scene.compile(job["integrator"], equipment)
    many = (job["name"], model, scene, job["nworld"], 1, device)
    contender = BareWarp(*many) if job["name"].startswith("bare") else OrbitWarp(*many, "single")
    print(contender.first_step_s + contender.capture_s)
