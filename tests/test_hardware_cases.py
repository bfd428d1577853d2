"""Known-answer cases of hardware and environment (H-numbers), with tilted attitudes and COMs off the body's origin."""

import dataclasses
import math
from typing import Any

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.constants import EARTH
from tests.conftest import DATA, compile_model
from tests.test_cases import BACKENDS, read, write

AU, LIGHT = 149597870700.0, 299792458.0
A_FIELD = 6371.2e3
PRESSURE = 1361.0 / LIGHT

# --- forces of surfaces and magnets on one body ---------------------------------------------------------------------

COM, BALL, PLATE = np.array([0.3, -0.2, 0.1]), np.array([0.5, 0.4, -0.3]), np.array([-0.6, 0.2, 0.7])
NORMAL = np.array([2.0, -1.0, 2.0]) / 3.0
DIPOLE = np.array([3.0, -7.0, 5.0])
ROTATING = dataclasses.replace(EARTH, rotation_rate=7.292115e-5, radius=6371e3)
H06_POINTS = np.array([[A_FIELD, 0, 0], [0, 0, A_FIELD], [6871e3 / math.sqrt(2), 0, 6871e3 / math.sqrt(2)]])
H06_FIELD = 1e-9 * np.array(
    [[-2901.8, -4652.5, 29404.8], [1450.9, -4652.5, -58809.6], [-35743.5990, -3709.2854, -13456.8729]]
)
H05_POINTS = np.array([[7e6, 0, 0], [0, 7e6, 0], [-7e6, 0, 0], [-7e6, 6.35e6, 0], [-7e6, 6.41e6, 0], [2e6, 6e6, 3e6]])
H05_LIT = np.array([1.0, 1.0, 0.0, 0.026072, 0.996527, 1.0])


@dataclasses.dataclass
class World:
    """One world of a case: where it is, which of its parts act, and what is expected."""

    r: Any
    force: Any
    at: np.ndarray  # point of the body that is put at r, body frame
    v: Any = (300.0, 7600.0, 100.0)
    attitude: np.ndarray | None = None
    torque: Any = None  # of a dipole; that of a force follows from its arm
    sun: Any = (AU, 0.0, 0.0)
    ball: float = 0.0
    plate: float = 0.0
    air: float = 0.0
    flux: float = 0.0
    dipole: float = 0.0
    reflectivity: float = 1.0
    specular: float = 0.0
    diffuse: float = 0.0


def facing(direction: Any, rng: np.random.Generator) -> np.ndarray:
    """An attitude that turns the plate's normal into ``direction``, turned about it at random."""

    def frame(z: np.ndarray, turn: float) -> np.ndarray:
        x = np.cross([0.3, 0.5, 0.8], z)
        x /= np.linalg.norm(x)
        y = np.cross(z, x)
        return np.stack([math.cos(turn) * x + math.sin(turn) * y, math.cos(turn) * y - math.sin(turn) * x, z], axis=1)

    return frame(np.asarray(direction, dtype=float), rng.uniform(0, 6)) @ frame(NORMAL, 0.0).T


def h03(rng: np.random.Generator) -> list[World]:
    """Drag in air that turns with the planet, on a sphere and a plate: a = −½ ρ C_D A/m |v_rel| v_rel, m = 100 kg."""
    r, out = (6878137.0, 0.0, 0.0), []
    for speed, a in ((7612.6, -2.224942116e-6), (-7612.6, 2.896943256e-6)):
        v, force = (0.0, speed, 0.0), np.array([0.0, 100.0 * a, 0.0])
        wind = np.array([0.0, math.copysign(1.0, speed), 0.0])
        side = np.array([math.sqrt(0.75), 0.5 * wind[1], 0.0])
        out.append(World(r, force, COM, v, ball=4.0, air=1.0))
        for normal, share in ((wind, 1.0), (side, 0.5), (-side, 0.0)):
            out.append(World(r, share * force, COM, v, facing(normal, rng), plate=4.0, air=1.0))
    return out


def h04(rng: np.random.Generator) -> list[World]:
    """Sunlight on a cannonball at 1 and 1.5 AU, m = 100 kg, and on a plate in the normal's general form."""
    r, out = (7e6, 0.0, 0.0), []
    for distance, area, reflectivity, a in ((1.0, 1.0, 1.5, -6.809711e-8), (1.5, 2.0, 1.3, -5.245999588e-8)):
        sun = (r[0] + distance * AU, 0.0, 0.0)
        force = np.array([100.0 * a, 0.0, 0.0])
        out.append(World(r, force, BALL, ball=area, reflectivity=reflectivity, flux=1.0, sun=sun))
    s, n = np.array([1.0, 0.0, 0.0]), np.array([0.5, 0.5, math.sqrt(0.5)])
    for ks, kd in ((0.0, 0.0), (1.0, 0.0), (0.3, 0.45)):
        f = -PRESSURE * 2.0 * 0.5 * ((1.0 - ks) * s + 2.0 * (kd / 3.0 + ks * 0.5) * n)
        sun = (r[0] + AU, 0.0, 0.0)
        out.append(World(r, f, PLATE, attitude=facing(n, rng), plate=2.0, specular=ks, diffuse=kd, flux=1.0, sun=sun))
    out.append(World(r, np.zeros(3), PLATE, attitude=facing(-n, rng), plate=2.0, specular=0.5, flux=1.0))
    return out


def h05() -> list[World]:
    """The sunlit share of the force, at the surface's own place: the rest of the body is elsewhere."""
    out = []
    for point, lit in zip(H05_POINTS, H05_LIT, strict=True):
        s = np.array([AU, 0.0, 0.0]) - point
        d = np.linalg.norm(s)
        out.append(World(point, -lit * PRESSURE * 3.0 * (AU / d) ** 2 * s / d, BALL, ball=3.0, flux=1.0))
    return out


def h06() -> list[World]:
    """Torque m × B with its direction, m turned with the body."""
    return [World(p, np.zeros(3), COM, torque=b, dipole=1.0) for p, b in zip(H06_POINTS, H06_FIELD, strict=True)]


def bus_model() -> mjo.MjoModel:
    spec = mjo.MjoSpec.from_string(
        '<mujoco><option gravity="0 0 0" timestep="0.1" integrator="RK4"/><worldbody><body name="bus"><freejoint/>'
        '<inertial pos="0.3 -0.2 0.1" quat="0.9 0.1 -0.3 0.2" mass="100" diaginertia="11 13 15"/></body></worldbody>'
        "</mujoco>"
    )
    spec.add_surface("ball", "bus", BALL, area=1.0, sphere=True, drag=2.2)
    spec.add_surface("plate", "bus", PLATE, NORMAL, area=1.0, drag=2.2)
    spec.add_residual_dipole("magnet", "bus", DIPOLE, pos=(0.2, 0.1, 0.0))
    spec.orbit = mjo.Orbit(r=(6878137.0, 0.0, 0.0), v=(0.0, 7612.6, 0.0), body=ROTATING)
    spec.options = mjo.OrbitOptions(
        gravity_gradient=False,
        j2=False,
        atmosphere=mjo.Atmosphere.exponential(1e-12, math.inf),
        solar_pressure=True,
        sun=(AU, 0.0, 0.0),
        eclipse_radius=6378137.0,
        magnetic_field=mjo.MagneticField.dipole(-29404.8e-9, -1450.9e-9, 4652.5e-9),
    )
    return spec.compile()


def place(backend: Any, model: mjo.MjoModel, worlds: list[World], rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    """Data with the worlds' poses, orbits and parameters; the attitudes (nworld, 3, 3)."""
    n = len(worlds)
    d = backend.make_data(model, nworld=n)
    attitudes, qpos = [], np.zeros((n, 7))
    for i, world in enumerate(worlds):
        q = rng.normal(size=4)
        matrix = _quat.to_matrix(q / np.linalg.norm(q)) if world.attitude is None else world.attitude
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, matrix.ravel())
        qpos[i, :3], qpos[i, 3:] = -matrix @ world.at, quat
        attitudes.append(matrix)
    write(d.qpos, qpos)
    write(d.orbit.r, np.array([w.r for w in worlds], dtype=float))
    write(d.orbit.v, np.array([w.v for w in worlds], dtype=float))
    write(d.environment.sun, np.array([w.sun for w in worlds], dtype=float))

    def scale(name: str, values: Any) -> None:
        array = model.expand(name, n) if backend is mjo else d.expand(name)
        write(array, read(array) * np.asarray(values, dtype=float))

    scale("environment_density_scale", [w.air for w in worlds])
    scale("environment_solar_flux", [w.flux for w in worlds])
    scale("dipole_dipole", np.array([w.dipole for w in worlds])[:, None, None])
    scale("surface_area", [[w.ball, w.plate] for w in worlds])
    scale("surface_reflectivity", [[w.reflectivity, 1.0] for w in worlds])
    for name in ("specular", "diffuse"):
        array = model.expand(f"surface_{name}", n) if backend is mjo else d.expand(f"surface_{name}")
        write(array, [[0.0, getattr(w, name)] for w in worlds])
    return d, np.array(attitudes)


@BACKENDS
def test_h03_to_h06_forces_and_torques(backend: Any) -> None:
    """Force, torque about the COM and acceleration of the origin: every case in a world of its own."""
    rng, bus = np.random.default_rng(0), bus_model()
    worlds = [*h03(rng), *h04(rng), *h05(), *h06()]
    d, attitude = place(backend, bus, worlds, rng)
    backend.mjo_forward(bus, d)
    force, wrench, feedback = read(d.hardware.force)[:, 1], read(d.wrench)[:, 1], read(d.orbit.feedback)
    exact = backend is mjo_ref
    for i, world in enumerate(worlds):
        want = np.asarray(world.force)
        # the eclipse is given with 6 decimals; torque needs site − COM, 1e-7 m in float32
        f_error = 1e-6 if world.flux and world.r[0] < 0 else (1e-9 if exact else 1e-6)
        size = max(np.linalg.norm(want), 1e-15)
        assert np.abs(force[i] - want).max() < f_error * max(size, PRESSURE * 3.0 * world.flux), i
        part = BALL if world.ball else PLATE
        torque = np.cross(attitude[i] @ (part - COM), want)
        if world.torque is not None:
            torque = np.cross(attitude[i] @ DIPOLE, world.torque)
        t_error = (1e-8 if exact else 2e-6) * max(np.linalg.norm(torque), size)
        t_error += f_error * PRESSURE * 3.0 * world.flux + 1e-11 * world.dipole * np.linalg.norm(
            DIPOLE
        )  # field: 0.05 nT
        assert np.abs(wrench[i, 3:] - torque).max() < t_error, i
        assert np.abs(feedback[i] - want / 100.0).max() < f_error * max(size, PRESSURE * 3.0 * world.flux) / 100.0, i


@BACKENDS
def test_h03_the_orbit_decays(backend: Any) -> None:
    """All of the drag goes into the orbit's origin: Δv = a t against the same without air."""
    bus = bus_model()
    ball = World((6878137.0, 0.0, 0.0), np.zeros(3), COM, (0.0, 7612.6, 0.0), ball=4e4, air=1.0)  # 1e4 × the case's
    d, _ = place(backend, bus, [ball, dataclasses.replace(ball, air=0.0)], np.random.default_rng(1))
    for _ in range(10):
        backend.mjo_step(bus, d)
    dv = read(d.orbit.v)[0] - read(d.orbit.v)[1]
    assert np.abs(dv - [0.0, -2.224942116e-2, 0.0]).max() < 3e-5  # the orbit turns by 1.1e-3 rad in 1 s


# --- wheels and CMGs ------------------------------------------------------------------------------------------------


def test_h11_two_ways_to_state_a_wheel() -> None:
    """6000 rpm is 628.318531 rad/s; with 50 N·m·s that is 0.0795774715 kg·m², whichever two are given."""
    speed = 6000.0 * 2.0 * math.pi / 60.0
    assert abs(speed - 628.318531) < 1e-6
    parts = []
    for given in (
        {"max_speed": speed, "max_momentum": 50.0},
        {"inertia": 50.0 / speed, "max_momentum": 50.0},
        {"inertia": 50.0 / speed, "max_speed": speed},
        {"inertia": 50.0 / speed, "max_speed": speed, "max_momentum": 50.0},
    ):
        spec = mjo.MjoSpec.from_file(DATA / "h14_spin123.xml")
        spec.add_reaction_wheel("rw", spec.bodies[1].name, **given)
        parts.append(spec.compile().hardware.reaction_wheel.parts[0])
    for part in parts:
        assert abs(part.inertia - 0.0795774715) < 1e-10
        assert abs(part.max_speed - 628.318531) < 1e-6
        assert abs(part.inertia / parts[0].inertia - 1.0) < 1e-15 and abs(part.max_speed / speed - 1.0) < 1e-15
    assert "[rad/s]" in str(mjo.MjoSpec.add_reaction_wheel.__doc__)


TILT = _quat.to_matrix(np.array([0.8, 0.2, -0.4, 0.4]))
QUAT = np.array([0.8, 0.2, -0.4, 0.4])


@pytest.fixture(scope="module")
def gyrostat() -> mjo.MjoModel:
    """The bus of h17_wheel.xml and h31_single_gimbal_cmg.xml, without their rotors' axial inertia, in free space."""
    spec = mjo.MjoSpec.from_string(
        '<mujoco><option gravity="0 0 0" timestep="0.005" integrator="RK4"/><worldbody><body name="bus"><freejoint/>'
        '<inertial pos="0.2 0.1 -0.3" mass="105" diaginertia="10.04 12.04 15"/></body></worldbody></mujoco>'
    )
    spec.add_reaction_wheel("wheel", "bus", (0, 0, 1), inertia=0.08, max_speed=100.0, pos=(0.5, 0, 0))
    spec.add_cmg("cmg", "bus", (0, 0, 1), (1, 0, 0), momentum=75.0, pos=(0, 0.5, 0))
    return spec.compile()


def at_rest(backend: Any, model: mjo.MjoModel, nworld: int, rotor: float) -> Any:
    """Tilted by TILT, the CMG's rotor scaled."""
    d = backend.make_data(model, nworld=nworld)
    write(d.qpos, np.tile([1.0, 2.0, 3.0, *QUAT], (nworld, 1)))
    array = model.expand("cmg_momentum", nworld) if backend is mjo else d.expand("cmg_momentum")
    write(array, np.full((nworld, 1), rotor))
    return d


def run(backend: Any, model: mjo.MjoModel, d: Any, steps: int) -> None:
    step = mjo.capture(model, d) if backend is mjo else lambda: mjo_ref.mjo_step(model, d)
    for _ in range(steps):
        step()


def total_momentum(model: mjo.MjoModel, d: Any, rotor: float) -> np.ndarray:
    """Angular momentum of bus, wheel and CMG about the COM [N·m·s], world axes; the COM is at rest."""
    qpos, qvel, act = read(d.qpos).astype(float), read(d.qvel).astype(float), read(d.act).astype(float)
    quat = qpos[:, 3:7] / np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    h = qvel[:, 3:] * [10.04, 12.04, 15.0]
    h[:, 2] += act[:, 0]
    h += rotor * np.stack([np.cos(act[:, 1]), np.sin(act[:, 1]), np.zeros(len(act))], axis=1)
    return np.einsum("nij,nj->ni", _quat.to_matrix(quat), h)


def test_h17_wheel_as_a_hinge() -> None:
    """The file as it is, in float64: +0.1 N·m for 10 s turns the bus by −0.0666667 rad/s and leaves no momentum."""
    model = compile_model("h17_wheel.xml", orbit=None)
    d = mjo_ref.make_data(model)
    write(d.ctrl, [[0.1]])
    run(mjo_ref, model, d, 2000)
    wz, wheel = d.qvel[0, 5], d.qvel[0, 6]
    assert abs(wz + 1.0 / 15.0) < 1e-12 and abs(wheel - 12.566666666666667) < 1e-10
    assert abs(15.0 * wz + 0.08 * (wz + wheel)) < 2e-13


@BACKENDS
def test_h17_virtual_wheel_and_its_limits(backend: Any, gyrostat: mjo.MjoModel) -> None:
    """The same wheel without a hinge; at −100 rad/s a torque further down is 0, one back up is allowed; both signs."""
    commands = np.array([0.1, -0.1, 0.1, -0.1, 0.1, -0.1])
    speeds = np.array([0.0, -100.0, -100.0, 100.0, 100.0, -99.9])
    d = at_rest(backend, gyrostat, 6, 0.0)
    write(d.act, np.stack([0.08 * speeds, np.zeros(6)], axis=1))
    write(d.ctrl, np.stack([commands, np.zeros(6)], axis=1))
    before = total_momentum(gyrostat, d, 0.0)
    backend.mjo_step(gyrostat, d)
    torque = read(d.hardware.wheel_torque)[:, 0]
    assert np.abs(torque - [0.1, 0.0, 0.1, -0.1, 0.0, -0.1]).max() < 1e-5
    saturated = (read(d.status) & int(mjo.Status.WHEEL_SATURATED)) != 0
    assert saturated.tolist() == [False, True, True, True, True, False]
    assert not d.bad_worlds()
    run(backend, gyrostat, d, 1999)
    wz, h = read(d.qvel)[:, 5].astype(float), read(d.act)[:, 0].astype(float)
    speed = h / 0.08 - wz
    exact = backend is mjo_ref
    tolerance = 1e-10 if exact else 2e-6
    assert abs(wz[0] + 0.0666667) < 1e-6
    assert abs(speed[0] - 12.566667) < (1e-6 if exact else 5e-4)  # 2000 sums in float32
    # float32 rounds 8 N·m·s by 2.4e-7 a step; measured 2.5e-4, and 5e-8 with precision="shadow"
    assert np.abs(total_momentum(gyrostat, d, 0.0) - before).max() < (1e-10 if exact else 5e-4)
    # the bound of a step neglects what its torque does to the bus, J_s/I of the last step's 6e-3 rad/s
    assert np.abs(speed[[1, 4, 5]] - [-100.0, 100.0, -100.0]).max() < (4e-5 if exact else 2e-4)
    # from rest and from ±100 back: Δh = 1 N·m·s, on 15 and 0.08 kg·m²
    for world, sign in ((2, 1.0), (3, -1.0)):
        assert abs(wz[world] + sign / 15.0) < tolerance
        assert abs(speed[world] + sign * (100.0 - 12.5 - 1.0 / 15.0)) < (1e-9 if exact else 1e-2)
    assert ((read(d.status) & int(mjo.Status.WHEEL_SATURATED)) != 0).tolist() == [False, *[True] * 5]


@BACKENDS
def test_h31_torque_of_a_cmg(backend: Any, gyrostat: mjo.MjoModel) -> None:
    """75 N·m·s along x, gimbal about z at 0.5 rad/s: (0, −37.5, 0) N·m on the bus, at a quarter turn (37.5, 0, 0)."""
    d = at_rest(backend, gyrostat, 6, 75.0)
    write(d.ctrl, np.tile([0.0, 0.5], (6, 1)))
    angles = np.array([0.0, np.pi / 2.0, np.pi, -np.pi / 2.0, 0.3, 2.0])
    write(d.act, np.stack([np.zeros(6), angles], axis=1))
    backend.mjo_forward(gyrostat, d)
    torque = read(d.wrench)[:, 1, 3:] @ TILT  # in the bus's axes
    want = 37.5 * np.stack([np.sin(angles), -np.cos(angles), np.zeros(6)], axis=1)
    exact = backend is mjo_ref
    assert np.abs(torque - want).max() < (1e-12 if exact else 2e-5)
    assert np.abs(torque[:2] - [[0.0, -37.5, 0.0], [37.5, 0.0, 0.0]]).max() < (1e-12 if exact else 2e-5)

    before = total_momentum(gyrostat, d, 75.0)
    run(backend, gyrostat, d, 628)  # 3.14 s
    assert np.abs(read(d.act)[:, 1] - angles - 1.57).max() < (1e-12 if exact else 1e-4)
    assert np.linalg.norm(read(d.qvel)[:, 3:], axis=1).min() > 0.03
    assert np.abs(total_momentum(gyrostat, d, 75.0) - before).max() < 75.0 * (1e-8 if exact else 1e-4)


def test_h31_the_file_with_a_real_rotor() -> None:
    """Plain MuJoCo, rotor of 0.1 kg·m² at 750 rad/s on gimbal and spin hinges: the same torque on the bus."""
    mj = mujoco.MjModel.from_xml_path(str(DATA / "h31_single_gimbal_cmg.xml"))
    data = mujoco.MjData(mj)
    for angle, want in ((0.0, [0.0, -37.5, 0.0]), (math.pi / 2.0, [37.5, 0.0, 0.0])):
        mujoco.mj_resetData(mj, data)
        data.qpos[7], data.qvel[6:] = angle, (0.5, 750.0)
        mujoco.mj_forward(mj, data)
        assert np.abs(1e5 * data.qacc[3:6] - want).max() < 1e-4


# --- mass at runtime ------------------------------------------------------------------------------------------------


@BACKENDS
def test_h21_mass_at_runtime(backend: Any) -> None:
    """The bus goes from 10 to 5 kg in flight: pose, hinge and velocity are kept, the subtree weighs 7 kg."""
    model = compile_model("h21_bus_panel.xml", orbit=None)
    d = backend.make_data(model, nworld=2)
    pose = np.array([5.0, 6.0, 7.0, 1.0, 0.0, 0.0, 0.0, 0.3])
    write(d.qpos, np.tile(pose, (2, 1)))
    qvel = np.zeros((2, model.nv))
    qvel[:, 0] = 1.5
    write(d.qvel, qvel)
    backend.mjo_step(model, d)
    mass = model.expand("body_mass", 2) if backend is mjo else d.expand("body_mass")
    values = read(mass)
    values[1, 1] = 5.0
    write(mass, values)
    before = read(d.qpos), read(d.qvel)
    backend.set_const(model, d)
    for was, now in zip(before, (read(d.qpos), read(d.qvel)), strict=True):
        assert np.array_equal(was, now)
    subtree = read(model.body_subtreemass) if backend is mjo else d.parameter("body_subtreemass")
    assert np.abs(subtree[:, 0] - [12.0, 7.0]).max() < 1e-6
    backend.mjo_step(model, d)
    dt = model.mj.opt.timestep
    assert np.abs(read(d.qpos) - pose - [3.0 * dt, 0, 0, 0, 0, 0, 0, 0]).max() < 1e-6
    assert np.abs(read(d.qvel) - qvel).max() < 1e-6
