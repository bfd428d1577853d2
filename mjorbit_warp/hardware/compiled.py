"""Hardware and surfaces of a compiled model: read from its ``<custom>`` texts, checked, sorted by body."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.hardware.parts import KINDS
from mjorbit_warp.hardware.text import PREFIX, decode, is_part, split_name

I32 = NDArray[np.int32]
F64 = NDArray[np.float64]
_OBJECTS = {
    "actuator": mujoco.mjtObj.mjOBJ_ACTUATOR,
    "site": mujoco.mjtObj.mjOBJ_SITE,
    "body": mujoco.mjtObj.mjOBJ_BODY,
}
OTHER_KINDS = ("sensor",)  # read elsewhere
_STATEFUL = ("reaction_wheel", "cmg")
_LINEAR_GAIN = (int(mujoco.mjtGain.mjGAIN_FIXED), int(mujoco.mjtGain.mjGAIN_AFFINE))
_LINEAR_BIAS = (int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE))
_NO_SIZE = 0.005  # MuJoCo's for a site without a size [m]
_UNIT = 1e-6  # an axis is a unit vector to this


@dataclass(frozen=True)
class PartList:
    """All parts of one kind, sorted by body.

    Attributes:
      names: of the elements
      parts: their parameters, see hardware.parts
      body: body that carries each; wheels and CMGs are counted to the body that theirs is welded to, as gyroscopic
        torque needs the inertia of all that turns with them             (n,)
      site: its site, −1 for a tank                                      (n,)
      axis: unit vector of its actuator's gear, in the site's frame      (n, 3)
      ctrl, act: address of its command and activation, −1 if it has none (n,)
      adr: parts of body b are adr[b] … adr[b + 1]                       (nbody + 1,)
    """

    names: tuple[str, ...]
    parts: tuple[Any, ...]
    body: I32
    site: I32
    axis: F64
    ctrl: I32
    act: I32
    adr: I32

    def __len__(self) -> int:
        return len(self.names)

    def values(self, field: str) -> F64:
        """A parameter of all parts as an array, (n,) or (n, 3)."""
        shape = (len(self), 3) if field in ("dipole", "spin_axis") else (len(self),)
        return np.array([getattr(part, field) for part in self.parts], dtype=np.float64).reshape(shape)


@dataclass(frozen=True)
class Hardware:
    """Parts of a model by kind, and one-line notes of what was changed on reading."""

    reaction_wheel: PartList
    cmg: PartList
    magnetorquer: PartList
    thruster: PartList
    tank: PartList
    residual_dipole: PartList
    surface: PartList
    notes: tuple[str, ...]

    def any(self, *kinds: str) -> bool:
        """Whether there is a part of one of the kinds."""
        return any(len(getattr(self, kind)) for kind in kinds)


def part_texts(mj: mujoco.MjModel) -> dict[str, str]:
    """Texts of parts in a compiled model by name."""
    texts = {}
    for i in range(mj.ntext):
        name = mujoco.mj_id2name(mj, mujoco.mjtObj.mjOBJ_TEXT, i) or ""
        if is_part(name):
            start = mj.text_adr[i]
            texts[name] = bytes(mj.text_data[start : start + mj.text_size[i] - 1]).decode()
    return texts


def _element(mj: mujoco.MjModel, kind: str, name: str) -> int:
    element = KINDS[kind].ELEMENT
    index = mujoco.mj_name2id(mj, _OBJECTS[element], name)
    if index < 0:
        count = {"actuator": mj.nactuator, "site": mj.nsite, "body": mj.nbody}[element]
        known = [mujoco.mj_id2name(mj, _OBJECTS[element], i) for i in range(count)]
        allowed = ", ".join(n for n in known if n and n != "world") or "none in this model"
        raise ValueError(f"<custom> {PREFIX}{kind}:{name} names no {element}: allowed are {allowed}")
    return index


def _unit(axis: F64, where: str, notes: list[str]) -> F64:
    norm = float(np.linalg.norm(axis))
    if not 0.0 < norm < np.inf:
        raise ValueError(f"{where}: its axis, the actuator's gear, is {axis.tolist()}: a direction is expected")
    if abs(norm - 1.0) > _UNIT:
        notes.append(f"{where}: axis {' '.join(f'{x:g}' for x in axis)} was normalised, its length was {norm:g}")
    return axis / norm


def _actuator(mj: mujoco.MjModel, kind: str, i: int, where: str, notes: list[str]) -> dict[str, Any]:
    """What the kernels need of an actuator; refuses one that would also act through MuJoCo."""
    if mj.actuator_trntype[i] != mujoco.mjtTrn.mjTRN_SITE or mj.actuator_trnid[i, 1] >= 0:
        raise ValueError(f'{where}: its actuator must act at a site: give it site="..." and no refsite')
    if mj.actuator_gainprm[i].any() or mj.actuator_biasprm[i].any():
        raise ValueError(f'{where}: gainprm and biasprm must be 0, as its force is computed here: set gainprm="0"')
    if mj.actuator_gaintype[i] not in _LINEAR_GAIN or mj.actuator_biastype[i] not in _LINEAR_BIAS:
        raise ValueError(f'{where}: its actuator must be a <general> with gaintype="fixed" and biastype="none"')
    if mj.actuator_forcelimited[i]:
        raise ValueError(f"{where}: forcerange limits MuJoCo's own force, which is 0 here: use ctrlrange instead")
    if mj.actuator_delay[i] > 0.0:
        raise ValueError(f"{where}: delay is {mj.actuator_delay[i]:g} s: a delayed command is not supported")
    wanted = mujoco.mjtDyn.mjDYN_INTEGRATOR if kind in _STATEFUL else mujoco.mjtDyn.mjDYN_NONE
    if mj.actuator_dyntype[i] != wanted:
        raise ValueError(f'{where}: dyntype="{wanted.name[6:].lower()}" is expected of its actuator')
    if mj.actuator_actlimited[i]:
        raise ValueError(f"{where}: actrange would lose momentum: use max_speed or min_angle and max_angle instead")
    gear = mj.actuator_gear[i].copy()
    used, other = (gear[:3], gear[3:]) if kind == "thruster" else (gear[3:], gear[:3])
    # MuJoCo's default gear is 1 0 0 0 0 0
    if other.any() and not (kind != "thruster" and used.any() and np.array_equal(other, [1.0, 0.0, 0.0])):
        what = "force, gear's first three numbers" if kind == "thruster" else "torque, gear's last three numbers"
        raise ValueError(f"{where}: gear {gear.tolist()} is not a pure {what}")
    ctrl = int(mj.actuator_ctrladr[i])
    if mj.actuator_ctrllimited[ctrl]:
        low, high = mj.actuator_ctrlrange[ctrl]
        if high <= 0.0 or (low != 0.0 if kind == "thruster" else low >= 0.0):
            expected = "0 to a positive force" if kind == "thruster" else "a negative and a positive limit"
            raise ValueError(f"{where}: ctrlrange is {low:g} {high:g}: {expected} is expected")
    elif kind == "thruster":
        raise ValueError(f'{where}: ctrlrange="0 <largest force>" is missing')
    return {
        "site": int(mj.actuator_trnid[i, 0]),
        "axis": _unit(used, where, notes),
        "ctrl": ctrl,
        "act": int(mj.actuator_actadr[i]),
    }


def _spin_axis(part: Any, axis: F64, where: str, notes: list[str]) -> Any:
    spin = np.asarray(part.spin_axis, dtype=np.float64)
    unit = spin / np.linalg.norm(spin)
    if abs(float(unit @ axis)) > _UNIT:
        angle = np.degrees(np.arccos(np.clip(unit @ axis, -1.0, 1.0)))
        raise ValueError(f"{where}: spin_axis is {angle:.4g}° from the gimbal axis, not orthogonal to it")
    if abs(float(np.linalg.norm(spin)) - 1.0) > _UNIT:
        notes.append(f"{where}: spin_axis {part.spin_axis} was normalised, its length was {np.linalg.norm(spin):g}")
    return dataclasses.replace(part, spin_axis=tuple(float(x) for x in unit))


def _site_area(mj: mujoco.MjModel, site: int, part: Any, where: str) -> Any:
    if part.area > 0.0:
        return part
    size, kind = mj.site_size[site], mujoco.mjtGeom(int(mj.site_type[site]))
    if kind == mujoco.mjtGeom.mjGEOM_BOX and not part.sphere:
        return dataclasses.replace(part, area=float(4.0 * size[0] * size[1]))
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE and part.sphere and size[0] != _NO_SIZE:
        return dataclasses.replace(part, area=float(np.pi * size[0] ** 2))
    raise ValueError(
        f"{where}: area is missing: give area=<m²>, or a site of type {'sphere' if part.sphere else 'box'} and its size"
    )


def _tank(mj: mujoco.MjModel, tank: str, thruster: str, prefix: str) -> str:
    """Name of a thruster's tank: in an attached model it has the prefix and the suffix that the thruster has."""
    names = [str(mj.body(b).name) for b in range(1, mj.nbody)]
    wanted = prefix + tank
    if wanted in names:
        return wanted
    for name in names:
        if name.startswith(wanted) and thruster.endswith(name.removeprefix(wanted)):
            return name
    return str(mj.body(_element(mj, "tank", tank)).name)


def _read(mj: mujoco.MjModel, key: str, text: str, notes: list[str]) -> dict[str, Any]:
    kind, name, prefix = split_name(key)
    where = f"{kind.replace('_', ' ')} {name}"
    index = _element(mj, kind, name)
    part = decode(KINDS[kind], text, where)
    row: dict[str, Any] = {"site": -1, "axis": np.zeros(3), "ctrl": -1, "act": -1}
    if KINDS[kind].ELEMENT == "actuator":
        row |= _actuator(mj, kind, index, where, notes)
    elif KINDS[kind].ELEMENT == "site":
        row["site"] = index
    row["body"] = index if kind == "tank" else int(mj.site_bodyid[row["site"]])
    if mj.body_treeid[row["body"]] < 0:  # the world, what is welded to it, a mocap body
        raise ValueError(f"{where} is on the world or a mocap body: a body that moves freely is expected")
    if kind in _STATEFUL:
        row["body"] = int(mj.body_weldid[row["body"]])
    if kind == "cmg":
        part = _spin_axis(part, row["axis"], where, notes)
    if kind == "surface":
        part = _site_area(mj, row["site"], part, where)
    if kind == "thruster" and part.tank:
        part = dataclasses.replace(part, tank=_tank(mj, part.tank, name, prefix))
    if kind == "tank" and part.propellant >= mj.body_mass[row["body"]]:
        mass = mj.body_mass[row["body"]]
        raise ValueError(f"{where}: propellant {part.propellant:g} kg is not less than the body's mass of {mass:g} kg")
    return row | {"name": name, "part": part}


def _sorted(mj: mujoco.MjModel, rows: list[dict[str, Any]]) -> PartList:
    rows = sorted(rows, key=lambda row: row["body"])  # stable: as written, within a body
    body = np.array([row["body"] for row in rows], dtype=np.int32)
    columns = {key: np.array([row[key] for row in rows], dtype=np.int32) for key in ("site", "ctrl", "act")}
    return PartList(
        names=tuple(row["name"] for row in rows),
        parts=tuple(row["part"] for row in rows),
        body=body,
        axis=np.array([row["axis"] for row in rows], dtype=np.float64).reshape(-1, 3),
        adr=np.searchsorted(body, np.arange(mj.nbody + 1)).astype(np.int32),
        **columns,
    )


def compile_hardware(mj: mujoco.MjModel) -> Hardware:
    """All parts of a compiled model.

    Raises:
      ValueError: a part is wrong or does not fit its element, in one sentence with its name.
    """
    rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    notes: list[str] = []
    used: dict[int, str] = {}
    for key, text in part_texts(mj).items():
        kind, name, _ = split_name(key)
        if kind in OTHER_KINDS:
            continue
        if kind not in KINDS:
            raise ValueError(
                f"<custom> {key}: kind {kind} is not known: allowed are {', '.join([*KINDS, *OTHER_KINDS])}"
            )
        row = _read(mj, key, text, notes)
        if row["ctrl"] >= 0 and used.setdefault(row["ctrl"], kind) != kind:
            raise ValueError(f"actuator {name} is a {used[row['ctrl']]} and a {kind}: one part for each is expected")
        rows[kind].append(row)
    lists = {kind: _sorted(mj, found) for kind, found in rows.items()}
    tanks = lists["tank"].names
    for name, part in zip(lists["thruster"].names, lists["thruster"].parts, strict=True):
        if part.tank and part.tank not in tanks:
            known = ", ".join(tanks) or "none in this model"
            raise ValueError(f"thruster {name}: body {part.tank} is not a tank: allowed are {known}")
    return Hardware(**lists, notes=tuple(notes))
