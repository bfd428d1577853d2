"""``mjorbit-warp generate``: a dataset of many episodes."""

import json as json_format
import os
import pathlib
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress as Bar
from rich.table import Table

from mjorbit_warp.cli.common import arg, progress_bar, warp_device
from mjorbit_warp.cli.stepping import Stop
from mjorbit_warp.datasets.config import load_config
from mjorbit_warp.datasets.progress import Progress

SHOWN = 5  # bad episodes in the summary


class _Shown(Progress):
    """Progress as a bar, with the rate."""

    def __init__(self, bar: Bar) -> None:
        super().__init__()
        self._bar, self._of = bar, 0
        self._task = bar.add_task("checking", total=None, rate="")

    def begin(self, steps: int, shards: int) -> None:
        """What is to come."""
        self._of = shards
        self._bar.reset(self._task, total=max(steps, 1), description="starting")

    def steps(self, count: int) -> None:
        super().steps(count)
        task = self._bar.tasks[self._task]
        rate = self.done / task.elapsed if task.elapsed else 0.0
        self._bar.update(
            self._task,
            completed=self.done,
            description=f"shards {self.shards}/{self._of}",
            rate=f"{rate:,.0f} world-steps/s",
        )

    def shard(self, index: int, bad: dict[str, dict[str, Any]]) -> None:
        super().shard(index, bad)
        self._bar.update(self._task, description=f"shards {self.shards}/{self._of}")

    def note(self, text: str) -> None:
        super().note(text)
        self._bar.console.print(f"note: {escape(text)}", highlight=False, soft_wrap=True)


def bad_lines(bad: Any) -> list[str]:
    """The first episodes that are not as they should be, in words."""
    lines = []
    for index, what in list(bad.items())[:SHOWN]:
        said = [*what["status"], *what["notes"][:2]]
        lines.append(f"{index}: {', '.join(said)}")
    return lines + ([f"and {len(bad) - SHOWN} more"] if len(bad) > SHOWN else [])


def _table(result: dict[str, Any]) -> Table:
    table = Table(title=escape(result["out"]), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    new, total = f"{result['made']} now, {result['shards']} in all", f"{result['shards']}, all there: nothing was to do"
    made = new if result["made"] else total
    table.add_row("shards", made)
    table.add_row("episodes", f"{result['episodes']:,}")
    if result["made"]:
        table.add_row("wall time", f"{result['wall_s']:.1f} s, loading and compiling included")
        table.add_row("rate", f"{result['world_steps_per_s']:,.0f} world-steps/s")
    table.add_row("bad episodes", escape("\n".join(bad_lines(result["bad"])) or "none"))
    return table


def generate(
    config: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="CONFIG")]],
    *,
    out: Annotated[str | None, arg("DIR", "default: CONFIG's name with _data")] = None,
    workers: Annotated[int, arg("N", "default: 1")] = 1,
    batch: Annotated[int | None, arg("N", "default: a shard's episodes")] = None,
    resume: Annotated[bool, arg(None, "default: off")] = False,
    device: Annotated[str | None, arg("NAME", "default: a GPU if there is one")] = None,
    ray: Annotated[str | None, arg("ADDRESS")] = None,
    json: Annotated[bool, arg(None, "default: off")] = False,
) -> int:
    """Make a dataset of many episodes, in shards that are whole and checksummed or not there at all.

    An episode depends on the configuration and its number alone: neither --workers nor --batch nor a stop changes a bit
    of it. After Ctrl-C, SIGTERM or a kill, --resume goes on. The exit code is 1 if an episode went bad, 130 if Ctrl-C
    or SIGTERM stopped it.

    Args:
      config: a TOML file, or the name of a shipped one (two_arm).
      out: folder of the dataset.
      workers: processes.
      batch: episodes stepped at once.
      resume: go on with the dataset in --out.
      device: Warp device, as cpu or cuda:0.
      ray: make the shards as tasks of the Ray cluster at this address; local starts one with --workers.
      json: print the summary as JSON.
    """
    from mjorbit_warp.datasets.generate import generate as make

    loaded = load_config(config)
    folder = out or f"{pathlib.Path(config).stem}_data"
    warp_device(device)
    with Stop().watching() as stop, progress_bar(Console(stderr=True)) as bar:
        stop.gentle = True
        shown = _Shown(bar)
        try:
            done = make(
                loaded,
                folder,
                workers=workers,
                resume=resume,
                batch=batch,
                device=device,
                ray=ray,
                progress=shown,
                begin=shown.begin,
                stop=lambda: stop.asked,
            )
        except KeyboardInterrupt:
            options = f" --out {folder}" if out else ""
            go_on = f"go on with mjorbit-warp generate {config}{options} --resume"
            raise KeyboardInterrupt(f"stopped after {shown.shards} of {shown._of} shards: {go_on}") from None
    result = {
        "config": config,
        "out": os.fspath(done.folder),
        "shards": done.shards,
        "episodes": done.episodes,
        "made": done.made,
        "wall_s": done.wall_s,
        "world_steps_per_s": done.steps / done.wall_s if done.made else None,
        "bad": done.bad,
        "notes": list(done.notes),
    }
    if json:
        print(json_format.dumps(result, indent=2, allow_nan=False))
    else:
        Console().print(_table(result))
    return 1 if done.bad else 0
