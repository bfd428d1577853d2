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
# Okabe and Ito's colours, which colour-blind readers can tell apart
BLUE, RED, GREEN, PINK, ORANGE, SKY, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"


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


def style(axes: Any, title: str, x: str, y: str) -> None:
    """Title, labels with units, a light grid."""
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def save(made: Any, path: pathlib.Path) -> None:
    """Write the picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        made.savefig(part, format="png", dpi=130)
