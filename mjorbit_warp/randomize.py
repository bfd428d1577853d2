"""Parameters per world from distributions."""

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.distributions import Distribution, draw
from mjorbit_warp.expand import _DERIVED, _INPUTS, _owner, expand, set_const
from mjorbit_warp.worlds import check_warp

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

F64 = NDArray[np.float64]

_POSITIVE = (
    "body_mass",
    "body_inertia",
    "opt.timestep",
    "central_mu",
    "central_radius",
    "environment_sun_mu",
    "environment_moon_mu",
    "environment_sun_radius",
    "environment_eclipse_radius",
    "wheel_inertia",
    "wheel_max_speed",
    "wheel_stiction_speed",
    "cmg_momentum",
    "thruster_specific_impulse",
)
_NOT_NEGATIVE = (
    "environment_solar_flux",
    "environment_density_scale",
    "wheel_coulomb",
    "wheel_viscous",
    "thruster_min_pulse",
    "surface_area",
    "surface_drag",
    "surface_specular",
    "surface_diffuse",
    "surface_reflectivity",
    "dof_armature",
    "dof_damping",
    "dof_frictionloss",
    "geom_friction",
)
# a spacecraft's free joint has none of these, see mjorbit_warp.check
_OF_HELD_JOINTS = (
    "dof_armature",
    "dof_damping",
    "dof_dampingpoly",
    "dof_frictionloss",
    "jnt_stiffness",
    "jnt_stiffnesspoly",
)
_PARTS = {
    "wheel": "reaction_wheel",
    "cmg": "cmg",
    "dipole": "residual_dipole",
    "thruster": "thruster",
    "surface": "surface",
}
_OBJECTS = {
    "body": mujoco.mjtObj.mjOBJ_BODY,
    "geom": mujoco.mjtObj.mjOBJ_GEOM,
    "site": mujoco.mjtObj.mjOBJ_SITE,
    "jnt": mujoco.mjtObj.mjOBJ_JOINT,
    "cam": mujoco.mjtObj.mjOBJ_CAMERA,
    "light": mujoco.mjtObj.mjOBJ_LIGHT,
    "tendon": mujoco.mjtObj.mjOBJ_TENDON,
    "eq": mujoco.mjtObj.mjOBJ_EQUALITY,
    "actuator": mujoco.mjtObj.mjOBJ_ACTUATOR,
}
_pristine: "weakref.WeakKeyDictionary[MjoModel, MjoModel]" = weakref.WeakKeyDictionary()


def randomize(
    model: "MjoModel",
    data: "MjoData | int",
    parameters: Mapping[str, Distribution],
    *,
    seed: int,
    mask: Any = None,
    scale_inertia: bool = True,
    first: int = 0,
) -> dict[str, F64]:
    """Draw parameters for every world, or for the masked ones, and recompute what follows from them.

    Draws start from the values that were compiled, never from the present ones, so a second call gives the same as it
    would alone. They are keyed by (seed, parameter, world): a world's values depend neither on nworld nor on what else
    is drawn. Captured graphs take the new values; the call itself is host code and cannot be captured.

    Args:
      data: MjoData, or a number of worlds before there is one.
      parameters: a distribution for each name that ``model.expand`` takes.
      seed: 0 or more.
      mask: (nworld,) bool, worlds to draw anew, for instance those that are being reset; None for all.
      scale_inertia: ``body_mass`` scales ``body_inertia`` with it, so that the body's density changes, not its shape.
      first: number of the first world among all that are drawn in parts: world i gets the draws of number first + i.

    Returns:
      The parameters' values (nworld, …), those of unmasked worlds as they are.

    Raises:
      ValueError: a name, an element or a value that is impossible, in one sentence; nothing is changed then.
    """
    nworld = _check(model, data, parameters, seed)
    chosen = _mask(mask, nworld)
    if not isinstance(first, int | np.integer) or isinstance(first, bool) or first < 0:
        raise ValueError(f"first is {first!r}: an integer, 0 or more, is expected")
    values = _drawn(model, parameters, int(seed), nworld, int(first))
    if scale_inertia and "body_mass" in values:
        _scale_inertia(model, parameters, values)
    _check_values(model, values, chosen, int(first))
    out = {}
    with wp.ScopedDevice(model.device):
        arrays = {name: expand(model, name, nworld) for name in values}
        if not isinstance(data, int | np.integer) and data.hardware.tanks is not None:
            _take_out_burnt(model, data.hardware.tanks, values, chosen)
        for name, array in arrays.items():
            now = array.numpy()
            now[chosen] = values[name][chosen].reshape(now[chosen].shape)
            array.assign(now)
            out[name] = now.astype(np.float64)
        if any(name in _INPUTS for name in values):
            _set_const(model, data)
    return out


def _check(model: "MjoModel", data: Any, parameters: Mapping[str, Distribution], seed: Any) -> int:
    """Number of worlds."""
    if isinstance(data, bool) or not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise ValueError(f"seed is {seed!r}: an integer, 0 or more, is expected")
    if model.device.is_capturing:
        raise ValueError("randomize is host code and cannot be captured: call it between replays of the graph")
    for name, distribution in parameters.items():
        if not isinstance(distribution, Distribution):
            raise TypeError(f"{name} is a {type(distribution).__name__}: a Distribution such as Uniform is expected")
    if isinstance(data, int | np.integer):
        if data < 1:
            raise ValueError(f"nworld is {data!r}: a positive integer is expected")
        return int(data)
    check_warp(model, data)
    return int(data.nworld)


def _mask(mask: Any, nworld: int) -> NDArray[np.bool_]:
    if mask is None:
        return np.ones(nworld, dtype=bool)
    values = np.asarray(mask.numpy() if isinstance(mask, wp.array) else mask)
    if values.shape != (nworld,) or values.dtype != np.bool_:
        raise ValueError(f"mask has shape {values.shape} and dtype {values.dtype}: ({nworld},) and bool are expected")
    return values


def nominal(model: "MjoModel", name: str) -> F64:
    """Values of a parameter as compiled, without the worlds' dimension; a copy of the model on the CPU keeps them."""
    if model not in _pristine:
        copy = type(model)(model.mj, model.orbit, model.options, (), model.hardware)
        copy.put("cpu")
        _pristine[model] = copy
    owner, field = _owner(_pristine[model], name)
    array = getattr(owner, field)
    if array.size == 0:
        raise ValueError(f"{name} is empty in this model: there is nothing to draw")
    values = array.numpy()[0]
    if values.dtype.kind != "f" or name.endswith("quat"):
        raise ValueError(f"{name} is not made of numbers that can be drawn one by one")
    if name in _DERIVED and name not in _INPUTS:
        raise ValueError(f"{name} follows from other parameters: draw those")
    return np.asarray(values, dtype=np.float64)


def element_names(model: "MjoModel", name: str) -> list[str]:
    """Names of the elements along a parameter's second dimension; empty if they have none."""
    prefix = name.split("_")[0]
    if prefix in _PARTS:
        return list(getattr(model.hardware, _PARTS[prefix]).names)
    mj = model.mj
    if prefix == "sensors":
        return list(model.sensors.names)
    if prefix == "dof":
        return [mj.joint(int(j)).name for j in mj.dof_jntid]
    if prefix in _OBJECTS and not name.startswith("opt."):
        count = {"body": mj.nbody, "jnt": mj.njnt, "actuator": mj.nactuator}.get(prefix) or getattr(mj, f"n{prefix}")
        return [mujoco.mj_id2name(mj, _OBJECTS[prefix], i) or "" for i in range(count)]
    return []


def _selected(model: "MjoModel", name: str, names: Any, base: F64) -> NDArray[np.bool_]:
    """Which elements are drawn (n,): never the world or a free joint's damping, bodies without mass only by name."""
    known = element_names(model, name)
    n = base.shape[0] if base.ndim else 1
    free = _free(model, name, n)
    if names is None:
        chosen = ~free
        if name.startswith("body_"):
            chosen[0] = False
        if name in ("body_mass", "body_inertia"):
            chosen &= base.reshape(n, -1).any(axis=1)
        return chosen
    if len(known) != n:
        raise ValueError(f"{name} has no elements with names: leave names out")
    for wanted in names:
        if wanted not in known or (wanted == "world" and name.startswith("body_")):
            allowed = ", ".join(k for k in dict.fromkeys(known) if k and k != "world") or "none in this model"
            raise ValueError(f"{name} has no element {wanted!r}: allowed are {allowed}")
    selected = np.array([k in names for k in known])
    if (selected & free).any():
        raise ValueError(
            f"{name} of free joint {known[int(np.argmax(selected & free))]!r} would hold the spacecraft to the orbit's "
            "origin: name the other joints"
        )
    return selected


def _free(model: "MjoModel", name: str, n: int) -> NDArray[np.bool_]:
    """Elements that belong to a free joint, of a parameter that such a joint must not have (n,)."""
    if name not in _OF_HELD_JOINTS:
        return np.zeros(n, dtype=bool)
    joints = model.mj.dof_jntid if name.startswith("dof_") else np.arange(n)
    free: NDArray[np.bool_] = model.mj.jnt_type[joints] == int(mujoco.mjtJoint.mjJNT_FREE)
    return free


def _drawn(
    model: "MjoModel", parameters: Mapping[str, Distribution], seed: int, nworld: int, first: int
) -> dict[str, F64]:
    values = {}
    for name, distribution in parameters.items():
        base = nominal(model, name)
        draws = draw(distribution, seed, name, nworld, base.shape, first)
        new = base * draws if distribution.relative else base + draws if distribution.offset else draws
        selected = _selected(model, name, distribution.names, base)
        where = selected.reshape(selected.shape + (1,) * (base.ndim - 1)) if base.ndim else selected[0]
        values[name] = np.where(where, new, base)
    return values


def _scale_inertia(model: "MjoModel", parameters: Mapping[str, Distribution], values: dict[str, F64]) -> None:
    base = nominal(model, "body_mass")
    factor = values["body_mass"] / np.where(base == 0.0, 1.0, base)
    given = parameters.get("body_inertia")
    if given is None:
        values["body_inertia"] = nominal(model, "body_inertia") * factor[..., None]
    elif given.relative:
        values["body_inertia"] = values["body_inertia"] * factor[..., None]


def _check_values(model: "MjoModel", values: dict[str, F64], chosen: NDArray[np.bool_], first: int) -> None:
    for name, new in values.items():
        base = nominal(model, name)
        changed = chosen.reshape(-1, *[1] * base.ndim) & (new != base)
        low = 0.0 if name in _POSITIVE else -np.inf
        wrong = ~np.isfinite(new) | (new <= low if name in _POSITIVE else False)
        if name in _NOT_NEGATIVE:
            wrong |= new < 0.0
        expected = "positive" if name in _POSITIVE else "not negative and finite"
        _refuse(model, name, new, changed & wrong, expected, first)
    if (inertia := values.get("body_inertia")) is not None:
        rows = np.sort(inertia, axis=-1)
        wrong = (rows[..., 0] + rows[..., 1] < rows[..., 2] * (1.0 - 1e-6)) & chosen[:, None]
        wrong &= (inertia != nominal(model, "body_inertia")).any(axis=-1)
        _refuse(model, "body_inertia", inertia, wrong, "three moments of a rigid body, A + B ≥ C,", first)
    if {"surface_specular", "surface_diffuse"} & set(values):
        parts = [values.get(f"surface_{k}", nominal(model, f"surface_{k}")) for k in ("specular", "diffuse")]
        total = parts[0] + parts[1]
        _refuse(model, "surface_specular + surface_diffuse", total, (total > 1.0) & chosen[:, None], "1 or less", first)


def _refuse(model: "MjoModel", name: str, values: F64, wrong: NDArray[np.bool_], expected: str, first: int) -> None:
    if not wrong.any():
        return
    where = np.argwhere(wrong)[0]
    known = element_names(model, name)
    element = f" of {known[where[1]]}" if len(where) > 1 and len(known) == values.shape[1] else ""
    drawn = values[tuple(where)]
    raise ValueError(f"{name}{element} was drawn as {drawn} in world {first + where[0]}: {expected} is expected")


def _take_out_burnt(model: "MjoModel", tanks: Any, values: dict[str, F64], chosen: NDArray[np.bool_]) -> None:
    """Draws are of full tanks: less what has been burnt, and the tank is told that the mass is new."""
    if not {"body_mass", "body_inertia"} & set(values):
        return
    bodies = tanks.body.numpy()
    burnt = tanks.capacity.numpy() - tanks.applied.numpy()
    mass = values.get("body_mass")
    now = model.body_mass.numpy().astype(np.float64)
    full = now[:, bodies] + burnt if mass is None else mass[:, bodies]
    left = full - burnt
    names = [model.mj.body(int(b)).name for b in bodies]
    if (wrong := (left <= 0.0) & chosen[:, None]).any():
        world, tank = np.argwhere(wrong)[0]
        raise ValueError(
            f"body_mass of {names[tank]} was drawn as {full[world, tank]} in world {world}: more than the "
            f"{burnt[world, tank]:g} kg of propellant that it has burnt is expected"
        )
    if mass is not None:
        mass[:, bodies] = left
    if "body_inertia" in values:
        values["body_inertia"][:, bodies] *= (left / full)[..., None]
    written = tanks.written.numpy()
    written[chosen] = np.nan
    tanks.written.assign(written)


def _set_const(model: "MjoModel", data: Any) -> None:
    if isinstance(data, int | np.integer):
        from mjorbit_warp.data import make_data

        data = make_data(model, int(data))  # MJWarp's set_const works in a Data
    set_const(model, data)
