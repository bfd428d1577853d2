"""Hardware on the device."""

from typing import Any

import mujoco
import numpy as np
import warp as wp

from mjorbit_warp.hardware.compiled import Hardware, PartList
from mjorbit_warp.kernels import hardware as structs
from mjorbit_warp.kernels.wrench import Parts
from mjorbit_warp.parameters import Parameters, shared


def _indices(values: Any) -> wp.array:
    return wp.array(values, dtype=int)


def _flags(parts: PartList, name: str) -> wp.array:
    return wp.array([bool(getattr(part, name)) for part in parts.parts], dtype=bool)


def _parameters(struct_type: Any, parts: PartList, indices: tuple[str, ...], batched: dict[str, Any]) -> Parameters:
    if not len(parts):
        return Parameters(struct_type, {})  # null arrays: no kernel is built that reads them
    arrays = {"adr": _indices(parts.adr)} | {name: _indices(getattr(parts, name)) for name in indices}
    if hasattr(struct_type(), "axis"):
        arrays["axis"] = wp.array(parts.axis, dtype=wp.vec3)
    values = {name: shared(parts.values(name), dtype) for name, dtype in batched.items()}
    return Parameters(struct_type, arrays | values, tuple(batched))


def hardware_parameters(hardware: Hardware) -> dict[str, Parameters]:
    """Parameters by the prefix of their names on the model."""
    wheel = ("inertia", "max_speed", "coulomb", "viscous", "stiction_speed")
    cmg = ("momentum", "min_angle", "max_angle")
    surface = ("area", "drag", "specular", "diffuse", "reflectivity")
    out = {
        "wheel": _parameters(
            structs.Wheels, hardware.reaction_wheel, ("ctrl", "act", "site"), dict.fromkeys(wheel, float)
        ),
        "cmg": _parameters(structs.Cmgs, hardware.cmg, ("ctrl", "act", "site"), dict.fromkeys(cmg, float)),
        "magnetorquer": _parameters(structs.Magnetorquers, hardware.magnetorquer, ("ctrl", "site"), {}),
        "dipole": _parameters(structs.Dipoles, hardware.residual_dipole, ("site",), {"dipole": wp.vec3}),
        "thruster": _parameters(
            structs.Thrusters,
            hardware.thruster,
            ("ctrl", "site"),
            dict.fromkeys(("min_pulse", "specific_impulse"), float),
        ),
        "surface": _parameters(structs.Surfaces, hardware.surface, ("site",), dict.fromkeys(surface, float)),
    }
    if len(hardware.cmg):
        _add(out["cmg"], "spin_axis", wp.array(hardware.cmg.values("spin_axis"), dtype=wp.vec3))
    if len(hardware.thruster):
        tanks = hardware.tank.names
        index = [tanks.index(part.tank) if part.tank else -1 for part in hardware.thruster.parts]
        _add(out["thruster"], "tank", _indices(index))
        _add(out["thruster"], "on_off", _flags(hardware.thruster, "on_off"))
    if len(hardware.surface):
        for name in ("two_sided", "sphere"):
            _add(out["surface"], name, _flags(hardware.surface, name))
    return out


def _add(parameters: Parameters, name: str, array: wp.array) -> None:
    setattr(parameters, name, array)
    parameters._names = (*parameters._names, name)


def parts_struct(parameters: dict[str, Parameters]) -> Any:
    """The nested struct of all parts."""
    parts: Any = Parts()
    for field, prefix in (
        ("wheels", "wheel"),
        ("cmgs", "cmg"),
        ("rods", "magnetorquer"),
        ("dipoles", "dipole"),
        ("thrusters", "thruster"),
        ("surfaces", "surface"),
    ):
        setattr(parts, field, parameters[prefix].struct)
    return parts


def moving_roots(mj: mujoco.MjModel) -> list[int]:
    """Bodies at the root of trees that move: the masses in the denominator of a_fb."""
    return [b for b in range(1, mj.nbody) if mj.body_parentid[b] == 0 and mj.body_treeid[b] >= 0]


def pushed_bodies(hardware: Hardware) -> list[int]:
    """Bodies with surfaces or thrusters."""
    return np.unique(np.concatenate([hardware.surface.body, hardware.thruster.body])).astype(int).tolist()


class HardwareData:
    """What hardware does in each world, as of the last evaluation; see kernels.hardware.HardwareState.

    Attributes:
      wheel_torque: on each rotor about its axis [N·m]                      (nworld, nwheel)
      gimbal_rate: of each CMG [rad/s]                                      (nworld, ncmg)
      thrust: of each thruster [N]                                          (nworld, nthruster)
      fire_until: elapsed time up to which an on-off pulse lasts [s]        (nworld, nthruster)
      propellant: left in each tank [kg]                                    (nworld, ntank)
      propellant0: what a reset fills in [kg]                               (nworld, ntank)
      force: non-gravitational external force on each body, world axes [N]  (nworld, nbody)
    """

    def __init__(self, hardware: Hardware, mj: mujoco.MjModel, nworld: int, tanks: Any) -> None:
        state: Any = structs.HardwareState()
        nwheel, ncmg, nthruster = len(hardware.reaction_wheel), len(hardware.cmg), len(hardware.thruster)
        unbounded = wp.vec2(-np.inf, np.inf)
        state.wheel_torque = wp.zeros((nworld, nwheel), dtype=float)
        state.wheel_bounds = wp.full((nworld, nwheel), unbounded, dtype=wp.vec2)
        state.gimbal_rate = wp.zeros((nworld, ncmg), dtype=float)
        state.gimbal_bounds = wp.full((nworld, ncmg), unbounded, dtype=wp.vec2)
        state.thrust = wp.zeros((nworld, nthruster), dtype=float)
        state.fire_until = wp.zeros((nworld, nthruster), dtype=wp.float64)
        state.impulse = wp.zeros((nworld, nthruster), dtype=wp.float64)
        self.tanks = tanks
        state.propellant = wp.zeros((nworld, 0), dtype=wp.float64) if tanks is None else tanks.propellant
        self.propellant0: Any = wp.clone(state.propellant)
        state.force = wp.zeros((nworld, mj.nbody), dtype=wp.vec3)
        state.torque = wp.zeros((nworld, mj.nbody), dtype=wp.vec3)
        self.state = state
        self.pushed: Any = wp.array(pushed_bodies(hardware), dtype=int)
        self.roots: Any = wp.array(moving_roots(mj), dtype=int)
        for name in ("wheel_torque", "gimbal_rate", "thrust", "fire_until", "propellant", "force"):
            setattr(self, name, getattr(state, name))
