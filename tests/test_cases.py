"""Known-answer cases from public issue trackers (H-numbers), on both backends where both apply."""

from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.elements import OrbitalElements, elements_from_state, state_from_elements
from tests.conftest import DATA, LEO, MU, compile_model

BACKENDS = pytest.mark.parametrize("backend", [mjo, mjo_ref], ids=["warp", "reference"])


def read(x: Any) -> np.ndarray:
    """NumPy values of an array of either backend."""
    return np.array(x.numpy() if hasattr(x, "numpy") else x)


def write(target: Any, values: Any) -> None:
    """Write into an array of either backend."""
    if hasattr(target, "assign"):
        target.assign(np.asarray(values))
    else:
        target[...] = values


@BACKENDS
def test_h01_torque_of_a_file(backend: Any) -> None:
    """Full inertia tensor from MJCF, body at the origin of an orbit at r: the torque of the closed form."""
    orbit = mjo.Orbit(r=[4.2e6, -3.9e6, 3.7e6], v=[0.0, 6e3, 3e3])
    model = compile_model("h13_fullinertia.xml", orbit=orbit, j2=False)
    # the file's tensor is diag 120 90 60, products -8 5 -3, as in the case
    d = backend.make_data(model)
    backend.mjo_forward(model, d)
    torque = read(d.wrench)[0, 1, 3:]
    tolerance = 5e-14 if backend is mjo_ref else 5e-11  # printed digits; float32 of 8e-5 N·m
    assert np.abs(torque - [3.809716310e-5, 7.922342132e-5, 4.026034003e-5]).max() < tolerance


def drift(backend: Any, elements: OrbitalElements) -> tuple[float, float]:
    """Secular rates of node and periapsis [deg/day]: least-squares slopes over a day of steps of 10 s."""
    r, v = state_from_elements(elements, MU)
    model = compile_model("box_satellite", "implicitfast", orbit=mjo.Orbit(r=r, v=v), timestep=10.0)
    d = backend.make_data(model)
    replay = mjo.capture(model, d, nstep=60) if backend is mjo else None
    node, periapsis = [], []
    for _ in range(144):
        if replay is not None:
            replay()
        else:
            for _ in range(60):
                mjo_ref.mjo_step(model, d)
        e = elements_from_state(read(d.orbit.r)[0], read(d.orbit.v)[0], MU)
        node.append(e.raan)
        periapsis.append(e.argument_of_periapsis)
    days = np.arange(1, 145) / 144.0
    slopes = [np.degrees(np.polyfit(days, np.unwrap(x), 1)[0]) for x in (node, periapsis)]
    return slopes[0], slopes[1]


@BACKENDS
def test_h02_j2_turns_the_orbit_the_right_way(backend: Any) -> None:
    """Node regresses on a prograde orbit, periapsis advances at 40°; numbers of a full numeric integration."""
    node, periapsis = drift(backend, OrbitalElements(7.5e6, 0.1, np.radians(40.0), 1.0, 0.5, 0.0))
    assert abs(node - -4.427) < 0.003 * 4.427
    assert abs(periapsis - 5.584) < 0.003 * 5.584
    if backend is mjo:
        node, _ = drift(backend, OrbitalElements(7078137.0, 0.001, np.radians(98.2), 1.0, 0.5, 0.0))
        assert abs(node - 0.98708) < 0.003  # Sun-synchronous: it advances


@BACKENDS
def test_h12_velocity_of_an_offset_com(backend: Any) -> None:
    """Rate in body axes, linear velocity of the origin in world axes; the COM's velocity from both."""
    spec = mjo.MjoSpec.from_string(
        '<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/>'
        '<inertial pos="0.2 0 0" mass="10" diaginertia="1 2 2.5"/></body></worldbody></mujoco>'
    )
    spec.orbit = LEO
    model = spec.compile()
    d = backend.make_data(model)
    half = np.sqrt(0.5)
    write(d.qpos, [[1.0, 2.0, 3.0, half, half, 0.0, 0.0]])
    write(d.qvel, [[0.1, 0.0, 0.0, 0.0, 0.0, 1.0]])
    a = backend.absolute_state(model, d)
    tolerance = 1e-12 if backend is mjo_ref else 1e-6
    assert np.abs(read(a.omega)[0, 1] - [0.0, -1.0, 0.0]).max() < tolerance
    assert np.abs(read(a.v)[0, 1] - LEO.v - [0.1, 0.0, 0.2]).max() < max(tolerance, 2e-12)
    assert np.abs(read(a.r)[0, 1] - LEO.r - [1.2, 2.0, 3.0]).max() < max(tolerance, 2e-9)


def test_h13_inertia_round_trip() -> None:
    model = compile_model("h13_fullinertia.xml")
    w, *xyz = model.mj.body_iquat[1]
    axes = mjo.frames._quat.to_matrix(np.array([w, *xyz]))
    tensor = axes @ np.diag(model.mj.body_inertia[1]) @ axes.T
    assert np.abs(tensor - [[120.0, -8.0, 5.0], [-8.0, 90.0, -3.0], [5.0, -3.0, 60.0]]).max() < 1e-5
    assert np.abs(np.sort(model.mj.body_inertia[1]) - [59.40211, 88.09933, 122.49856]).max() < 1e-5


@pytest.mark.parametrize("inertia", ["1 1 3 0 0 0", "1 1 1 2 0 0"])
def test_h13_impossible_inertia_is_refused(inertia: str) -> None:
    """A + B ≥ C is violated, or an eigenvalue is negative."""
    spec = mjo.MjoSpec.from_string(
        "<mujoco><worldbody><body name='b'><freejoint/>"
        f"<inertial pos='0 0 0' mass='1' fullinertia='{inertia}'/></body></worldbody></mujoco>"
    )
    with pytest.raises(ValueError, match="inertia"):
        spec.compile()


@BACKENDS
def test_h14_intermediate_axis(backend: Any) -> None:
    """w_y changes sign every 19.5529 s; RK4 keeps |H|. Without an orbit: torque-free."""
    model = compile_model("h14_spin123.xml", "RK4", orbit=None)
    d = backend.make_data(model)
    write(d.qvel, [[0.0, 0.0, 0.0, 0.01, 1.0, 0.01]])
    replay = mjo.capture(model, d) if backend is mjo else None
    before, flips, momentum = 1.0, [], []
    for i in range(1, 5001):
        if replay is not None:
            replay()
        else:
            mjo_ref.mjo_step(model, d)
        w = read(d.qvel)[0, 3:]
        if before * w[1] < 0.0:
            flips.append(0.01 * (i - w[1] / (w[1] - before)))
        before = w[1]
        momentum.append(np.linalg.norm([1.0, 2.0, 3.0] * w))
    reference = backend is mjo_ref
    # an unstable axis: each flip multiplies float32 rounding by some 400 (measured 1e-5 s, then 8e-3 s)
    tolerance = [1e-4, 1e-4] if reference else [1e-3, 5e-2]
    assert (np.abs(np.array(flips) - [10.9169, 30.4698]) < tolerance).all()
    assert np.ptp(momentum) / 2.0 < (1e-11 if reference else 1e-5)  # float32: 5000 roundings


@BACKENDS
@pytest.mark.parametrize("explicit", [False, True])
def test_h15_no_local_gravity(backend: Any, explicit: bool) -> None:
    """MuJoCo's default −9.81 is reported in one line and never felt: at rest at the origin, nothing moves in 10 s."""
    spec = mjo.MjoSpec.from_file(DATA / "h15_no_option.xml")
    spec.orbit = LEO
    if explicit:
        spec.option.gravity = [0.0, 0.0, -9.81]
    with pytest.warns(mjo.MjoWarning, match="gravity 0 0 -9.81 of the MJCF was set to 0 0 0"):
        model = spec.compile()
    d = backend.make_data(model)
    steps = round(10.0 / model.mj.opt.timestep)
    step = mjo.capture(model, d) if backend is mjo else lambda: mjo_ref.mjo_step(model, d)
    for _ in range(steps):
        step()
    assert np.abs(read(d.qpos)[0, :3]).max() < 1e-6


@BACKENDS
def test_h16_masses_are_what_mujoco_compiled(backend: Any) -> None:
    """A visual skin without mass counts at 1000 kg/m³: 60 kg, COM at y = 1 m, and gravity takes exactly that."""
    model = compile_model("h16_default_density.xml", j2=False, gravity_gradient=False)
    assert abs(model.mj.body_mass[1] - 60.0) < 1e-9
    d = backend.make_data(model)
    backend.mjo_forward(model, d)
    r = np.linalg.norm(LEO.r)
    u, rho = LEO.r / r, np.array([0.0, 1.0, 0.0])
    tidal = 60.0 * MU / r**3 * (3.0 * u * (u @ rho) - rho)  # first order in ρ/r: the next is 2e-7 of it
    assert np.abs(read(d.wrench)[0, 1, :3] - tidal).max() < 1e-6 * np.linalg.norm(tidal)


@BACKENDS
def test_h18_one_bad_world_stays_alone(backend: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """NaN in world 1: worlds 0 and 2 as without it, bit for bit; the status names it; its reset restores it."""
    monkeypatch.chdir(tmp_path)  # MuJoCo C writes its warnings to a log file in the current folder
    model = compile_model("h28_two_boxes.xml")
    good, bad, new = (backend.make_data(model, nworld=3) for _ in range(3))
    for d in (good, bad):
        v = np.random.default_rng(0).normal(size=(3, model.nv)) * 0.1
        write(d.qvel, v)
    q = read(bad.qpos)
    q[1, :7] = np.nan
    write(bad.qpos, q)
    for _ in range(50):
        backend.mjo_step(model, good)
        backend.mjo_step(model, bad)
    a, b = (np.asarray(read(backend.get_state(model, d))) for d in (good, bad))
    assert np.array_equal(a[[0, 2]], b[[0, 2]])
    assert not good.bad_worlds()
    assert bad.bad_worlds()["NONFINITE"] == [1]
    backend.mjo_reset(model, bad, np.array([False, True, False]))
    assert not bad.bad_worlds()
    for d in (bad, new):
        backend.mjo_step(model, d)
    b, n = (read(backend.get_state(model, d)) for d in (bad, new))
    assert np.array_equal(b[1], n[1])


@BACKENDS
def test_h20_masses_per_world(backend: Any) -> None:
    """Mass ×1, ×2, ×0.5 under 1 N for 0.1 s, in free space; constants follow, inertia and state stay."""
    model = compile_model("h28_two_boxes.xml", orbit=None)
    d = backend.make_data(model, nworld=3)
    qpos = read(d.qpos)
    mass = model.expand("body_mass", 3) if backend is mjo else d.expand("body_mass")
    values = read(mass)
    values[:, 1] *= [1.0, 2.0, 0.5]
    write(mass, values)
    backend.set_const(model, d)
    assert np.array_equal(read(d.qpos), qpos)
    force = read(d.xfrc_applied)
    force[:, 1, 0] = 1.0
    write(d.xfrc_applied, force)
    for _ in range(10):
        backend.mjo_step(model, d)
    assert np.abs(read(d.qvel)[:, 0] - [0.05, 0.025, 0.1]).max() < 1e-7
    subtree = read(model.body_subtreemass) if backend is mjo else d.parameter("body_subtreemass")
    assert np.abs(subtree[:, 0] - [6.0, 8.0, 5.0]).max() < 1e-6
    weight = read(model.body_invweight0) if backend is mjo else d.parameter("body_invweight0")
    assert np.abs(weight[:, 1, 0] * [1.0, 2.0, 0.5] / weight[0, 1, 0] - 1.0).max() < 1e-5
    inertia = read(model.body_inertia) if backend is mjo else d.parameter("body_inertia")
    assert np.abs(inertia[:, 1] - 1.0).max() == 0.0


@BACKENDS
def test_h20_gravity_follows_the_mass(backend: Any) -> None:
    """The orbit's force on a body is proportional to its world's mass."""
    model = compile_model("h28_two_boxes.xml")
    d = backend.make_data(model, nworld=3)
    mass = model.expand("body_mass", 3) if backend is mjo else d.expand("body_mass")
    values = read(mass)
    values[:, 2] *= [1.0, 2.0, 0.5]
    write(mass, values)
    backend.set_const(model, d)
    backend.mjo_forward(model, d)
    force = read(d.wrench)[:, 2, :3]
    assert np.linalg.norm(force[0]) > 1e-6
    assert np.abs(force[1] - 2.0 * force[0]).max() < 1e-12 + 1e-6 * np.abs(force[0]).max()
    assert np.abs(force[2] - 0.5 * force[0]).max() < 1e-12 + 1e-6 * np.abs(force[0]).max()


@BACKENDS
def test_h28_a_wrench_neither_accumulates_nor_sticks(backend: Any) -> None:
    """1 N on 2 kg for 1 s, then 0 for 1 s, with the orbit on: 0.5 m/s throughout."""
    model = compile_model("h28_two_boxes.xml")
    d = backend.make_data(model)
    force = read(d.xfrc_applied)
    force[:, 1, 0] = 1.0
    write(d.xfrc_applied, force)
    for _ in range(100):
        backend.mjo_step(model, d)
    assert abs(read(d.qvel)[0, 0] - 0.5) < 1e-5  # tides: 4e-6 m/s² per metre at most
    assert abs(read(d.qpos)[0, 0] - 0.2525) < 1e-5  # semi-implicit Euler
    write(d.xfrc_applied, np.zeros_like(force))
    for _ in range(100):
        backend.mjo_step(model, d)
    assert abs(read(d.qvel)[0, 0] - 0.5) < 1e-5
    assert np.array_equal(read(d.xfrc_applied), np.zeros_like(force))


@BACKENDS
def test_h30_clohessy_wiltshire(backend: Any) -> None:
    """One period, deputies 100 m above (at rest in LVLH: it drifts back 3770 m) and 100 m across (it oscillates)."""
    radius = 6778137.0
    speed = np.sqrt(MU / radius)
    orbit = mjo.Orbit(r=[radius, 0.0, 0.0], v=[0.0, speed, 0.0])
    dt = 1.0
    model = compile_model("box_satellite", orbit=orbit, timestep=dt, j2=False, gravity_gradient=False)
    com = model.mj.body_ipos[1]
    period = 2.0 * np.pi * np.sqrt(radius**3 / MU)
    rate = speed / radius
    d = backend.make_data(model, nworld=2)
    # the COM is at the stated place: the origin of the body is not
    write(d.qpos, [[100.0 - com[0], -com[1], -com[2], 1, 0, 0, 0], [-com[0], -com[1], 100.0 - com[2], 1, 0, 0, 0]])
    write(d.qvel, [[0.0, 100.0 * rate, 0.0, 0, 0, 0], np.zeros(6)])
    replay = mjo.capture(model, d) if backend is mjo else lambda: mjo_ref.mjo_step(model, d)
    quarter = round(period / 4.0 / dt)
    across = []
    for n in (quarter, quarter, 2 * quarter):
        for _ in range(n):
            replay()
        a = backend.absolute_state(model, d)
        rho = read(a.r)[:, 1] - read(d.orbit.r)
        lvlh = mjo.frames.lvlh_from_of(read(d.orbit.r), read(d.orbit.v), rho)
        across.append(lvlh[1, 2])
        nt = rate * read(d.time)[0]
        # closed form from (x0, 0, 0) at rest in LVLH
        expected = np.array([(4.0 - 3.0 * np.cos(nt)) * 100.0, 6.0 * (np.sin(nt) - nt) * 100.0, 0.0])
        assert np.abs(lvlh[0] - expected).max() < 4.0  # second order in x/r: 0.1 % of 3770 m
        assert abs(lvlh[1, 2] - 100.0 * np.cos(nt)) < 0.1
    assert abs(across[0]) < 0.1
    assert abs(across[1] + 100.0) < 0.1
    assert abs(lvlh[0, 1] + 3770.175) < 1.0  # exact two-body arc; the last sample is within 0.4 s of a period
