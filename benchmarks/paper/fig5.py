"""Figure 5: error and throughput of the bimanual free-flyer, ours beside Basilisk's MJScene, half an orbit.

python -m benchmarks.paper.fig5     # minutes; results/paper/fig5.json and fig5.png

Basilisk takes part where it is installed (extra basilisk), or where MJORBIT_BASILISK_PYTHON names a Python that has it.
The column that the paper lacks is RK4 with the reference orbit held over the step, all else equal.
"""

import statistics
import time
from typing import Any

from benchmarks.common import alternate
from benchmarks.paper import flyer
from benchmarks.paper.output import figure, parser, save, write_json
from mjorbit_warp.bench.contender_basilisk import basilisk_python
from mjorbit_warp.plot_style import COLORS, label_axes

FROZEN, LIVE = "MuJoCo C RK4, reference frozen over the step", "MuJoCo C RK4, reference at each stage"
ROUNDS = 5


def accuracy(fraction: float, python: str | None) -> dict[str, dict[str, Any]]:
    """Errors over time by contender."""
    runs: dict[str, Any] = {flyer.label(v, i): (lambda v=v, i=i: flyer.ours(v, i)) for v, i in flyer.OURS}
    runs |= {FROZEN: lambda: flyer.passive(True), LIVE: lambda: flyer.passive(False)}
    if python is not None:
        last = fraction * flyer.HALF_ORBIT + 20.0  # a sample more
        runs["Basilisk RK4"] = lambda: flyer.basilisk(python, False, last)
        runs["Basilisk RK4, high-order attitude"] = lambda: flyer.basilisk(python, True, last)
    return {name: flyer.errors(make(), fraction) for name, make in runs.items()}


def rates(python: str | None, rounds: int) -> tuple[dict[str, dict[str, float]], str | None]:
    """Steps of a world per second of one thread, by contender, and Basilisk's version.

    All take turns; medians of the rounds.
    """
    timed = flyer.timed(python)
    try:
        count = {name: 40 if name.startswith("Basilisk") else 1 for name in timed.calls}
        each = {name: (lambda name=name: timed.calls[name](count[name])) for name in timed.calls}
        taken = alternate(each, rounds)
    finally:
        timed.close()
    out = {}
    for name, values in taken.items():
        steps = flyer.TIMED * count[name] * timed.worlds[name]
        out[name] = {"steps_per_s": steps / statistics.median(values), "worlds": timed.worlds[name]}
        out[name] |= {"low": steps / max(values), "high": steps / min(values)}
    return out, timed.version


def draw(runs: dict[str, dict[str, Any]], speed: dict[str, dict[str, float]]) -> Any:
    """Error over time, and worst error against throughput."""
    made = figure(12.5, 6.4)
    over_time, plane = made.subplots(1, 2, sharey=True)
    for k, (name, run) in enumerate(runs.items()):
        style = {"color": COLORS[k % len(COLORS)], "label": name}
        over_time.semilogy([t / 60.0 for t in run["t_s"]], run["body_m"], "-" if k < len(COLORS) else "--", **style)
        if name in speed:
            marker = "o" if k < len(COLORS) else "s"
            plane.loglog(speed[name]["steps_per_s"], max(run["body_m"]), marker, color=style["color"], markersize=8)
    label_axes(over_time, "Error over half an orbit", "time [min]", "worst COM of a body, distance from the truth [m]")
    label_axes(plane, "Worst error and throughput", "steps of a world per second, one thread", "")
    made.legend(*over_time.get_legend_handles_labels(), loc="outside lower center", ncol=3, frameon=False)
    return made


def main() -> None:
    """Run all, write the JSON and the picture."""
    words = parser(__doc__)
    words.add_argument("--fraction", type=float, default=1.0, help="of half an orbit")
    args = words.parse_args()
    began = time.perf_counter()
    python = basilisk_python()
    runs = accuracy(args.fraction, python)
    speed, version = rates(python, ROUNDS)
    worst = {name: {key: max(x) for key, x in run.items() if key != "t_s"} for name, run in runs.items()}
    written = {"dt_s": flyer.DT, "fraction": args.fraction, "basilisk": version, "worst": worst, "throughput": speed}
    write_json(args.out / "fig5.json", written | {"runs": runs}, began)
    save(draw(runs, speed), args.out / "fig5.png")
    for name, error in worst.items():
        rate = f", {speed[name]['steps_per_s']:.3g} steps/s" if name in speed else ""
        print(f"{name}: " + ", ".join(f"{key} {x:.2g}" for key, x in error.items()) + rate)
    if python is None:
        print("Basilisk: skipped, not installed")


if __name__ == "__main__":
    main()
