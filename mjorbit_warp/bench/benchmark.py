"""The benchmark: scenes × numbers of worlds × integrators, every contender of a cell in the same rounds."""

import dataclasses
import gc
from collections.abc import Callable, Sequence
from typing import Any

import warp as wp

from mjorbit_warp.bench import contenders_c as host
from mjorbit_warp.bench import metrics
from mjorbit_warp.bench.contender_basilisk import Basilisk, basilisk_python
from mjorbit_warp.bench.contenders import BareWarp, OrbitWarp
from mjorbit_warp.bench.machine import header
from mjorbit_warp.bench.scenes import MEASURED, Scene, load_scenes
from mjorbit_warp.bench.timing import calibrate, interleave
from mjorbit_warp.bench.trace import stage_trace

Say = Callable[[str], None]
COMPARED = ("gravity", "everything")  # equipment of the contenders
# a contender's name, and what it is compared with
RATIOS = (
    ("gravity", "bare"),
    ("gravity shadow", "bare"),
    ("gravity shadow", "gravity"),
    ("everything", "bare parts"),
    ("everything", "bare"),
    ("everything shadow", "bare parts"),
    ("reference gravity", "mujoco"),
    ("reference gravity", "mujoco in one call"),
    ("reference everything", "mujoco parts"),
    ("basilisk, one world", "mujoco, one world"),
)


@dataclasses.dataclass(frozen=True)
class Settings:
    """What to run.

    Attributes:
      scenes: names, all if empty.
      nworld: numbers of worlds instead of the scenes' own.
      device: a Warp device, or None for the current one.
      repeat: rounds.
      nstep: steps in a graph.
      sample_s: least duration of a sample [s].
      integrators: "RK4", "implicitfast".
      host: with MuJoCo C, our reference and Basilisk, in a scene's first cell.
      host_worlds: at most so many worlds there.
      nthread: threads there; 0 takes all CPUs.
      trace: with the stages of a step, in a scene's first cell with implicitfast.
    """

    scenes: Sequence[str] = ()
    nworld: Sequence[int] = ()
    device: Any = None
    repeat: int = 9
    nstep: int = 10
    sample_s: float = 0.2
    integrators: Sequence[str] = MEASURED
    host: bool = True
    host_worlds: int = 1024
    nthread: int = 0
    trace: bool = True

    def __post_init__(self) -> None:
        for name in ("repeat", "nstep", "host_worlds"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: at least 1 is needed")
        for count in self.nworld:
            if count < 1:
                raise ValueError(f"nworld is {count}: at least 1 is needed")
        for name in self.integrators:
            if name not in MEASURED:
                raise ValueError(f"integrator is {name!r}: allowed are {', '.join(MEASURED)}")


SMOKE = Settings(scenes=("two_arm",), nworld=(2,), repeat=2, nstep=2, sample_s=1e-4, integrators=("implicitfast",))


def run(settings: Settings, say: Say = lambda _: None) -> dict[str, Any]:
    """Run all cells.

    Args:
      say: told in one line what is under way.

    Returns:
      ``machine``, ``settings``, ``cells`` (each with its raw samples) and ``refused``, sentences by cell: a cell in
      which any run was not captured, overflowed or was not finite is not reported.
    """
    scenes = load_scenes(settings.scenes)
    device = wp.get_device(settings.device)
    out: dict[str, Any] = {
        "machine": header(device),
        "settings": dataclasses.asdict(settings) | {"device": device.alias},
        "cells": [],
        "refused": [],
    }
    for scene in scenes:
        sweep = settings.nworld or scene.nworld["gpu" if device.is_cuda else "cpu"]
        for nworld in sweep:
            for integrator in settings.integrators:
                where = {"scene": scene.name, "nworld": nworld, "integrator": integrator}
                say(f"{scene.name}, {nworld} worlds, {integrator}")
                try:
                    out["cells"].append(where | measure(scene, nworld, integrator, settings, nworld == sweep[0]))
                except metrics.Refused as error:
                    out["refused"].append(where | {"why": str(error)})
                gc.collect()
    return out


def warp_contenders(scene: Scene, nworld: int, integrator: str, nstep: int, device: Any) -> list[Any]:
    """Bare MJWarp on the plain and on the equipped MJCF, and ours with gravity alone and with everything."""
    out: list[Any] = []
    for equipment, bare in zip(COMPARED, ("bare", "bare parts"), strict=True):
        out.append(BareWarp(bare, scene.compile(integrator, equipment), scene, nworld, nstep, device))
        for precision in ("single", "shadow") if integrator == "RK4" else ("single",):
            name = equipment if precision == "single" else f"{equipment} {precision}"
            # a model of its own: placed on the device, it has callbacks of its own
            model = scene.compile(integrator, equipment)
            out.append(OrbitWarp(name, model, scene, nworld, nstep, device, precision))
    return out


def host_contenders(scene: Scene, nworld: int, integrator: str, nstep: int, nthread: int) -> list[Any]:
    """MuJoCo C, our reference, and Basilisk with RK4 where it is installed."""
    plain, equipped = (scene.compile(integrator, equipment) for equipment in COMPARED)
    many = (scene, nworld, nstep, nthread)
    out: list[Any] = [
        host.BareC("mujoco", plain, *many),
        host.BareCLoop("mujoco in one call", plain, *many),
        host.ReferenceC("reference gravity", plain, *many),
        host.BareC("mujoco parts", equipped, *many),
        host.ReferenceC("reference everything", equipped, *many),
    ]
    if integrator == "RK4" and (python := basilisk_python()):
        out.append(host.BareCLoop("mujoco, one world", plain, scene, 1, nstep, 1))
        out.append(Basilisk("basilisk, one world", scene, nstep, python))
    return out


def measure(scene: Scene, nworld: int, integrator: str, settings: Settings, first: bool) -> dict[str, Any]:
    """One cell.

    Args:
      first: of the scene, so that host contenders and the trace belong here.

    Raises:
      metrics.Refused: a contender must not be reported.
    """
    device = wp.get_device(settings.device)
    warps = warp_contenders(scene, nworld, integrator, settings.nstep, device)
    hosts: list[Any] = []
    if settings.host and first:
        worlds = min(nworld, settings.host_worlds)
        hosts = host_contenders(scene, worlds, integrator, settings.nstep, settings.nthread)
    try:
        return _measured(scene, warps, hosts, integrator, settings, first)
    finally:
        for contender in hosts:
            if isinstance(contender, Basilisk):
                contender.close()


def _measured(
    scene: Scene, warps: list[Any], hosts: list[Any], integrator: str, settings: Settings, first: bool
) -> dict[str, Any]:
    counts: dict[str, Any] = {}
    everyone = [*warps, *hosts]
    shared = calibrate(warps[0], settings.sample_s)
    replays = [shared] * len(warps) + [calibrate(contender, settings.sample_s) for contender in hosts]

    def after(contender: Any) -> None:
        if not isinstance(contender, host.HostContender | Basilisk):
            counts[contender.name] = contender.counts()

    samples = interleave(everyone, replays, settings.repeat, after)
    check_activity(scene, counts)
    cell: dict[str, Any] = {
        "timestep_s": scene.timestep,
        "contenders": [
            _report(contender, samples[contender.name], count, counts)
            for contender, count in zip(everyone, replays, strict=True)
        ],
        "ratios": ratios(everyone, replays, samples),
    }
    if settings.trace and first and integrator == "implicitfast":
        named = {contender.name: contender for contender in warps}
        cell["trace"] = stage_trace(named["bare parts"], named["everything"], min(5, settings.repeat), 0.02)
    return cell


def check_activity(scene: Scene, counts: dict[str, Any]) -> None:
    """Raise Refused if a scene of contacts had none at the end of a sample, or one of limits no constraint."""
    for name, found in counts.items():
        if scene.contacts and not found["contacts"]["max"]:
            raise metrics.Refused(f"{name} had no contact at the end of a sample, and the scene is one of contacts")
        if scene.limits and not found["constraints"]["max"]:
            raise metrics.Refused(
                f"{name} had no active constraint at the end of a sample, and the scene is one of limits"
            )


def _report(contender: Any, seconds: list[float], replays: int, counts: dict[str, Any]) -> dict[str, Any]:
    nstep = replays * contender.nstep
    out: dict[str, Any] = {
        "name": contender.name,
        "kind": contender.kind,
        "graph": contender.replayed,
        "nworld": contender.nworld,
        "steps_per_sample": nstep,
        **metrics.speed(seconds, contender.nworld, nstep),
        "samples_s": seconds,
    }
    if contender.replayed:
        memory = contender.memory()
        out |= {
            "jit_s": contender.first_step_s,
            "capture_s": contender.capture_s,
            "counts": counts[contender.name],
            "memory_per_world": sum(memory.values()),
            "memory_by_field": memory,
        }
    else:
        out["nthread"] = contender.nthread
    return out


def ratios(contenders: Sequence[Any], replays: Sequence[int], samples: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Ratios of times per world step, of the pairs in RATIOS that ran."""
    per_step = {
        c.name: [s / (count * c.nstep * c.nworld) for s in samples[c.name]]
        for c, count in zip(contenders, replays, strict=True)
    }
    return [
        {"of": of, "over": over, **dataclasses.asdict(metrics.paired_ratio(per_step[of], per_step[over]))}
        for of, over in RATIOS
        if of in per_step and over in per_step
    ]
