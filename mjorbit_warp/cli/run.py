"""``mjorbit-warp run``: a model of one's own in orbit, with a run file and a picture."""

import json as json_format
import math
import os
import warnings
from typing import Annotated, Any, Literal

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console

from mjorbit_warp.cli.common import arg, integrator_name, run_output, warp_device, writable_output
from mjorbit_warp.cli.resume import resumed
from mjorbit_warp.cli.run_report import orbit_summary, run_table
from mjorbit_warp.cli.stepping import RECORDED, RECORDS, Job, Plan, Stop, checkpoint_of, simulate
from mjorbit_warp.cli.watch import Watch, dump_folder
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.load import load_spec
from mjorbit_warp.starts import scatter

Integrator = Literal["RK4", "implicitfast", "implicit", "Euler"]
MOST = 10**12  # steps
TOO_FAR = 0.1  # share of |r_c|, as Status has it
# none in the signature: with --resume an option that was left out is the file's
DEFAULTS = {"nworld": 1, "duration": 600.0, "precision": "single", "seed": 0, "spread": 0.0, "spin": 0.0}


def _check(given: dict[str, Any]) -> None:
    """Refuse numbers that cannot be before anything is loaded; None is one that was left out."""
    for name, least in (("nworld", 1), ("seed", 0)):
        value = given[name]
        if value is not None and value < least:
            raise ValueError(f"--{name} is {value}: {least} or a larger integer is expected")
    for name in ("duration", "dt", "record_every", "checkpoint_every"):
        value = given[name]
        if value is not None and not (math.isfinite(value) and value > 0.0):
            raise ValueError(f"--{name.replace('_', '-')} is {value}: a positive number of seconds is expected")
    for name in ("spread", "spin"):
        value = given[name]
        if value is not None and not (math.isfinite(value) and value >= 0.0):
            raise ValueError(f"--{name} is {value}: 0 or a positive number is expected")


def _plan(dt: float, duration: float, record_every: float | None, record_worlds: int | None, nworld: int) -> Plan:
    if duration / dt > MOST:
        raise ValueError(f"--duration is {duration}: that is more than {MOST} steps of {dt:g} s")
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
    return Plan(dt, nstep, every, worlds)


def _started(given: dict[str, Any]) -> Job:
    """A run from its beginning; all that can be refused is refused before kernels are compiled."""
    from mjorbit_warp.check import MjoWarning
    from mjorbit_warp.data import make_data
    from mjorbit_warp.recorder import Recorder

    options: dict[str, Any] = {name: DEFAULTS.get(name) if value is None else value for name, value in given.items()}
    model, nworld = options["model"], options["nworld"]
    if model is None:
        raise ValueError(
            "no model is given: name an MJCF file or a shipped model, or go on with a run by --resume FILE"
        )
    force = options["force"]
    out = None if options["out"] is None else run_output(options["out"], overwrite=force, restart=force)
    plot = None if options["plot"] is None else writable_output("--plot", options["plot"], ".png")
    watch = Watch(options["strict"], dump_folder(options["dump"]))
    spec = load_spec(model, options["tle"], options["dt"])
    if spec.orbit is None:
        raise ValueError(f"{model} has no orbit in its <custom>: give one with --tle FILE")
    limit = TOO_FAR * float(np.linalg.norm(spec.orbit.r))
    if options["spread"] > limit:
        raise ValueError(
            f"--spread is {options['spread']}: at most 10 % of the orbit's radius, {limit:.6g} m, is allowed"
        )
    if options["integrator"] is not None:
        spec.option.integrator = INTEGRATORS[options["integrator"]]
    dt = float(spec.option.timestep)
    plan = _plan(dt, options["duration"], options["record_every"], options["record_worlds"], nworld)
    device = warp_device(options["device"])
    compiled = spec.compile()
    made = {"precision": options["precision"], "device": device, "state_ring": watch.depth}
    data = make_data(compiled, nworld=nworld, **made)
    if options["spread"] or options["spin"]:
        spin = math.radians(options["spin"])
        qpos, qvel = scatter(compiled.mj, nworld, options["seed"], options["spread"], spin)
        data.qpos.assign(qpos)
        data.qvel.assign(qvel)
    elif nworld > 1:
        alike = f"all {nworld} worlds start alike: --spread or --spin makes them differ"
        warnings.warn(alike, MjoWarning, stacklevel=2)
    if out is not None:  # with --force
        checkpoint_of(out).unlink(missing_ok=True)
    kept = {name: options[name] for name in options if name not in ("resume", "force", "checkpoint_every")}
    return Job(spec.settings_xml(), compiled, data, Recorder(data, range(plan.worlds)), plan, kept, out, plot, watch)


def _summary(job: Job, arrays: dict[str, NDArray[Any]], compile_s: float, wall_s: float) -> dict[str, Any]:
    from mjorbit_warp.status_report import mjo_status

    mj, data, plan, device = job.model.mj, job.data, job.plan, job.data.device
    report = mjo_status(job.model, data)
    report.warn()
    ends = [orbit_summary(job.model, arrays["r"][k, 0], arrays["v"][k, 0], float(arrays["t"][k])) for k in (0, -1)]
    return {
        "model": job.options["model"],
        "device": f"{device.alias}, {device.name}" if device.is_cuda else device.alias,
        "nworld": data.nworld,
        "nstep": plan.nstep,
        "timestep_s": plan.dt,
        "duration_s": float(arrays["time"][-1]),
        "resumed_at_s": plan.start * plan.dt if plan.start else None,
        "compile_s": compile_s,
        "wall_s": wall_s,
        "world_steps_per_s": data.nworld * (plan.nstep - plan.start) / wall_s,
        "integrator": integrator_name(mj.opt.integrator),
        "precision": data.precision,
        "record_every_s": plan.every * plan.dt,
        "records": len(arrays["time"]),
        "recorded_worlds": plan.worlds,
        "orbit_start": ends[0],
        "orbit_end": ends[1],
        "bad": data.bad_worlds(),
        "conditions": report.as_dict(),
        "dumps": [str(path) for path in job.watch.dumps],
        "out": None if job.out is None else str(job.out),
        "plot": None if job.plot is None else str(job.plot),
    }


def run(
    model: tyro.conf.Positional[Annotated[str | None, arg("MODEL", "required without --resume")]] = None,
    *,
    tle: Annotated[str | None, arg("FILE")] = None,
    nworld: Annotated[int | None, arg("N", "default: 1")] = None,
    duration: Annotated[float | None, arg("SECONDS", "default: 600")] = None,
    dt: Annotated[float | None, arg("SECONDS", "default: the model's")] = None,
    integrator: Annotated[Integrator | None, arg("{RK4,implicitfast,implicit,Euler}", "default: the model's")] = None,
    precision: Annotated[Literal["single", "shadow"] | None, arg("{single,shadow}", "default: single")] = None,
    record_every: Annotated[float | None, arg("SECONDS", "default: 1/200 of the duration")] = None,
    record_worlds: Annotated[int | None, arg("N", "default: all, at most 64")] = None,
    seed: Annotated[int | None, arg("N", "default: 0")] = None,
    spread: Annotated[float | None, arg("METRES", "default: 0")] = None,
    spin: Annotated[float | None, arg("DEG/S", "default: 0")] = None,
    device: Annotated[str | None, arg("NAME", "default: a GPU if there is one")] = None,
    out: Annotated[str | None, arg("FILE.npz")] = None,
    plot: Annotated[str | None, arg("FILE.png")] = None,
    resume: Annotated[str | None, arg("FILE")] = None,
    checkpoint_every: Annotated[float, arg("SECONDS", "default: 60")] = 60.0,
    strict: Annotated[bool, arg(None, "default: off")] = False,
    dump: Annotated[str | None, arg("FOLDER")] = None,
    force: Annotated[bool, arg(None, "default: off")] = False,
    json: Annotated[bool, arg(None, "default: off")] = False,
) -> int:
    """Simulate a model in orbit; write a run file to analyse or continue with mjorbit_warp.load_run, and a picture.

    Commands and applied forces are zero. The exit code is 1 if a world went bad, 130 if Ctrl-C or SIGTERM stopped the
    run: with --out a checkpoint is left, and --resume goes on with it to the same bits.

    Args:
      model: an MJCF, URDF, MJZ (.mjz, .zip) or MJB file, or the name of a shipped model (two_arm, box_satellite,
        chaser_target, capture_arm).
      tle: file with a two-line element set; its orbit replaces that of the model's <custom>.
      nworld: number of worlds.
      duration: simulated time from the start [s].
      dt: time step [s].
      integrator: it is never changed silently.
      precision: single (float32 state) or shadow (float64 state, needs RK4).
      record_every: time between records [s], rounded to whole steps.
      record_worlds: number of worlds to record.
      seed: seed of the random starts.
      spread: largest random offset of a world's start from the model's [m].
      spin: angular rate of each free body at the start, about a random axis [deg/s].
      device: Warp device, as cpu or cuda:0.
      out: the run file to write; until the run ends, its checkpoint is FILE.npz.part.
      plot: the picture to draw; one that exists is replaced.
      resume: go on with a checkpoint, or with a finished run file to a longer --duration; the model and all other
        options are the file's.
      checkpoint_every: wall time between checkpoints [s].
      strict: stop when a world has gone bad, with one sentence; with --out what was computed is left as a checkpoint.
      dump: write the model and the last 8 states of worlds that go bad there, at most 16, for mjorbit-warp replay.
      force: overwrite a run file or checkpoint that exists.
      json: print the summary as JSON.
    """
    given = dict(locals())
    _check(given)
    with Stop().watching() as stop:
        job = _started(given) if resume is None else resumed(given)
        compile_s, wall_s = simulate(job, stop, checkpoint_every)
        if job.out is not None:
            job.save(job.out, job.plan.nstep)
            job.part.unlink(missing_ok=True)
        arrays = job.recorder.arrays()
        if job.plot is not None:
            from mjorbit_warp.cli.plot_run import draw_run
            from mjorbit_warp.run_file import replacing

            with replacing(job.plot) as part:
                draw_run(part, job.model.mj, arrays, os.path.basename(job.options["model"]))
    result = _summary(job, arrays, compile_s, wall_s)
    if json:
        print(json_format.dumps(result, indent=2, allow_nan=False))
    else:
        Console().print(run_table(result))
    return 1 if result["bad"] else 0
