"""From the Warp backend to the reference."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjorbit_warp.reference.data import MjoData, set_const
from mjorbit_warp.reference.environment import EnvironmentData
from mjorbit_warp.reference.state import set_state, state_layout
from mjorbit_warp.worlds import check_warp, world_index

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData as WarpData
    from mjorbit_warp.model import MjoModel


_SCALAR_OPTIONS = (
    "integrator",
    "cone",
    "solver",
    "iterations",
    "ls_iterations",
    "noslip_iterations",
    "ccd_iterations",
    "disableflags",
    "enableflags",
)


def _copy_parameters(m: "MjoModel", out: MjoData, ids: Any) -> None:
    """Every batched parameter whose values on the device are not those of the host model."""
    import mujoco_warp as mjw

    from mjorbit_warp.expand import batched_fields

    named = [(m.mjw, name, name) for name in batched_fields(mjw.Model)]
    named += [(m.mjw.opt, name, f"opt.{name}") for name in batched_fields(mjw.Option)]
    for owner, name, full in named:
        host = getattr(m.mj.opt if full != name else m.mj, name, None)
        values = getattr(owner, name).numpy()
        if host is None or values.dtype.kind != "f" or not values.size:
            continue
        rows = values.reshape(values.shape[0], -1).astype(np.float64)
        nominal = np.asarray(host, dtype=np.float64).ravel()
        if rows.shape[1] != nominal.size:
            if rows.shape[0] > 1:
                raise NotImplementedError(f"{full} differs per world and is stored otherwise in MuJoCo C: not copied")
            continue
        if full != "opt.timestep" and np.array_equal(rows, np.broadcast_to(np.float32(nominal), rows.shape)):
            continue
        target = out.batch.expand(full)
        target[...] = rows[ids % rows.shape[0]].reshape(target.shape)
    for prefix, parameters in m.parameters.items():
        for name in parameters.batched:
            values = getattr(parameters, name).numpy().astype(np.float64)
            if values.shape[0] == 1:
                out._parameters[f"{prefix}_{name}"] = values
            else:
                out.expand(f"{prefix}_{name}")[...] = values[ids % values.shape[0]]


def from_warp(model: "MjoModel", data: "WarpData", world_ids: Any = None) -> MjoData:
    """A reference MjoData with the state, orbit, clock and parameters of chosen Warp worlds.

    Everything is taken at its float32 or float64 value on the device, the time step included, so the two backends start
    from the same numbers.
    """
    from mjorbit_warp.state import get_state
    from mjorbit_warp.state import state_layout as warp_layout

    check_warp(model, data)
    ids = world_index(world_ids, data.nworld)
    if not ids.size:
        raise ValueError("world_ids is empty: at least one world is needed")
    orbits = None if data.orbit is None else [model.orbit] * ids.size
    options = {name: int(getattr(model.mjw.opt, name)) for name in _SCALAR_OPTIONS}
    out = MjoData(model, ids.size, orbits, nthread=0, options=options)  # type: ignore[arg-type]
    _copy_parameters(model, out, ids)
    out.sensors.enabled = data.sensors.enabled
    if data.orbit is not None:
        pole = data.orbit.pole.numpy()
        out.orbit.pole = pole[ids % pole.shape[0]]
        out.orbit.frames = [data.orbit.frames[i % len(data.orbit.frames)] for i in ids]
        known = model.orbit is not None and model.orbit.epoch is not None
        epochs = list(data.orbit.epoch.numpy()[ids]) if known else [None] * ids.size
        out.environment = EnvironmentData(model.options, out.orbit.frames, epochs)
        out.environment.sun[:] = data.environment.sun.numpy()[ids]
    set_const(model, out)
    if (
        data.hardware.tanks is not None and out.hardware.tanks is not None
    ):  # the masses that were copied are those of this propellant
        out.hardware.tanks.applied[:] = data.hardware.tanks.applied.numpy()[ids]
        out.hardware.propellant0[:] = data.hardware.propellant0.numpy()[ids]
    state = get_state(model, data, ids).numpy()
    theirs = warp_layout(data)
    set_state(model, out, np.concatenate([state[:, theirs[name]] for name in state_layout(out)], axis=1))
    return out
