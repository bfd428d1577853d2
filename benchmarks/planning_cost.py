"""What planning costs beside its rollouts: a replanning ÷ the same steps under the same tape, replayed, nothing else.

python -m benchmarks.planning_cost --out benchmarks/results/planning_cpu.json

The scene is that of ``mjorbit_warp.tasks.reorient``: the two-arm free-flyer, implicitfast, 14 s in commands of 0.3 s.
A replanning branches from the plant, samples, rolls out, records, costs and averages, and brings the plan to the host.
"""

import dataclasses
import functools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

import mjorbit_warp as mjo
from benchmarks.common import alternate, parser, report, result
from mjorbit_warp.bench.metrics import paired_ratio
from mjorbit_warp.graph import CapturedStep
from mjorbit_warp.kernels.quaternion import quat_conjugate, quat_rotate
from mjorbit_warp.planning import MPPI
from mjorbit_warp.tasks import reorient

HALF, RADIUS, CLEARANCE = wp.constant(reorient.HALF), wp.constant(reorient.RADIUS), wp.constant(reorient.CLEARANCE)


@wp.kernel
def _cost(
    # In:
    qpos_in: wp.array3d[float],
    qvel_in: wp.array3d[float],
    xpos_in: wp.array3d[wp.vec3],
    xquat_in: wp.array3d[wp.quat],
    goal: wp.quat,
    bus: int,
    body_in: wp.array[int],
    point_in: wp.array[wp.vec3],
    # Out:
    cost_out: wp.array[float],
):
    """The cost of tasks/reorient.py (rollout)."""
    w = wp.tid()
    last = qpos_in.shape[0] - 1
    total = float(0.0)  # noqa: UP018 (declares a variable of the kernel)
    for row in range(last + 1):
        cosine = goal[0] * qpos_in[row, w, 3] + goal[1] * qpos_in[row, w, 4]
        cosine += goal[2] * qpos_in[row, w, 5] + goal[3] * qpos_in[row, w, 6]
        angle = 2.0 * wp.acos(wp.min(wp.abs(cosine), 1.0))
        total += (0.2 + 0.8 * float(row) / float(last)) * (angle * angle + 0.3 * angle)
        if row == last:
            total += 24.0 * angle * angle + 8.0 * angle
        for i in range(6, qvel_in.shape[2]):
            total += 0.03 * qvel_in[row, w, i] * qvel_in[row, w, i]
        for i in range(7, qpos_in.shape[2]):
            total += 0.02 / float(last + 1) * qpos_in[row, w, i] * qpos_in[row, w, i]
        for k in range(body_in.shape[0]):
            p = xpos_in[row, w, body_in[k]] + quat_rotate(xquat_in[row, w, body_in[k]], point_in[k])
            q = quat_rotate(quat_conjugate(xquat_in[row, w, bus]), p - xpos_in[row, w, bus])
            out = wp.vec3(wp.max(wp.abs(q[0]) - HALF, 0.0), wp.max(wp.abs(q[1]) - HALF, 0.0), 0.0)
            out[2] = wp.max(wp.abs(q[2]) - HALF, 0.0)
            total += 50.0 * wp.max(CLEARANCE - wp.length(out) + RADIUS, 0.0)
    cost_out[w] = total


def launched(model: mjo.MjoModel, goal: Any) -> Callable[[mjo.Rollout, Any], None]:
    """The cost in launches."""
    bodies, points = reorient.arm_points(model)
    body, point = wp.array(bodies, dtype=int), wp.array(points, dtype=wp.vec3)
    bus, quat = int(model.body("bus").id), wp.quat(*goal)

    def cost(rollout: mjo.Rollout, out: Any) -> None:
        fields = [rollout[name] for name in ("qpos", "qvel", "xpos", "xquat")]
        wp.launch(_cost, dim=out.shape, inputs=[*fields, quat, bus, body, point], outputs=[out])

    return cost


def replayed(model: mjo.MjoModel, planner: MPPI) -> CapturedStep:
    """The planner's rollouts alone: each row of its tape into ``ctrl``, and the steps."""
    rollout, data = planner.rollout, planner.data

    def body() -> None:
        for row in range(rollout.nrow):
            wp.copy(data.mjw.ctrl, rollout.tape[row])
            for _ in range(rollout.decimation):
                mjo.mjo_step(model, data)

    return CapturedStep(model, data, rollout.nrow * rollout.decimation, body)


def measure(nrollout: int, repeat: int) -> list[dict[str, Any]]:
    """A replanning with each cost, and the bare rollouts just before it."""
    goal = reorient.target()
    model = reorient.model("IMPLICITFAST", environment=False, timestep=0.1)
    settings = reorient.PLANNER | {"nrollout": nrollout}
    planners = {
        "Warp, captured": MPPI(model, launched(model, goal), captured=True, **settings),
        "NumPy": MPPI(model, reorient.cost(model, goal), **settings),
    }
    plant = mjo.make_data(model)
    for name, planner in planners.items():
        planner.plan(plant)
        if not np.isfinite(planner.cost.numpy()).all():
            raise RuntimeError(f"rollouts went bad, timings mean nothing: {name}")
    first, second = (planner.cost.numpy() for planner in planners.values())
    difference = float(np.abs(first - second).max() / np.abs(second).max())
    if difference > 1e-3:
        raise RuntimeError(f"the two costs differ by {difference:.1e} of the largest: they are to be the same")
    rows = []
    for name, planner in planners.items():
        calls = {"rollouts": replayed(model, planner), "replanning": functools.partial(planner.plan, plant)}
        times = alternate(calls, repeat, lambda what, count, p=planner: mjo.broadcast_state(model, plant, p.data))  # type: ignore[misc]
        row = {"cost": name} | {f"{what}_ms": 1e3 * statistics.median(values) for what, values in times.items()}
        ratio = dataclasses.asdict(paired_ratio(times["replanning"], times["rollouts"]))
        rows.append(row | {"over_rollouts": ratio, "cost_difference": difference})
    return rows


def main() -> None:
    """Run and print or write JSON."""
    words = parser(__doc__)
    words.add_argument("--nrollout", type=int, default=128)
    words.add_argument("--repeat", type=int, default=15)
    args = words.parse_args()
    wp.config.log_level = wp.LOG_WARNING
    report(result(args, measure(args.nrollout, args.repeat)), args.out)


if __name__ == "__main__":
    main()
