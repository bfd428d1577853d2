"""Magnetic dipoles of the bodies, and the torque of the central body's field on them."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _vector
from mjorbit_warp.constants import SECONDS_PER_CENTURY
from mjorbit_warp.magnetic_field import GaussCoefficients, MagneticField
from mjorbit_warp.reference.magnetic_field import magnetic_field

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


class WorldField:
    """Coefficients of the field at each world's epoch, with leading dimensions (1 or nworld, 1) for the bodies."""

    def __init__(self, field: MagneticField, epochs: list[float | None]) -> None:
        pieces = {epoch: field.at(epoch) for epoch in set(epochs)}
        rows = epochs if len(pieces) > 1 else epochs[:1]
        found = [pieces[epoch] for epoch in rows]
        g, h, g_rate, h_rate = (
            np.array([getattr(p, name) for p in found])[:, None] for name in ("g", "h", "g_rate", "h_rate")
        )
        radius = np.array([float(p.radius) for p in found])[:, None]
        self.coefficients = GaussCoefficients(g, h, g_rate, h_rate, radius, None)
        self.t0 = np.array([epoch or 0.0 for epoch in rows])
        self.years0 = np.array([p.years(epoch) for p, epoch in zip(found, rows, strict=True)])

    def at(self, x_ecef: F64, t: F64) -> F64:
        """B [T] in body-fixed axes at ``x_ecef`` (nworld, n, 3) [m] and ``t`` (nworld,) [s past J2000 TT]."""
        years = self.years0 + (t - self.t0) * (100.0 / SECONDS_PER_CENTURY)
        return magnetic_field(x_ecef, years[:, None], self.coefficients)


def body_dipole(d: "MjoData", commands: bool) -> F64:
    """Sum of the dipoles of each body (nworld, nbody, 3) [A·m²], world axes; the rods' only with ``commands``."""
    h = d.hardware
    total = np.zeros((d.nworld, d.model.mj.nbody, 3))
    if len(h.rods) and commands:
        total += h.rods.on_bodies(h.rods.turned(d, h.rods.axis) * h.rods.command(d)[..., None])
    if len(h.dipoles):
        total += h.dipoles.on_bodies(h.dipoles.turned(d, d.dipole_dipole))
    return total


def magnetic_torque(d: "MjoData", r_c: F64, commands: bool) -> F64:
    """m×B on each body (nworld, nbody, 3) [N·m], world axes, with the field at the body's own COM."""
    h = d.hardware
    carriers = np.unique(np.concatenate([h.rods.body, h.dipoles.body]))
    axes = d.environment.ecef
    at = np.einsum("wij,wbj->wbi", axes, r_c[:, None] + d.xipos[:, carriers])
    b = np.einsum("wji,wbj->wbi", axes, d.environment.field.at(at, d.environment.t))
    torque = np.zeros((d.nworld, d.model.mj.nbody, 3))
    torque[:, carriers] = _vector.cross(body_dipole(d, commands)[:, carriers], b)
    return torque
