"""The whole state of a world as one float64 vector."""

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from mjorbit_warp.hardware.propellant import write_masses
from mjorbit_warp.kernels.state import gather_kernel, scatter_kernel
from mjorbit_warp.latch_data import write_latches
from mjorbit_warp.orbit_data import refresh_orbit
from mjorbit_warp.sensors import STATE as SENSOR_COMPONENTS
from mjorbit_warp.worlds import check_warp, world_index

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

# MJWarp's mjSTATE_INTEGRATION without its float32 time, in MuJoCo's order
MUJOCO_COMPONENTS = (
    "qpos",
    "qvel",
    "act",
    "history",
    "qacc_warmstart",
    "ctrl",
    "qfrc_applied",
    "xfrc_applied",
    "eq_active",
    "mocap_pos",
    "mocap_quat",
    "userdata",
    "plastic",
)

HARDWARE_COMPONENTS = ("fire_until", "propellant")
LATCH_COMPONENTS = ("on", "pose")


def scalars(array: wp.array) -> wp.array:
    """A (nworld, n) view of an array of scalars, vectors or quaternions."""
    scalar = getattr(array.dtype, "_wp_scalar_type_", array.dtype)
    nworld = array.shape[0]
    width = int(np.prod(array.shape[1:])) * getattr(array.dtype, "_length_", 1)
    return wp.array(ptr=array.ptr, dtype=scalar, shape=(nworld, width), device=array.device, copy=False)


def state_components(d: "MjoData") -> dict[str, wp.array]:
    """Parts of a state vector by name, as (nworld, n) views of the live arrays."""
    clock = d._clock
    parts = {name: getattr(clock, name) for name in ("time", "base", "nstep", "dt", "epoch")}
    if d.orbit is not None:
        state = d.orbit.state
        parts |= {f"orbit.{name}": getattr(state, name) for name in ("r", "v", "r_carry", "v_carry")}
        parts |= {"orbit.r0": d.orbit.r0, "orbit.v0": d.orbit.v0}
    parts |= {name: getattr(d.mjw, name) for name in MUJOCO_COMPONENTS}
    parts |= {f"hardware.{name}": getattr(d.hardware, name) for name in HARDWARE_COMPONENTS}
    parts |= {f"sensors.{name}": getattr(d.sensors, name) for name in SENSOR_COMPONENTS}
    if d.latch is not None:
        parts |= {f"latch.{name}": getattr(d.latch, name) for name in LATCH_COMPONENTS}
    if d.shadow is not None:
        parts |= {f"shadow.{name}": getattr(d.shadow, name) for name in ("qpos", "qvel", "act")}
    return {name: scalars(array) for name, array in parts.items() if array.size}


def state_layout(d: "MjoData") -> dict[str, slice]:
    """Columns of each component in a state vector: clock, orbit (with its initial value), then MuJoCo's state."""
    layout, start = {}, 0
    for name, array in state_components(d).items():
        layout[name] = slice(start, start + array.shape[1])
        start += array.shape[1]
    return layout


def state_size(d: "MjoData") -> int:
    """Length of a state vector."""
    return max(part.stop for part in state_layout(d).values())


def _ids(d: "MjoData", world_ids: Any) -> wp.array:
    return wp.array(world_index(world_ids, d.nworld), dtype=int, device=d.device)


def get_state(m: "MjoModel", d: "MjoData", world_ids: Any = None) -> wp.array:
    """Copy the state of chosen worlds.

    Returns:
      (n, state_size) float64 array on the data's device; set_state restores it, and stepping on gives the same bits.
    """
    check_warp(m, d)
    ids = _ids(d, world_ids)
    with wp.ScopedDevice(d.device):
        out = wp.zeros((ids.shape[0], state_size(d)), dtype=wp.float64)
        start = 0
        for array in state_components(d).values():
            inputs = [array, ids, start]
            wp.launch(gather_kernel(array.dtype), dim=(ids.shape[0], array.shape[1]), inputs=inputs, outputs=[out])
            start += array.shape[1]
    return out


def state_written(m: "MjoModel", d: "MjoData") -> None:
    """What follows from a state that was written: masses, latched poses, the clock's epoch time and the LVLH frame."""
    write_masses(m, d)
    write_latches(m, d)
    refresh_orbit(d)


def set_state(m: "MjoModel", d: "MjoData", state: Any, world_ids: Any = None) -> None:
    """Restore states from get_state into chosen worlds.

    Args:
      state: (n, state_size) float64, Warp array on the data's device or array-like.
    """
    check_warp(m, d)
    ids = _ids(d, world_ids)
    expected = (ids.shape[0], state_size(d))
    if not isinstance(state, wp.array):
        state = wp.array(np.asarray(state, dtype=np.float64), dtype=wp.float64, device=d.device)
    if state.shape != expected or state.dtype != wp.float64 or state.device != d.device:
        raise ValueError(
            f"state has shape {state.shape}, dtype {state.dtype.__name__}, device {state.device}: "
            f"{expected}, float64 and {d.device} are expected"
        )
    with wp.ScopedDevice(d.device):
        start = 0
        for array in state_components(d).values():
            inputs = [state, ids, start]
            wp.launch(scatter_kernel(array.dtype), dim=(ids.shape[0], array.shape[1]), inputs=inputs, outputs=[array])
            start += array.shape[1]
        time = scalars(d.mjw.time)
        wp.launch(scatter_kernel(time.dtype), dim=(ids.shape[0], 1), inputs=[state, ids, 0], outputs=[time])
        state_written(m, d)
