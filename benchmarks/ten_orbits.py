"""How far precision="conserving" follows the reference over ten orbits (15 h) of the two-arm free-flyer.

python -m benchmarks.ten_orbits --out benchmarks/results/ten_orbits.json      # about an hour

The truth is the reference at 0.025 s. Beside the answer stands what the comparison can show at all: the reference at
0.1 s against that at 0.025 s, and against itself from a start turned by NUDGE. How the nudge grows says how well the
motion can be predicted by anybody: where arms move and the body tumbles, small differences grow.
"""

from typing import Any

from benchmarks.common import parser, report, result
from benchmarks.conserving import EVERY, HALF_ORBIT, Trajectory, compare, reference, soft_model, warp_run

NUDGE = 1e-9  # rad
ORBITS = (1, 2, 5, 10)
DURATION = 20.0 * HALF_ORBIT


def until(path: Trajectory, orbits: float) -> Trajectory:
    """The part of a trajectory up to the end of that orbit."""
    count = round(orbits * 2.0 * HALF_ORBIT / 0.1 / EVERY)
    return Trajectory(path.com[:count], path.origin[:count], path.quat[:count], path.joint[:count])


def measure(fraction: float) -> dict[str, Any]:
    """The three comparisons; the worst body [m] of each world after 1, 2, 5 and 10 orbits, and compare() of all."""
    mass = soft_model(True, 0.1).mj.body_mass[1:]
    fine, coarse = (reference(True, n, fraction, DURATION) for n in (4, 1))
    pairs = {
        "conserving": (warp_run(True, "conserving", fraction, True, DURATION), fine),
        "reference_0.1_s": (coarse, fine),
        "nudged": (reference(True, 1, fraction, DURATION, NUDGE), coarse),
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
    args = words.parse_args()
    report(result(args, measure(args.fraction)), args.out)


if __name__ == "__main__":
    main()
