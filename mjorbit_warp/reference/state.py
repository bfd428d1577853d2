"""Reset, and the whole state of a world as one vector, in the layout of the Warp backend."""

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.frames import lvlh_axes
from mjorbit_warp.keyframe import keyframe_id
from mjorbit_warp.reference.latch import write_latches
from mjorbit_warp.reference.propellant import write_masses
from mjorbit_warp.worlds import check_reference, world_index

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


def _components(d: "MjoData") -> dict[str, NDArray[Any]]:
    from mjorbit_warp.state import HARDWARE_COMPONENTS, LATCH_COMPONENTS, MUJOCO_COMPONENTS, SENSOR_COMPONENTS

    parts = {name: getattr(d.clock, name) for name in ("time", "base", "nstep", "dt", "epoch")}
    if d.orbit is not None:
        parts |= {f"orbit.{name}": getattr(d.orbit, name) for name in ("r", "v", "r_carry", "v_carry", "r0", "v0")}
    for name in MUJOCO_COMPONENTS:
        parts[name] = d.qfrc_applied if name == "qfrc_applied" else d.batch.bind(name)
    parts |= {f"hardware.{name}": getattr(d.hardware, name) for name in HARDWARE_COMPONENTS}
    parts |= {f"sensors.{name}": getattr(d.sensors, name) for name in SENSOR_COMPONENTS}
    parts |= {f"latch.{name}": getattr(d.latch, name) for name in LATCH_COMPONENTS}
    return {name: array for name, array in parts.items() if array.size}


def state_layout(d: "MjoData") -> dict[str, slice]:
    """Columns of each component in a state vector."""
    layout, start = {}, 0
    for name, array in _components(d).items():
        width = int(np.prod(array.shape[1:]))
        layout[name] = slice(start, start + width)
        start += width
    return layout


def get_state(m: "MjoModel", d: "MjoData", world_ids: Any = None) -> F64:
    """(n, state_size) copy of the state of chosen worlds."""
    check_reference(m, d)
    ids = world_index(world_ids, d.nworld)
    parts = [array[ids].reshape(ids.size, -1).astype(np.float64) for array in _components(d).values()]
    return np.concatenate(parts, axis=1)


def set_state(m: "MjoModel", d: "MjoData", state: Any, world_ids: Any = None) -> None:
    """Restore states from get_state, of either backend, into chosen worlds."""
    check_reference(m, d)
    ids = world_index(world_ids, d.nworld)
    values = np.asarray(state, dtype=np.float64)
    layout = state_layout(d)
    expected = (ids.size, max(part.stop for part in layout.values()))
    if values.shape != expected:
        raise ValueError(f"state has shape {values.shape}: {expected} is expected")
    for name, array in _components(d).items():
        array[ids] = values[:, layout[name]].reshape(ids.size, *array.shape[1:])
    write_masses(m, d)
    write_latches(d)
    _refresh(d)


def masked_worlds(d: "MjoData", mask: Any) -> NDArray[np.intp]:
    """Indices of the worlds of ``mask`` (nworld,) bool, None for all; ValueError for anything else."""
    chosen = np.ones(d.nworld, dtype=bool) if mask is None else np.asarray(mask)
    if chosen.shape != (d.nworld,) or chosen.dtype != np.bool_:
        raise ValueError(f"mask has shape {chosen.shape} and dtype {chosen.dtype}: ({d.nworld},) and bool are expected")
    return np.flatnonzero(chosen)


def _refresh(d: "MjoData") -> None:
    d.batch.bind("time")[:] = d.time
    if d.orbit is not None:
        d.orbit.lvlh[:] = lvlh_axes(d.orbit.r, d.orbit.v)
    d.batch.forward(stage=mujoco.mjtStage.mjSTAGE_POS.value)


def mjo_reset(m: "MjoModel", d: "MjoData", mask: Any = None, *, keyframe: str | int | None = None) -> None:
    """Reset worlds to ``qpos0`` or a keyframe, the initial orbit and time zero, as mjorbit_warp.mjo_reset."""
    check_reference(m, d)
    key = -1 if keyframe is None else keyframe_id(m, keyframe)
    ids = masked_worlds(d, mask)
    if not ids.size:
        return
    d.batch.reset(ids, keyframe=key, stage=mujoco.mjtStage.mjSTAGE_NONE.value)
    clock = (d.clock.time, d.clock.base, d.clock.nstep, d.clock.dt)
    for array in (*clock, d.status, d.qfrc_applied, d.hardware.fire_until):
        array[ids] = 0
    d.faults.clear(ids)
    d.sensors.reset(ids)
    d.latch.on[ids] = False
    write_latches(d)
    d.hardware.propellant[ids] = d.hardware.propellant0[ids]
    write_masses(m, d)
    if key >= 0:
        d.clock.time[ids] = d.clock.base[ids] = m.mj.key_time[key]
    if d.orbit is not None:
        for name in ("r", "v"):
            getattr(d.orbit, name)[ids] = getattr(d.orbit, f"{name}0")[ids]
            getattr(d.orbit, f"{name}_carry")[ids] = 0.0
    _refresh(d)
