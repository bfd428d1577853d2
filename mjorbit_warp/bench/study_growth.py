"""How cost grows with bodies and surfaces."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from mjorbit_warp.atmosphere import Atmosphere
from mjorbit_warp.bench import metrics
from mjorbit_warp.bench.benchmark import Say, Settings
from mjorbit_warp.bench.contenders import BareWarp, OrbitWarp
from mjorbit_warp.bench.hardware import add_hardware, add_sensors, full_options
from mjorbit_warp.bench.scenes import EPOCH, Scene, load_scenes
from mjorbit_warp.bench.timing import seconds_per_step
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.spec import MjoSpec

BODIES = (4, 13, 25, 49, 97)
SURFACES = (0, 8, 16, 32, 64)


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
    samples = seconds_per_step([bare, ours], settings.repeat, settings.sample_s)
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
            add_hardware(spec, scene.body, scene.half, n)
            add_sensors(spec, scene.body)
            spec.options = full_options()
            return spec

        rows.append(_growth_row({"surfaces": count}, nworld, settings, make))
    return rows


def _plated_spec(nbody: int) -> MjoSpec:
    spec = _chain_spec(nbody)
    for k in range(1, nbody + 1):
        spec.add_surface(f"plate_{k}", spec.mj.bodies[k].name, (0, 0, 0.1), (0, 0, 1), size=(0.2, 0.2), two_sided=True)
    spec.options = OrbitOptions(atmosphere=Atmosphere.us76(), solar_pressure=True)
    return spec


def plates(settings: Settings, say: Say) -> list[dict[str, Any]]:
    """Gravity, drag and sunlight on chains of more and more bodies, each with a surface."""
    rows = []
    nworld = settings.nworld[0] if settings.nworld else 64
    for count in BODIES:
        say(f"plates: {count}")
        label = {"bodies": count, "surfaces": count}
        rows.append(_growth_row(label, nworld, settings, functools.partial(_plated_spec, count)))
    return rows
