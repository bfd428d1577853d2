"""Hardware and environment against reference trajectories; the whole ones: python benchmarks/accuracy.py.

Reference backend, RK4. Scenes are in mjorbit_warp/validation/hardware_scenes.py.
"""

import numpy as np
import pytest

import mjorbit_warp as mjo
from benchmarks import hardware_accuracy as accuracy
from mjorbit_warp import _quat
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.reference.surface_loads import AU, LIGHT_SPEED, sunlit_fraction
from mjorbit_warp.validation.models import body_spec
from mjorbit_warp.validation.truth import load
from tests.conftest import DATA, MU

pytestmark = pytest.mark.filterwarnings("ignore::mjorbit_warp.MjoWarning")


@pytest.mark.parametrize("name", ["wheels", "wheels_friction"])
def test_wheels(name: str) -> None:
    """The first 24 s, two segments of torque. RK4 at 1/32 s leaves 1e-12 rad; without the torques 1 rad is left."""
    errors = accuracy.CASES[name](0.4)
    assert errors["attitude_rad"] < 1e-11  # asked: 1e-7
    assert errors["rate_rad_s"] < 1e-12
    assert errors["wheel_speed_rad_s"] < 1e-10  # of 100 rad/s, wheel inertia 0.02: momenta to 1e-12 N·m·s


def test_thruster() -> None:
    """All 10 s, switching on steps: one proportional, one on-off. The truth itself is good to 1e-13."""
    errors = accuracy.CASES["thruster"](1.0)
    assert errors["attitude_rad"] < 1e-11  # asked: 1e-7
    assert errors["position_m"] < 1e-11  # asked: 1e-6


def test_magnetic_torque_rod() -> None:
    """60 s: the field is that of the evaluation's own place and time, so nothing but RK4's truncation is left."""
    errors = accuracy.CASES["magnetic_rod"](0.1)
    assert errors["attitude_rad"] < 1e-11  # asked: 1e-7
    assert errors["position_m"] < 1e-8  # ulp of 6.9e6 m, truth included


def test_srp_eclipse() -> None:
    """114 s in full light: RK4's truncation."""
    errors = accuracy.CASES["srp_eclipse"](0.02)
    assert errors["attitude_rad"] < 1e-10  # asked: 1e-7 over the orbit, with two passages of the penumbra
    assert errors["position_m"] < 1e-7  # asked: 1e-6


def loads_at(model: mjo.MjoModel, truth: object, nworld: int) -> mjo_ref.MjoData:
    """An evaluation with a world at each sample of a truth: orbit, attitude and rate are those of the sample."""
    orbits = [
        mjo.Orbit.from_state(r, v, frame="GCRS")
        for r, v in zip(truth["exact_r"], truth["exact_v"], strict=True)  # type: ignore[index]
    ]
    d = mjo_ref.make_data(model, nworld, orbit=orbits)
    d.qpos[:, 3:] = truth["exact_q"]  # type: ignore[index]
    d.qvel[:, 3:] = truth["exact_omega"]  # type: ignore[index]
    return d


@pytest.mark.parametrize("eclipse", ["conical", "cylindrical"])
def test_srp_at_all_samples(eclipse: str) -> None:
    """Force, torque and shadow at every kept sample of the orbit: the formula's rounding.

    4 samples lie in the penumbra. The sunlit fraction at the edge is ill-conditioned: rounding of r moves it by 1e-9.
    """
    truth = load("srp_eclipse")
    spec = accuracy.srp_scene(0.25).spec
    spec.options.eclipse = eclipse
    model = spec.compile()
    n = truth["t"].size
    d = loads_at(model, truth, n)
    mjo_ref.mjo_forward(model, d)
    lit = sunlit_fraction(d, eclipse, d.orbit.r[:, None])[:, 0]
    assert np.abs(lit - truth[f"exact_shadow_{eclipse}"]).max() < 1e-7
    assert set(np.unique(lit)) >= {0.0, 1.0}
    if eclipse == "conical":
        assert np.count_nonzero((lit > 0.0) & (lit < 1.0)) == 4
        force = _quat.rotate(_quat.conj(truth["exact_q"]), d.wrench[:, 1, :3])
        torque = _quat.rotate(_quat.conj(truth["exact_q"]), d.wrench[:, 1, 3:])
        # the shadow is taken at each plate, not at the COM: 1 m of a penumbra 20 km wide
        limit = np.where((lit > 0.0) & (lit < 1.0), 1e-10, 1e-15)  # of 1.1e-5 N
        assert (np.abs(force - truth["exact_force_B"]).max(axis=1) < limit).all()
        assert (np.abs(torque - truth["exact_torque_B"]).max(axis=1) < limit).all()


def test_magnetic_torque_at_all_samples() -> None:
    """m×B in body axes along the orbit: rounding of 1e-3 N·m."""
    truth = load("magnetic_torque_rod")
    scene = accuracy.rod_scene(0.125)
    model = scene.spec.compile()
    d = loads_at(model, truth, truth["t"].size)
    d.ctrl[:] = truth["dipole_cmd"]
    mjo_ref.mjo_forward(model, d)
    torque = _quat.rotate(_quat.conj(truth["exact_q"]), d.wrench[:, 1, 3:])
    assert np.abs(truth["exact_torque_B"]).max() > 1e-4
    assert np.abs(torque - truth["exact_torque_B"]).max() < 1e-15


def test_environment_tables() -> None:
    """Magnetic torque, drag and sunlight on a ball at 50 places from 200 km to 35800 km, body axes turned by 100°.

    The tables hold the field, the density and the shadow: relative errors are those of the formulas' rounding, of the
    density 1e-11 (1e-9 m of rounding in the altitude, times 36e6 m/H at the highest place), of the shadow 1e-8.
    """
    table = np.load(DATA / "environment_tables.npz")
    spec = body_spec(np.array([10.0, 20.0, 25.0]), 0.1)
    r = table["r_N"]
    across = np.cross([0.3, -0.5, 0.8], r)
    speed = np.sqrt(MU / np.linalg.norm(r, axis=1))
    v = across * (speed / np.linalg.norm(across, axis=1))[:, None]
    orbits = [mjo.Orbit.from_state(a, b, frame="GCRS") for a, b in zip(r, v, strict=True)]
    dipole = np.array([3.0, -1.0, 2.0])
    spec.add_residual_dipole("magnet", "hub", tuple(dipole))
    spec.add_surface("ball", "hub", (0.0, 0.0, 0.0), area=2.0, drag=2.1, reflectivity=1.4, sphere=True)
    spec.orbit = orbits[0]
    spec.options = mjo.OrbitOptions(
        j2=False,
        gravity_gradient=False,
        orientation=table["C_PN"],
        magnetic_field=mjo.MagneticField.dipole(*table["dipole_g10_g11_h11"], radius=float(table["dipole_radius"])),
        atmosphere=mjo.Atmosphere.exponential(float(table["atm_rho0"]), float(table["atm_scale_height"])),
        corotation=False,
        solar_pressure=True,
        sun=table["sun_position"],
        sun_radius=6.95e8,
        eclipse_radius=6378136.6,
    )
    model = spec.compile()
    force, torque = [], []
    for name in ("environment_density_scale", "environment_solar_flux"):  # drag off, then sunlight off
        d = mjo_ref.make_data(model, len(r), orbit=orbits)
        d.expand("central_radius")[:] = table["atm_radius"]  # altitude above this sphere
        d.expand(name)[:] = 0.0
        mjo_ref.mjo_forward(model, d)
        force.append(d.hardware.force[:, 1])
        torque.append(d.wrench[:, 1, 3:])
    want = np.cross(dipole, table["dipole_B_N"])
    assert np.abs(torque - want).max() < 1e-13 * np.abs(want).max()
    to_sun = table["sun_position"] - r
    distance = np.linalg.norm(to_sun, axis=1, keepdims=True)
    full = -(1361.0 / LIGHT_SPEED) * (AU / distance) ** 2 * 2.0 * 1.4 * to_sun / distance
    assert np.abs(force[0] - full * table["shadow_conical"][:, None]).max() < 1e-8 * np.abs(full).max()
    drag = -0.5 * table["atm_rho"] * 2.1 * 2.0 * speed**2
    wanted = drag[:, None] * v / speed[:, None]
    error = np.linalg.norm(force[1] - wanted, axis=1)
    assert (error <= 1e-11 * np.linalg.norm(wanted, axis=1)).all()
