"""One value per world for model parameters, and the constants that follow from them."""

import dataclasses
from typing import TYPE_CHECKING, Any

import mujoco_warp as mjw
import numpy as np
import warp as wp

from mjorbit_warp.latch_data import rewrite_latches
from mjorbit_warp.worlds import check_warp

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

# what mujoco_warp.set_const computes from the fields that it lets change (its docstring)
_DERIVED = (
    "body_subtreemass",
    "body_invweight0",
    "dof_invweight0",
    "tendon_invweight0",
    "tendon_length0",
    "actuator_acc0",
    "eq_data",
    "geom_aabb",
    "geom_rbound",
    "geom_size",
    "cam_pos0",
    "cam_poscom0",
    "cam_mat0",
    "light_pos0",
    "light_poscom0",
    "light_dir0",
)
_INPUTS = (
    "qpos0",
    "body_mass",
    "body_inertia",
    "body_ipos",
    "body_iquat",
    "body_pos",
    "body_quat",
    "dof_armature",
    "tendon_armature",
    "actuator_armature",
    "actuator_gear",
    "eq_data",
    "geom_size",
    "cam_pos",
    "cam_quat",
    "light_pos",
    "light_dir",
)


def batched_fields(cls: type) -> list[str]:
    """Names of a dataclass's array fields whose declared leading dimension is ``*``."""
    names = []
    for field in dataclasses.fields(cls):
        shape = getattr(field.type, "shape", None)
        if shape and shape[0] == "*":
            names.append(field.name)
    return names


def _repeat(array: wp.array, nworld: int, name: str) -> wp.array:
    have = array.shape[0]
    if have == nworld:
        return array
    if have != 1:
        raise ValueError(f"{name} already has {have} worlds: it cannot be expanded to {nworld}")
    if array.size == 0:
        raise ValueError(f"{name} is empty in this model: there is nothing to expand")
    values = np.repeat(array.numpy(), nworld, axis=0)
    out: Any = wp.array(values, dtype=array.dtype, device=array.device)
    if hasattr(array, "_is_batched"):
        out._is_batched = array._is_batched
    return out


def _owner(m: "MjoModel", name: str) -> tuple[Any, str]:
    ours = {
        f"{prefix}_{field}": (parameters, field)
        for prefix, parameters in m.parameters.items()
        for field in parameters.batched
    }
    if name in ours:
        return ours[name]
    if name.startswith("opt.") and name[4:] in batched_fields(mjw.Option):
        return m.mjw.opt, name[4:]
    if name in batched_fields(mjw.Model):
        return m.mjw, name
    known = [*ours, *(f"opt.{f}" for f in batched_fields(mjw.Option)), *batched_fields(mjw.Model)]
    raise ValueError(f"{name!r} is not a parameter that can differ per world: allowed are {', '.join(known)}")


def expand(m: "MjoModel", name: str, nworld: int) -> wp.array:
    """See MjoModel.expand."""
    if not isinstance(nworld, int | np.integer) or nworld < 1:
        raise ValueError(f"nworld is {nworld!r}: a positive integer is expected")
    owner, field = _owner(m, name)
    array = _repeat(getattr(owner, field), int(nworld), name)
    setattr(owner, field, array)
    return array


def set_const(m: "MjoModel", d: "MjoData") -> None:
    """Recompute what follows from masses, inertias, positions and gears (MuJoCo's mj_setConst) in every world.

    The state, ``qpos`` included, is untouched. Derived constants get one value per world where a source has one.
    """
    check_warp(m, d)
    with wp.ScopedDevice(m.device):
        if any(getattr(m.mjw, name).shape[0] > 1 for name in _INPUTS):
            for name in _DERIVED:
                if getattr(m.mjw, name).size:
                    expand(m, name, d.nworld)
        mjw.set_const(m.mjw, d.mjw)
        rewrite_latches(m)
