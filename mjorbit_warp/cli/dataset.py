"""``mjorbit-warp dataset``: what is in a dataset, whether it is whole, and a picture of it."""

import json as json_format
import pathlib
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mjorbit_warp.cli.common import arg, writable_output
from mjorbit_warp.cli.generate import bad_lines

if TYPE_CHECKING:
    from mjorbit_warp.datasets.read import Dataset

OPTIONS = {"out": "plot", "id": "minari"}
_EPISODE = {
    "index": "number of the episode",
    "length": "rows that count, the start included",
    "status": "bits of mjorbit_warp.Status at the end",
    "bad_ctrl": "a command was not finite, and taken as 0",
}


def _other(name: str) -> dict[str, str]:
    """What arrays are that are no fields."""
    group, _, key = name.partition("/")
    if group == "parameters":
        return {"description": "as drawn for the episode"}
    return {"units": "-", "description": _EPISODE.get(key, "")}


def _summary(data: "Dataset") -> dict[str, Any]:
    about, config = data.about, data.about["config"]
    manifests = list(data.manifests.values())
    arrays = {name: {"shape": list(data[name].shape), "dtype": data[name].dtype.name} for name in data.names}
    return {
        "path": str(data.path),
        "format": config["format"],
        "episodes": len(data),
        "episodes_planned": config["episodes"]["count"],
        "shards": len(manifests),
        "shards_missing": list(data.missing),
        "bytes": sum(f["bytes"] for m in manifests for f in m["files"].values()),
        "duration_s": config["episodes"]["duration"],
        "rate_hz": config["episodes"]["rate"],
        "rows": about["rows"] + 1,
        "timestep_s": about["timestep"],
        "seed": about["seed"],
        "scenario": config["scenario"]["model"] or config["scenario"]["task"],
        "policy": config["policy"]["kind"],
        "randomized": list(config["randomize"]),
        "device": about["device"],
        "versions": about["versions"],
        "arrays": {name: what | about["fields"].get(name, _other(name)) for name, what in arrays.items()},
        "bad": {str(index): what for index, what in data.bad.items()},
    }


def _size(count: int) -> str:
    value, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000.0 or unit == "TB":
            break
        value /= 1000.0
    return f"{value:.3g} {unit}"


def _print(s: dict[str, Any]) -> None:
    console = Console()
    table = Table(title=escape(s["path"]), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    missing = f", {len(s['shards_missing'])} missing" if s["shards_missing"] else ""
    rows = {
        "episodes": f"{s['episodes']:,} of {s['episodes_planned']:,}, {s['duration_s']:g} s each",
        "rows": f"{s['rows']:,} at {s['rate_hz']:g} Hz, the start first; steps of {s['timestep_s']:g} s",
        "shards": f"{s['shards']}{missing}, {_size(s['bytes'])} of {s['format']}",
        "scenario": f"{s['scenario']}, policy {s['policy']}, seed {s['seed']}",
        "randomised": ", ".join(s["randomized"]) or "nothing",
        "made with": ", ".join(f"{k} {v}" for k, v in s["versions"].items()) + f", on {s['device']}",
        "bad episodes": "\n".join(bad_lines(s["bad"])) or "none",
    }
    for key, value in rows.items():
        table.add_row(key, escape(value))
    console.print(table)
    arrays = Table(show_lines=False)
    for heading in ("array", "shape", "type", "units", "frame", "what"):
        arrays.add_column(heading, overflow="fold")
    for name, a in s["arrays"].items():
        shape = " × ".join(map(str, a["shape"]))
        arrays.add_row(
            *(escape(x) for x in (name, shape, a["dtype"], *(a.get(k, "") for k in ("units", "frame", "description"))))
        )
    console.print(arrays)


def _verify(data: "Dataset") -> int:
    wrong = data.verify()
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        return 1
    files = sum(len(m["files"]) for m in data.manifests.values())
    print(f"{data.path}: {len(data):,} episodes in {len(data.manifests)} shards, {files} files as they were written")
    return 0


def dataset(
    action: tyro.conf.Positional[
        Annotated[Literal["info", "verify", "plot", "minari"], tyro.conf.arg(metavar="ACTION")]
    ],
    folder: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="DIR")]],
    *,
    out: Annotated[str | None, arg("FILE.png", "default: DIR's name with .png")] = None,
    id: Annotated[str | None, arg("ID", "required for minari")] = None,
    json: Annotated[bool, arg(None, "default: off")] = False,
) -> int:
    """Look at a dataset of mjorbit-warp generate, finished or not.

    Args:
      action: info prints what is in it; verify compares every file with its checksum, exit code 1 if one differs or
        misses; plot draws a picture; minari exports it to the local Minari datasets.
      folder: of the dataset.
      out: the picture to draw; one that exists is replaced.
      id: of the Minari dataset, as two_arm/smooth-v0.
      json: print info as JSON.
    """
    from mjorbit_warp.datasets.read import open_dataset

    for name, value in (("out", out), ("id", id)):
        if value is not None and OPTIONS[name] != action:
            raise ValueError(f"--{name} is an option of {OPTIONS[name]}, not of {action}")
    if json and action != "info":
        raise ValueError(f"--json is an option of info, not of {action}")
    data = open_dataset(folder)
    if action == "verify":
        return _verify(data)
    if action == "info":
        summary = _summary(data)
        if json:
            print(json_format.dumps(summary, indent=2, allow_nan=False))
        else:
            _print(summary)
        return 0
    if not len(data):
        raise ValueError(f"{folder!r} has no shard yet: make some with mjorbit-warp generate")
    if action == "minari":
        from mjorbit_warp.datasets.minari_export import export_minari

        if id is None:
            raise ValueError("minari needs --id, as two_arm/smooth-v0")
        path = export_minari(data, id)
        print(f"{len(data)} episodes are in {path}")
        return 0
    from mjorbit_warp.cli.plot_dataset import draw_dataset
    from mjorbit_warp.run_file import replacing

    picture = writable_output("--out", out or f"{pathlib.Path(folder).absolute().name}.png", ".png")
    with replacing(picture) as part:
        draw_dataset(part, data)
    print(picture)
    return 0
