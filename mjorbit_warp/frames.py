"""Conversions between ECI, OF, LVLH and ECEF, in NumPy, over leading dimensions.

ECI: inertial axes, origin at the central body. OF: ECI axes, origin at the reference orbit (r_c, v_c): MuJoCo's world.
LVLH: origin there too; x radial, z along r × v, y completes (in-track); it turns. ECEF: fixed to the central body,
through a BodyFixedFrame. Positions in m, velocities in m/s, rates in rad/s, quaternions (w, x, y, z) that take body
vectors to the named frame. Velocities are those seen in the named frame: the transport term is included.
Warp arrays are accepted.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp import _quat
from mjorbit_warp._vector import cross, norm, turn, turn_back
from mjorbit_warp.orientation import BodyFixedFrame
from mjorbit_warp.values import host

F64 = NDArray[np.float64]
Pair = tuple[F64, F64]


def _np(x: Any) -> F64:
    return np.asarray(host(x), dtype=np.float64)


def lvlh_axes(r_c: Any, v_c: Any) -> F64:
    """Rotation LVLH ← ECI (…, 3, 3): its rows are the LVLH axes in ECI."""
    r, v = _np(r_c), _np(v_c)
    x = r / norm(r)
    h = cross(r, v)
    z = h / norm(h)
    return np.stack([x, cross(z, x), z], axis=-2)


def lvlh_rate(r_c: Any, v_c: Any, a_c: Any = None) -> F64:
    """Angular velocity of LVLH relative to ECI, in ECI axes [rad/s], (…, 3).

    h/|r|² + (a·ĥ) r/|h| with h = r × v. The second term is the turn of the orbital plane; it needs the acceleration
    ``a_c`` [m/s²] of the reference orbit and vanishes in a point-mass field (J2 gives up to 1.5 J2 = 1.6e-3 of the
    first in low Earth orbit).
    """
    r, v = _np(r_c), _np(v_c)
    h = cross(r, v)
    rate = h / np.sum(r * r, axis=-1, keepdims=True)
    if a_c is not None:
        h2 = np.sum(h * h, axis=-1, keepdims=True)
        rate = rate + r * (np.sum(_np(a_c) * h, axis=-1, keepdims=True) / h2)
    return rate


def lvlh_from_of(r_c: Any, v_c: Any, pos: Any, vel: Any = None, a_c: Any = None) -> F64 | Pair:
    """Position, or (position, velocity), OF → LVLH."""
    axes, x = lvlh_axes(r_c, v_c), _np(pos)
    if vel is None:
        return turn(axes, x)
    rate = lvlh_rate(r_c, v_c, a_c)
    return turn(axes, x), turn(axes, _np(vel) - cross(rate, x))


def of_from_lvlh(r_c: Any, v_c: Any, pos: Any, vel: Any = None, a_c: Any = None) -> F64 | Pair:
    """Position, or (position, velocity), LVLH → OF."""
    axes = lvlh_axes(r_c, v_c)
    x = turn_back(axes, _np(pos))
    if vel is None:
        return x
    return x, turn_back(axes, _np(vel)) + cross(lvlh_rate(r_c, v_c, a_c), x)


def eci_from_of(r_c: Any, v_c: Any, pos: Any, vel: Any = None) -> F64 | Pair:
    """Position, or (position, velocity), OF → ECI."""
    x = _np(r_c) + _np(pos)
    return x if vel is None else (x, _np(v_c) + _np(vel))


def of_from_eci(r_c: Any, v_c: Any, pos: Any, vel: Any = None) -> F64 | Pair:
    """Position, or (position, velocity), ECI → OF."""
    x = _np(pos) - _np(r_c)
    return x if vel is None else (x, _np(vel) - _np(v_c))


def ecef_from_eci(frame: BodyFixedFrame, t: Any, pos: Any, vel: Any = None) -> F64 | Pair:
    """Position, or (position, velocity), ECI → ECEF at ``t`` [s past J2000 TT]."""
    axes, x = frame.rotation(_np(t)), _np(pos)
    if vel is None:
        return turn(axes, x)
    return turn(axes, x), turn(axes, _np(vel) - cross(frame.rate_eci, x))


def eci_from_ecef(frame: BodyFixedFrame, t: Any, pos: Any, vel: Any = None) -> F64 | Pair:
    """Position, or (position, velocity), ECEF → ECI at ``t`` [s past J2000 TT]."""
    axes = frame.rotation(_np(t))
    x = turn_back(axes, _np(pos))
    if vel is None:
        return x
    return x, turn_back(axes, _np(vel)) + cross(frame.rate_eci, x)


def quat_lvlh_from_of(r_c: Any, v_c: Any, quat: Any) -> F64:
    """Attitude relative to LVLH from the attitude relative to OF (= ECI)."""
    return _quat.mul(_quat.from_matrix(lvlh_axes(r_c, v_c)), _np(quat))


def quat_of_from_lvlh(r_c: Any, v_c: Any, quat: Any) -> F64:
    """Attitude relative to OF (= ECI) from the attitude relative to LVLH."""
    return _quat.mul(_quat.conj(_quat.from_matrix(lvlh_axes(r_c, v_c))), _np(quat))


def quat_ecef_from_eci(frame: BodyFixedFrame, t: Any, quat: Any) -> F64:
    """Attitude relative to ECEF from the attitude relative to ECI."""
    return _quat.mul(_quat.from_matrix(frame.rotation(_np(t))), _np(quat))


def quat_eci_from_ecef(frame: BodyFixedFrame, t: Any, quat: Any) -> F64:
    """Attitude relative to ECI from the attitude relative to ECEF."""
    return _quat.mul(_quat.conj(_quat.from_matrix(frame.rotation(_np(t)))), _np(quat))


def rate_lvlh_from_of(r_c: Any, v_c: Any, quat: Any, rate: Any, a_c: Any = None) -> F64:
    """Body rate relative to LVLH from the inertial one; both in body axes, ``quat`` relative to OF."""
    return _np(rate) - _quat.rotate(_quat.conj(_np(quat)), lvlh_rate(r_c, v_c, a_c))


def rate_of_from_lvlh(r_c: Any, v_c: Any, quat: Any, rate: Any, a_c: Any = None) -> F64:
    """Inertial body rate from the one relative to LVLH; both in body axes, ``quat`` relative to OF."""
    return _np(rate) + _quat.rotate(_quat.conj(_np(quat)), lvlh_rate(r_c, v_c, a_c))


def rate_ecef_from_eci(frame: BodyFixedFrame, quat: Any, rate: Any) -> F64:
    """Body rate relative to ECEF from the inertial one; both in body axes, ``quat`` relative to ECI."""
    return _np(rate) - _quat.rotate(_quat.conj(_np(quat)), frame.rate_eci)


def rate_eci_from_ecef(frame: BodyFixedFrame, quat: Any, rate: Any) -> F64:
    """Inertial body rate from the one relative to ECEF; both in body axes, ``quat`` relative to ECI."""
    return _np(rate) + _quat.rotate(_quat.conj(_np(quat)), frame.rate_eci)


def free_joint_velocity(quat: Any, qvel: Any, com_body: Any) -> tuple[F64, F64, F64]:
    """World velocities of a free body: (of its origin, angular, of its COM).

    MuJoCo's free joint mixes frames: ``qvel[0:3]`` is the origin's velocity in world axes, ``qvel[3:6]`` the angular
    velocity in body axes. ``com_body`` is the COM in body axes (``body_ipos``).
    """
    q, velocity = _np(quat), _np(qvel)
    omega = _quat.rotate(q, velocity[..., 3:6])
    arm = _quat.rotate(q, np.broadcast_to(_np(com_body), omega.shape))
    return velocity[..., :3], omega, velocity[..., :3] + cross(omega, arm)
