"""Body-fixed axes of a central body: pole, rotation angle, ECI ↔ ECEF."""

import math
from dataclasses import dataclass

import erfa
import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjorbit_warp.constants import SECONDS_PER_CENTURY, SECONDS_PER_DAY, CentralBody
from mjorbit_warp.epoch import earth_orientation, time_from_seconds

F64 = NDArray[np.float64]

# IAU WGCCRE 2009 (Archinal et al. 2011), tables 1 and 2 [deg]: α0, dα0/century, δ0, dδ0/century, W0 at J2000 TDB.
# Of the Moon's thirteen periodic terms the 18.6 and 9.3 year ones are added below. The others turn its axes by at most
# 0.051° and its pole by 0.040° (measured over 19 years): 1.5 km on the ground, nothing to J2.
_IAU = {
    "moon": (269.9949, 0.0031, 66.5392, 0.0130, 38.3213),
    "mars": (317.68143, -0.1061, 52.88650, -0.0609, 176.630),
}


def frame_rotation_z(angle: ArrayLike) -> F64:
    """R3(θ) (…, 3, 3): components in axes turned by +θ [rad] about z."""
    theta = np.asarray(angle, dtype=np.float64)
    c, s = np.cos(theta), np.sin(theta)
    zero, one = np.zeros_like(c), np.ones_like(c)
    rows = [[c, s, zero], [-s, c, zero], [zero, zero, one]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


@dataclass(frozen=True, eq=False)
class BodyFixedFrame:
    """Rotating axes, frozen at an epoch: ECEF ← ECI is w · R3(theta0 + rate (t − t0)) · q.

    For Earth q (precession, nutation) and w (polar motion) are those of t0. Measured against astropy's full transform
    over 2026, positions agree to rounding at t0, and the axes drift from there by at most 0.15 arcsec (4.5 m on the
    ground) in a day, 0.8 arcsec in a week. Velocities lack the turn of the pole itself, at most 6e-5 m/s in low orbits.

    Attributes:
      q: intermediate axes from ECI; its third row is the pole   (3, 3)
      w: body-fixed axes from the rotated ones                   (3, 3)
      theta0: rotation angle at t0 [rad]
      rate: rotation rate [rad/s]
      t0: seconds past J2000 TT [s]
    """

    q: F64
    w: F64
    theta0: float
    rate: float
    t0: float

    @property
    def pole(self) -> F64:
        """Unit vector of the pole in ECI (3,)."""
        return self.q[2]

    @property
    def rate_eci(self) -> F64:
        """Angular velocity of the axes in ECI [rad/s] (3,)."""
        return self.rate * self.q[2]

    def rotation(self, t: ArrayLike) -> F64:
        """ECEF ← ECI at ``t`` [s past J2000 TT], (…, 3, 3)."""
        angle = self.theta0 + self.rate * (np.asarray(t, dtype=np.float64) - self.t0)
        return self.w @ frame_rotation_z(angle) @ self.q


def _earth(t0: float) -> tuple[F64, F64, float]:
    """q, w and the Earth rotation angle at t0: IAU 2006/2000A, CIO-based (IERS Conventions 2010, chapter 5)."""
    time = time_from_seconds(t0)
    with earth_orientation(time) as table:
        xp, yp = (angle.to_value("rad") for angle in table.pm_xy(time.utc))
        ut1 = time.ut1
    tt = time.tt
    # The observed offsets of the pole (0.5 mas, 15 mm on the ground) are left out: astropy's ITRS, which the orbit
    # comes through, leaves them out too, and the table predicts them for a few months only.
    q = erfa.c2i06a(tt.jd1, tt.jd2)
    w = erfa.pom00(xp, yp, erfa.sp00(tt.jd1, tt.jd2))
    return np.asarray(q), np.asarray(w), float(erfa.era00(ut1.jd1, ut1.jd2))


def _iau(body: CentralBody, t0: float) -> tuple[F64, F64, float]:
    """q and prime meridian angle of the Moon or Mars from the IAU pole (α0, δ0) and W."""
    alpha0, alpha1, delta0, delta1, w0 = _IAU[body.name]
    centuries = t0 / SECONDS_PER_CENTURY
    days = t0 / SECONDS_PER_DAY
    alpha = alpha0 + alpha1 * centuries
    delta = delta0 + delta1 * centuries
    angle = math.radians(w0) + body.rotation_rate * t0
    if body.name == "moon":  # the terms of E1 and E2: 18.6 and 9.3 years
        e1, e2 = math.radians(125.045 - 0.0529921 * days), math.radians(250.089 - 0.1059842 * days)
        alpha += -3.8787 * math.sin(e1) - 0.1204 * math.sin(e2)
        delta += 1.5419 * math.cos(e1) + 0.0239 * math.cos(e2)
        angle += math.radians(3.5610 * math.sin(e1) + 0.1208 * math.sin(e2))
    tilt, node = math.radians(90.0 - delta), math.radians(90.0 + alpha)
    c, s = math.cos(tilt), math.sin(tilt)
    q = np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]]) @ frame_rotation_z(node)
    return q, np.eye(3), angle % (2.0 * math.pi)


def body_fixed_frame(body: CentralBody, t0: float | None, orientation: str | ArrayLike = "iau") -> BodyFixedFrame:
    """Axes of ``body`` frozen at ``t0`` [s past J2000 TT].

    Args:
      t0: None if the orbit has no epoch: Earth's axes are then ECI at t = 0 and the pole is z; others are taken at
        J2000.
      orientation: "iau", "inertial" (ECI axes that do not turn), or a rotation matrix ECI → body at t0, turning about
        its third axis at the body's rate.
    """
    start = 0.0 if t0 is None else float(t0)
    eye = np.eye(3)
    if not isinstance(orientation, str):
        matrix = np.asarray(orientation, dtype=np.float64)
        if matrix.shape != (3, 3) or not np.allclose(matrix @ matrix.T, eye, atol=1e-9) or np.linalg.det(matrix) < 0.0:
            raise ValueError(
                "orientation is not a rotation matrix: a (3, 3) orthonormal, right-handed matrix is expected"
            )
        return BodyFixedFrame(matrix, eye, 0.0, body.rotation_rate, start)
    if orientation == "inertial":
        return BodyFixedFrame(eye, eye, 0.0, 0.0, start)
    if orientation != "iau":
        raise ValueError(f'orientation is {orientation!r}: allowed are "iau", "inertial" or a rotation matrix')
    if body.name == "earth":
        q, w, theta0 = (eye, eye, 0.0) if t0 is None else _earth(start)
    elif body.name in _IAU:
        q, w, theta0 = _iau(body, start)
    else:
        raise ValueError(
            f'no IAU rotation is known for {body.name}: set orientation to "inertial" or to a rotation matrix'
        )
    return BodyFixedFrame(q, w, theta0, body.rotation_rate, start)
