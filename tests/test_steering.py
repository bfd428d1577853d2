"""The example steering law of a CMG pyramid, in closed form and on a satellite."""

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.hardware import cmg_axes, cmg_momentum, cmg_steering
from mjorbit_warp.models import model_path


@pytest.fixture(scope="module")
def pyramid() -> mjo.MjoModel:
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    spec.add_cmg_pyramid("cmg", "bus", momentum=5.0, max_rate=1.5)
    return spec.compile()


def test_momentum_is_the_derivatives(pyramid: mjo.MjoModel) -> None:
    """Away from singularities the rates change the momentum by minus the torque, but for what robustness costs.

    By a finite difference; λ/σ² is at most 3e-3 at these angles, and much less at most of them.
    """
    axes = cmg_axes(pyramid)
    rng = np.random.default_rng(0)
    angles, torque = rng.uniform(-0.4, 0.4, (50, 4)), rng.normal(size=(50, 3))
    rates = cmg_steering(angles, torque, *axes)
    h = 1e-6
    change = (cmg_momentum(angles + h * rates, *axes) - cmg_momentum(angles - h * rates, *axes)) / (2.0 * h)
    error = np.linalg.norm(change + torque, axis=1) / np.linalg.norm(torque, axis=1)
    assert error.max() < 3e-3 and np.median(error) < 1e-5
    # the pyramid at zero holds nothing: its rotors run around z and cancel
    assert np.abs(cmg_momentum(np.zeros(4), *axes)).max() < 1e-12


def test_singularities_are_left(pyramid: mjo.MjoModel) -> None:
    """At the internal singularity (−90°, 0, 90°, 0) x torque: the plain inverse gives nothing, this one moves on."""
    axes = cmg_axes(pyramid)
    angles = np.radians([-90.0, 0.0, 90.0, 0.0])
    gimbal, spin, momentum = axes
    jacobian = (
        momentum[:, None] * (-np.sin(angles)[:, None] * spin + np.cos(angles)[:, None] * np.cross(gimbal, spin))
    ).T
    direction = np.linalg.svd(jacobian)[0][:, 2]
    assert np.linalg.svd(jacobian)[1][2] < 1e-9  # singular, along `direction`
    start = cmg_momentum(angles, *axes) @ direction
    gained = 0.0
    for k in range(400):
        rates = np.clip(cmg_steering(angles, -0.5 * direction, *axes, time=0.05 * k), -1.5, 1.5)
        assert np.isfinite(rates).all()
        angles = angles + 0.05 * rates
        gained = max(gained, abs(float(cmg_momentum(angles, *axes) @ direction - start)))
    assert gained > 1.0  # N·m·s, of the 10 that were asked for


def test_slew(pyramid: mjo.MjoModel) -> None:
    """A rest-to-rest slew of 40° about a tilted axis within 120 s; bus and rotors keep their total momentum."""
    axes = cmg_axes(pyramid)
    d = mjo_ref.make_data(pyramid)
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6.0)
    target = np.concatenate([[np.cos(np.radians(20.0))], np.sin(np.radians(20.0)) * axis])
    inertia = np.array([40.0, 80.0, 110.0])
    for _ in range(1200):
        error = _quat.mul(_quat.conj(target), d.qpos[0, 3:7])
        error = error if error[0] > 0.0 else -error
        torque = -inertia * (0.02 * error[1:] + 0.2 * d.qvel[0, 3:6])
        d.ctrl[:] = cmg_steering(d.act[0], torque, *axes, time=d.time[0])
        mjo_ref.mjo_step(pyramid, d)
    angle = 2.0 * np.arccos(min(1.0, abs(float(d.qpos[0, 3:7] @ target))))
    assert np.degrees(angle) < 0.5
    mjo_ref.mjo_forward(pyramid, d)
    tensor = d.ximat[0, 1] @ np.diag(pyramid.mj.body_inertia[1]) @ d.ximat[0, 1].T
    body = d.xmat[0, 1]
    total = tensor @ (body @ d.qvel[0, 3:6]) + body @ cmg_momentum(d.act[0], *axes)
    assert np.abs(total).max() < 1e-6  # RK4's truncation of 120 s; it started at rest
