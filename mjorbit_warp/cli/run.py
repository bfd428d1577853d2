"""``mjorbit-warp run``: a model of one's own in orbit, with a run file and a picture."""

import dataclasses
import json as json_format
import math
import os
import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import mujoco
import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console

from mjorbit_warp.cli.common import progress_bar, warp_device, writable_output
from mjorbit_warp.cli.run_report import orbit_summary, run_table

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.recorder import Recorder
    from mjorbit_warp.spec import MjoSpec

F64 = NDArray[np.float64]
Integrator = Literal["RK4", "implicitfast", "implicit", "Euler"]
RECORDS = 200  # by default
RECORDED = 64  # worlds, by default
GRAPH = 20  # steps of a captured graph, at most
INTEGRATORS = {
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
}


@dataclasses.dataclass
class Plan:
    """What to step: ``nstep`` steps, a record after each ``every`` steps and after the last."""

    dt: float
    nstep: int
    every: int
    worlds: int


def _positive(option: str, value: float | None, least: float = 0.0) -> None:
    if value is not None and not (math.isfinite(value) and value > least):
        raise ValueError(f"{option} is {value}: a number above {least:g} is expected")


def _plan(dt: float, duration: float, record_every: float | None, record_worlds: int | None, nworld: int) -> Plan:
    nstep = round(duration / dt)
    if nstep < 1:
        raise ValueError(f"--duration is {duration}: at least one step of {dt:g} s is needed")
    wanted = duration / RECORDS if record_every is None else record_every
    every = max(1, round(wanted / dt))
    if record_every is not None and record_every < 0.5 * dt:
        raise ValueError(f"--record-every is {record_every}: at least one step of {dt:g} s is needed")
    worlds = min(nworld, RECORDED) if record_worlds is None else record_worlds
    if not 1 <= worlds <= nworld:
        raise ValueError(f"--record-worlds is {worlds}: 1 to {nworld} are allowed")
    return Plan(dt, nstep, min(every, nstep), worlds)


def _load(model: str, tle: str | None, dt: float | None, integrator: Integrator | None) -> "MjoSpec":
    """The spec with the orbit, step and integrator that were asked for; all else is the file's."""
    from mjorbit_warp import models
    from mjorbit_warp.orbit import Orbit
    from mjorbit_warp.spec import MjoSpec

    shipped = model in models.NAMES and not os.path.exists(model)
    spec = MjoSpec.from_file(models.model_path(model) if shipped else model)
    if tle is not None:
        spec.orbit = Orbit.from_tle(tle)
    if spec.orbit is None:
        raise ValueError(f"{model} has no orbit in its <custom>: give one with --tle FILE")
    if dt is not None:
        spec.option.timestep = dt
    if integrator is not None:
        spec.option.integrator = INTEGRATORS[integrator]
    return spec


def _scatter(mj: mujoco.MjModel, nworld: int, seed: int, spread: float, spin: float) -> tuple[F64, F64]:
    """Starts (nworld, nq), (nworld, nv) drawn from (seed, world): a world is the same however many others there are.

    All free bodies of a world are moved by the same offset; each turns, with all that hangs on it, about its own axis
    through its tree's centre of mass.
    """
    data = mujoco.MjData(mj)
    mujoco.mj_kinematics(mj, data)
    mujoco.mj_comPos(mj, data)
    qpos, qvel = np.tile(mj.qpos0, (nworld, 1)), np.zeros((nworld, mj.nv))
    free = np.flatnonzero(mj.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE))
    for w in range(nworld):
        rng = np.random.default_rng([seed, w])
        direction = rng.normal(size=3)
        offset = spread * rng.uniform() ** (1.0 / 3.0) * direction / np.linalg.norm(direction)
        for joint in free:
            q, v, body = int(mj.jnt_qposadr[joint]), int(mj.jnt_dofadr[joint]), int(mj.jnt_bodyid[joint])
            axis = rng.normal(size=3)
            omega = spin * axis / np.linalg.norm(axis)
            arm = data.xpos[body] - data.subtree_com[body]
            qpos[w, q : q + 3] += offset
            qvel[w, v : v + 3] = np.cross(data.xmat[body].reshape(3, 3) @ omega, arm)
            qvel[w, v + 3 : v + 6] = omega
    return qpos, qvel


def _simulate(model: "MjoModel", data: "MjoData", recorder: "Recorder", plan: Plan) -> tuple[float, float]:
    """Step through captured graphs and record; the seconds of compiling and of stepping."""
    import warp as wp

    from mjorbit_warp.graph import capture

    console = Console(stderr=True)
    blocks = [plan.every] * (plan.nstep // plan.every)
    blocks += [plan.nstep % plan.every] if plan.nstep % plan.every else []
    most = min(GRAPH, plan.every)
    launches = {block: [most] * (block // most) + ([block % most] if block % most else []) for block in set(blocks)}
    began = time.perf_counter()
    with console.status("compiling kernels, about a minute the first time"):
        graphs = {size: capture(model, data, nstep=size) for size in sorted({n for x in launches.values() for n in x})}
    compiled = time.perf_counter() - began

    recorder.record()
    began = time.perf_counter()
    done = shown = 0
    with progress_bar(console) as progress:
        task = progress.add_task("stepping", total=plan.nstep, rate="")
        for block in blocks:
            for k, size in enumerate(launches[block]):
                graphs[size]()
                done += size
                if k == len(launches[block]) - 1:
                    recorder.record()
                elif done - shown < plan.nstep / RECORDS:
                    continue  # the device is not waited for
                wp.synchronize_device(data.device)
                rate = data.nworld * done / (time.perf_counter() - began)
                progress.update(task, completed=done, rate=f"{rate:,.0f} world-steps/s")
                shown = done
    return compiled, time.perf_counter() - began


def _command(options: dict[str, Any]) -> list[str]:
    """The command line that repeats a run."""
    words = ["mjorbit-warp", "run", str(options["model"])]
    for name, value in options.items():
        if name != "model" and value is not None and value is not False:
            option = "--" + name.replace("_", "-")
            words += [option] if value is True else [option, str(value)]
    return words


def run(
    model: tyro.conf.Positional[str],
    *,
    tle: Annotated[str | None, tyro.conf.arg(metavar="FILE")] = None,
    nworld: Annotated[int, tyro.conf.arg(metavar="N")] = 1,
    duration: Annotated[float, tyro.conf.arg(metavar="SECONDS")] = 600.0,
    dt: Annotated[float | None, tyro.conf.arg(metavar="SECONDS")] = None,
    integrator: Integrator | None = None,
    precision: Literal["single", "shadow"] = "single",
    record_every: Annotated[float | None, tyro.conf.arg(metavar="SECONDS")] = None,
    record_worlds: Annotated[int | None, tyro.conf.arg(metavar="N")] = None,
    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 0,
    spread: Annotated[float, tyro.conf.arg(metavar="METRES")] = 0.0,
    spin: Annotated[float, tyro.conf.arg(metavar="DEG/S")] = 0.0,
    device: str | None = None,
    out: Annotated[str | None, tyro.conf.arg(metavar="FILE.npz")] = None,
    plot: Annotated[str | None, tyro.conf.arg(metavar="FILE.png")] = None,
    json: bool = False,
) -> int:
    """Simulate a model in orbit; write a run file to analyse or continue with mjorbit_warp.load_run, and a picture.

    Commands and applied forces are zero. The exit code is 1 if a world went bad.

    Args:
      model: an MJCF file, or the name of a shipped model (two_arm, box_satellite, chaser_target).
      tle: file with a two-line element set; its orbit replaces that of the model's <custom>.
      nworld: number of worlds.
      duration: simulated time [s].
      dt: time step [s]; default: the model's.
      integrator: default: the model's; it is never changed silently.
      precision: single (float32 state) or shadow (float64 state, needs RK4).
      record_every: time between records [s], rounded to whole steps; default: 1/200 of the duration.
      record_worlds: number of worlds to record; default: all, at most 64.
      seed: seed of the random starts.
      spread: largest random offset of a world's start from the model's [m].
      spin: angular rate of each free body at the start, about a random axis [deg/s].
      device: Warp device, as cpu or cuda:0; default: a GPU if there is one.
      out: the run file to write.
      plot: the picture to draw.
      json: print the summary as JSON.
    """
    options = dict(locals())
    if nworld < 1:
        raise ValueError(f"--nworld is {nworld}: at least 1 is needed")
    if seed < 0:
        raise ValueError(f"--seed is {seed}: 0 or a positive integer is expected")
    for name in ("duration", "dt", "record_every"):
        _positive("--" + name.replace("_", "-"), options[name])
    for name in ("spread", "spin"):
        if not (math.isfinite(options[name]) and options[name] >= 0.0):
            raise ValueError(f"--{name} is {options[name]}: 0 or a positive number is expected")
    out_path = None if out is None else writable_output("--out", out, ".npz")
    plot_path = None if plot is None else writable_output("--plot", plot, ".png")
    spec = _load(model, tle, dt, integrator)
    plan = _plan(float(spec.option.timestep), duration, record_every, record_worlds, nworld)
    chosen = warp_device(device)

    from mjorbit_warp.cli.plot_run import draw_run
    from mjorbit_warp.data import make_data
    from mjorbit_warp.recorder import Recorder
    from mjorbit_warp.run_file import replacing, save_run

    compiled = spec.compile()
    data = make_data(compiled, nworld=nworld, precision=precision, device=chosen)
    if spread or spin:
        qpos, qvel = _scatter(compiled.mj, nworld, seed, spread, math.radians(spin))
        data.qpos.assign(qpos)
        data.qvel.assign(qvel)
    recorder = Recorder(data, range(plan.worlds))
    compile_s, wall_s = _simulate(compiled, data, recorder, plan)
    if out_path is not None:
        save_run(out_path, spec, data, recorder, options=options, command=_command(options), seed=seed)
    arrays = recorder.arrays()
    if plot_path is not None:
        with replacing(plot_path) as part:
            draw_run(part, compiled.mj, arrays, os.path.basename(model))

    used = mujoco.mjtIntegrator(int(compiled.mj.opt.integrator))
    ends = [orbit_summary(compiled, arrays["r"][k, 0], arrays["v"][k, 0], float(arrays["t"][k])) for k in (0, -1)]
    bad = data.bad_worlds()
    result: dict[str, Any] = {
        "model": model,
        "device": f"{chosen.alias}, {chosen.name}" if chosen.is_cuda else chosen.alias,
        "nworld": nworld,
        "nstep": plan.nstep,
        "timestep_s": plan.dt,
        "duration_s": float(arrays["time"][-1]),
        "compile_s": compile_s,
        "wall_s": wall_s,
        "world_steps_per_s": nworld * plan.nstep / wall_s,
        "integrator": next(name for name, value in INTEGRATORS.items() if value == used),
        "precision": precision,
        "record_every_s": plan.every * plan.dt,
        "records": len(arrays["time"]),
        "recorded_worlds": plan.worlds,
        "orbit_start": ends[0],
        "orbit_end": ends[1],
        "bad": bad,
        "out": out,
        "plot": plot,
    }
    if json:
        print(json_format.dumps(result, indent=2, allow_nan=False))
    else:
        Console().print(run_table(result))
    return 1 if bad else 0
