"""The picture of a run."""

import os
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from mjorbit_warp import frames
from mjorbit_warp.cli.checks import whole_motion
from mjorbit_warp.plot_style import COLORS, label_axes

F64 = NDArray[np.float64]
SHOWN = 12  # worlds, at most
TOO_FAR = 0.1  # share of |r| beyond which a world has gone bad, as Status has it
_PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_TIMES = ((3 * 86400.0, 86400.0, "days"), (3 * 3600.0, 3600.0, "h"), (600.0, 60.0, "min"), (0.0, 1.0, "s"))


def _scaled(values: F64, unit: str, kilo: bool = False) -> tuple[F64, str]:
    """Values in a unit that makes the largest of them 1 to 1000, and its symbol."""
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max(initial=0.0))
    if kilo and largest >= 1e4:
        return values / 1e3, f"k{unit}"
    if largest == 0.0:
        return values, unit
    factor, prefix = next((x for x in _PREFIXES if largest >= x[0]), _PREFIXES[-1])
    return values / factor, f"{prefix}{unit}"


def _turn(mj: mujoco.MjModel, qpos: F64) -> tuple[F64, str]:
    """Angle of the first free body from its first attitude [deg] (K, P), and the body's name."""
    joint = int(np.flatnonzero(mj.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE))[0])
    at = int(mj.jnt_qposadr[joint]) + 3
    quat = qpos[..., at : at + 4]
    first = quat[0]
    # |sin| of the half angle by differences: an arc cosine loses small angles
    near = np.where(np.sum(quat * first, axis=-1, keepdims=True) < 0.0, -quat, quat)
    apart, along = np.linalg.norm(near - first, axis=-1), np.linalg.norm(near + first, axis=-1)
    return np.degrees(4.0 * np.arctan2(apart, along)), str(mj.body(int(mj.jnt_bodyid[joint])).name) or "free body"


def _worlds(count: int) -> str:
    return f"{count} world{'s' * (count > 1)}"


def draw_run(path: str | os.PathLike[str], mj: mujoco.MjModel, arrays: Mapping[str, NDArray[Any]], title: str) -> None:
    """Write four panels as a PNG file, from the arrays of a Recorder."""
    kept = arrays["qpos"].shape[1]
    alike = kept > 1 and all(
        np.array_equal(arrays[name], arrays[name][:, :1].repeat(kept, 1)) for name in ("qpos", "r")
    )
    worlds = 1 if alike else min(SHOWN, kept)
    qpos, qvel = (arrays[name][:, :worlds].astype(np.float64) for name in ("qpos", "qvel"))
    motion = whole_motion(mj, qpos, qvel)
    r, v = arrays["r"][:, :worlds], arrays["v"][:, :worlds]
    with np.errstate(over="ignore", invalid="ignore"):
        far = np.linalg.norm(motion.com, axis=-1)
        bad = ~(far < TOO_FAR * np.linalg.norm(r, axis=-1))  # not finite, or nowhere
        bad = np.logical_or.accumulate(bad, axis=0)
        com = np.asarray(frames.lvlh_from_of(r, v, motion.com))
        turn, bus = _turn(mj, qpos)
        size = np.linalg.norm(motion.momentum, axis=-1)
    com[bad], turn[bad], size[bad] = np.nan, np.nan, np.nan
    com = com - com[0]
    plane, length = _scaled(com[..., :2], "m", kilo=True)
    across, width = _scaled(com[..., 2], "m", kilo=True)
    change, momentum = _scaled(size - size[0], "N·m·s")
    seconds = arrays["time"] - arrays["time"][0]
    divisor, clock = next((d, name) for least, d, name in _TIMES if seconds[-1] >= least)
    t = seconds / divisor

    figure = Figure(figsize=(12.0, 9.0), layout="constrained")
    FigureCanvasAgg(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(w_pad=0.12, h_pad=0.12, wspace=0.03, hspace=0.04)  # type: ignore[call-arg]
    grid = figure.subplots(2, 2)
    looks = [
        {"color": COLORS[w % len(COLORS)], "linestyle": "-" if w < len(COLORS) else "--", "linewidth": 1.8}
        for w in range(worlds)
    ]
    names = [f"world {i}" for i in arrays["world_ids"][:worlds]]

    axes = grid[0, 0]
    for w, look in enumerate(looks):
        axes.plot(plane[:, w, 1], plane[:, w, 0], **look)
        axes.plot(plane[-1, w, 1], plane[-1, w, 0], color=look["color"], marker="o", markersize=5)
    axes.plot(0.0, 0.0, color="black", marker="+", markersize=12, markeredgewidth=1.8)
    axes.set_aspect("equal", adjustable="datalim")
    label_axes(axes, "Centre of mass in LVLH, from its start (+)", f"in-track [{length}]", f"radial [{length}]")
    panels = (
        (grid[0, 1], across, "Centre of mass across the orbit, from its start", f"cross-track [{width}]"),
        (grid[1, 0], turn, f"Attitude of {bus} from its start, inertial", "angle [deg]"),
        (grid[1, 1], change, "Change of angular momentum about the centre of mass", f"|H| − |H| at start [{momentum}]"),
    )
    for axes, values, heading, label in panels:
        for w, look in enumerate(looks):
            axes.plot(t, values[:, w], label=names[w], **look)
        label_axes(axes, heading, f"time [{clock}]", label)
        axes.margins(x=0.02)
    handles, labels = grid[1, 0].get_legend_handles_labels()
    if worlds > 1:
        figure.legend(handles, labels, loc="outside lower center", ncol=min(6, worlds), frameon=False, fontsize=9)
    shown = f"{kept} worlds, all alike" if alike else f"{worlds} of {kept} worlds" if worlds < kept else _worlds(kept)
    cut = "; curves end where a world went bad" if bad.any() else ""
    figure.suptitle(f"{title}, {shown}, {t[-1]:.4g} {clock}{cut}", fontsize=14, fontweight="bold")
    with open(path, "xb") as file:
        figure.savefig(file, format="png", dpi=110)
