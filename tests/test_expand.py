"""Parameters per world."""

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from tests.conftest import compile_model, scatter


def test_names_and_sizes_are_checked() -> None:
    model = compile_model("box_satellite")
    with pytest.raises(ValueError, match=r"'bodymass' is not a parameter .*central_mu.*opt.timestep.*body_mass"):
        model.expand("bodymass", 2)
    with pytest.raises(ValueError, match="positive integer"):
        model.expand("body_mass", 0)
    model.expand("body_mass", 2)
    with pytest.raises(ValueError, match="already has 2 worlds"):
        model.expand("body_mass", 3)
    with pytest.raises(ValueError, match="is empty"):
        model.expand("tendon_range", 2)


def test_expanding_changes_nothing() -> None:
    """Equal values per world step to the same bits as one shared value."""
    states = []
    for names in ([], ["body_mass", "body_inertia", "opt.timestep", "central_mu", "central_radius", "central_j2"]):
        model = compile_model("box_satellite")
        for name in names:
            assert model.expand(name, 3).shape[0] == 3
        d = mjo.make_data(model, nworld=3)
        scatter(d, seed=1)
        for _ in range(5):
            mjo.mjo_step(model, d)
        states.append(mjo.get_state(model, d).numpy())
    assert np.array_equal(*states)


def test_every_parameter_reaches_the_orbit_forces() -> None:
    """Mass, inertia, μ, radius and J2 differ per world: forces follow the reference, which has them too."""
    model = compile_model("box_satellite")
    factors = {"body_mass": 1.5, "body_inertia": 2.0, "central_mu": 1.1, "central_radius": 0.9, "central_j2": 3.0}
    for world, (name, factor) in enumerate(factors.items(), start=1):
        array = model.expand(name, 6)
        values = array.numpy().copy()
        values[world] *= factor
        array.assign(values)
    d = mjo.make_data(model, nworld=6)
    rng = np.random.default_rng(3)
    quat = rng.normal(size=4)
    pose = np.concatenate([[3.0, -4.0, 5.0], quat / np.linalg.norm(quat)])
    d.qpos.assign(np.tile(pose, (6, 1)))
    mjo.set_const(model, d)
    mjo.mjo_forward(model, d)
    got = d.wrench.numpy()[:, 1]
    r = mjo_ref.from_warp(model, d)
    mjo_ref.mjo_forward(model, r)
    want = r.wrench[:, 1]
    for part in (slice(0, 3), slice(3, 6)):
        assert np.abs(got[:, part] - want[:, part]).max() < 2e-6 * np.abs(want[:, part]).max()
    assert np.abs(got[1, :3] / got[0, :3] - 1.5).max() < 1e-5  # force follows mass
    assert np.abs(got[2, 3:] / got[0, 3:] - 2.0).max() < 1e-5  # torque follows inertia
    assert np.abs(got[3, 3:] / got[0, 3:] - 1.1).max() < 1e-5  # both follow μ
    for world in (4, 5):
        assert np.abs(got[world, :3] - got[0, :3]).max() > 1e-4 * np.abs(got[0, :3]).max()


def test_parameters_of_the_orbit_are_per_world() -> None:
    """μ of a world moves its reference orbit, in both integrator paths."""
    for integrator in ("RK4", "implicitfast"):
        model = compile_model("box_satellite", integrator, j2=False)
        mu = model.expand("central_mu", 2)
        mu.assign(mu.numpy() * [1.0, 1.01])
        d = mjo.make_data(model, nworld=2)
        r0, v0 = d.orbit.r.numpy()[0].copy(), d.orbit.v.numpy()[0].copy()
        mjo.mjo_step(model, d)
        dt = float(np.float32(0.1))
        gravity = -mu.numpy()[:, None] * r0 / np.linalg.norm(r0) ** 3
        # to the third order in dt: 1e-5 m/s of 0.87
        assert np.abs(d.orbit.v.numpy() - v0 - gravity * dt).max() < 1e-4
        assert np.abs(np.diff(d.orbit.v.numpy(), axis=0)).max() > 1e-3
