"""``mjorbit-warp run --resume``: go on with a run that was stopped, or make a finished one longer."""

import os
import pathlib
import warnings
from typing import Any

from mjorbit_warp.cli.common import integrator_name, run_output, warp_device, writable_output
from mjorbit_warp.cli.stepping import Job, Plan
from mjorbit_warp.cli.watch import Watch, dump_folder
from mjorbit_warp.run_file import Run, load_run


def _check_same(path: str, run: Run, given: dict[str, Any]) -> None:
    """Refuse an option that contradicts the file; whatever is left out is the file's."""
    assert run.steps is not None
    had = dict(run.options) | {
        "nworld": run.nworld,
        "dt": run.timestep,
        "integrator": integrator_name(run.spec().option.integrator),
        "precision": run.precision,
        "record_every": run.steps.every * run.timestep,
        "record_worlds": len(run.world_ids),
    }
    for name in (
        "model",
        "tle",
        *("nworld dt integrator precision record_every record_worlds seed spread spin").split(),
    ):
        value, kept = given[name], had[name]
        if name == "record_every" and value is not None:
            value = max(1, round(value / run.timestep)) * run.timestep
        if value is not None and value != kept:
            label = "MODEL" if name == "model" else "--" + name.replace("_", "-")
            was = "none" if kept is None else kept
            raise ValueError(
                f"{label} is {given[name]}, but {path} has {was}: leave it out, or start anew without --resume"
            )


def _plan(path: str, run: Run, duration: float | None) -> Plan:
    assert run.steps is not None
    nstep = run.steps.planned if duration is None else round(duration / run.timestep)
    if nstep <= run.steps.done:
        at = f"{path} is at {run.steps.done * run.timestep:.6g} s already"
        raise ValueError(
            f"{at}: give a longer --duration" if duration is None else f"--duration is {duration}, but {at}"
        )
    return Plan(run.timestep, nstep, run.steps.every, len(run.world_ids), run.steps.done)


def resumed(given: dict[str, Any]) -> Job:
    """The run of the file ``given["resume"]``, with all worlds as they were when it was written."""
    from mjorbit_warp.check import MjoWarning
    from mjorbit_warp.recorder import Recorder

    path = given["resume"]
    if not os.path.isfile(path) and os.path.isfile(path + ".part"):
        path += ".part"  # the name that the run was to have
    if os.path.isdir(path):
        raise ValueError(f"--resume is {path!r}: that is a folder, the run file or checkpoint in it is expected")
    run = load_run(path)
    if run.steps is None:
        raise ValueError(f"{path} was not written by mjorbit-warp run: go on with it by mjorbit_warp.load_run")
    _check_same(path, run, given)
    plan = _plan(path, run, given["duration"])
    own = path.removesuffix(".part")
    out = own if given["out"] is None else given["out"]
    mine = os.path.realpath(out) == os.path.realpath(own)
    from_part = mine and own != path
    out_path = run_output(out, overwrite=mine or given["force"], restart=from_part or given["force"])
    plot = run.options.get("plot") if given["plot"] is None else given["plot"]
    plot_path = None if plot is None else writable_output("--plot", plot, ".png")
    wanted = run.options.get("device") if given["device"] is None else given["device"]
    device = warp_device(wanted)
    if device.is_cuda != run.device.startswith("cuda"):
        warnings.warn(
            f"{path} was run on {run.device} and goes on on {device.alias}: not with the same bits",
            MjoWarning,
            stacklevel=2,
        )
    folder = run.options.get("dump") if given["dump"] is None else given["dump"]
    watch = Watch(bool(given["strict"] or run.options.get("strict")), dump_folder(folder))
    model, data = run.restore(device=device, state_ring=watch.depth)
    watch.look(model, data, known=True)
    recorder = Recorder(data, run.world_ids)
    # a record at an end that is no longer the end is dropped: the file is that of one long run
    recorder.extend(vars(run), run.steps.done // run.steps.every + 1)
    options = dict(run.options) | {"out": str(out_path), "plot": plot, "device": wanted, "json": given["json"]}
    if given["duration"] is not None and plan.nstep != run.steps.planned:
        options["duration"] = given["duration"]
        options["record_every"] = float(f"{plan.every * plan.dt:.12g}")
    options |= {"dump": folder, "strict": watch.strict}
    return Job(run.xml, model, data, recorder, plan, options, pathlib.Path(out_path), plot_path, watch)
