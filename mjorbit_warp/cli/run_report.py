"""The summary of a run."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rich.markup import escape
from rich.table import Table

from mjorbit_warp.cli.common import bad_text

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel

F64 = NDArray[np.float64]


def _utc(t: float) -> str | None:
    """None for a date that astropy cannot write, after a run of a thousand centuries."""
    from mjorbit_warp.inspect import utc_from_epoch

    try:
        return utc_from_epoch(t) if math.isfinite(t) else None
    except ValueError:
        return None


def orbit_summary(model: "MjoModel", r: F64, v: F64, t: float) -> dict[str, float | str | None]:
    """Altitude, shape and inclination of an orbit that may have gone bad; None where there is no such number."""
    from mjorbit_warp.elements import elements_from_state

    assert model.orbit is not None
    body, dated = model.orbit.body, model.orbit.epoch is not None
    finite = bool(np.isfinite(r).all() and np.isfinite(v).all())
    summary: dict[str, float | str | None] = {
        "utc": _utc(t) if dated else None,
        "altitude_km": (float(np.linalg.norm(r)) - body.radius) / 1e3 if finite else None,
        "semi_major_axis_km": None,
        "eccentricity": None,
        "inclination_deg": None,
    }
    if finite:
        try:
            e = elements_from_state(r, v, body.mu)
        except ValueError:  # a parabola or a straight line
            return summary
        summary["semi_major_axis_km"] = e.semi_major_axis / 1e3
        summary["eccentricity"] = e.eccentricity
        summary["inclination_deg"] = math.degrees(e.inclination)
    return summary


def _orbit_text(orbit: dict[str, Any]) -> str:
    def number(key: str, form: str, unit: str = "") -> str:
        return "not finite" if orbit[key] is None else f"{orbit[key]:{form}}{unit}"

    shape = f"e {number('eccentricity', '.5f')}, inclination {number('inclination_deg', '.4f', '°')}"
    date = f", {orbit['utc']} UTC" if orbit["utc"] else ""
    return f"altitude {number('altitude_km', '.3f', ' km')}, {shape}{date}"


def run_table(result: dict[str, Any]) -> Table:
    """The summary for the terminal."""
    table = Table(title=escape(result["model"]), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    kept = f"{result['records']:,} of {result['recorded_worlds']:,} world{'s' * (result['recorded_worlds'] > 1)}"
    resumed = "" if result["resumed_at_s"] is None else f", resumed at {result['resumed_at_s']:.6g} s"
    steps = f"{result['duration_s']:.6g} s: {result['nstep']:,} steps of {result['timestep_s']:g} s"
    rows = {
        "device": result["device"],
        "worlds": f"{result['nworld']:,}",
        "simulated time": steps + resumed,
        "wall time": f"{result['wall_s']:.1f} s, after {result['compile_s']:.1f} s of compiling",
        "rate": f"{result['world_steps_per_s']:,.0f} world-steps/s",
        "integrator": f"{result['integrator']}, precision {result['precision']}, in a captured graph",
        "orbit at the start": _orbit_text(result["orbit_start"]),
        "orbit at the end": _orbit_text(result["orbit_end"]),
        "bad worlds": bad_text(result["bad"]),
        "dumps": escape(", ".join(result["dumps"])) or "none: --dump FOLDER writes bad worlds",
        "records": f"{kept}, each {result['record_every_s']:g} s",
        "run file": escape(result["out"] or "none: --out FILE.npz writes one"),
        "picture": escape(result["plot"] or "none: --plot FILE.png draws one"),
    }
    for key, value in rows.items():
        table.add_row(key, value)
    return table
