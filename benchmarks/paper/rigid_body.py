"""A free rigid body near a circular orbit, stepped in three frames by two integrators in either precision; NumPy alone.

It shares nothing with the library's own stepping. The first axis of a state is

    0:3 position [m], 3:6 velocity [m/s], 6:10 quaternion of the body in the frame, 10:13 rate relative to the frame in
    body axes [rad/s];

then frames, then bodies. ECI: absolute. OF: from the reference orbit, inertial axes. LVLH: from the reference orbit,
turning axes. "LVLH explicit" differs for the Euler step alone, which there takes the Coriolis term at the old velocity.
"""

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

FRAMES = ("ECI", "OF", "LVLH", "LVLH explicit")
MU = 3.986004418e14
INERTIA = (10.0, 20.0, 25.0)  # principal moments [kg·m²]; the mass has no part in the motion
Array = NDArray[Any]


def cross(a: Array, b: Array) -> Array:
    """Vector product along the first axis."""
    return np.stack((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


def quat_mul(a: Array, b: Array) -> Array:
    """Hamilton product along the first axis."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    return np.stack((w, x, y, a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]))


@dataclasses.dataclass
class Reference:
    """The reference orbit at one time, worked out in float64 and rounded to the precision of the body."""

    unit: Array  # r̂ in the axes of OF, LVLH, LVLH explicit   (3, F − 1, 1)
    distance: Any  # |r| [m]
    strength: Any  # μ/r³ [1/s²]
    rate: Any  # of LVLH about its z [rad/s]
    slew: Any  # its derivative [rad/s²]


def reference(r: Array, v: Array, count: int, dtype: Any) -> Reference:
    """``count`` frames beside ECI; r [m], v [m/s] (3,) float64."""
    distance = float(np.sqrt(r @ r))
    h = np.array((r[1] * v[2] - r[2] * v[1], r[2] * v[0] - r[0] * v[2], r[0] * v[1] - r[1] * v[0]))
    rate = float(np.sqrt(h @ h)) / distance**2
    unit = np.zeros((3, count, 1))
    unit[:, 0, 0] = r / distance
    unit[0, 1:] = 1.0
    slew = -2.0 * rate * float(r @ v) / distance**2
    scalars = (dtype(x) for x in (distance, MU / distance**3, rate, slew))
    return Reference(unit.astype(dtype), *scalars)


def differential_gravity(x: Array, ref: Reference) -> Array:
    """g(r_c + x) − g(r_c) without their difference (the paper's equation 4), along the first axis."""
    u = x / ref.distance
    two = u + 2.0 * ref.unit
    q = u[0] * two[0] + u[1] * two[1] + u[2] * two[2]
    s = (1.0 + q) * np.sqrt(1.0 + q)
    f = -q * (3.0 + 3.0 * q + q * q) / (s * (1.0 + s))
    return -ref.strength * (x + f * (ref.distance * ref.unit + x))


def acceleration(x: Array, v: Array, ref: Reference, coriolis: bool = True) -> Array:
    """Of the body's position in each frame [m/s²] (the paper's equations 5, 6, 7)."""
    a = np.empty_like(x)
    r2 = x[0, 0] ** 2 + x[1, 0] ** 2 + x[2, 0] ** 2
    a[:, 0] = -x.dtype.type(MU) / (r2 * np.sqrt(r2)) * x[:, 0]
    a[:, 1:] = differential_gravity(x[:, 1:], ref)
    y, w = x[:, 2:], v[:, 2:]
    a[0, 2:] += ref.rate**2 * y[0] + ref.slew * y[1]
    a[1, 2:] += ref.rate**2 * y[1] - ref.slew * y[0]
    if coriolis:
        a[0, 2:] += 2.0 * ref.rate * w[1]
        a[1, 2:] -= 2.0 * ref.rate * w[0]
    return a


def frame_rate(q: Array, ref: Reference) -> Array:
    """Angular velocity of LVLH in the body's axes, for the turning frames: the third row of the body's matrix."""
    w, x, y, z = q[:, 2:]
    return ref.rate * np.stack((2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)))


def spin(q: Array, w: Array, ref: Reference) -> tuple[Array, Array]:
    """Angular acceleration relative to each frame [rad/s²], and the absolute rate [rad/s], in body axes.

    Euler's equations without torque, and d/dt(RᵀΩ) = RᵀΩ̇ − w × RᵀΩ of the frame's own turn.
    """
    total = w.copy()
    turn = frame_rate(q, ref)
    total[:, 2:] += turn
    i = np.array(INERTIA, dtype=w.dtype).reshape(3, 1, 1)
    rate = cross(i * total, total) / i
    rate[:, 2:] += cross(w[:, 2:], turn) - ref.slew / ref.rate * turn
    return rate, total


def derivative(s: Array, ref: Reference) -> Array:
    """Of a whole state."""
    out = np.empty_like(s)
    out[:3] = s[3:6]
    out[3:6] = acceleration(s[:3], s[3:6], ref)
    out[10:] = spin(s[6:10], s[10:], ref)[0]
    q, w = s[6:10], s[10:]
    out[6] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2])
    out[7:10] = 0.5 * (q[0] * w + cross(q[1:], w))
    return out


def rk4(s: Array, refs: tuple[Reference, Reference, Reference], dt: Any) -> Array:
    """The classical step; ``refs`` at its start, middle and end."""
    k = derivative(s, refs[0])
    total = k.copy()
    for ref, h, weight in ((refs[1], 0.5, 2.0), (refs[1], 0.5, 2.0), (refs[2], 1.0, 1.0)):
        k = derivative(s + (h * dt) * k, ref)
        total += weight * k
    out = s + (dt / 6.0) * total
    out[6:10] /= np.sqrt(np.sum(out[6:10] ** 2, axis=0))
    return out


def euler(s: Array, refs: tuple[Reference, ...], dt: Any) -> Array:
    """MuJoCo's implicit step: (1 − dt ∂a/∂v) Δv = dt a at the start, then the position by the new velocity.

    In ECI and OF, where a depends on the position alone, it is the semi-implicit Euler step. In LVLH ∂a/∂v is the
    Coriolis term's. The rotation has the gyroscopic term's derivative.
    """
    ref = refs[0]
    out = s.copy()
    x, v, q, w = s[:3], s[3:6], s[6:10], s[10:]
    a = acceleration(x, v, ref)
    turn = 2.0 * dt * ref.rate  # (1 − dt D) = [[1, −turn], [turn, 1]] in the plane of the turn
    a[0, 2], a[1, 2] = (a[0, 2] + turn * a[1, 2]) / (1.0 + turn**2), (a[1, 2] - turn * a[0, 2]) / (1.0 + turn**2)
    out[3:6] += dt * a
    out[:3] += dt * out[3:6]
    rate, (p, r, t) = spin(q, w, ref)
    i1, i2, i3 = INERTIA
    zero = np.zeros_like(p)
    d = np.array(  # I⁻¹ ∂(−w × I w)/∂w
        (
            (zero, (i2 - i3) / i1 * t, (i2 - i3) / i1 * r),
            ((i3 - i1) / i2 * t, zero, (i3 - i1) / i2 * p),
            ((i1 - i2) / i3 * r, (i1 - i2) / i3 * p, zero),
        )
    )
    matrix = np.eye(3, dtype=s.dtype) - dt * np.moveaxis(d, (0, 1), (-2, -1))
    out[10:] += dt * np.moveaxis(np.linalg.solve(matrix, np.moveaxis(rate, 0, -1)[..., None])[..., 0], -1, 0)
    out[6:10] = quat_mul(q, rotation(dt * out[10:]))
    out[6:10] /= np.sqrt(np.sum(out[6:10] ** 2, axis=0))
    return out


def rotation(theta: Array) -> Array:
    """Quaternion of a rotation vector, along the first axis."""
    half = 0.5 * np.sqrt(np.sum(theta**2, axis=0))
    sinc = np.sinc(half / np.pi).astype(theta.dtype)
    return np.concatenate((np.cos(half)[None], 0.5 * sinc * theta))
