"""Error growth of each case as a PNG."""

import os
import pathlib
from typing import Any

import numpy as np

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C564B")
STYLES = {"reference": "-", "warp": "--", "shadow": ":", "host": "-"}


def draw(folder: str | os.PathLike[str], result: dict[str, Any]) -> list[pathlib.Path]:
    """A file CASE.png per case that has a course over time, and those files' paths; the folder must be there."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    written = []
    for name, case in result["cases"].items():
        panels: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
        for variant, one in case["variants"].items():
            for quantity, q in one.get("quantities", {}).items():
                if len(q["t"]) > 1 and "above" not in q:
                    panels.setdefault(q["unit"], []).append((quantity, variant, q))
        if not panels:
            continue
        figure = Figure(figsize=(6.5 * len(panels), 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        for axes, (unit, curves) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
            names = list(dict.fromkeys(quantity for quantity, _, _ in curves))
            for quantity, variant, q in curves:
                color = COLORS[names.index(quantity) % len(COLORS)]
                value = np.maximum(np.array(q["value"]), 1e-18)  # a logarithm has no 0
                axes.semilogy(q["t"], value, STYLES[variant], color=color, label=f"{quantity}, {variant}")
                axes.plot(q["t"][-1], q["below"], marker="_", markersize=14, color=color)
            axes.set_xlabel("time [s]")
            axes.set_ylabel(f"error [{unit or 'relative'}]")
            axes.grid(color="0.9")
            axes.legend(fontsize=7, frameon=False)
        figure.suptitle(f"{name}: {case['title']}; dashes at the end: allowed", fontsize=8)
        path = pathlib.Path(folder) / f"{name}.png"
        figure.savefig(path, dpi=110)
        written.append(path)
    return written
