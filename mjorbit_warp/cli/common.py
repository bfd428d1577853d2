"""What the subcommands share."""

import pathlib
from typing import Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.quiet import start_warp
from mjorbit_warp.run_file import replacing


def arg(metavar: str | None, hint: str = "optional") -> Any:
    """How an option is shown in --help, where its default in the signature says little; a flag has no metavar."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=f"({hint})")


def integrator_name(value: int) -> str:
    """Name of MuJoCo's integrator, as --integrator has it."""
    return next(name for name, known in INTEGRATORS.items() if int(known) == int(value))


def writable_output(option: str, name: str, suffix: str) -> pathlib.Path:
    """The path of an output that can be written; anything else is refused before the work starts."""
    path = pathlib.Path(name)
    if path.suffix.lower() != suffix:
        raise ValueError(f"{option} is {name!r}: a name that ends in {suffix} is expected")
    if path.is_dir():
        raise ValueError(f"{option} is {name!r}: that is a folder")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{option} is {name!r}: there is no folder {str(path.parent)!r}")
    try:
        with replacing(path, keep=False) as part, open(part, "xb"):
            pass
    except OSError as error:
        raise ValueError(f"{option} is {name!r}: cannot write there ({error.strerror})") from error
    return path


def run_output(name: str, overwrite: bool, restart: bool) -> pathlib.Path:
    """The path of a run file, which may be hours of work: none is overwritten unless that was asked for.

    Args:
      overwrite: allow that the file exists.
      restart: allow that a checkpoint of it exists.
    """
    path = writable_output("--out", name, ".npz")
    part = path.with_name(path.name + ".part")
    if part.exists() and not restart:
        raise ValueError(
            f"--out is {name!r}: {str(part)!r} is left of a run that was stopped; go on with it by --resume {part}, or "
            "give --force to overwrite it"
        )
    if path.exists() and not overwrite:
        raise ValueError(f"--out is {name!r}: that file exists, and only --force overwrites it")
    return path


def warp_device(name: str | None) -> Any:
    """The Warp device of that name; Warp itself says no more than warnings from here on."""
    import warp as wp

    start_warp()
    try:
        return wp.get_device(name)
    except (ValueError, RuntimeError):
        known = ", ".join(device.alias for device in wp.get_devices())
        raise ValueError(f"--device is {name!r}: available here are {known}") from None


def bad_text(bad: dict[str, list[int]]) -> str:
    """Status bits and the first worlds that have them."""
    parts = []
    for name, worlds in bad.items():
        first = ", ".join(map(str, worlds[:5])) + (", …" if len(worlds) > 5 else "")
        parts.append(f"{name} in {len(worlds)}: {first}")
    return "; ".join(parts) or "none"


def progress_bar(console: Console) -> Progress:
    """Bar, percentage, the task's own ``rate`` field and the time left."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[rate]}"),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    )
