"""Tanks on the device: masses that change in flight belong to one MjoData."""

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.kernels.propellant import BodyMass, Tanks, _burn, _fill, _write_masses

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

_MASSES = ("body_mass", "body_inertia", "body_subtreemass")


def make_tanks(m: "MjoModel", nworld: int) -> Any:
    """Full tanks for nworld worlds, or None if the model has none.

    Raises:
      ValueError: another MjoData of the model is in use.
    """
    tank = m.hardware.tank
    if not len(tank):
        return None
    if m.datas():
        raise ValueError(
            f"tank {tank.names[0]} changes the model's masses in flight, so the model serves one MjoData: compile the "
            "spec again for another"
        )
    for name in _MASSES:
        m.expand(name, nworld)
    capacity = np.array([part.propellant for part in tank.parts])
    full = np.tile(capacity, (nworld, 1))
    tanks: Any = Tanks()
    tanks.body = wp.array(tank.body, dtype=int)
    tanks.capacity = wp.array(capacity, dtype=wp.float64)
    tanks.propellant = wp.array(full, dtype=wp.float64)
    tanks.applied = wp.array(full, dtype=wp.float64)
    tanks.written = wp.full(full.shape, float("nan"), dtype=float)
    tanks.full_mass = wp.zeros(full.shape, dtype=float)
    tanks.full_inertia = wp.zeros(full.shape, dtype=wp.vec3)
    return tanks


def _bodies(m: "MjoModel") -> Any:
    bodies: Any = BodyMass()
    bodies.parentid, bodies.subtreenum = m.mjw.body_parentid, m.mjw.body_subtreenum
    bodies.mass, bodies.inertia, bodies.subtreemass = (getattr(m.mjw, name) for name in _MASSES)
    return bodies


def burn(m: "MjoModel", d: "MjoData") -> None:
    """After a step: one launch where there are tanks."""
    if d.hardware.tanks is None:
        return
    thrusters = m.parameters["thruster"].struct
    inputs = [thrusters, d.hardware.state, d.faults.frozen]
    wp.launch(_burn, dim=d.nworld, inputs=inputs, outputs=[d.hardware.tanks, _bodies(m)])


def fill(m: "MjoModel", d: "MjoData", mask: wp.array) -> None:
    """Reset: masked worlds have the propellant of ``propellant0`` again."""
    if d.hardware.tanks is not None:
        inputs = [mask, d.hardware.propellant0]
        wp.launch(_fill, dim=d.nworld, inputs=inputs, outputs=[d.hardware.tanks, _bodies(m)])


def write_masses(m: "MjoModel", d: "MjoData") -> None:
    """Masses that go with ``data.hardware.propellant``, after it was written."""
    if d.hardware.tanks is not None:
        wp.launch(_write_masses, dim=d.nworld, outputs=[d.hardware.tanks, _bodies(m)])


def full_masses(m: "MjoModel", d: "MjoData", world: int) -> dict[str, NDArray[np.float32]]:
    """``body_mass`` and ``body_inertia`` of a world if its tanks were full, as kernels.propellant.write_mass counts.

    Together with the propellant of a state they give back the masses of that state. Empty for a model without tanks.
    """
    tanks = d.hardware.tanks
    if tanks is None:
        return {}
    mass, inertia = (getattr(m.mjw, name).numpy()[world].copy() for name in _MASSES[:2])
    body = tanks.body.numpy()
    now = mass[body]
    ours = now == tanks.written.numpy()[world]
    full = now + (tanks.capacity.numpy() - tanks.applied.numpy()[world]).astype(np.float32)
    grown = inertia[body] * (full / now)[:, None]
    mass[body] = np.where(ours, tanks.full_mass.numpy()[world], full)
    inertia[body] = np.where(ours[:, None], tanks.full_inertia.numpy()[world], grown)
    return {"body_mass": mass[None], "body_inertia": inertia[None]}
