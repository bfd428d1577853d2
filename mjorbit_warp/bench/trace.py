"""Cost of the stages of a step: each is captured alone and replayed, on the state of a run."""

import functools
import statistics
import time
from collections.abc import Callable
from typing import Any

import mujoco_warp as mjw
import warp as wp

from mjorbit_warp.bench.metrics import replays_for
from mjorbit_warp.loads import propagate

# in the order of mujoco_warp.step with a single-stage integrator; ours run inside passive and sensor_acc
STAGES: dict[str, Callable[..., None]] = {
    "fwd_kinematics": mjw.fwd_kinematics,
    "crb": mjw.crb,
    "factor_m": mjw.factor_m,
    "collision": mjw.collision,
    "make_constraint": mjw.make_constraint,
    "transmission": mjw.transmission,
    "sensor_pos": mjw.sensor_pos,
    "com_vel": mjw.com_vel,
    "passive": mjw.passive,
    "rne": mjw.rne,
    "sensor_vel": mjw.sensor_vel,
    "fwd_actuation": mjw.fwd_actuation,
    "fwd_acceleration": mjw.fwd_acceleration,
    "solve": mjw.solve,
    "sensor_acc": mjw.sensor_acc,
    "implicit": mjw.implicit,
}


def _graph(launch: Callable[[], None], device: Any) -> Any:
    launch()  # compiles
    with wp.ScopedCapture(device=device) as captured:
        launch()
    return captured.graph


def _nanoseconds(graph: Any, device: Any, nworld: int, repeat: int, wanted: float) -> float:
    def sample(count: int) -> float:
        wp.synchronize_device(device)
        began = time.perf_counter()
        for _ in range(count):
            wp.capture_launch(graph)
        wp.synchronize_device(device)
        return (time.perf_counter() - began) / count

    sample(1)
    count = replays_for(max(sample(1), 1e-9), wanted)
    return 1e9 * statistics.median(sample(count) for _ in range(repeat)) / nworld


def stage_trace(bare: Any, ours: Any, repeat: int = 5, wanted: float = 0.02) -> list[dict[str, Any]]:
    """Time of each stage [ns per world], of a bare contender and of one of ours on the same MJCF.

    Args:
      bare, ours: a BareWarp and an OrbitWarp with a single-stage integrator; they are restarted and advanced.
      repeat: samples per stage; the median counts.
      wanted: seconds of a sample.
    """
    for contender in (bare, ours):
        contender.restart()
        contender.sample(1)
    device, n = ours.device, ours.nworld
    rows = []
    with wp.ScopedDevice(device):
        for name, stage in STAGES.items():
            row: dict[str, Any] = {"stage": name}
            for key, model, data in (("bare_ns", bare.mjw, bare.data), ("ours_ns", ours.model.mjw, ours.data.mjw)):
                graph = _graph(functools.partial(stage, model, data), device)
                row[key] = _nanoseconds(graph, device, n, repeat, wanted)
            rows.append(row)
        graph = _graph(functools.partial(propagate, ours.model, ours.data, False), device)
        end = _nanoseconds(graph, device, n, repeat, wanted)
        rows.append({"stage": "orbit, end of the step", "bare_ns": 0.0, "ours_ns": end})
    for contender in (bare, ours):
        contender.restart()
    return rows
