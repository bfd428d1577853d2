"""The picture of a replay."""

import os
from collections.abc import Sequence

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from mjorbit_warp.dump import Dump
from mjorbit_warp.plot_style import COLORS, label_axes
from mjorbit_warp.replay import Replay

F64 = NDArray[np.float64]
_DECADES = 1e3  # a spread beyond it would be a line along the axis


def _largest(values: F64) -> F64:
    with np.errstate(invalid="ignore"):
        size = np.abs(values).max(axis=1, initial=0.0)
    return np.where(np.isfinite(size), size, np.nan)


def draw_replay(path: str | os.PathLike[str], dump: Dump, runs: Sequence[Replay]) -> None:
    """Largest entries of positions and velocities, as recorded and as replayed, as a PNG file."""
    figure = Figure(figsize=(10.0, 7.0), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(2, 1, sharex=True)
    time = dump.component("time")[:, 0]
    for axes, name, label in ((grid[0], "qpos", "|qpos| [m, rad]"), (grid[1], "qvel", "|qvel| [m/s, rad/s]")):
        shown = [_largest(dump.component(name))]
        axes.plot(time, shown[0], color="0.6", linewidth=5, label="recorded")
        for k, run in enumerate(runs):
            t = run.states[:, run.layout["time"]][:, 0]
            look = {"color": COLORS[k], "marker": "o", "markersize": 4, "linewidth": 1.4}
            shown.append(_largest(run.states[:, run.layout[name]]))
            axes.plot(t, shown[-1], label=f"replay, {run.backend}", **look)
            if run.bad is not None:
                axes.axvline(run.bad.time, color=COLORS[k], linestyle=":")
        sizes = np.concatenate(shown)
        sizes = sizes[sizes > 0.0]  # what is not finite is not shown
        if sizes.size and sizes.max() > _DECADES * sizes.min():
            axes.set_yscale("log")
        label_axes(axes, f"Largest entry of {name}", "time [s]", label)
    grid[0].legend(frameon=False, fontsize=9)
    names = ", ".join(dump.conditions) or "well"
    figure.suptitle(f"world {dump.world}: {names}; dotted: the step that goes bad", fontsize=13, fontweight="bold")
    with open(path, "xb") as file:
        figure.savefig(file, format="png", dpi=110)
