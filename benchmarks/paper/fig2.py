"""Figure 2: two cubes collide head-on across the orbital plane, in orbit and without gravity.

python -m benchmarks.paper.fig2     # a minute; results/paper/fig2.json and fig2.png
"""

import math
import time
from typing import Any

import numpy as np

from benchmarks.paper.collision import Collision, arcs, closed_form, collide, energy, mean_motion, restitution
from benchmarks.paper.output import figure, parser, save, write_json
from mjorbit_warp.plot_style import COLORS, label_axes

HOURS = 2.0
APART = 0.2  # h, where the paper has them part


def measures(orbit: Collision, zero: Collision) -> dict[str, Any]:
    """What the paper claims, in numbers, and the errors against closed forms."""
    n = mean_motion()
    impacts = [run.impacts[0] for run in (orbit, zero)]
    release = max(impact["release_s"] for impact in impacts)
    until = min(orbit.t[-1], zero.t[-1])

    def parted(t: float) -> float:
        at = [np.array([np.interp(t, run.t, run.z[:, k]) for k in range(2)]) for run in (orbit, zero)]
        return float(np.abs(at[0] - at[1]).max())

    errors = {
        name: max(float(np.abs(run.z[part] - closed_form(run, part, rate)).max()) for part in arcs(run))
        for name, run, rate in (("orbit_m", orbit, n), ("zero_gravity_m", zero, 0.0))
    }
    free = arcs(orbit)[0]
    wells = energy(orbit, n)[free]
    return {
        "restitution": [float(i["closing_out_m_s"] / -i["closing_in_m_s"]) for i in impacts],
        "restitution_closed_form": restitution(),
        "half_period_s": math.pi / n,
        "impacts_in_orbit_s": [float(impact["touch_s"]) for impact in orbit.impacts],
        "parted_60_s_after_release_m": parted(release + 60.0),
        "parted_at_0.2_h_m": parted(min(APART * 3600.0, until)),
        "parted_at_the_end_m": parted(until),
        "farthest_in_orbit_m": float(np.abs(orbit.z).max()),
        "farthest_in_zero_gravity_m": float(np.abs(zero.z).max()),
        "error_against_closed_form": errors,
        "energy_of_a_flight_relative": float(np.ptp(wells) / wells[0]),
        "off_axis_m": float(max(orbit.side.max(), zero.side.max())),
    }


def draw(orbit: Collision, zero: Collision, until_first: float) -> Any:
    """Both runs in full, and around the first impact."""
    made = figure(11.0, 4.4)
    whole, near = made.subplots(1, 2)
    for axes, unit, span in ((whole, 3600.0, orbit.t[-1]), (near, 1.0, until_first)):
        for k, name in enumerate("ab"):
            for run, line, what in ((orbit, "-", "in orbit"), (zero, "--", "zero gravity")):
                shown = run.t <= span
                label = f"cube {name}, {what}"
                axes.plot(run.t[shown] / unit, run.z[shown, k], line, color=COLORS[k], linewidth=1.6, label=label)
    label_axes(whole, "The whole run", "time [h]", "cross-track position [m]")
    label_axes(near, "Around the first impact", "time [s]", "cross-track position [m]")
    made.legend(*whole.get_legend_handles_labels(), loc="outside lower center", ncol=4, frameon=False)
    return made


def run(hours: float) -> tuple[Collision, Collision, dict[str, Any]]:
    """Both runs and their measures."""
    orbit, zero = (collide(gravity, 3600.0 * hours) for gravity in (True, False))
    return orbit, zero, measures(orbit, zero)


def main() -> None:
    """Run, write the JSON and the picture."""
    words = parser(__doc__)
    words.add_argument("--hours", type=float, default=HOURS)
    args = words.parse_args()
    began = time.perf_counter()
    orbit, zero, found = run(args.hours)
    write_json(args.out / "fig2.json", {"hours": args.hours} | found, began)
    save(draw(orbit, zero, 60.0), args.out / "fig2.png")
    for key, value in found.items():
        print(f"{key}: {value}")


if __name__ == "__main__":
    main()
