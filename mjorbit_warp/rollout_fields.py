"""Fields that a rollout can record."""

import dataclasses
import difflib
from typing import TYPE_CHECKING, Any

import mujoco_warp as mjw
import warp as wp

from mjorbit_warp.state import scalars

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

_OURS = ("time", "status", "qfrc_orbit", "wrench")
_GROUPS = {
    "orbit": ("r", "v", "t", "lvlh", "feedback"),
    "environment": ("sun", "moon", "ecef"),
    "hardware": ("wheel_torque", "gimbal_rate", "thrust", "propellant", "force"),
    "shadow": ("qpos", "qvel", "act"),
}
# of the evaluation before, after a step: positions and velocities are refreshed where one of these is recorded
POSED = frozenset(
    "xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat cam_xpos cam_xmat subtree_com "
    "cinert cdof cdof_dot cvel".split()
)


def _mjw_names(d: mjw.Data) -> list[str]:
    names = []
    for field in dataclasses.fields(d):
        shape = getattr(field.type, "shape", None)
        if shape and shape[0] == "nworld" and isinstance(getattr(d, field.name), wp.array) and field.name != "time":
            names.append(field.name)
    return names


def field_names(m: "MjoModel", d: "MjoData") -> list[str]:
    """Names that ``record`` takes."""
    names = [*_OURS]
    for group, fields in _GROUPS.items():
        if getattr(d, group) is not None:
            names += [f"{group}.{field}" for field in fields]
    names += [f"sensor:{m.mj.sensor(i).name}" for i in range(m.mj.nsensor) if m.mj.sensor(i).name]
    return names + _mjw_names(d.mjw)


def field_array(m: "MjoModel", d: "MjoData", name: str) -> wp.array:
    """The live array of a field, leading dimension nworld."""
    if name not in field_names(m, d):
        theirs = _mjw_names(d.mjw)
        ours = [known for known in field_names(m, d) if known not in theirs]
        near = difflib.get_close_matches(name, theirs, n=3)
        more = f", near this {' and '.join(near)}" if near else ", such as qpos"
        raise ValueError(
            f"record has {name!r}, which is no field: allowed are {', '.join(ours)}, sensor:NAME of a sensor that the "
            f"model has, and MJWarp's arrays{more}"
        )
    if name.startswith("sensor:"):
        return d.sensor(name.removeprefix("sensor:"))
    group, _, field = name.partition(".")
    if field:
        return getattr(getattr(d, group), field)
    return getattr(d, name) if name in _OURS else getattr(d.mjw, name)


def flat(array: wp.array) -> wp.array:
    """A (nworld, n) view of scalars; columns of ``sensordata`` keep their stride."""
    return array if array.ndim == 2 and not array.is_contiguous else scalars(array)


def record_array(array: wp.array, nrow: int) -> tuple[wp.array, wp.array]:
    """(the record (nrow, nworld, …) of the field's type, its (nrow, nworld, n) view of scalars)."""
    record: Any = wp.zeros((nrow, *array.shape), dtype=array.dtype, device=array.device)
    scalar = getattr(array.dtype, "_wp_scalar_type_", array.dtype)
    width = flat(array).shape[1]
    shape = (nrow, array.shape[0], width)
    view: Any = wp.array(ptr=record.ptr, dtype=scalar, shape=shape, device=array.device, copy=False)
    return record, view
