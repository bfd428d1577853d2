"""A PNG per case: error growth over time, or the worst values of a case that has no course."""

import os
import pathlib
import textwrap
from typing import Any

import numpy as np

from mjorbit_warp.plot_style import COLORS
from mjorbit_warp.run_file import replacing

STYLES = {"reference": "-", "warp": "--", "shadow": ":", "host": "-"}
Curve = tuple[str, str, dict[str, Any]]  # quantity, variant, its result


def _growth(axes: Any, unit: str, curves: list[Curve]) -> None:
    names = list(dict.fromkeys(quantity for quantity, _, _ in curves))
    for quantity, variant, q in curves:
        color = COLORS[names.index(quantity) % len(COLORS)]
        value = np.array(q["value"], dtype=np.float64)
        value[value == 0.0] = np.nan  # no place on a logarithmic axis
        axes.semilogy(q["t"], value, STYLES[variant], color=color, label=f"{quantity}, {variant}")
        axes.plot(q["t"][-1], q["below"], marker="_", markersize=14, color=color)
    axes.set_xlabel("time [s]")
    axes.set_ylabel(f"error [{unit or 'relative'}]")


def _shares(axes: Any, curves: list[Curve]) -> None:
    for i, (_, variant, q) in enumerate(curves):
        axes.semilogx(q["worst"] / q["below"], i, "o", color=COLORS[list(STYLES).index(variant)])
        axes.text(q["worst"] / q["below"] * 1.3, i, f"{q['worst']:.2g} {q['unit']}", fontsize=7, va="center")
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(curves)), [f"{quantity}, {variant}" for quantity, variant, _ in curves], fontsize=7)
    axes.set_xlabel("worst error ÷ largest allowed [1]")
    axes.set_ylabel("quantity, variant")
    axes.margins(x=0.3)


def draw(folder: str | os.PathLike[str], result: dict[str, Any]) -> list[pathlib.Path]:
    """A file CASE.png per case that was not skipped, and those files' paths; the folder must be there."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    written = []
    for name, case in result["cases"].items():
        every: list[Curve] = [
            (quantity, variant, q)
            for variant, one in case["variants"].items()
            for quantity, q in one.get("quantities", {}).items()
        ]
        if not every:
            continue
        panels: dict[str, list[Curve]] = {}
        for curve in every:
            if len(curve[2]["t"]) > 1 and "above" not in curve[2]:
                panels.setdefault(curve[2]["unit"], []).append(curve)
        figure = Figure(figsize=(6.5 * max(len(panels), 1), 5.2), layout="constrained")
        FigureCanvasAgg(figure)
        rows = figure.subplots(1, max(len(panels), 1), squeeze=False)[0]
        for axes, (unit, curves) in zip(rows, panels.items(), strict=False):
            _growth(axes, unit, curves)
            axes.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=3)
        if not panels:
            _shares(rows[0], [curve for curve in every if "above" not in curve[2]])
        for axes in rows:
            axes.grid(color="0.9")
            axes.set_axisbelow(True)
        marks = "dashes at the right edge: allowed" if panels else "line: the allowed"
        title = "\n".join(textwrap.wrap(f"{name}: {case['title']}; {marks}", 85 * max(len(panels), 1)))
        figure.suptitle(title, fontsize=8)
        path = pathlib.Path(folder) / f"{name}.png"
        with replacing(path) as part:
            figure.savefig(part, format="png", dpi=110)
        written.append(path)
    return written
