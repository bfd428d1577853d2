"""The error of each frame, integrator and precision against closed forms, over several orbits."""

import math
from typing import Any

import numpy as np

from benchmarks.paper.rigid_body import FRAMES, MU, Array, Reference, euler, quat_mul, reference, rk4, rotation
from mjorbit_warp import _quat
from mjorbit_warp.frames import lvlh_axes, lvlh_from_of, of_from_lvlh
from mjorbit_warp.validation.kepler import kepler
from mjorbit_warp.validation.truth import load

INTEGRATORS = {"implicit": euler, "RK4": rk4}
PRECISIONS = {"float64": np.float64, "float32": np.float32}
DT = 0.1  # s
SCENES = ("drifting", "near")  # up to 82 m away after three orbits; within 2 m of the reference orbit
EACH = 4  # bodies per scene


def starts() -> tuple[Array, Array, Array, Array]:
    """Reference (r, v) and the bodies' offsets (position [m], velocity [m/s], each (8, 3)) in OF, rounded to float32.

    Body 0 is that of the trajectory free_body_leo. Three more drift from random offsets as long. Four stay near: their
    velocities have the in-track part −2 n x that keeps them from drifting.
    """
    truth = load("free_body_leo")
    r, v = truth["ref_r"][0], truth["ref_v"][0]
    rng = np.random.default_rng(3)
    unit = rng.normal(size=(2, EACH, 3))
    unit /= np.linalg.norm(unit, axis=-1, keepdims=True)
    rho = np.linalg.norm(truth["rel_r"][0]) * unit[0]
    rate = np.linalg.norm(truth["rel_v"][0]) * unit[1]
    rho[0], rate[0] = truth["rel_r"][0], truth["rel_v"][0]
    n = math.sqrt(MU / np.linalg.norm(r) ** 3)
    x = rng.uniform(-0.5, 0.5, (EACH, 3))
    w = n * rng.uniform(-0.5, 0.5, (EACH, 3))
    w[:, 1] = -2.0 * n * x[:, 0]
    near = of_from_lvlh(r, v, x, w)
    both = np.concatenate([rho, near[0]]), np.concatenate([rate, near[1]])
    return r, v, *(np.float64(np.float32(y)) for y in both)


def initial_state(frames: tuple[str, ...], dtype: Any) -> tuple[Array, Array, Array]:
    """Reference (r, v), and the state (13, frames, bodies)."""
    truth = load("free_body_leo")
    r, v, rho, rate = starts()
    turned = lvlh_from_of(r, v, rho, rate)
    places = {"ECI": (r + rho, v + rate), "OF": (rho, rate), "LVLH": turned, "LVLH explicit": turned}
    q, omega = truth["q"][0], truth["omega"][0]
    axes = lvlh_axes(r, v)
    q_lvlh = _quat.mul(_quat.from_matrix(axes), q)
    rate_lvlh = omega - _quat.rotate(_quat.conj(q), np.cross(r, v) / (r @ r))
    s = np.empty((13, len(frames), len(rho)))
    for i, name in enumerate(frames):
        s[:3, i], s[3:6, i] = (y.T for y in places[name])
        turning = name.startswith("LVLH")
        s[6:10, i] = (q_lvlh if turning else q)[:, None]
        s[10:, i] = (rate_lvlh if turning else omega)[:, None]
    return r, v, s.astype(dtype)


def _gravity(r: Array) -> Array:
    return -MU / math.sqrt(float(r @ r)) ** 3 * r


def orbit_step(r: Array, v: Array, h: float) -> tuple[Array, Array]:
    """The reference orbit's own RK4 step of ``h`` [s]; increments are added last, so rounding stays small."""
    a1 = _gravity(r)
    v2 = v + 0.5 * h * a1
    a2 = _gravity(r + 0.5 * h * v)
    v3 = v + 0.5 * h * a2
    a3 = _gravity(r + 0.5 * h * v2)
    v4 = v + h * a3
    a4 = _gravity(r + h * v3)
    return r + h / 6.0 * (v + 2.0 * (v2 + v3) + v4), v + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)


def truth_at(t: float, index: int) -> tuple[Array, Array, Array, Array]:
    """Reference position and velocity, the bodies' offsets (8, 3), and the attitude, ``t`` [s] close to a record."""
    r, v, rho, rate = starts()
    center = kepler(r, v, t, MU)
    wide = (np.longdouble(r) + rho, np.longdouble(v) + rate)
    bodies = np.array([np.float64(kepler(a, b, t, MU)[0] - center[0]) for a, b in zip(*wide, strict=True)])
    data = load("free_body_leo")
    late = t - data["t"][index]  # float32(0.1) is not 0.1
    q = quat_mul(data["q"][index], rotation(late * data["omega"][index]))
    return np.float64(center[0]), np.float64(center[1]), bodies, q


def errors(s: Array, frames: tuple[str, ...], t: float, index: int) -> tuple[Array, Array]:
    """Distances from the truth [m] (frames, bodies), and angles [rad] (frames,)."""
    r, v, rho, q = truth_at(t, index)
    axes = lvlh_axes(r, v)
    s = s.astype(np.float64)
    position, angle = np.empty(s.shape[1:]), np.empty(len(frames))
    for i, name in enumerate(frames):
        x, attitude = s[:3, i].T, s[6:10, i, 0]
        if name == "ECI":
            x = x - r
        if name.startswith("LVLH"):
            x, attitude = x @ axes, _quat.mul(_quat.conj(_quat.from_matrix(axes)), attitude)
        position[i] = np.linalg.norm(x - rho, axis=1)
        difference = _quat.mul(_quat.conj(q), attitude)
        angle[i] = 2.0 * math.atan2(float(np.linalg.norm(difference[1:])), abs(float(difference[0])))
    return position, angle


def run(precision: str, integrator: str, fraction: float = 1.0, dt: float = DT) -> dict[str, Any]:
    """Error over time of all frames and bodies; ``fraction`` of three orbits.

    Returns:
      t_s (N,), position_m by frame (N, 8), attitude_rad by frame (N,).
    """
    frames = FRAMES if integrator == "implicit" else FRAMES[:3]
    dtype, step = PRECISIONS[precision], INTEGRATORS[integrator]
    r, v, s = initial_state(frames, dtype)
    h = float(dtype(dt))  # the orbit has the step that the body has
    records = load("free_body_leo")["t"]
    last = max(1, round(fraction * (len(records) - 1)))
    rows: list[tuple[float, Array, Array]] = []
    count = 0
    ref: Reference = reference(r, v, len(frames) - 1, dtype)
    for index in range(1, last + 1):
        for _ in range(round((records[index] - records[index - 1]) / dt)):
            middle = ref
            if integrator == "RK4":
                middle = reference(*orbit_step(r, v, 0.5 * h), len(frames) - 1, dtype)
            r, v = orbit_step(r, v, h)
            after = reference(r, v, len(frames) - 1, dtype)
            s = step(s, (ref, middle, after), dtype(dt))
            ref = after
            count += 1
        rows.append((count * h, *errors(s, frames, count * h, index)))
    t, position, angle = (np.array(x) for x in zip(*rows, strict=True))
    return {
        "t_s": t.tolist(),
        "position_m": {name: position[:, i].tolist() for i, name in enumerate(frames)},
        "attitude_rad": {name: angle[:, i].tolist() for i, name in enumerate(frames)},
    }
