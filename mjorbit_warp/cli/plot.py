"""The picture of the demo."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mjorbit_warp.plot_style import COLORS, label_axes

if TYPE_CHECKING:
    from mjorbit_warp.cli.demo import Analysis, Recording
    from mjorbit_warp.model import MjoModel

SHOWN = 6  # worlds in the panels over time


def _key(axes: Any, entries: list[tuple[str, dict[str, Any]]], **place: Any) -> None:
    handles = [Line2D([], [], label=label, **style) for label, style in entries]
    axes.legend(handles=handles, frameon=False, fontsize=9, **place)


def _paths(axes: Any, analysis: "Analysis") -> None:
    path = analysis.lvlh - analysis.lvlh[0]
    line = analysis.straight - analysis.straight[0]
    for w in range(path.shape[1]):
        color = COLORS[w % len(COLORS)]
        axes.plot(line[:, w, 1], line[:, w, 0], color=color, linestyle="--", linewidth=1.0, alpha=0.7)
        axes.plot(path[:, w, 1], path[:, w, 0], color=color, linewidth=1.8)
        axes.plot(path[-1, w, 1], path[-1, w, 0], color=color, marker="o", markersize=4)
    axes.plot(0.0, 0.0, color="black", marker="+", markersize=12, markeredgewidth=1.8)
    axes.set_aspect("equal", adjustable="datalim")
    label_axes(axes, "Centres of mass, each from its start", "in-track [m]", "radial [m]")
    entries: list[tuple[str, dict[str, Any]]] = [
        ("simulated", {"color": "0.3", "linewidth": 1.8}),
        ("straight line, no gravity", {"color": "0.3", "linewidth": 1.0, "linestyle": "--"}),
        ("start", {"color": "black", "marker": "+", "markersize": 9, "linestyle": "none"}),
    ]
    _key(axes, entries, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=3, columnspacing=1.2, handletextpad=0.5)


def draw(path: str | os.PathLike[str], rec: "Recording", analysis: "Analysis", model: "MjoModel") -> None:
    """Write the six panels as a PNG file."""
    figure = Figure(figsize=(15.0, 9.0), layout="constrained")
    FigureCanvasAgg(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(w_pad=0.12, h_pad=0.12, wspace=0.03, hspace=0.04)  # type: ignore[call-arg]
    grid = figure.subplots(2, 3)
    t = rec.times
    shown = min(SHOWN, analysis.turn.shape[1])
    below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncol": 2}
    _paths(grid[0, 0], analysis)

    axes = grid[0, 1]
    for w in range(shown):
        axes.plot(t, analysis.tidal[:, w], color=COLORS[w], linewidth=1.8)
        axes.plot(
            t[::4],
            analysis.tidal_cw[::4, w],
            color=COLORS[w],
            marker="o",
            markersize=4,
            fillstyle="none",
            linestyle="none",
        )
    label_axes(axes, "Tidal displacement from the straight line", "time [s]", "distance [m]")
    _key(
        axes,
        [
            ("simulated", {"color": "0.3", "linewidth": 1.8}),
            ("Clohessy-Wiltshire", {"color": "0.3", "marker": "o", "fillstyle": "none", "linestyle": "none"}),
        ],
        **below,
    )

    axes = grid[0, 2]
    error = analysis.error[np.isfinite(analysis.error)] * 1e3
    axes.hist(error, bins=min(30, max(1, error.size)), color=COLORS[0], edgecolor="white", linewidth=0.5)
    label_axes(axes, "All worlds against Clohessy-Wiltshire", "distance at the end [mm]", "worlds")

    axes = grid[1, 0]
    for w in range(shown):
        axes.plot(t, analysis.turn[:, w], color=COLORS[w], linewidth=1.8, label=f"world {w}")
    label_axes(axes, "Attitude of the bus from its start", "time [s]", "angle [deg]")
    axes.legend(frameon=False, fontsize=9, **(below | {"ncol": 3}))

    axes = grid[1, 1]
    mj = model.mj
    for i in range(min(4, mj.nu)):
        joint = int(mj.actuator_trnid[i, 0])
        angle = np.degrees(rec.qpos[:, 0, mj.jnt_qposadr[joint]])
        axes.plot(t, angle, color=COLORS[i], linewidth=1.8, label=mj.joint(joint).name)
        axes.plot(t, np.degrees(rec.ctrl[:, i]), color=COLORS[i], linestyle="--", linewidth=1.0)
    label_axes(axes, "Left arm of world 0", "time [s]", "angle [deg]")
    handles, labels = axes.get_legend_handles_labels()
    handles.append(Line2D([], [], color="0.3", linestyle="--", linewidth=1.0))
    axes.legend(handles, [*labels, "command"], frameon=False, fontsize=9, **(below | {"ncol": 5, "columnspacing": 1.0}))

    axes = grid[1, 2]
    for w in range(shown):
        axes.plot(t, 1e3 * np.linalg.norm(analysis.momentum[:, w], axis=-1), color=COLORS[w], linewidth=1.8)
        predicted = 1e3 * np.linalg.norm(analysis.impulse[:, w], axis=-1)
        axes.plot(t[::4], predicted[::4], color=COLORS[w], marker="o", markersize=4, fillstyle="none", linestyle="none")
    label_axes(axes, "Change of angular momentum about COM", "time [s]", "|ΔH| [mN·m·s]")
    _key(
        axes,
        [
            ("simulated", {"color": "0.3", "linewidth": 1.8}),
            ("gravity-gradient impulse", {"color": "0.3", "marker": "o", "fillstyle": "none", "linestyle": "none"}),
        ],
        **below,
    )
    nworld = len(analysis.error)
    title = f"{nworld:,} two-arm free-flyer{'s' if nworld > 1 else ''} in the ISS's orbit, {t[-1]:.4g} s"
    figure.suptitle(title, fontsize=14, fontweight="bold")
    with open(path, "xb") as file:
        figure.savefig(file, format="png", dpi=110)
