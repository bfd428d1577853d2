"""Measurements beside the scenes: the reference path, growth with bodies and surfaces, the first step of a process."""

import dataclasses
import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import warp as wp

from mjorbit_warp.bench import contenders_c as host
from mjorbit_warp.bench import metrics
from mjorbit_warp.bench.benchmark import Settings
from mjorbit_warp.bench.contenders import BareWarp, OrbitWarp
from mjorbit_warp.bench.hardware import equip
from mjorbit_warp.bench.machine import header
from mjorbit_warp.bench.scenes import EPOCH, INTEGRATORS, Scene, load_scenes
from mjorbit_warp.bench.timing import calibrate, interleave
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.spec import MjoSpec

Say = Callable[[str], None]
BODIES = (4, 13, 25, 49, 97)
SURFACES = (0, 8, 16, 32, 64)


def check_studies(names: Sequence[str]) -> None:
    """Raise ValueError, which lists the names, if there is no such study."""
    for name in names:
        if name not in STUDIES:
            raise ValueError(f"there is no study {name!r}: allowed are {', '.join(STUDIES)}")


def run_studies(names: Sequence[str], settings: Settings, say: Say = lambda _: None) -> dict[str, Any]:
    """Run studies by name; ``machine`` and ``studies``, each with its rows."""
    check_studies(names)
    device = wp.get_device(settings.device)
    out: dict[str, Any] = {"machine": header(device), "settings": dataclasses.asdict(settings), "studies": []}
    for name in names:
        say(name)
        function, about = STUDIES[name]
        out["studies"].append({"study": name, "about": about, "rows": function(settings, say)})
    return out


def _samples(contenders: Sequence[Any], settings: Settings) -> dict[str, list[float]]:
    """Seconds per step of each contender, in the same rounds."""
    replays = [calibrate(contender, settings.sample_s) for contender in contenders]
    raw = interleave(contenders, replays, settings.repeat)
    return {c.name: [s / (count * c.nstep) for s in raw[c.name]] for c, count in zip(contenders, replays, strict=True)}


def reference(settings: Settings, say: Say) -> list[dict[str, Any]]:
    """The reference path with gravity alone against bare ``mujoco.batch``."""
    rows = []
    nworld = settings.nworld[0] if settings.nworld else 1024
    nthread = settings.nthread or 2
    for scene in load_scenes(settings.scenes or ("two_arm",)):
        for integrator in settings.integrators:
            say(f"reference: {scene.name}, {integrator}")
            model = scene.compile(integrator, "gravity")
            many = (model, scene, nworld, settings.nstep, nthread)
            contenders = [
                host.BareC("bare", *many),
                host.BareCLoop("bare in one call", *many),
                host.ReferenceC("reference", *many),
            ]
            samples = _samples(contenders, settings)
            ratio = metrics.paired_ratio(samples["reference"], samples["bare"])
            row = {"scene": scene.name, "integrator": integrator, "nworld": nworld, "nthread": nthread}
            row |= {f"{c.name} µs/step": 1e6 * float(np.median(samples[c.name])) / nworld for c in contenders}
            rows.append(
                row
                | {"ratio": ratio.median, "low": ratio.low, "high": ratio.high}
                | {"ratio to one call": metrics.paired_ratio(samples["reference"], samples["bare in one call"]).median}
                | {"samples_s": samples}
            )
    return rows


def chain_mjcf(nbody: int) -> str:
    """A bus with four arms of hinges, ``nbody`` bodies in all."""
    arms = [(nbody - 1) // 4 + (k < (nbody - 1) % 4) for k in range(4)]
    text = ['<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><body name="bus"><freejoint/>']
    text.append('<inertial pos="0 0 0" mass="200" diaginertia="40 42 44"/>')
    for k, count in enumerate(arms):
        angle = 0.5 * np.pi * k
        place = f'pos="{0.5 * np.cos(angle):.6f} {0.5 * np.sin(angle):.6f} 0" euler="0 0 {angle:.6f}"'
        for i in range(count):
            text.append(f'<body name="arm_{k}_{i}" {place}><joint axis="0 {(i + 1) % 2} {i % 2}" damping="0.5"/>')
            text.append('<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.02 0.02"/>')
            place = 'pos="0.2 0 0"'
        text.append("</body>" * count)
    text.append("</body></worldbody></mujoco>")
    return "".join(text)


def _growth_scene(nworld: int) -> Scene:
    return Scene(
        "growth", "", "box_satellite", 0.01, {"cpu": [nworld], "gpu": [nworld]}, 1, 1, "bus", 0.5, bend=0.1, speed=0.01
    )


def _pair(make_spec: Callable[[], MjoSpec], nworld: int, settings: Settings) -> tuple[Any, Any, Any, dict[str, Any]]:
    """A bare and an orbit contender of a spec, their ratio, and their seconds per step."""
    device = wp.get_device(settings.device)
    scene = _growth_scene(nworld)
    many = (scene, nworld, settings.nstep, device)
    bare = BareWarp("bare", make_spec().compile(), *many)
    ours = OrbitWarp("ours", make_spec().compile(), *many, "single")
    samples = _samples([bare, ours], settings)
    return bare, ours, metrics.paired_ratio(samples["ours"], samples["bare"]), samples


def _in_orbit(spec: MjoSpec) -> MjoSpec:
    spec.orbit = Orbit.circular(altitude=400e3, inclination=0.9, epoch=EPOCH)
    spec.option.integrator = INTEGRATORS["implicitfast"]
    spec.option.timestep = 0.01
    return spec


def _growth_row(label: dict[str, Any], nworld: int, settings: Settings, make: Callable[[], MjoSpec]) -> dict[str, Any]:
    bare, ours, ratio, samples = _pair(make, nworld, settings)
    times = {key: 1e6 * float(np.median(samples[key])) / nworld for key in ("bare", "ours")}
    return label | {
        "nworld": nworld,
        "bare µs/step": times["bare"],
        "ours µs/step": times["ours"],
        "orbit's share µs": times["ours"] - times["bare"],
        "ratio": ratio.median,
        "low": ratio.low,
        "high": ratio.high,
        "first step bare s": bare.first_step_s,
        "first step ours s": ours.first_step_s,
        "samples_s": samples,
    }


def _chain_spec(nbody: int) -> MjoSpec:
    return _in_orbit(MjoSpec.from_string(chain_mjcf(nbody)))


def bodies(settings: Settings, say: Say) -> list[dict[str, Any]]:
    """Gravity alone on chains of more and more bodies."""
    rows = []
    nworld = settings.nworld[0] if settings.nworld else 64
    for count in BODIES:
        say(f"bodies: {count}")
        make = functools.partial(_chain_spec, count)
        rows.append(_growth_row({"bodies": count}, nworld, settings, make))
    return rows


def surfaces(settings: Settings, say: Say) -> list[dict[str, Any]]:
    """Everything on a single body with more and more surfaces."""
    rows = []
    nworld = settings.nworld[0] if settings.nworld else 256
    scene = load_scenes(("satellite",))[0]
    for count in SURFACES:
        say(f"surfaces: {count}")

        def make(n: int = count) -> MjoSpec:
            spec = _in_orbit(MjoSpec.from_file(scene.path()))
            equip(spec, scene.body, scene.half, n)
            return spec

        rows.append(_growth_row({"surfaces": count}, nworld, settings, make))
    return rows


def first_step(settings: Settings, say: Say) -> list[dict[str, Any]]:
    """First step and capture in a fresh process with the kernels in Warp's cache: bare, gravity, everything."""
    rows = []
    nworld = settings.nworld[0] if settings.nworld else 256
    for scene in load_scenes(settings.scenes or ("two_arm",)):
        for integrator in settings.integrators:
            seconds: dict[str, list[float]] = {name: [] for name in FIRST}
            for count in range(1 + min(settings.repeat, 5)):
                for name in FIRST:  # in turn; the first round fills the cache
                    say(f"first step: {scene.name}, {integrator}, {name}")
                    took = _first_step_elsewhere(name, scene.name, integrator, nworld, settings)
                    if count:
                        seconds[name].append(took)
            row: dict[str, Any] = {"scene": scene.name, "integrator": integrator, "nworld": nworld}
            row |= {f"{name} s": float(np.median(values)) for name, values in seconds.items()}
            for of, over in (("gravity", "bare"), ("everything", "bare parts")):
                row[f"{of} ÷ {over}"] = metrics.paired_ratio(seconds[of], seconds[over]).median
            rows.append(row | {"samples_s": seconds})
    return rows


FIRST = ("bare", "gravity", "bare parts", "everything")


def _first_step_elsewhere(name: str, scene: str, integrator: str, nworld: int, settings: Settings) -> float:
    job = {"name": name, "scene": scene, "integrator": integrator, "nworld": nworld, "device": settings.device}
    code = (
        "import json, sys, warp; warp.config.log_level = warp.LOG_ERROR; "
        "from mjorbit_warp.bench.studies import first_step_here; first_step_here(json.loads(sys.argv[1]))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, json.dumps(job)], capture_output=True, text=True, env=os.environ, check=False
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


STUDIES: dict[str, tuple[Callable[[Settings, Say], list[dict[str, Any]]], str]] = {
    "reference": (reference, "our NumPy path with gravity alone ÷ bare mujoco.batch"),
    "bodies": (bodies, "gravity on a bus with four arms, implicitfast; linear growth is expected"),
    "surfaces": (surfaces, "everything on one body, implicitfast, against the bare step of the same MJCF"),
    "first_step": (first_step, "first step and capture of a process, kernels in Warp's cache"),
}
