"""Reset of all or of chosen worlds."""

from typing import TYPE_CHECKING, Any

import mujoco_warp as mjw
import numpy as np
import warp as wp

from mjorbit_warp.hardware.propellant import fill
from mjorbit_warp.kernels.reset import _chosen_key, _reset_clock, _reset_hardware, _reset_orbit
from mjorbit_warp.keyframe import keyframe_id
from mjorbit_warp.latch_data import forget_latches
from mjorbit_warp.sensors import reset_sensors
from mjorbit_warp.shadow import shadow_reset
from mjorbit_warp.step import check_pair, refresh_velocities

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


def world_mask(d: "MjoData", mask: Any) -> wp.array:
    """A (nworld,) bool array on the data's device from None (all), a Warp array, or anything NumPy reads."""
    if mask is None:
        return wp.full(d.nworld, True, dtype=bool, device=d.device)
    if isinstance(mask, wp.array):
        if mask.shape != (d.nworld,) or mask.dtype != wp.bool or mask.device != d.device:
            raise ValueError(
                f"mask has shape {mask.shape}, dtype {mask.dtype.__name__}, device {mask.device}: "
                f"({d.nworld},), bool and {d.device} are expected"
            )
        return mask
    values = np.asarray(mask)
    if values.shape != (d.nworld,) or values.dtype != np.bool_:
        raise ValueError(f"mask has shape {values.shape} and dtype {values.dtype}: ({d.nworld},) and bool are expected")
    return wp.array(values, dtype=bool, device=d.device)


def mjo_reset(m: "MjoModel", d: "MjoData", mask: Any = None, *, keyframe: str | int | None = None) -> None:
    """Reset worlds to ``qpos0`` or a keyframe, the initial orbit and time zero, and clear their status.

    Positions (``xpos``, ``xipos``, …) are fresh afterwards in every world; the states of other worlds keep their bits.
    The drift of sensors and what they hold are forgotten; their noise goes on, see SensorsData.

    Args:
      mask: (nworld,) bool, Warp array on the data's device or array-like; None resets all.
      keyframe: name or index of a keyframe of the model, whose time is taken too.
    """
    check_pair(m, d)
    chosen = world_mask(d, mask)
    key = None if keyframe is None else keyframe_id(m, keyframe)
    start = 0.0 if key is None else float(m.mj.key_time[key])
    with wp.ScopedDevice(d.device):
        if key is None:
            mjw.reset_data(m.mjw, d.mjw, reset=chosen)
        else:
            keys = wp.empty(d.nworld, dtype=int)
            wp.launch(_chosen_key, dim=d.nworld, inputs=[chosen, key], outputs=[keys])
            mjw.reset_data_keyframe(m.mjw, d.mjw, keys)
        wp.launch(_reset_clock, dim=d.nworld, inputs=[chosen, start], outputs=[d._clock, d.faults.state, d.status])
        wp.launch(_reset_hardware, dim=d.nworld, inputs=[chosen], outputs=[d.hardware.fire_until])
        d._fresh.put(d, chosen)
        if d.ring is not None:
            d.ring.forget(d, chosen)
        fill(m, d, chosen)
        reset_sensors(d, chosen)
        forget_latches(m, d, chosen)
        if d.shadow is not None:
            shadow_reset(d, chosen)
        if d.orbit is not None:
            wp.launch(
                _reset_orbit,
                dim=d.nworld,
                inputs=[chosen, d.orbit.r0, d.orbit.v0],
                outputs=[d.orbit.state, d.orbit.lvlh],
            )
        refresh_velocities(m, d)
