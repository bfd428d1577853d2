"""Units, frame and meaning of every field that a rollout records."""

import inspect
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import mujoco
import mujoco_warp as mjw

from mjorbit_warp.hardware.sensor import TYPES as SENSOR_TYPES
from mjorbit_warp.rollout_fields import POSED

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel

# What a value of a row belongs to.
ROW = "the row's time"
EVALUATION = "the last evaluation of the row's last step"
SENSED = "the start of the row's last step"

_GENERALISED = "free joint m, quaternion; hinge rad; slide m"
_FORCE = "force N, torque N·m"


@dataclass(frozen=True)
class Field:
    """What a recorded field is.

    Attributes:
      units: SI, "-" for none
      frame: axes, and the point that vectors and moments refer to; "-" for none
      description: in words
      when: what a row's value belongs to
    """

    units: str
    frame: str
    description: str
    when: str


# name: (units, frame, description); frames: OF has its origin at the reference orbit and ECI axes, as MuJoCo's world
_OWN = {
    "time": ("s", "-", "elapsed time"),
    "status": ("-", "-", "bits of mjorbit_warp.Status"),
    "ctrl": ("those of the actuators", "-", "command that was held over the row"),
    "qfrc_orbit": ("N, N·m", "joints", "generalised force of the orbit"),
    "wrench": ("N, N·m", "OF axes, about each body's COM", "force and torque of the orbit on each body"),
    "orbit.r": ("m", "ECI", "position of the reference orbit"),
    "orbit.v": ("m/s", "ECI", "velocity of the reference orbit"),
    "orbit.t": ("s", "-", "seconds past J2000 TT, past the start without an epoch"),
    "orbit.lvlh": ("-", "rows are the LVLH axes in ECI", "radial, in-track, cross-track"),
    "orbit.feedback": ("m/s²", "ECI", "acceleration of the origin by drag, sunlight and thrust"),
    "environment.sun": ("m", "ECI", "position of the Sun from the central body"),
    "environment.moon": ("m", "ECI", "position of the Moon from the central body"),
    "environment.ecef": ("-", "rows are the body-fixed axes in ECI", "rotation from ECI to the central body's axes"),
    "hardware.wheel_torque": ("N·m", "rotor axis", "torque on each rotor"),
    "hardware.gimbal_rate": ("rad/s", "gimbal axis", "rate of each gimbal"),
    "hardware.thrust": ("N", "thruster axis", "force of each thruster"),
    "hardware.propellant": ("kg", "-", "left in each tank"),
    "hardware.force": ("N", "OF axes", "non-gravitational external force on each body"),
    "shadow.qpos": (_GENERALISED, "OF; joints", "positions in float64"),
    "shadow.qvel": ("m/s, rad/s", "free joint: OF, then body axes", "velocities in float64"),
    "shadow.act": ("those of the actuators", "-", "actuator states in float64"),
}
# (units, frame) of MJWarp's fields; their descriptions are its own
_MJW: dict[str, tuple[str, str]] = {
    "qpos": (_GENERALISED, "free joint: OF; else joints"),
    "qvel": ("m/s, rad/s", "free joint: OF, then body axes; else joints"),
    "qacc": ("m/s², rad/s²", "free joint: OF, then body axes; else joints"),
    "qacc_warmstart": ("m/s², rad/s²", "free joint: OF, then body axes; else joints"),
    "qacc_smooth": ("m/s², rad/s²", "free joint: OF, then body axes; else joints"),
    "act": ("those of the actuators", "-"),
    "act_dot": ("those of the actuators, per s", "-"),
    "energy": ("J", "OF"),
    "xfrc_applied": (_FORCE, "OF axes, about each body's COM"),
    "sensordata": ("those of the sensors", "those of the sensors"),
    "cinert": ("kg, kg·m, kg·m²", "OF axes, about the tree's COM"),
    "crb": ("kg, kg·m, kg·m²", "OF axes, about the tree's COM"),
    "cdof": ("-, m", "OF axes, about the tree's COM, rotation first"),
    "cdof_dot": ("1/s, m/s", "OF axes, about the tree's COM, rotation first"),
    "cvel": ("rad/s, m/s", "OF axes, about the tree's COM, rotation first"),
    "cacc": ("rad/s², m/s²", "OF axes, about the tree's COM, rotation first"),
    "cfrc_int": ("N·m, N", "OF axes, about the tree's COM, torque first"),
    "cfrc_ext": ("N·m, N", "OF axes, about the tree's COM, torque first"),
    "subtree_linvel": ("m/s", "OF"),
    "subtree_angmom": ("N·m·s", "OF axes, about the subtree's COM"),
    "actuator_length": ("m or rad", "transmission"),
    "actuator_velocity": ("m/s or rad/s", "transmission"),
    "actuator_moment": ("-", "joints by transmission"),
    "actuator_force": ("N or N·m", "transmission"),
    "M": ("kg, kg·m²", "joints"),
    "xquat": ("-", "OF"),
    "mocap_quat": ("-", "OF"),
    "xaxis": ("-", "OF"),
    "light_xdir": ("-", "OF"),
    "ten_length": ("m", "-"),
    "ten_velocity": ("m/s", "-"),
    "ten_J": ("-, m", "joints"),
    "flexedge_length": ("m", "-"),
    "flexedge_velocity": ("m/s", "-"),
    "flexedge_J": ("-, m", "joints"),
    "flex_rod_end_torque": ("N·m", "OF axes"),
    "userdata": ("the user's", "the user's"),
    "history": ("those of what is delayed", "-"),
    "plastic": (_GENERALISED, "joints"),
    "face_quat": ("-", "OF"),
    "solver_niter": ("-", "-"),
    "overflow": ("-", "-"),
}
_PATTERNS = (
    (r"(xpos|xipos|xanchor|.*_xpos|subtree_com|mocap_pos|flex_aabb_m..)", "m", "OF"),
    (r"(xmat|ximat|.*_xmat)", "-", "to OF"),
    (r"qfrc_\w+", "N, N·m", "joints"),
    (r"(n[a-z]|n[a-z]+(_awake)?|eq_active|.*_(valid|ok))", "-", "-"),
    (r"(tree|body|dof|island|map|efc|moment|wrap|cdof)_?\w*", "-", "-"),
)
_INTERNAL = ("of MJWarp's solver", "of MJWarp's solver")
_MUJOCO_SENSORS = {
    "TOUCH": "N",
    "ACCELEROMETER": "m/s²",
    "VELOCIMETER": "m/s",
    "GYRO": "rad/s",
    "FORCE": "N",
    "TORQUE": "N·m",
    "MAGNETOMETER": "T",
    "RANGEFINDER": "m",
    "JOINTPOS": "rad or m",
    "JOINTVEL": "rad/s or m/s",
    "FRAMEPOS": "m",
    "FRAMEQUAT": "-",
    "FRAMELINVEL": "m/s",
    "FRAMEANGVEL": "rad/s",
    "FRAMELINACC": "m/s²",
    "FRAMEANGACC": "rad/s²",
    "SUBTREECOM": "m",
    "SUBTREELINVEL": "m/s",
    "SUBTREEANGMOM": "N·m·s",
}
_SENSORS = {
    "magnetometer": ("T", "site axes"),
    "coarse_sun_sensor": ("-", "site axes"),
    "fine_sun_sensor": ("-", "site axes"),
    "star_tracker": ("-", "from site axes to ECI, w x y z"),
    "gyro": ("rad/s", "site axes, relative to ECI"),
    "accelerometer": ("m/s²", "site axes"),
    "gps": ("m, m/s", "ECI or ECEF"),
    "nadir": ("-", "site axes"),
    "altitude": ("m", "above the ellipsoid"),
    "wheel_speed": ("rad/s", "rotor axis, relative to its body"),
}
assert _SENSORS.keys() == SENSOR_TYPES.keys()
_STATE = frozenset("time status ctrl qpos qvel act hardware.propellant shadow.qpos shadow.qvel shadow.act".split()) | {
    f"orbit.{name}" for name in ("r", "v", "t", "lvlh")
}


@cache
def _mjwarp_descriptions() -> dict[str, str]:
    """Descriptions of MJWarp's Data by field, from its docstring."""
    found = {}
    for line in (inspect.getdoc(mjw.Data) or "").splitlines():  # Python 3.13 strips the indentation itself
        if match := re.match(r"  (\w+): (.*?)(?:\s+\([^()]*\))?$", line):
            found[match[1]] = match[2].strip()
    return found


def _sensor(m: "MjoModel", name: str) -> Field:
    sensor = m.mj.sensor(name)
    if name in m.sensors.names[: len(m.sensors.parts)]:
        part = m.sensors.parts[m.sensors.names.index(name)]
        units, frame = _SENSORS[part.type]
        if part.type == "gps":
            frame = part.frame.upper()
        return Field(units, frame, part.type.replace("_", " "), SENSED)
    kind = mujoco.mjtSensor(int(sensor.type[0])).name.removeprefix("mjSENS_")
    return Field(_MUJOCO_SENSORS.get(kind, "as MuJoCo's"), "as MuJoCo's", f"MuJoCo's {kind.lower()}", SENSED)


def describe(m: "MjoModel", name: str) -> Field:
    """What a name that ``record`` takes means; every one of rollout_fields.field_names has an entry."""
    if name.startswith("sensor:"):
        return _sensor(m, name.removeprefix("sensor:"))
    when = ROW if name in _STATE | POSED else SENSED if name == "sensordata" else EVALUATION
    if name in _OWN:
        return Field(*_OWN[name], when)
    description = _mjwarp_descriptions().get(name, "")
    if not description:
        raise KeyError(f"{name!r} has no description")
    if name in _MJW:
        return Field(*_MJW[name], description, when)
    for pattern, units, frame in _PATTERNS:
        if re.fullmatch(pattern, name):
            return Field(units, frame, description, when)
    return Field(*_INTERNAL, description, when)


_ELEMENTS: dict[str, tuple[str, ...]] = {
    "body": ("xpos", "xquat", "xmat", "xipos", "ximat", "subtree_com", "cvel", "wrench", "hardware.force"),
    "site": ("site_xpos", "site_xmat"),
    "geom": ("geom_xpos", "geom_xmat"),
    "actuator": ("ctrl", "actuator_force", "actuator_length", "actuator_velocity"),
}


def elements(m: "MjoModel", name: str) -> list[str] | None:
    """Names along the first axis of a row's value: columns of positions and velocities, bodies, actuators."""
    mj = m.mj
    if name in ("qpos", "shadow.qpos", "qvel", "shadow.qvel", "qacc"):
        return _columns(mj, velocities=not name.endswith("qpos"))
    for kind, names in _ELEMENTS.items():
        if name in names:
            count = getattr(mj, {"actuator": "nactuator"}.get(kind, f"n{kind}"))
            known = [getattr(mj, kind)(i).name or f"{kind} {i}" for i in range(count)]
            return known if name != "ctrl" or count == mj.nu else None
    return None


def _columns(mj: Any, velocities: bool) -> list[str]:
    quat, linear = ("qw", "qx", "qy", "qz"), ("x", "y", "z")
    out: list[str] = []
    for j in range(mj.njnt):
        name, kind = mj.joint(j).name or f"joint {j}", mujoco.mjtJoint(int(mj.jnt_type[j]))
        if kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            out.append(name)
            continue
        parts = ("wx", "wy", "wz") if velocities else quat
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            parts = (*(f"v{a}" if velocities else a for a in linear), *parts)
        out += [f"{name}.{part}" for part in parts]
    return out
