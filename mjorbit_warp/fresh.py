"""What evaluations leave behind, put back to new by a reset: no force, sensor or NaN of the life before is seen."""

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import warp as wp

from mjorbit_warp.kernels.fresh import Rows, _keep_fresh, _make_fresh

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData

# of MJWarp's Data: what its reset and our refresh of positions set, and what make_data leaves unset until a step
_SET = (
    *("qpos", "qvel", "act", "history", "ctrl", "qfrc_applied", "xfrc_applied", "eq_active", "mocap_pos", "mocap_quat"),
    *("userdata", "plastic", "qacc_warmstart", "time", "overflow", "ne", "nf", "nl", "nefc", "solver_niter"),
    *("ntree_awake", "nbody_awake", "nv_awake", "tree_asleep", "tree_awake", "body_awake", "body_awake_ind"),
    *("dof_awake_ind", "xpos", "xquat", "xmat", "xipos", "ximat", "xanchor", "xaxis", "geom_xpos", "geom_xmat"),
    *("site_xpos", "site_xmat", "subtree_com", "cdof", "cinert", "cvel", "cdof_dot", "flex_hessian_valid"),
)
_HARDWARE = ("wheel_torque", "wheel_bounds", "gimbal_rate", "gimbal_bounds", "thrust", "impulse", "force", "torque")


def result_arrays(d: "MjoData") -> Iterator[Any]:
    """Arrays (nworld, …) that an evaluation writes, besides those of ``_SET``."""
    for field in dataclasses.fields(d.mjw):
        array = getattr(d.mjw, field.name)
        if isinstance(array, wp.array) and field.name not in _SET and getattr(field.type, "shape", (0,))[0] == "nworld":
            yield array
    yield from (d.qfrc_orbit, d.wrench, d.stage_time, d.sensors.value)
    yield from (getattr(d.hardware.state, name) for name in _HARDWARE)
    if d.orbit is not None:
        yield d.orbit.feedback
        stages: Any = (d.orbit.state.stage_v, d.orbit.state.stage_a)
        yield from (array[stage] for array in stages for stage in range(4))
        yield from (d.environment.sun, d.environment.moon, d.environment.ecef, d.environment.state.t)


class FreshRows:
    """Rows of a data that has just been made, and a launch that copies them into masked worlds."""

    def __init__(self, d: "MjoData") -> None:
        self._known: list[int] = []
        self.rows: Any = None
        wp.launch(_keep_fresh, dim=self._table(d).ptr.shape[0], inputs=[self.rows], device=d.device)

    def _table(self, d: "MjoData") -> Any:
        """Addresses of the rows; anew if an array was replaced."""
        arrays = [a for a in result_arrays(d) if a.size and a.is_contiguous and a.strides[0] % 4 == 0]
        now = [int(array.ptr or 0) for array in arrays]
        if now != self._known:
            words = [array.strides[0] // 4 for array in arrays]
            starts = [sum(words[:i]) for i in range(len(words))]
            rows: Any = Rows()
            rows.ptr = wp.array(now, dtype=wp.uint64, device=d.device)
            rows.words = wp.array(words, dtype=int, device=d.device)
            rows.start = wp.array(starts, dtype=int, device=d.device)
            size = sum(words)
            rows.fresh = wp.zeros(size, dtype=wp.uint32, device=d.device) if self.rows is None else self.rows.fresh
            self.rows, self._known = rows, now
        return self.rows

    def put(self, d: "MjoData", mask: wp.array) -> None:
        """One launch: masked worlds have the rows of new data."""
        rows = self._table(d)
        wp.launch(_make_fresh, dim=(d.nworld, rows.ptr.shape[0]), inputs=[mask, rows], device=d.device)
