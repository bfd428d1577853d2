"""Models of the cases, and measures of their errors."""

from typing import Any

import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.models import model_path

MU = 3.986004418e14
BODY = """
<mujoco><option timestep="{}" gravity="0 0 0"/><worldbody><body name="hub"><freejoint/>
<inertial pos="0 0 0" mass="100" fullinertia="{}"/></body></worldbody></mujoco>
"""


def body_spec(inertia: Any, timestep: float, orbit: mjo.Orbit | None = None, **options: Any) -> mjo.MjoSpec:
    """A free rigid body of 100 kg, inertia (3,) or (3, 3) about its origin, RK4."""
    inertia = np.asarray(inertia, dtype=np.float64)
    tensor = np.diag(inertia) if inertia.ndim == 1 else inertia
    i, j = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
    spec = mjo.MjoSpec.from_string(BODY.format(timestep, " ".join(repr(float(x)) for x in tensor[i, j])))
    spec.option.integrator = INTEGRATORS["RK4"]
    spec.orbit, spec.options = orbit, mjo.OrbitOptions(**options)
    return spec


def two_arm_spec(integrator: str, timestep: float, orbit: mjo.Orbit | None = None, **options: Any) -> mjo.MjoSpec:
    """The shipped free-flyer."""
    spec = mjo.MjoSpec.from_file(model_path("two_arm"))
    spec.orbit, spec.options = orbit, mjo.OrbitOptions(**options)
    spec.option.integrator, spec.option.timestep = INTEGRATORS[integrator], timestep
    return spec


def angle(a: Any, b: Any) -> Any:
    """Angle of the rotation between attitudes [rad], over leading dimensions."""
    q = _quat.mul(_quat.conj(np.asarray(a)), np.asarray(b))
    return 2.0 * np.arctan2(np.linalg.norm(q[..., 1:], axis=-1), np.abs(q[..., 0]))


def distance(a: Any, b: Any) -> float:
    """Largest |a − b| over the leading dimensions."""
    return float(np.linalg.norm(np.asarray(a) - np.asarray(b), axis=-1).max())
