"""Gravity and the flags of <option>."""

import copy
from collections.abc import Callable

import mujoco
import numpy as np

from mjorbit_warp.advice.record import Advice, Subject
from mjorbit_warp.inspect_geoms import contact_pairs

_GRAVITY = 1 << 7  # of MjsAuthored.option: the field gravity, by its place in mjxmacro.h
_ENERGY_SENSORS = (mujoco.mjtSensor.mjSENS_E_POTENTIAL, mujoco.mjtSensor.mjSENS_E_KINETIC)


def _gravity(s: Subject) -> list[Advice]:
    if not any(s.gravity):
        return []
    given = " ".join(f"{g:g}" for g in s.gravity)
    default = s.spec is not None and not s.spec.authored.option & _GRAVITY
    undeclared_radians = s.spec is not None and not s.spec.compiler.degree and not s.spec.compiler.authored
    # a URDF has no <option>, and its reader takes radians without being told
    level = "info" if default and undeclared_radians else "warning"
    what = f"gravity is {given} m/s²" + (", MuJoCo's default, as the file has none" if default else "")
    return [
        Advice(
            level,
            "gravity",
            "option",
            f"{what}: it is set to 0 here, but other tools that open this file let everything fall",
            '<option gravity="0 0 0"/>; gravity comes from the orbit' if level == "warning" else "none needed here",
        )
    ]


def _fluid(mj: mujoco.MjModel) -> list[Advice]:
    """MuJoCo's medium rests, or blows, in the axes of the orbit's origin, which itself moves at kilometres a second."""
    given = [f"{name} {float(getattr(mj.opt, name)):g}" for name in ("density", "viscosity") if getattr(mj.opt, name)]
    if not given:
        return []
    return [
        Advice(
            "warning",
            "fluid",
            "option",
            f"{' and '.join(given)}: bodies are braked by a medium that moves along with the orbit's origin",
            "remove density, viscosity and wind from <option>, and take OrbitOptions(atmosphere=…) for air drag; they "
            "are right inside a cabin that is the origin",
        )
    ]


def _touching(mj: mujoco.MjModel) -> int:
    """Pairs that could touch if contacts were on."""
    other = copy.copy(mj)
    off = int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    other.opt.disableflags &= ~off
    return len(contact_pairs(other))


def _limits(mj: mujoco.MjModel) -> int:
    return int(np.count_nonzero(mj.jnt_limited) + np.count_nonzero(mj.tendon_limited))


def _frictions(mj: mujoco.MjModel) -> int:
    return int(np.count_nonzero(mj.dof_frictionloss) + np.count_nonzero(mj.tendon_frictionloss))


def _springs(mj: mujoco.MjModel) -> int:
    return int(np.count_nonzero(mj.jnt_stiffness) + np.count_nonzero(mj.tendon_stiffness))


def _dampers(mj: mujoco.MjModel) -> int:
    return int(np.count_nonzero(mj.dof_damping) + np.count_nonzero(mj.tendon_damping))


_LOST: dict[str, tuple[str, Callable[[mujoco.MjModel], int]]] = {
    "contact": ("pairs of geoms that could touch", _touching),
    "limit": ("limits of joints and tendons", _limits),
    "equality": ("equality constraints", lambda mj: int(mj.neq)),
    "frictionloss": ("dofs and tendons with friction", _frictions),
    "spring": ("springs", _springs),
    "damper": ("dampers", _dampers),
    "actuation": ("actuators, spacecraft hardware too", lambda mj: len(mj.actuator_trntype)),
    "clampctrl": ("ranges of commands", lambda mj: int(np.count_nonzero(mj.actuator_ctrllimited))),
    "sensor": ("sensors", lambda mj: int(mj.nsensor)),
}
_CONSTRAINTS = ("contact", "limit", "equality", "frictionloss")


def _disabled(s: Subject) -> list[Advice]:
    """Flags that take away something that the model has; the others cost nothing."""
    out = []
    for flag in ("constraint", *_LOST):
        if not s.has_flag(flag) or (flag in _CONSTRAINTS and s.has_flag("constraint")):
            continue
        parts = _CONSTRAINTS if flag == "constraint" else (flag,)
        lost = [f"{n} {_LOST[part][0]}" for part in parts if (n := _LOST[part][1](s.mj))]
        if lost:
            out.append(
                Advice(
                    "warning",
                    "disabled-flag",
                    f"flag {flag}",
                    f"it is disabled, so these are without effect: {', '.join(lost)}",
                    f'remove {flag}="disable" from <option><flag/>, or remove them from the model',
                )
            )
    groups = int(s.mj.opt.disableactuator)
    off = [
        str(s.mj.actuator(a).name) or f"actuator {a}"
        for a, group in enumerate(s.mj.actuator_group)
        if 0 <= group < 31 and groups >> int(group) & 1
    ]
    if off:
        out.append(
            Advice(
                "warning",
                "disabled-flag",
                f"actuator {', '.join(off)}",
                "its group is disabled by actuatorgroupdisable",
                "remove the group from actuatorgroupdisable of <option>",
            )
        )
    return out


def _energy(mj: mujoco.MjModel) -> list[Advice]:
    if mj.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_ENERGY) or np.isin(mj.sensor_type, _ENERGY_SENSORS).any():
        return []
    return [
        Advice(
            "info",
            "energy-off",
            "option",
            "data.energy stays 0: MuJoCo computes it only when asked",
            '<option><flag energy="enable"/></option> if you want it; it knows nothing of the orbit',
        )
    ]


def flag_advice(s: Subject) -> list[Advice]:
    """Gravity left on, a medium that is no atmosphere, flags that take away what the model has, energy not computed."""
    return _gravity(s) + _fluid(s.mj) + _disabled(s) + _energy(s.mj)
