"""Two cubes that meet head-on across the orbital plane, in orbit or in zero gravity, and what closed forms say.

The contact obeys v̇ = −b v − k x while the cubes overlap by −x and do not pull (solref −k −b, a hard impedance), so its
restitution is known: exp(−β t_c), β = b/2, ω² = k − β², t_c = (π − atan(2βω / (k − 2β²)))/ω
(T. Schwager and T. Pöschel, Granular Matter 9, 2007).
"""

import dataclasses
import itertools
import math

import numpy as np
from numpy.typing import NDArray

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.frames import lvlh_axes

F64 = NDArray[np.float64]
HALF, MASS = 0.5, 20.0  # half an edge [m], mass [kg]
STIFFNESS, DAMPING = 1000.0, 2.0  # k [1/s²], b [1/s]
START, SPEED = 1.5, 0.05  # |z| of each centre [m], its speed [m/s]
STEPS = (1.0, 0.1, 0.01, 0.001)  # [s]; the last one makes about 100 steps of an impact
ORBIT = mjo.Orbit.circular(altitude=400e3, inclination=math.radians(51.6), raan=0.5, argument_of_latitude=0.3)
_BOX = (
    '<body name="{0}"><freejoint/><geom type="box" size="{1} {1} {1}" mass="{2}" condim="1" '
    'solref="{3} {4}" solimp="0.9999 0.9999 0.001"/></body>'
)


def restitution() -> float:
    """Closed form of the contact's coefficient of restitution."""
    beta = 0.5 * DAMPING
    omega = math.sqrt(STIFFNESS - beta**2)
    return math.exp(-beta * (math.pi - math.atan(2.0 * beta * omega / (STIFFNESS - 2.0 * beta**2))) / omega)


def mean_motion() -> float:
    """Of the circular reference orbit [rad/s]."""
    return math.sqrt(ORBIT.body.mu / float(np.linalg.norm(ORBIT.r)) ** 3)


def two_boxes(gravity: bool) -> mjo.MjoModel:
    """Both cubes; RK4, as the coast has no friction and the contact no stiff damping: energy is kept to rounding."""
    boxes = "".join(_BOX.format(name, HALF, MASS, -STIFFNESS, -DAMPING) for name in "ab")
    option = '<option gravity="0 0 0" integrator="RK4"/>'
    spec = mjo.MjoSpec.from_string(f"<mujoco>{option}<worldbody>{boxes}</worldbody></mujoco>")
    spec.orbit = ORBIT if gravity else None
    spec.options = mjo.OrbitOptions(j2=False)
    return spec.compile()


@dataclasses.dataclass(frozen=True)
class Collision:
    """A run.

    Attributes:
      t: times [s]                                                          (N,)
      z, v: cross-track position [m] and velocity [m/s] of both centres     (N, 2)
      side: largest distance of a centre from the cross-track axis [m]      (N,)
      impacts: per impact the times [s] of first touch and of release, and the closing speeds [m/s] there.
    """

    t: F64
    z: F64
    v: F64
    side: F64
    impacts: list[dict[str, float]]


def next_step(gap: float, closing: float, coarse: float) -> float:
    """The largest step that leaves the gap open for another one; the finest while the boxes touch."""
    for dt in STEPS:
        if dt <= coarse and gap > 2.0 * dt * closing and gap > 0.0:
            return dt
    return STEPS[-1]


def collide(gravity: bool, duration: float, coarse: float = 1.0) -> Collision:
    """The cubes approach each other along the orbit's normal with the reference orbit half way between them.

    Args:
      gravity: in the orbit, or in a frame without any gravity.
      duration: [s].
      coarse: longest step while the boxes are apart [s].
    """
    model = two_boxes(gravity)
    data = mjo_ref.make_data(model, nthread=1)
    axes = lvlh_axes(ORBIT.r, ORBIT.v)
    normal = axes[2]
    quat = _quat.from_matrix(axes.T)
    signs = (1.0, -1.0)
    data.qpos[0] = np.concatenate([np.concatenate([s * START * normal, quat]) for s in signs])
    data.qvel[0] = np.concatenate([np.concatenate([-s * SPEED * normal, np.zeros(3)]) for s in signs])
    timestep = data.expand("opt.timestep")
    rows: list[tuple[float, ...]] = []
    impacts: list[dict[str, float]] = []
    touching = False
    while True:
        x, v = data.qpos[0].reshape(2, 7)[:, :3], data.qvel[0].reshape(2, 6)[:, :3]
        z, w = x @ normal, v @ normal
        gap, closing = z[0] - z[1] - 2.0 * HALF, w[1] - w[0]
        time = float(data.time[0])
        if touching != (gap < 0.0):
            touching = not touching
            if touching:
                impacts.append({"touch_s": time, "closing_in_m_s": closing})
            else:
                impacts[-1] |= {"release_s": time, "closing_out_m_s": closing}
        rows.append((time, *z, *w, float(np.linalg.norm(x - z[:, None] * normal, axis=1).max())))
        if time >= duration - 1e-9:
            break
        timestep[:] = min(next_step(gap, closing, coarse), duration - time)
        mjo_ref.mjo_step(model, data)
    table = np.array(rows)
    return Collision(table[:, 0], table[:, 1:3], table[:, 3:5], table[:, 5], impacts)


def arcs(run: Collision) -> list[slice]:
    """Rows of each free flight after an impact, up to the next one."""
    begins = [int(np.searchsorted(run.t, i["release_s"])) for i in run.impacts if "release_s" in i]
    ends = [int(np.searchsorted(run.t, i["touch_s"])) for i in run.impacts[1:]]
    found = [slice(a, b) for a, b in itertools.zip_longest(begins, ends[: len(begins)])]
    return [s for s in found if run.t[s].size > 1]


def closed_form(run: Collision, part: slice, rate: float) -> F64:
    """Cross-track positions [m] after the part's first row: z0 cos nt + (v0/n) sin nt, or z0 + v0 t if n is 0.

    Clohessy and Wiltshire, Journal of the Aerospace Sciences 27, 1960.
    """
    t = (run.t[part] - run.t[part][0])[:, None]
    z0, v0 = run.z[part][0], run.v[part][0]
    return z0 * np.cos(rate * t) + v0 / rate * np.sin(rate * t) if rate else z0 + v0 * t


def energy(run: Collision, rate: float) -> F64:
    """Cross-track energy of both [J]: ½ m (v² + n² z²); the well is that of gravity's gradient about the orbit."""
    return 0.5 * MASS * np.sum(run.v**2 + (rate * run.z) ** 2, axis=1)
