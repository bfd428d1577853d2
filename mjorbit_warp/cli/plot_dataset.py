"""The picture of a dataset: how its episodes spread, and some of them."""

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from mjorbit_warp.cli.plot_run import _scaled
from mjorbit_warp.plot_style import COLORS, label_axes

if TYPE_CHECKING:
    from mjorbit_warp.datasets.read import Dataset

F64 = NDArray[np.float64]
MOST = 512  # episodes that statistics are taken from
PANELS = 6
SHOWN = ("#0072B2", "#D55E00", "#009E73")  # episodes that are drawn as lines
_PLAIN = ("time", "status", "orbit.t", "orbit.r", "orbit.v", "orbit.lvlh")  # alike in all episodes, or nearly so


@dataclasses.dataclass
class _Curves:
    """One number over time of each episode (n, rows), NaN past its end; ``dashed`` is what it should follow."""

    title: str
    values: F64
    unit: str
    label: str
    dashed: F64 | None = None


def _sampled(count: int) -> NDArray[np.int64]:
    """Positions of at most MOST episodes, over the whole dataset."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST)).round().astype(np.int64))


def _read(data: "Dataset", name: str, chosen: NDArray[np.int64]) -> F64:
    """Rows (n, rows, components), NaN past an episode's length."""
    values = data[name][chosen].astype(np.float64)
    values = values.reshape(*values.shape[:2], -1)
    length = data["episode/length"][chosen] - (name == "ctrl")
    values[np.arange(values.shape[1]) >= length[:, None]] = np.nan
    return values


def _norm(values: F64) -> F64:
    return np.sqrt(np.sum(values**2, axis=-1))


def _coordinates(data: "Dataset", chosen: NDArray[np.int64]) -> list[_Curves]:
    """Of the first free body how far it has moved and how fast, and of the first joint its angle and command."""
    found: list[_Curves] = []
    fields = data.fields
    if "qpos" in fields:
        columns, values = fields["qpos"]["elements"], _read(data, "qpos", chosen)
        free = next((c.removesuffix(".x") for c in columns if c.endswith(".x")), None)
        if free is not None:
            at = [columns.index(f"{free}.{axis}") for axis in "xyz"]
            way = _norm(values[..., at] - values[:, :1, at])
            found.append(_Curves(f"{free}: way from its start", way, "m", "distance"))
        joint = next((c for c in columns if "." not in c), None)
        if joint is not None:
            known = fields.get("ctrl", {}).get("elements") or []
            dashed = _read(data, "ctrl", chosen)[..., known.index(joint)] if joint in known else None
            what = f"{joint}: joint" + ("" if dashed is None else " and command")
            found.append(_Curves(what, values[..., columns.index(joint)], "", "position [rad or m]", dashed))
    if "qvel" in fields:
        columns, values = fields["qvel"]["elements"], _read(data, "qvel", chosen)
        free = next((c.removesuffix(".vx") for c in columns if c.endswith(".vx")), None)
        if free is not None:
            for parts, unit, what in ((("vx", "vy", "vz"), "m/s", "speed"), (("wx", "wy", "wz"), "rad/s", "rate")):
                at = [columns.index(f"{free}.{part}") for part in parts]
                found.append(_Curves(f"{free}: {what}", _norm(values[..., at]), unit, what))
    return found


def _others(data: "Dataset", chosen: NDArray[np.int64]) -> list[_Curves]:
    """Other fields, sensors first: the size of three components, else the first that differs."""
    names = [n for n in data.fields if n not in ("qpos", "qvel") and not n.startswith(("image:", "depth:"))]
    order = sorted(names, key=lambda n: 2 if n in _PLAIN else 0 if n.startswith("sensor:") else 1)
    found = []
    for name in order[: 2 * PANELS]:
        values, units = _read(data, name, chosen), data.fields[name]["units"]
        unit = units if len(units) <= 8 and units != "-" else ""
        if values.shape[-1] == 3:
            found.append(_Curves(f"{name}: size", _norm(values), unit, name))
            continue
        names_of = data.fields[name].get("elements") or [str(i) for i in range(values.shape[-1])]
        varies = [i for i in range(values.shape[-1]) if np.ptp(np.nan_to_num(values[..., i])) > 0.0]
        if varies:
            element = f" {names_of[varies[0]]}" if len(names_of) > varies[0] and values.shape[-1] > 1 else ""
            found.append(_Curves(f"{name}{element}", values[..., varies[0]], unit, name))
    return found


def _fan(axes: Any, t: F64, curves: _Curves) -> None:
    """Quantiles over the episodes, and the first few of them."""
    values, symbol = _scaled(curves.values, curves.unit) if curves.unit else (curves.values, "")
    with np.errstate(all="ignore"):
        q = np.nanquantile(values, (0.05, 0.25, 0.5, 0.75, 0.95), axis=0)
    span = t[: values.shape[1]]
    axes.fill_between(span, q[0], q[4], color="0.55", alpha=0.25, linewidth=0)
    axes.fill_between(span, q[1], q[3], color="0.55", alpha=0.40, linewidth=0)
    axes.plot(span, q[2], color="0.2", linewidth=2.0)
    for episode, color in enumerate(SHOWN[: len(values)]):
        axes.plot(span, values[episode], color=color, linewidth=1.3)
        if curves.dashed is not None:
            command = curves.dashed[episode]
            held = np.append(command, command[-1])
            axes.step(t, held, where="post", color=color, linewidth=0.9, linestyle=":")
    label_axes(axes, curves.title, "time [s]", f"{curves.label} [{symbol}]" if symbol else curves.label)
    axes.margins(x=0.02)


def _parameter(axes: Any, data: "Dataset", name: str, chosen: NDArray[np.int64]) -> None:
    """Histogram of a drawn parameter relative to the mean of each element, of those that vary."""
    values = data[name][chosen].reshape(len(chosen), -1)
    spread = values[:, np.ptp(values, axis=0) > 0.0]
    with np.errstate(all="ignore"):
        relative = spread / spread.mean(axis=0)
    axes.hist(relative.ravel(), bins=24, color=COLORS[5], edgecolor="white", linewidth=0.5)
    many = f"{spread.shape[1]} elements" if spread.shape[1] > 1 else "1 element"
    label_axes(axes, f"{name.removeprefix('parameters/')} of {many}", "value ÷ mean of the episodes", "draws")


def _lengths(axes: Any, data: "Dataset", chosen: NDArray[np.int64]) -> None:
    rate = data.about["config"]["episodes"]["rate"]
    axes.hist((data["episode/length"][chosen] - 1) / rate, bins=20, color=COLORS[1], edgecolor="white", linewidth=0.5)
    label_axes(axes, "Lengths of the episodes", "time [s]", "episodes")


def _drawn(data: "Dataset", chosen: NDArray[np.int64]) -> str | None:
    """The first parameter that differs between episodes."""
    names = [name for name in data.names if name.startswith("parameters/")]
    return next((n for n in names if np.ptp(data[n][chosen], axis=0).max(initial=0.0) > 0.0), None)


def draw_dataset(path: str | os.PathLike[str], data: "Dataset") -> None:
    """Write up to six panels as a PNG file: what the episodes do, how they spread, and what was drawn for them."""
    chosen = _sampled(len(data))
    t = np.arange(data.about["rows"] + 1) / data.about["config"]["episodes"]["rate"]
    parameter = _drawn(data, chosen)
    short = bool((data["episode/length"][chosen] <= data.about["rows"]).any())
    extra = (parameter is not None) + short
    curves = [*_coordinates(data, chosen), *_others(data, chosen)][: PANELS - extra]
    total = len(curves) + extra
    columns = min(3, total)
    rows = -(-total // columns)
    figure = Figure(figsize=(5.0 * columns, 0.6 + 3.9 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(w_pad=0.12, h_pad=0.12, wspace=0.03, hspace=0.04)  # type: ignore[call-arg]
    grid = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    for axes, panel in zip(grid, curves, strict=False):
        _fan(axes, t, panel)
    rest = list(grid[len(curves) :])
    if parameter is not None:
        _parameter(rest.pop(0), data, parameter, chosen)
    if short:
        _lengths(rest.pop(0), data, chosen)
    for axes in rest:
        axes.set_visible(False)
    some = f"{len(chosen)} of {len(data):,}" if len(chosen) < len(data) else f"{len(data):,}"
    bad = f", {len(data.bad)} of them bad" if data.bad else ""
    figure.suptitle(f"{data.path.absolute().name}: {some} episodes{bad}", fontsize=14, fontweight="bold")
    handles: list[Any] = [
        Line2D([], [], color="0.2", linewidth=2.0, label="median"),
        Patch(color="0.55", alpha=0.55, label="half of the episodes"),
        Patch(color="0.55", alpha=0.25, label="9 of 10"),
    ]
    for k, color in enumerate(SHOWN[: len(chosen)]):
        index = int(data["episode/index"][int(chosen[k])])
        handles.append(Line2D([], [], color=color, linewidth=1.3, label=f"episode {index}"))
    if any(panel.dashed is not None for panel in curves):
        handles.append(Line2D([], [], color="0.3", linewidth=0.9, linestyle=":", label="command"))
    figure.legend(handles=handles, loc="outside lower center", ncol=len(handles), frameon=False, fontsize=9)
    with open(path, "xb") as file:
        figure.savefig(file, format="png", dpi=110)
