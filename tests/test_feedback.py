"""The orbit's origin that follows the system, and one that does not: the same motion in absolute coordinates."""

import functools

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import _quat, _vector
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.models import model_path
from tests.conftest import scatter

HOUR = 3600.0


def pulse(m: mjo.MjoModel, d: mjo_ref.MjoData) -> None:
    """Thrust from 0 to 0.05 N and back every 565 s."""
    d.ctrl[:, 0] = 0.025 - 0.025 * np.cos(d.stage_time / 90.0)


@functools.cache
def flight(feedback: bool, timestep: float, integrator: str = "RK4") -> tuple[np.ndarray, np.ndarray]:
    """Absolute COM of all bodies after an hour (nbody, 3), and the system's COM from the origin each 36 s.

    An offset, tumbling body under drag, sunlight with shadow, and a thruster that pushes off its COM in one half of
    the time; two worlds are two starts.
    """
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    sun = (1.2e11, -8e10, -3e10)
    spec.orbit = mjo.Orbit.circular(altitude=350e3, inclination=0.9, raan=0.5, argument_of_latitude=0.3)
    spec.options = mjo.OrbitOptions(
        atmosphere=mjo.Atmosphere.us76(), solar_pressure=True, sun=sun, eclipse="none", feedback=feedback
    )
    spec.add_surface("front", "bus", (0.5, 0.1, 0.2), (1.0, 0.0, 0.2), area=2.0, two_sided=True, specular=0.3)
    spec.add_surface("side", "bus", (0.1, 0.5, 0.0), (0.0, 1.0, 0.1), area=3.0, two_sided=True, diffuse=0.3)
    spec.add_thruster("jet", "bus", (0.1, 0.0, 0.3), (0.6, 0.8, 0.1), max_force=0.05)
    spec.option.integrator, spec.option.timestep = INTEGRATORS[integrator], timestep
    model = spec.compile()
    model.callback.control = pulse
    d = mjo_ref.make_data(model, 2, nthread=1)
    scatter(d, seed=1, speed=0.003)
    com = _quat.rotate(d.qpos[:, 3:7], model.mj.body_ipos[1])  # the COM begins at the origin, at rest
    d.qpos[:, :3] = -com
    d.qvel[:, :3] = -_vector.cross(_quat.rotate(d.qpos[:, 3:7], d.qvel[:, 3:6]), com)
    apart = []
    for step in range(round(HOUR / timestep)):
        mjo_ref.mjo_step(model, d)
        if step % round(36.0 / timestep) == 0:
            apart.append(np.linalg.norm(d.subtree_com[:, 0], axis=-1))
    return mjo_ref.absolute_state(model, d).r[:, 1:], np.array(apart)


def test_absolute_motion_does_not_depend_on_feedback() -> None:
    """RK4, an hour: the two frames differ by a shift, which RK4 carries along exactly, so only rounding is left.

    Measured 9.3e-10 m, an ulp of 6.7e6 m; RK4's own truncation at this step of 4 s is 0.2 m in both, at 1 s 1e-3 m.
    """
    (with_feedback, near), (without, far) = flight(True, 4.0), flight(False, 4.0)
    assert np.abs(with_feedback - without).max() < 4e-9
    # the origin is the COM but for truncation: 0.08 m at 4 s, 5e-4 m at 1 s
    assert near.max() < 0.2
    assert far.max(axis=0).min() > 500.0


def test_single_stage_holds_the_feedback() -> None:
    """implicitfast at 4 s: first order, measured 3 m between the two and 2 m between COM and origin, of 1700 m."""
    (with_feedback, near), (without, far) = flight(True, 4.0, "implicitfast"), flight(False, 4.0, "implicitfast")
    assert np.abs(with_feedback - without).max() < 10.0
    assert near.max() < 10.0
    assert far.max(axis=0).min() > 500.0


@pytest.mark.parametrize("integrator", ["RK4", "implicitfast"])
def test_internal_forces_and_torques_move_no_origin(integrator: str) -> None:
    """Servos and wheels of the two-arm free-flyer push nothing: without surfaces and thrusters a_fb is not there."""
    spec = mjo.MjoSpec.from_file(model_path("two_arm"))
    spec.add_reaction_wheel("wheel", "L_fore", (0.6, 0.0, 0.8), inertia=1e-3, max_torque=0.1)
    spec.orbit = mjo.Orbit.circular(altitude=350e3)
    spec.option.integrator = INTEGRATORS[integrator]
    model = spec.compile()
    d = mjo_ref.make_data(model, 2, nthread=1)
    scatter(d, seed=2)
    d.ctrl[:] = 0.05
    for _ in range(3):
        mjo_ref.mjo_step(model, d)
    assert not d.orbit.feedback.any() and not d.hardware.force.any()
    assert np.abs(d.wrench[..., 3:]).max() > 1e-2
