"""Propellant: what thrusters burn, and the masses that are left."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.reference.orbit import WEIGHTS

if TYPE_CHECKING:
    from mjorbit_warp.hardware import Hardware
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]
STANDARD_GRAVITY = 9.80665  # 3rd CGPM, 1901 [m/s²]


class Tanks:
    """Tanks of a model; ``propellant`` [kg] (nworld, ntank) is the state.

    Attributes:
      burns: 1/(g₀ I_sp) of each thruster into each tank, but for the impulse's parameter   (ntank, nthruster)
      applied, mass: propellant and body mass as they were last written [kg]                (nworld, ntank)
      full_mass, full_inertia: of the bodies with full tanks [kg], [kg·m²]                  (nworld, ntank), (…, 3)
    """

    def __init__(self, hardware: "Hardware", nworld: int) -> None:
        self.body = hardware.tank.body
        self.capacity = hardware.tank.values("propellant")
        self.propellant = np.tile(self.capacity, (nworld, 1))
        self.propellant0 = self.propellant.copy()
        self.applied = self.propellant.copy()
        self.mass = np.full_like(self.propellant, np.nan)
        self.full_mass = np.zeros_like(self.propellant)
        self.full_inertia = np.zeros((*self.propellant.shape, 3))
        users = [part.tank for part in hardware.thruster.parts]
        self.burns = np.array([[user == name for user in users] for name in hardware.tank.names], dtype=np.float64)
        self.fed = self.burns.any(axis=0) if users else np.zeros(0, dtype=bool)
        self.impulse = np.zeros((nworld, len(users)))


def limit_and_count(d: "MjoData", thrust: F64, stage: int) -> F64:
    """Thrust [N], none from an empty tank; its share of the step's impulse is kept for ``burn``."""
    tanks = d.hardware.tanks
    if tanks is None:
        return thrust
    empty = (tanks.propellant <= 0.0).astype(np.float64) @ tanks.burns > 0.0
    thrust = np.where(empty, 0.0, thrust)
    share = d.timestep[:, None] * thrust * (WEIGHTS[max(stage, 0)] if d.effects.coupled else 1.0)
    tanks.impulse[:] = share if stage <= 0 else tanks.impulse + share
    return thrust


def burn(m: "MjoModel", d: "MjoData") -> None:
    """After a step: Δm = −∫F dt/(g₀ I_sp)."""
    tanks = d.hardware.tanks
    if tanks is None or not tanks.fed.any():
        return
    isp = np.where(tanks.fed, d.thruster_specific_impulse, 1.0)
    used = (tanks.impulse / (STANDARD_GRAVITY * isp)) @ tanks.burns.T
    tanks.propellant[:] = np.maximum(tanks.propellant - used, 0.0)
    write_masses(m, d)


def write_masses(m: "MjoModel", d: "MjoData") -> None:
    """Masses, inertias and what MuJoCo derives from them, for the propellant that is left.

    A mass that is not the one last written here is the user's, with the propellant of that time in it.
    """
    from mjorbit_warp.reference.data import set_const

    tanks = d.hardware.tanks
    if tanks is None:
        return
    mass, inertia = d.batch.expand("body_mass"), d.batch.expand("body_inertia")
    now = mass[:, tanks.body]
    foreign = now != tanks.mass
    full = np.where(foreign, now + (tanks.capacity - tanks.applied), tanks.full_mass)
    tensors = inertia[:, tanks.body] * (full / now)[..., None]
    tanks.full_inertia[:] = np.where(foreign[..., None], tensors, tanks.full_inertia)
    tanks.full_mass[:] = full
    new = full - (tanks.capacity - tanks.propellant)
    tanks.applied[:], tanks.mass[:] = tanks.propellant, new
    if np.array_equal(new, now):
        return
    mass[:, tanks.body] = new
    inertia[:, tanks.body] = tanks.full_inertia * (new / full)[..., None]
    set_const(m, d)
