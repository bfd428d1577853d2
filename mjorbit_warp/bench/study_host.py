"""The reference backend beside ``mujoco.batch`` and beside Basilisk."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.bench import contenders_c as host
from mjorbit_warp.bench import metrics
from mjorbit_warp.bench.benchmark import Say, Settings
from mjorbit_warp.bench.contender_basilisk import BASILISK, Basilisk, basilisk_python
from mjorbit_warp.bench.scenes import Scene, load_scenes
from mjorbit_warp.bench.starts import command_range
from mjorbit_warp.bench.timing import HORIZON, seconds_per_step
from mjorbit_warp.model import MjoModel
from mjorbit_warp.options import OrbitOptions

KNOT = 1.0  # between two knots of a profile [s]


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
            samples = seconds_per_step(contenders, settings.repeat, settings.sample_s)
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


def profiles(model: MjoModel, scene: Scene) -> dict[str, NDArray[np.float64]]:
    """Knots (n, 2) of [s] and command by actuator, for longer than a sample lasts: random within the scene's range."""
    low, high = command_range(model.mj, scene)
    times = np.arange(0.0, 2.0 * HORIZON * scene.timestep + KNOT, KNOT)
    random, out = np.random.default_rng(2), {}
    for i in range(model.mj.nactuator):
        u = int(model.mj.actuator_ctrladr[i])
        out[model.mj.actuator(i).name] = np.stack([times, random.uniform(low[u], high[u], times.size)], axis=1)
    return out


def follow(model: MjoModel, knots: dict[str, NDArray[np.float64]]) -> None:
    """Make the reference interpolate the profiles at the time of every stage, all worlds alike."""
    table = np.zeros((next(iter(knots.values())).shape[0], model.mj.nu))
    for i in range(model.mj.nactuator):
        table[:, model.mj.actuator_ctrladr[i]] = knots[model.mj.actuator(i).name][:, 1]

    def control(m: Any, d: Any) -> None:
        place = d.stage_time / KNOT
        index = np.minimum(place.astype(np.int64), table.shape[0] - 2)
        weight = (place - index)[:, None]
        d.ctrl[:] = (1.0 - weight) * table[index] + weight * table[index + 1]

    model.callback.control = control


def two_body(scene: Scene) -> MjoModel:
    """The scene as Basilisk has it: a point mass attracts each body at its COM."""
    spec = scene.spec("RK4", "gravity")
    spec.options = OrbitOptions(j2=False, gravity_gradient=False)
    return spec.compile()


def basilisk(settings: Settings, say: Say) -> list[dict[str, Any]]:
    """Steps per second of CPU time, all threads added up: the reference with many worlds, Basilisk's MJScene with one.

    RK4, commands held over the step and commands interpolated at every stage; two-body gravity on both sides, and ours
    with J2 and the gravity gradient too, which Basilisk does without.

    Raises:
      metrics.Refused: Basilisk is not installed.
    """
    python = basilisk_python()
    if python is None:
        raise metrics.Refused(f"Basilisk is not installed: {BASILISK} may name a Python that has it")
    rows = []
    nworld = settings.nworld[0] if settings.nworld else 1024
    nthread = settings.nthread or 2
    for scene in load_scenes(settings.scenes or ("two_arm",)):
        for commands in ("held", "at every stage"):
            say(f"basilisk: {scene.name}, commands {commands}")
            models = {"two-body": two_body(scene), "J2 and gradient": scene.compile("RK4", "gravity")}
            knots = None if commands == "held" else profiles(models["two-body"], scene)
            ours = []
            for name, model in models.items():
                if knots is not None:
                    follow(model, knots)
                ours.append(host.ReferenceC(name, model, scene, nworld, settings.nstep, nthread))
                ours[-1].clock = time.process_time
            theirs = Basilisk("basilisk", scene, settings.nstep, python, gravity=True, profiles=knots, cpu=True)
            try:
                samples = seconds_per_step([*ours, theirs], settings.repeat, settings.sample_s)
            finally:
                theirs.close()
            rows.append(_basilisk_row(scene, commands, nworld, nthread, samples) | {"version": theirs.version})
    return rows


def _basilisk_row(
    scene: Scene, commands: str, nworld: int, nthread: int, samples: dict[str, list[float]]
) -> dict[str, Any]:
    each = {name: [s / (1 if name == "basilisk" else nworld) for s in values] for name, values in samples.items()}
    row: dict[str, Any] = {"scene": scene.name, "commands": commands, "nworld": nworld, "nthread": nthread}
    row |= {f"{name} steps/CPU s": 1.0 / float(np.median(values)) for name, values in each.items()}
    for key, name in (("", "two-body"), (" with J2", "J2 and gradient")):
        ratio = metrics.paired_ratio(each["basilisk"], each[name])  # of rates: the times are the other way round
        row |= {f"ours ÷ basilisk{key}": ratio.median, f"low{key}": ratio.low, f"high{key}": ratio.high}
    return row | {"samples_s": samples}
