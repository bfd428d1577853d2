"""Figure 3: frames, integrators and precisions for a free rigid body in low orbit, against closed forms.

python -m benchmarks.paper.fig3     # minutes; results/paper/fig3.json and fig3.png
"""

import time
from typing import Any

import numpy as np

from benchmarks.paper.frame_study import DT, EACH, INTEGRATORS, PRECISIONS, SCENES, run
from benchmarks.paper.output import figure, parser, save, write_json
from mjorbit_warp.plot_style import COLORS, label_axes

STYLES = {"implicit": "-", "RK4": "--"}
ORBIT = 5560.0  # s, about one revolution


def worst(result: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Largest error over time and bodies [m], by frame and scene."""
    table = {name: np.array(value) for name, value in result["position_m"].items()}
    bodies = {scene: slice(EACH * i, EACH * (i + 1)) for i, scene in enumerate(SCENES)}
    return {name: {scene: float(x[:, part].max()) for scene, part in bodies.items()} for name, x in table.items()}


def claims(table: dict[str, dict[str, dict[str, dict[str, float]]]]) -> dict[str, bool]:
    """Which sentences of the paper on this figure hold here; ``table[precision][integrator][frame][scene]`` [m]."""
    double, single = table["float64"], table["float32"]
    near = {p: {i: {f: x["near"] for f, x in frames.items()} for i, frames in t.items()} for p, t in table.items()}
    others = [x for name, x in near["float64"]["implicit"].items() if name != "OF"]
    return {
        "float64: RK4 is accurate to a millimetre in every frame": max(
            x for frame in double["RK4"].values() for x in frame.values()
        )
        < 1e-3,
        "float64: implicit is below a millimetre in OF": near["float64"]["implicit"]["OF"] < 1e-3,
        "float64: implicit is below a millimetre in OF only": min(others) > 1e-3,
        "float32: ECI has errors of metres even with RK4": single["RK4"]["ECI"]["near"] > 1.0,
        "float32: OF has millimetres with the implicit integrator": near["float32"]["implicit"]["OF"] < 1e-2,
    }


def draw(results: dict[str, dict[str, dict[str, Any]]]) -> Any:
    """Error of the near bodies over time, a panel per precision."""
    made = figure(11.0, 4.6)
    panels = made.subplots(1, 2, sharey=True)
    for axes, (precision, by_integrator) in zip(panels, results.items(), strict=True):
        for integrator, result in by_integrator.items():
            for i, (name, values) in enumerate(result["position_m"].items()):
                value = np.array(values)[:, EACH:].max(axis=1)
                t = np.array(result["t_s"]) / ORBIT
                axes.semilogy(t, value, STYLES[integrator], color=COLORS[i], label=f"{name}, {integrator}")
        label_axes(axes, precision, "time [revolutions]", "distance from the truth [m]")
    made.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncol=4, frameon=False)
    return made


def main() -> None:
    """Run all, write the JSON and the picture."""
    words = parser(__doc__)
    words.add_argument("--fraction", type=float, default=1.0, help="of three revolutions")
    args = words.parse_args()
    began = time.perf_counter()
    results = {p: {i: run(p, i, args.fraction) for i in INTEGRATORS} for p in PRECISIONS}
    table = {p: {i: worst(result) for i, result in by.items()} for p, by in results.items()}
    held = claims(table)
    written = {"dt_s": DT, "fraction": args.fraction, "worst_m": table, "claims": held, "runs": results}
    write_json(args.out / "fig3.json", written, began)
    save(draw(results), args.out / "fig3.png")
    for precision, by in table.items():
        for integrator, frames in by.items():
            for name, scenes in frames.items():
                print(precision, integrator, name, ", ".join(f"{s} {x:.2g} m" for s, x in scenes.items()))
    for sentence, holds in held.items():
        print("holds" if holds else "does not hold", "-", sentence)


if __name__ == "__main__":
    main()
