"""How far precision="conserving" follows the reference over ten orbits (15 h) of the two-arm free-flyer.

python -m benchmarks.ten_orbits --keep legs --out benchmarks/results/ten_orbits.json      # about two hours

With --keep each of the four trajectories is written when it is done, and a run that was stopped goes on after them.

The truth is the reference at 0.025 s. Beside the answer stands what the comparison can show at all: the reference at
0.1 s against that at 0.025 s, and against itself from a start turned by NUDGE. How the nudge grows says how well the
motion can be predicted by anybody: where arms move and the body tumbles, small differences grow.
"""

import dataclasses
import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.common import parser, report, result
from benchmarks.conserving import EVERY, HALF_ORBIT, Trajectory, compare, reference, soft_model, warp_run
from mjorbit_warp.run_file import package_versions, replacing

NUDGE = 1e-9  # rad
ORBITS = (1, 2, 5, 10)
DURATION = 20.0 * HALF_ORBIT


def until(path: Trajectory, orbits: float) -> Trajectory:
    """The part of a trajectory up to the end of that orbit."""
    count = round(orbits * 2.0 * HALF_ORBIT / 0.1 / EVERY)
    return Trajectory(path.com[:count], path.origin[:count], path.quat[:count], path.joint[:count])


def leg(name: str, fraction: float, keep: pathlib.Path | None) -> Trajectory:
    """One of LEGS, from the folder if it is there already; ValueError if that was made with other packages."""
    about = json.dumps([name, fraction, package_versions()], sort_keys=True)
    path = None if keep is None else keep / f"{name}_{fraction:g}.npz"
    if path is not None and path.is_file():
        with np.load(path) as file:
            if str(file["about"]) != about:
                raise ValueError(
                    f"{path} was made by {file['about']}, not by {about}: delete it, or name another folder"
                )
            return Trajectory(*(file[field.name] for field in dataclasses.fields(Trajectory)))
    made = LEGS[name](fraction)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as part, open(part, "xb") as out:
            np.savez(out, about=about, **vars(made))
    return made


LEGS: dict[str, Callable[[float], Trajectory]] = {
    "fine": lambda fraction: reference(True, 4, fraction, DURATION),
    "coarse": lambda fraction: reference(True, 1, fraction, DURATION),
    "conserving": lambda fraction: warp_run(True, "conserving", fraction, True, DURATION),
    "nudged": lambda fraction: reference(True, 1, fraction, DURATION, NUDGE),
}


def measure(fraction: float, keep: pathlib.Path | None = None) -> dict[str, Any]:
    """The three comparisons; the worst body [m] of each world after 1, 2, 5 and 10 orbits, and compare() of all."""
    mass = soft_model(True, 0.1).mj.body_mass[1:]
    legs = {name: leg(name, fraction, keep) for name in LEGS}
    pairs = {
        "conserving": (legs["conserving"], legs["fine"]),
        "reference_0.1_s": (legs["coarse"], legs["fine"]),
        "nudged": (legs["nudged"], legs["coarse"]),
    }
    out: dict[str, Any] = {}
    for name, (got, want) in pairs.items():
        reached = [n for n in ORBITS if n <= 10.0 * fraction]
        by_orbit = {str(n): compare(until(got, n), until(want, n), mass)["body_m_each_world"] for n in reached}
        out[name] = compare(got, want, mass) | {"body_m_each_world_after_orbits": by_orbit}
    return out


def main() -> None:
    """Run and report."""
    words = parser(__doc__)
    words.add_argument("--fraction", type=float, default=1.0, help="of ten orbits")
    words.add_argument("--keep", help="folder of trajectories that are done")
    args = words.parse_args()
    report(result(args, measure(args.fraction, pathlib.Path(args.keep) if args.keep else None)), args.out)


if __name__ == "__main__":
    main()
