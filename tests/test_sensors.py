"""What sensors measure, each against a value that is computed another way; and what is refused."""

from typing import Any

import erfa
import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import _quat, frames
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.epoch import itrs_from_gcrs, time_from_seconds
from mjorbit_warp.reference.gravity import j2_gravity, point_gravity
from tests.sensed import DIPOLE, ORBIT, SENSORS, XML, begin, sensed_spec

N = 4
# float32 rounding of positions of some metres, of rates of 0.2 rad/s, of unit vectors
TOLERANCE = {mjo: 6e-7, mjo_ref: 1e-12}


def read(x: Any) -> np.ndarray:
    return np.array(x.numpy() if hasattr(x, "numpy") else x, dtype=np.float64)


class World:
    """One world of the batch in MuJoCo C: site frames and velocities."""

    def __init__(self, d: Any, w: int) -> None:
        self.mj = d.model.mj
        self.data = mujoco.MjData(self.mj)
        self.data.qpos[:], self.data.qvel[:] = read(d.qpos)[w], read(d.qvel)[w]
        mujoco.mj_forward(self.mj, self.data)
        self.r, self.v, self.t = read(d.orbit.r)[w], read(d.orbit.v)[w], float(read(d.time)[w] + ORBIT.epoch)

    def site(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(ECI position, ECI velocity, axes, angular velocity in them)"""
        velocity = np.zeros(6)
        i = self.mj.site(name).id
        mujoco.mj_objectVelocity(self.mj, self.data, mujoco.mjtObj.mjOBJ_SITE, i, velocity, 0)
        axes = self.data.site_xmat[i].reshape(3, 3)
        return self.r + self.data.site_xpos[i], self.v + velocity[3:], axes, axes.T @ velocity[:3]


@pytest.fixture(scope="module")
def model() -> mjo.MjoModel:
    return sensed_spec().compile()


@pytest.fixture(scope="module", params=[mjo, mjo_ref], ids=["warp", "reference"])
def sensed(request: Any, model: mjo.MjoModel) -> tuple[Any, Any, list[World]]:
    """(backend, data after some steps and mjo_sense without noise, its worlds in MuJoCo C)"""
    d = request.param.make_data(model, N, sensor_noise=False)
    begin(d)
    for _ in range(3):
        request.param.mjo_step(model, d)
    request.param.mjo_sense(model, d)
    return request.param, d, [World(d, w) for w in range(N)]


def test_gyro_star_tracker_nadir(sensed: Any) -> None:
    backend, d, worlds = sensed
    out = {name: read(d.sensor(name)) for name in ("gyro", "st", "nadir", "native_gyro")}
    for w, world in enumerate(worlds):
        _, _, axes, rate = world.site("tip")
        assert np.abs(out["gyro"][w] - rate).max() < TOLERANCE[backend]
        assert np.abs(_quat.to_matrix(out["st"][w]) - axes).max() < 2 * TOLERANCE[backend] and out["st"][w, 0] >= 0.0
        at, _, axes, rate = world.site("imu")
        assert np.abs(out["nadir"][w] + axes.T @ at / np.linalg.norm(at)).max() < TOLERANCE[backend]
        assert np.abs(out["native_gyro"][w] - rate).max() < TOLERANCE[backend]


def test_gps_and_altitude(sensed: Any) -> None:
    """ECI: orbit and offset; ECEF: astropy's ITRS; altitude: erfa's WGS 84. In float64 but for the offset."""
    _, d, worlds = sensed
    gps, fixed, altitude = (read(d.sensors[name]) for name in ("gps", "gps_ecef", "alt"))
    for w, world in enumerate(worlds):
        at, v, _, _ = world.site("tip")
        assert np.abs(gps[w, :3] - at).max() < 2e-6 and np.abs(gps[w, 3:] - v).max() < 2e-6
        at, v, _, _ = world.site("imu")
        x, u = itrs_from_gcrs(at, v, time_from_seconds(world.t))
        assert np.abs(fixed[w, :3] - x).max() < 1e-4  # the pole moves 2e-9 rad/s from the epoch: it is frozen there
        assert np.abs(fixed[w, 3:] - u).max() < 1e-4  # and astropy turns velocities by differences over 1 s
        x2, u2 = frames.ecef_from_eci(d.orbit.frames[0], world.t, at, v)
        assert np.abs(fixed[w] - np.concatenate([x2, u2])).max() < 4e-6
        about_pole = d.orbit.frames[0].q @ at  # ITRS without polar motion, which is 0.3 mm of height
        assert abs(altitude[w, 0] - erfa.gc2gd(1, about_pole)[2]) < 2e-6
    # in sensordata they are float32, 0.5 m apart
    assert np.abs(read(d.sensor("gps_ecef")) - fixed).max() < 0.3


def test_magnetometer(sensed: Any) -> None:
    """A dipole in body-fixed axes: B = (a/r)³ (3 (m·r̂) r̂ − m) with m = (g11, h11, g10)."""
    backend, d, worlds = sensed
    m = np.array([DIPOLE[1], DIPOLE[2], DIPOLE[0]])
    out = read(d.sensor("mag"))
    for w, world in enumerate(worlds):
        at, _, axes, _ = world.site("imu")
        rotation = d.orbit.frames[0].rotation(world.t)
        x = rotation @ at
        unit = x / np.linalg.norm(x)
        b = (6371200.0 / np.linalg.norm(x)) ** 3 * (3.0 * (m @ unit) * unit - m)
        assert np.abs(out[w] - axes.T @ rotation.T @ b).max() < 5e-5 * TOLERANCE[backend] + 1e-17


def test_sun_sensors(sensed: Any) -> None:
    """In full light; the Sun by erfa's epv00, 0.0022° from ours."""
    _, d, worlds = sensed
    css, narrow, fss = (read(d.sensor(name)) for name in ("css", "narrow", "fss"))
    seen = 0
    for w, world in enumerate(worlds):
        time = time_from_seconds(world.t).tdb
        sun = -erfa.epv00(time.jd1, time.jd2)[0]["p"] * 149597870700.0
        for name, value in (("imu", css[w, 0]), ("tip", narrow[w, 0])):
            at, _, axes, _ = world.site(name)
            direction = axes.T @ (sun - at) / np.linalg.norm(sun - at)
            cosine = max(direction[2], 0.0)
            if name == "tip":
                assert np.abs(fss[w] - direction).max() < 5e-5
                cosine *= direction[2] > np.cos(0.9)
            assert abs(value - cosine) < 5e-5
            seen += value > 0.0
    assert 0 < seen < 2 * N


@pytest.mark.parametrize("backend", [mjo, mjo_ref])
def test_sun_sensors_in_the_shadow(model: mjo.MjoModel, backend: Any) -> None:
    """Behind Earth 0; with a fixed Sun on the terminator half of the light or less."""
    from mjorbit_warp.reference.ephemeris import sun_position

    sun = sun_position(ORBIT.epoch, "earth")
    r = -7e6 * sun / np.linalg.norm(sun)
    v = np.cross(r, [0.0, 0.0, 1.0])
    orbit = mjo.Orbit(r=r, v=7500.0 * v / np.linalg.norm(v), epoch=ORBIT.epoch)
    d = backend.make_data(model, N, orbit=orbit, seed=1)
    begin(d)
    backend.mjo_step(model, d)
    assert not read(d.sensor("narrow")).any() and not read(d.sensor("fss")).any()
    assert np.abs(read(d.sensor("css"))).max() < 0.01 and read(d.sensor("css")).any()  # its noise remains
    assert np.abs(np.linalg.norm(read(d.sensor("nadir")), axis=1) - 1.0).max() < 1e-6


def test_wheel_speed(sensed: Any) -> None:
    """Ω = h/J − a·ω, with the wheel's momentum in ``act`` and its axis (0.6, 0, 0.8) in the bus."""
    backend, d, worlds = sensed
    out, act = read(d.sensor("speed")), read(d.act)
    for w, world in enumerate(worlds):
        expected = act[w, 0] / 0.02 - np.array([0.6, 0.0, 0.8]) @ world.data.qvel[3:6]
        assert abs(out[w, 0] - expected) < 20.0 * TOLERANCE[backend]


@pytest.mark.parametrize("feedback", [True, False])
def test_accelerometer_is_inertial_acceleration_minus_gravity(feedback: bool) -> None:
    """Fourth-order differences of the site's motion plus g(R) + a_fb, minus all gravity at the site, float64.

    The arm swings, the jet fires, the bus tumbles and the wheel speeds up; the jet is at the end of no COM.
    """
    spec = sensed_spec(feedback=feedback)
    h = spec.option.timestep = 0.01
    model = spec.compile()
    d = mjo_ref.make_data(model, N, sensor_noise=False)
    begin(d)
    x, force, axes, a_fb, r = [], [], [], [], []
    site = model.mj.site("tip").id
    for _ in range(5):
        mjo_ref.mjo_sense(model, d)
        x.append(d.site_xpos[:, site].copy())
        axes.append(d.site_xmat[:, site].copy())
        force.append(d.sensors["acc"].copy())
        a_fb.append(d.orbit.feedback.copy())
        r.append(d.orbit.r.copy())
        mjo_ref.mjo_step(model, d)
    relative = (-x[0] + 16.0 * x[1] - 30.0 * x[2] + 16.0 * x[3] - x[4]) / (12.0 * h * h)
    body = ORBIT.body

    def gravity(at: np.ndarray) -> np.ndarray:
        return point_gravity(at, body.mu) + j2_gravity(at, body.mu, body.radius, body.j2, d.orbit.pole)

    expected = relative + gravity(r[2]) + a_fb[2] - gravity(r[2] + x[2])
    got = np.einsum("wij,wj->wi", axes[2], force[2])
    assert np.abs(expected).max() > 0.05 and bool(np.abs(a_fb[2]).max()) is feedback
    assert np.abs(got - expected).max() < 1e-7  # h⁴ of the differences
    if feedback:
        total = 1.5 / model.mj.body_subtreemass[1]
        assert np.allclose(np.linalg.norm(a_fb[2], axis=1), total, rtol=1e-12)


RIGID = """<mujoco><option integrator="RK4" timestep="0.05" gravity="0 0 0"/><worldbody><body name="bus"><freejoint/>
<inertial pos="0.1 -0.2 0.3" mass="12" diaginertia="2 2 2"/><site name="com" pos="0.1 -0.2 0.3"/>
<site name="off" pos="0.6 -0.2 0.3"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("backend", [mjo, mjo_ref])
def test_accelerometer_of_a_rigid_body(backend: Any) -> None:
    """Free fall 0 at the COM, −ω²d and the tide −2n²d at an offset d; thrust/m; with and without the origin following.

    A site 0.5 m from the COM along the radius feels −2n²d without rotation (the body falls with its COM, the site would
    fall less) and −3n²d when the body turns with the orbit, as gravity gradiometers do.
    """
    spec = mjo.MjoSpec.from_string(RIGID)
    spec.orbit = mjo.Orbit.circular(altitude=500e3)
    spec.options = mjo.OrbitOptions(j2=False)
    for name in ("com", "off"):
        spec.add_sensor(name, "accelerometer", name)
    spec.add_thruster("jet", "bus", (0.1, -0.2, 0.3), (0.0, 1.0, 0.0), max_force=1.0)
    model = spec.compile()
    n = np.sqrt(spec.orbit.body.mu / np.linalg.norm(spec.orbit.r) ** 3)
    assert np.allclose(spec.orbit.r[1:], 0.0, atol=1e-6)  # x is radial, z across
    d = backend.make_data(model, 4)
    qpos, qvel, ctrl = np.tile(model.mj.qpos0, (4, 1)), np.zeros((4, 6)), np.zeros((4, 1))
    qpos[:, :3] = -np.array([0.1, -0.2, 0.3])  # the COM at the origin
    qvel[1, 5], qvel[2, 5], ctrl[3] = n, 0.3, 0.6
    for name, values in (("qpos", qpos), ("qvel", qvel), ("ctrl", ctrl)):
        target = getattr(d, name)
        target.assign(values) if backend is mjo else target.__setitem__(slice(None), values)
    backend.mjo_sense(model, d)
    com, off = read(d.sensor("com")), read(d.sensor("off"))
    rounding = 1e-8 if backend is mjo else 1e-12
    assert np.abs(com[:3]).max() < rounding and np.abs(com[3] - [0.0, 0.05, 0.0]).max() < rounding
    for w, want in enumerate((-2.0 * n**2, -3.0 * n**2, -2.0 * n**2 - 0.09)):
        assert np.abs(off[w] - [0.5 * want, 0.0, 0.0]).max() < (2e-9 if backend is mjo else 1e-13) + 1e-7 * abs(want)
    assert np.abs(off[3] - [-(n**2), 0.05, 0.0]).max() < rounding


@pytest.mark.parametrize("integrator", ["RK4", "implicitfast"])
def test_backends_agree(integrator: str) -> None:
    """All sensors with all their errors after 12 steps from one state; holds, drifts and counts too."""
    model = sensed_spec().compile()
    if integrator == "implicitfast":
        model.mjw.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    d = mjo.make_data(model, 3, seed=11)
    begin(d, seed=1)
    r = mjo_ref.from_warp(model, d)
    for _ in range(12):
        mjo.mjo_step(model, d)
        mjo_ref.mjo_step(model, r)
    tolerance = {"mag": 3e-11, "acc": 1.1e-6, "alt": 1e-5, "speed": 3e-6, "gps": 3e-5, "gps_ecef": 3e-5}
    for name in SENSORS:
        error = np.abs(read(d.sensors[name]) - r.sensors[name]).max()
        assert error < tolerance.get(name, 2e-6), name
    for name in ("native_gyro", "native_quat", "native_acc"):
        assert np.abs(read(d.sensor(name)) - r.sensor(name)).max() < 2e-6, name
    assert np.abs(read(d.sensors.drift) - r.sensors.drift).max() < 1e-9
    for name in ("seed", "stream", "count", "tick"):
        assert np.array_equal(getattr(d.sensors, name).numpy(), getattr(r.sensors, name)), name
    assert mjo.state_layout(d) == mjo_ref.state_layout(r)


@pytest.mark.parametrize("backend", [mjo, mjo_ref])
def test_sense_is_fresh_and_changes_nothing(model: mjo.MjoModel, backend: Any) -> None:
    """sensordata after a step is that of its start; mjo_sense gives what the next step will, noise included."""
    d = backend.make_data(model, 2, seed=3)
    begin(d)
    backend.mjo_step(model, d)
    stale = read(d.sensordata)
    before = read(backend.get_state(model, d))
    first, second = read(backend.mjo_sense(model, d)), read(backend.mjo_sense(model, d))
    assert np.array_equal(read(backend.get_state(model, d)), before)
    backend.mjo_step(model, d)
    assert np.array_equal(first, second) and np.array_equal(first, read(d.sensordata))
    assert np.abs(stale - first).max() > 0.0


def test_sense_without_a_forward() -> None:
    """Where positions and velocities are enough, they are all that is refreshed, and the values are the same."""
    spec = mjo.MjoSpec.from_string(XML[: XML.index("<sensor>")] + "</mujoco>")
    spec.orbit, spec.options = ORBIT, mjo.OrbitOptions(magnetic_field=mjo.MagneticField.dipole(*DIPOLE))
    for name, (kind, site, params) in SENSORS.items():
        if kind not in ("accelerometer", "wheel_speed"):
            spec.add_sensor(name, kind, site, **params)
    model = spec.compile()
    d = mjo.make_data(model, 1, seed=3)
    d.qvel.assign(np.full((1, 7), 0.1))
    mjo.mjo_step(model, d)
    d.qacc.fill_(7.0)
    quick = mjo.mjo_sense(model, d).numpy().copy()
    assert (d.qacc.numpy() == 7.0).all()
    mjo.mjo_forward(model, d)
    assert np.array_equal(quick, d.sensordata.numpy())


def test_user_hook_runs_after_and_cutoff_limits() -> None:
    spec = sensed_spec()
    spec.sensor("speed").cutoff = 3.0
    model = spec.compile()
    seen = []

    def hook(m: mjo.MjoModel, d: mjo.MjoData, stage: int) -> None:
        seen.append((int(stage), float(d.sensor("speed").numpy()[0, 0])))

    model.callback.sensor = hook
    d = mjo.make_data(model, sensor_noise=False)
    begin(d)
    mjo.mjo_step(model, d)
    assert [s for s, _ in seen] == [1, 2, 3] and [x for _, x in seen] == [0.0, 0.0, 3.0]
    assert d.sensors["speed"].numpy()[0, 0] > 5.0


def test_round_trip_and_mjcf(model: mjo.MjoModel) -> None:
    """The sensors are in the MJCF, where MuJoCo's own tools see user sensors; noise= of <user> counts."""
    again = mjo.MjoSpec.from_string(sensed_spec().to_xml()).compile()
    assert again.sensors.names == model.sensors.names and again.sensors.parts == model.sensors.parts
    xml = XML.replace("</sensor>", '<user name="mag" dim="3" objtype="site" objname="imu" noise="2e-8"/></sensor>')
    xml = xml.replace(
        "</mujoco>", '<custom><text name="mjo_sensor:mag" data="type=magnetometer bias=1e-9 rate=2"/></custom>'
    )
    spec = mjo.MjoSpec.from_string(xml + "</mujoco>")
    spec.orbit, spec.options = ORBIT, mjo.OrbitOptions(magnetic_field=mjo.MagneticField.dipole(*DIPOLE))
    part = spec.compile().sensors.parts[0]
    assert (part.type, part.noise, part.bias, part.rate) == ("magnetometer", (2e-8,), (1e-9,), 2.0)


def test_attached_sensors_keep_their_parameters() -> None:
    """MjSpec.attach renames everything; texts and wheels follow."""
    parent = mjo.MjoSpec.from_string('<mujoco><option gravity="0 0 0" timestep="0.05" integrator="RK4"/></mujoco>')
    parent.orbit, parent.options = ORBIT, mjo.OrbitOptions(magnetic_field=mjo.MagneticField.dipole(*DIPOLE))
    for prefix in ("a-", "b-"):
        parent.mj.attach(sensed_spec().mj, frame=parent.mj.worldbody.add_frame(), prefix=prefix, suffix="_x")
    sensors = parent.compile().sensors
    assert sensors.names[: len(sensors.parts)] == tuple(f"{p}{n}_x" for p in ("a-", "b-") for n in SENSORS)
    assert [int(w) for w in sensors.wheel[sensors.wheel >= 0]] == [0, 1]


def test_unknown_names(model: mjo.MjoModel) -> None:
    d = mjo.make_data(model)
    with pytest.raises(KeyError, match="there is no sensor 'nose': allowed are native_gyro"):
        d.sensor("nose")
    with pytest.raises(KeyError, match="there is no spacecraft sensor 'native_gyro': allowed are mag, css"):
        _ = d.sensors["native_gyro"]


def test_without_an_orbit() -> None:
    """Gyro, star tracker and accelerometer need none."""
    spec = mjo.MjoSpec.from_string(XML)
    spec.orbit = None
    spec.add_sensor("a", "accelerometer", "tip")
    spec.add_sensor("g", "gyro", "tip")
    model = spec.compile()
    results = []
    for backend in (mjo, mjo_ref):
        d = backend.make_data(model, sensor_noise=False)
        qvel = np.array([[0.1, 0.0, 0.0, 0.2, -0.1, 0.3, 0.4]])
        d.qvel.assign(qvel) if backend is mjo else d.qvel.__setitem__(slice(None), qvel)
        results.append(read(backend.mjo_sense(model, d)))
    assert np.abs(results[0] - results[1]).max() < 1e-6 and np.abs(results[1][0, -6:]).min() > 1e-3
