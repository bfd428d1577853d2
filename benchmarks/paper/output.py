"""What the figures share: the command line, the JSON file, the picture's style."""

import argparse
import json
import os
import pathlib
import time
from typing import Any

from mjorbit_warp import extras
from mjorbit_warp.bench.machine import processor
from mjorbit_warp.run_file import package_versions, replacing

RESULTS = pathlib.Path(__file__).parent.parent / "results" / "paper"


def parser(doc: str | None) -> argparse.ArgumentParser:
    """The options of every figure: --out."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--out", type=pathlib.Path, default=RESULTS, help="folder of the JSON and the PNG")
    return made


def write_json(path: pathlib.Path, result: dict[str, Any], began: float) -> None:
    """The result with where it was computed and how long it took since ``began`` (of time.perf_counter)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {
        "wall_s": round(time.perf_counter() - began, 1),
        "processor": processor(),
        "cpus": os.cpu_count(),
        "versions": package_versions(),
    }
    with replacing(path) as part:
        part.write_text(json.dumps(head | result, indent=1) + "\n", encoding="utf-8")
    print(f"{path.name}: {head['wall_s']} s")


def figure(width: float, height: float) -> Any:
    """An empty figure of so many inches that needs no display."""
    extras.need("matplotlib", "cli", "the picture")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    return made


def save(made: Any, path: pathlib.Path) -> None:
    """Write the picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        made.savefig(part, format="png", dpi=130)
