"""Measurements beside the scenes: the reference path, growth with bodies and surfaces, the first step of a process."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import warp as wp

from mjorbit_warp.bench.benchmark import Say, Settings
from mjorbit_warp.bench.machine import header
from mjorbit_warp.bench.metrics import Refused
from mjorbit_warp.bench.study_deterministic import deterministic
from mjorbit_warp.bench.study_first_step import first_step, first_step_cold
from mjorbit_warp.bench.study_growth import bodies, plates, surfaces
from mjorbit_warp.bench.study_host import basilisk, reference

STUDIES: dict[str, tuple[Callable[[Settings, Say], list[dict[str, Any]]], str]] = {
    "reference": (reference, "our NumPy path with gravity alone ÷ bare mujoco.batch"),
    "basilisk": (basilisk, "our NumPy path ÷ Basilisk's MJScene, steps per second of CPU time, RK4"),
    "deterministic": (deterministic, "our step with MJWarp's deterministic switch ÷ without"),
    "bodies": (bodies, "gravity on a bus with four arms, implicitfast; linear growth is expected"),
    "surfaces": (surfaces, "everything on one body, implicitfast, against the bare step of the same MJCF"),
    "plates": (plates, "gravity, drag and sunlight on a bus with four arms, a surface on each body, implicitfast"),
    "first_step": (first_step, "first step and capture of a process, kernels in Warp's cache"),
    "first_step_cold": (first_step_cold, "first step and capture of a process that compiles every kernel"),
}


def check_studies(names: Sequence[str]) -> None:
    """Raise ValueError, which lists the names, if there is no such study."""
    for name in names:
        if name not in STUDIES:
            raise ValueError(f"there is no study {name!r}: allowed are {', '.join(STUDIES)}")


def run_studies(names: Sequence[str], settings: Settings, say: Say = lambda _: None) -> dict[str, Any]:
    """Run studies by name; ``machine``, ``studies``, each with its rows, and ``refused``, sentences by study."""
    check_studies(names)
    device = wp.get_device(settings.device)
    out: dict[str, Any] = {
        "machine": header(device),
        "settings": dataclasses.asdict(settings),
        "studies": [],
        "refused": [],
    }
    for name in names:
        say(name)
        function, about = STUDIES[name]
        try:
            out["studies"].append({"study": name, "about": about, "rows": function(settings, say)})
        except Refused as error:
            out["refused"].append({"study": name, "why": str(error)})
    return out
