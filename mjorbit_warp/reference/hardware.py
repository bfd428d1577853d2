"""Parts of a model as NumPy arrays, and what they do in each world."""

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.hardware import Hardware, PartList
from mjorbit_warp.reference.propellant import Tanks

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]
KINDS = ("reaction_wheel", "cmg", "magnetorquer", "residual_dipole", "thruster", "surface")
_BATCHED = {
    "wheel": ("reaction_wheel", ("inertia", "max_speed", "coulomb", "viscous", "stiction_speed")),
    "cmg": ("cmg", ("momentum", "min_angle", "max_angle")),
    "dipole": ("residual_dipole", ("dipole",)),
    "thruster": ("thruster", ("min_pulse", "specific_impulse")),
    "surface": ("surface", ("area", "drag", "specular", "diffuse", "reflectivity")),
}


class Parts:
    """Parts of one kind; ``body``, ``site``, ``ctrl``, ``act``, ``axis`` as in hardware.PartList."""

    def __init__(self, parts: PartList, nbody: int) -> None:
        self.parts = parts.parts
        self.body, self.site, self.ctrl, self.act, self.axis = parts.body, parts.site, parts.ctrl, parts.act, parts.axis
        self._carries = (np.arange(nbody)[:, None] == parts.body).astype(np.float64)
        self._flags: dict[str, NDArray[np.bool_]] = {}

    def __len__(self) -> int:
        return len(self.parts)

    def on_bodies(self, values: F64) -> F64:
        """(nworld, nbody, k) sums over the parts of each body of (nworld, n, k)."""
        return self._carries @ values

    def flags(self, name: str) -> NDArray[np.bool_]:
        """A yes or no of all parts (n,)."""
        if name not in self._flags:
            self._flags[name] = np.array([getattr(part, name) for part in self.parts], dtype=bool)
        return self._flags[name]

    def turned(self, d: "MjoData", vectors: F64) -> F64:
        """Vectors (…, n, 3) in the frames of the sites, in world axes (nworld, n, 3)."""
        return (d.site_xmat[:, self.site] @ vectors[..., None])[..., 0]

    def arm(self, d: "MjoData") -> F64:
        """From the body's COM to the site [m], world axes (nworld, n, 3)."""
        return d.site_xpos[:, self.site] - d.xipos[:, self.body]

    def command(self, d: "MjoData") -> F64:
        """Commands within their ``ctrlrange`` (nworld, n)."""
        limits = d.parameter("actuator_ctrlrange")[:, self.ctrl]
        limited = d.model.mj.actuator_ctrllimited[self.ctrl].astype(bool)
        u = d.ctrl[:, self.ctrl]
        return np.where(limited, np.minimum(np.maximum(u, limits[..., 0]), limits[..., 1]), u)


def part_parameters(hardware: Hardware) -> dict[str, F64]:
    """``<prefix>_<name>`` as on the Warp model, (1, n) or (1, n, 3)."""
    out: dict[str, F64] = {}
    for prefix, (kind, names) in _BATCHED.items():
        parts = getattr(hardware, kind)
        if len(parts):
            out |= {f"{prefix}_{name}": parts.values(name)[None] for name in names}
    return out


class HardwareData:
    """What hardware does in each world, as of the last evaluation; names as in the Warp backend.

    Attributes:
      present: whether the model has any part that acts on a body.
      wheel_torque: on each rotor about its axis [N·m]                      (nworld, nwheel)
      wheel_bounds: lowest and highest over the step [N·m]                  (nworld, nwheel, 2)
      gimbal_rate: of each CMG [rad/s]                                      (nworld, ncmg)
      gimbal_bounds: lowest and highest over the step [rad/s]               (nworld, ncmg, 2)
      thrust: of each thruster [N]                                          (nworld, nthruster)
      fire_until: elapsed time up to which an on-off pulse lasts [s]        (nworld, nthruster)
      propellant: left in each tank [kg]                                    (nworld, ntank)
      propellant0: what a reset fills in [kg]                               (nworld, ntank)
      force: non-gravitational external force on each body, world axes [N]  (nworld, nbody, 3)
    """

    wheels: Parts
    cmgs: Parts
    rods: Parts
    dipoles: Parts
    thrusters: Parts
    surfaces: Parts

    def __init__(self, hardware: Hardware, mj: mujoco.MjModel, nworld: int) -> None:
        self.present = hardware.any(*KINDS)
        fields = ("wheels", "cmgs", "rods", "dipoles", "thrusters", "surfaces")
        for field, kind in zip(fields, KINDS, strict=True):
            setattr(self, field, Parts(getattr(hardware, kind), mj.nbody))
        unbounded = np.array([-np.inf, np.inf])
        self.wheel_torque = np.zeros((nworld, len(self.wheels)))
        self.wheel_bounds = np.tile(unbounded, (nworld, len(self.wheels), 1))
        self.gimbal_rate = np.zeros((nworld, len(self.cmgs)))
        self.gimbal_bounds = np.tile(unbounded, (nworld, len(self.cmgs), 1))
        self.thrust = np.zeros((nworld, len(self.thrusters)))
        self.fire_until = np.zeros((nworld, len(self.thrusters)))
        self.tanks = Tanks(hardware, nworld) if len(hardware.tank) else None
        self.propellant = np.zeros((nworld, 0)) if self.tanks is None else self.tanks.propellant
        self.propellant0 = self.propellant if self.tanks is None else self.tanks.propellant0
        self.force = np.zeros((nworld, mj.nbody, 3))
        self.momentum_act = np.concatenate([self.wheels.act, self.cmgs.act])
        self.carriers = np.unique(np.concatenate([self.wheels.body, self.cmgs.body]))

    def act_rates(self) -> F64:
        """Rates of the activations ``momentum_act`` (nworld, nwheel + ncmg)."""
        return np.concatenate([self.wheel_torque, self.gimbal_rate], axis=1)
