"""Orbit settings in an MJCF's ``<custom>``, where MuJoCo's own tools keep them and ignore them.

Numbers are written as ``<text>``: MuJoCo prints ``<numeric>`` with six digits, which is 10 m of an orbit. Reading takes
either, so a hand-written ``<numeric name="mjo_orbit_r" data="7e6 0 0"/>`` works too.
"""

import dataclasses
from typing import Any

import mujoco

from mjorbit_warp.constants import CentralBody, central_body
from mjorbit_warp.custom_options import OPTION_NAMES, numbers, option_texts, read_options
from mjorbit_warp.hardware.parts import KINDS
from mjorbit_warp.hardware.text import is_part
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit

PREFIX = "mjo_"
NAMES = (
    "mjo_orbit_r",  # ECI position [m]
    "mjo_orbit_v",  # ECI velocity [m/s]
    "mjo_epoch",  # seconds past J2000 TT
    "mjo_central_body",  # name
    "mjo_central_mu",  # [m³/s²], the next three: only where they differ from the named body's
    "mjo_central_radius",  # [m]
    "mjo_central_j2",  # [-]
    "mjo_central_rate",  # [rad/s]
    *OPTION_NAMES,  # see OrbitOptions
)
_BODY_FIELDS = {"mu": "mu", "radius": "radius", "j2": "j2", "rate": "rotation_rate"}


def read_custom(spec: mujoco.MjSpec) -> tuple[Orbit | None, OrbitOptions]:
    """Orbit and options written in a spec; an unknown ``mjo_`` name raises ValueError and lists the known ones."""
    try:
        found = {n.name: " ".join(repr(float(x)) for x in n.data) for n in spec.numerics if n.name.startswith(PREFIX)}
        found |= {t.name: t.data for t in spec.texts if t.name.startswith(PREFIX)}
    except UnicodeDecodeError:
        raise ValueError("<custom> of the model has text that is not UTF-8: save the model file as UTF-8") from None
    other = [n.name for n in [*spec.numerics, *spec.tuples] if n.name.startswith(PREFIX)]
    for name in other:
        if is_part(name):
            raise ValueError(f"<custom> {name} describes a part: a <text> is expected")
    if twice := [t.name for t in spec.texts if t.name in other]:
        raise ValueError(f"<custom> {twice[0]} is given as a <numeric> and as a <text>: give one of them")
    for name in [*found, *other]:
        if name not in NAMES and not is_part(name):
            kinds = ", ".join(f"{PREFIX}{kind}:<name>" for kind in KINDS)
            known, shown = ", ".join(NAMES), " ".join(name.split())
            raise ValueError(f"<custom> {shown} is not a setting of this package: allowed are {known}, {kinds}")

    options = read_options(found)
    given = [name for name in ("mjo_orbit_r", "mjo_orbit_v") if name in found]
    if not given:
        if stray := [name for name in NAMES if name in found and name.startswith(("mjo_epoch", "mjo_central_"))]:
            raise ValueError(f"<custom> has {', '.join(stray)} without an orbit: give mjo_orbit_r and mjo_orbit_v")
        return None, options
    if len(given) == 1:
        raise ValueError(f"<custom> has {given[0]} alone: an orbit needs both mjo_orbit_r and mjo_orbit_v")
    body = central_body(found.get("mjo_central_body", "earth"))
    changes: dict[str, Any] = {}
    for key, field in _BODY_FIELDS.items():
        if (text := found.get(f"mjo_central_{key}")) is not None:
            changes[field] = float(numbers(text, f"mjo_central_{key}", 1)[0])
    body = dataclasses.replace(body, **changes)
    r, v = (numbers(found[name], name, 3) for name in ("mjo_orbit_r", "mjo_orbit_v"))
    epoch = float(numbers(found["mjo_epoch"], "mjo_epoch", 1)[0]) if "mjo_epoch" in found else None
    return Orbit(r=r, v=v, epoch=epoch, body=body), options


def attached_settings(spec: mujoco.MjSpec) -> list[str]:
    """A one-line note on orbit settings that came with an attached model: MuJoCo has renamed them, so they are idle."""
    names = [element.name for element in [*spec.numerics, *spec.texts] if PREFIX in element.name]
    idle = [n for n in names if n not in NAMES and not is_part(n) and any(known in n for known in NAMES)]
    if not idle:
        return []
    return [f"{', '.join(idle)} of an attached model has no effect: set spec.orbit and spec.options of this one"]


def _body_texts(body: CentralBody) -> dict[str, str]:
    texts = {"mjo_central_body": body.name}
    try:
        named = central_body(body.name)
    except ValueError:
        raise ValueError(
            f"central body {body.name!r} cannot be written to MJCF: "
            "keep the name of a known body and change its numbers"
        ) from None
    for key, field in _BODY_FIELDS.items():
        if getattr(body, field) != getattr(named, field):
            texts[f"mjo_central_{key}"] = repr(float(getattr(body, field)))
    return texts


def write_custom(spec: mujoco.MjSpec, orbit: Orbit | None, options: OrbitOptions) -> None:
    """Replace the spec's orbit settings by these."""
    for element in [*spec.numerics, *spec.texts]:
        if element.name in NAMES:
            spec.delete(element)
    texts = option_texts(options)
    if orbit is not None:
        texts["mjo_orbit_r"] = " ".join(repr(float(x)) for x in orbit.r)
        texts["mjo_orbit_v"] = " ".join(repr(float(x)) for x in orbit.v)
        if orbit.epoch is not None:
            texts["mjo_epoch"] = repr(float(orbit.epoch))
        texts |= _body_texts(orbit.body)
    for name, data in texts.items():
        spec.add_text(name=name, data=data)
