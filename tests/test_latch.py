"""Docking by mjo_latch (known-answer case H22), on both backends."""

from typing import Any

import mujoco
import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.graph import CapturedStep
from mjorbit_warp.recorder import Recorder
from mjorbit_warp.run_file import load_run, save_run
from tests.conftest import DATA, LEO
from tests.test_cases import BACKENDS, read, write

MASK = np.array([True, False, True])
CAPTURE = [1.3, 0.1, 0.0, np.cos(0.1), 0.0, 0.0, np.sin(0.1)]  # of the target: turned 0.2 rad about z


def h22(orbit: mjo.Orbit | None = None, integrator: str | None = None) -> mjo.MjoModel:
    spec = mjo.MjoSpec.from_file(DATA / "h22_dock.xml")
    spec.orbit = orbit
    if integrator is not None:
        spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    return spec.compile()


def ports() -> mjo.MjoSpec:
    """H22 with COMs off the bodies' origins, RK4, and besides the weld a connect, each with an anchor."""
    spec = mjo.MjoSpec.from_file(DATA / "h22_dock.xml")
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.body("chaser").ipos, spec.body("target").ipos = [0.1, -0.2, 0.3], [-0.2, 0.1, 0.05]
    weld = spec.equalities[0]
    weld.data[:3] = [-0.6, 0.05, 0.1]  # of body 2
    ball = spec.add_equality(name="ball", type=mujoco.mjtEq.mjEQ_CONNECT, active=False)
    ball.name1, ball.name2, ball.objtype = "chaser", "target", mujoco.mjtObj.mjOBJ_BODY
    ball.data[:3] = [0.5, 0.0, -0.1]  # of body 1
    return spec


@pytest.fixture(scope="module")
def tilted() -> mjo.MjoModel:
    return ports().compile()


def scatter(backend: Any, model: mjo.MjoModel, nworld: int, seed: int = 0, rate: float = 0.02, **options: Any) -> Any:
    """Data with both bodies at random attitudes, 2 m apart, with random slow motion."""
    rng = np.random.default_rng(seed)
    d = backend.make_data(model, nworld=nworld, **options)
    q = np.zeros((nworld, 14))
    for body, x in ((0, 0.0), (1, 2.0)):
        q[:, 7 * body : 7 * body + 3] = rng.uniform(-0.2, 0.2, (nworld, 3)) + np.array([x, 0.0, 0.0])
        turn = rng.normal(size=(nworld, 4))
        q[:, 7 * body + 3 : 7 * body + 7] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    write(d.qpos, q)
    write(d.qvel, rng.uniform(-rate, rate, (nworld, 12)))
    return d


def momenta(mj: mujoco.MjModel, d: Any) -> tuple[np.ndarray, np.ndarray]:
    """Total P [kg·m/s] and H about the origin [kg·m²/s], (nworld, 3), from qpos and qvel alone."""
    q, v = read(d.qpos).astype(float), read(d.qvel).astype(float)
    p, h = np.zeros((len(q), 3)), np.zeros((len(q), 3))
    for body in (1, 2):
        a, b = 7 * (body - 1), 6 * (body - 1)
        quat = q[:, a + 3 : a + 7] / np.linalg.norm(q[:, a + 3 : a + 7], axis=1, keepdims=True)
        arm = _quat.rotate(quat, np.broadcast_to(mj.body_ipos[body], (len(q), 3)))
        spin = v[:, b + 3 : b + 6]
        linear = mj.body_mass[body] * (v[:, b : b + 3] + np.cross(_quat.rotate(quat, spin), arm))
        axes = _quat.to_matrix(np.asarray(mj.body_iquat[body]))
        inertia = axes @ np.diag(mj.body_inertia[body]) @ axes.T
        p += linear
        h += np.cross(q[:, a : a + 3] + arm, linear) + _quat.rotate(quat, spin @ inertia)
    return p, h


def relative(q: np.ndarray) -> np.ndarray:
    """Pose of the second body in the first: position [m] and quaternion, (nworld, 7)."""
    q = q.astype(float)
    back = _quat.conj(q[:, 3:7])
    turn = _quat.mul(back, q[:, 10:14])
    return np.concatenate([_quat.rotate(back, q[:, 7:10] - q[:, :3]), turn * np.sign(turn[:, :1])], axis=1)


@BACKENDS
def test_h22_docking_without_a_kick(backend: Any) -> None:
    """The case's numbers in the latched worlds of three; the other one flies on."""
    model = h22()
    d = backend.make_data(model, nworld=3)
    q, v = read(d.qpos), read(d.qvel)
    q[:, 7:], v[:, :2] = CAPTURE, [0.04, 0.01]
    write(d.qpos, q)
    write(d.qvel, v)
    start = relative(q)
    backend.mjo_latch(model, d, "dock", MASK)
    step = mjo.capture(model, d, nstep=10) if backend is mjo else None
    fastest = 0.0
    for _ in range(500):
        step() if step else [mjo_ref.mjo_step(model, d) for _ in range(10)]
        fastest = max(fastest, float(np.abs(read(d.qvel)).max()))
    assert fastest <= 0.0413
    exact = backend is mjo_ref
    p, h = momenta(model.mj, d)
    assert np.abs(p - [4.0, 1.0, 0.0]).max() < (1e-9 if exact else 2e-4)  # 5000 roundings of 3 kg·m/s in float32
    assert np.abs(h[MASK]).max() < (1e-4 if exact else 1e-3)  # of 0.7: the weld's gap times its impulse
    final = read(d.qvel)
    com = (100.0 * final[:, :3] + 300.0 * final[:, 6:9]) / 400.0
    assert np.abs(com - [0.01, 0.0025, 0.0]).max() < 1e-6
    # closed form of two bodies that become one; the weld gives by 1e-6 rad
    assert np.abs(final[MASK][:, [5, 11]] + 0.002967033).max() < (2e-7 if exact else 3e-6)
    assert np.abs(relative(read(d.qpos)) - start)[MASK].max() < 1e-4
    assert np.abs(final[1] - v[1]).max() == 0.0
    assert read(d.eq_active)[:, 0].tolist() == MASK.tolist()


@BACKENDS
def test_h22_the_compiled_pose_throws_the_bodies(backend: Any) -> None:
    """What mjo_latch is for: by hand, in one world, the weld pulls the bodies to where the MJCF has them."""
    model = h22()
    d = backend.make_data(model, nworld=2)
    q, v, active = read(d.qpos), read(d.qvel), read(d.eq_active)
    q[:, 7:], v[:, :2], active[1] = CAPTURE, [0.04, 0.01], True
    for array, values in ((d.qpos, q), (d.qvel, v), (d.eq_active, active)):
        write(array, values)
    fastest = np.zeros(2)
    for _ in range(100):
        backend.mjo_step(model, d)
        fastest = np.maximum(fastest, np.abs(read(d.qvel)).max(axis=1))
    assert fastest[0] == np.abs(v).max() and fastest[1] > 5.0


@BACKENDS
@pytest.mark.parametrize("eq", ["dock", "ball"])
def test_tilted_and_off_centre(backend: Any, eq: str, tilted: mjo.MjoModel) -> None:
    """Random attitudes and rates, anchors and COMs off the origins: P, H and the pose (or the point) stay."""
    d = scatter(backend, tilted, 3)
    start, before = relative(read(d.qpos)), momenta(tilted.mj, d)
    speed = np.abs(read(d.qvel)).max()
    backend.mjo_latch(tilted, d, eq, MASK)
    point = anchors(tilted.mj, d)
    step = mjo.capture(tilted, d, nstep=10) if backend is mjo else None
    for _ in range(50):
        step() if step else [mjo_ref.mjo_step(tilted, d) for _ in range(10)]
        assert np.abs(read(d.qvel)).max() < 3.0 * speed  # levers of 1 m share the rates out, they add no energy
    (p, h), (p0, h0) = momenta(tilted.mj, d), before
    assert np.abs(p - p0).max() < (1e-7 if backend is mjo_ref else 2e-4)  # of 10 kg·m/s: RK4's truncation; float32
    assert np.abs(h - h0).max() < 1e-3  # of 20 kg·m²/s: the weld's gap of 1e-4 m times its impulse, at any time step
    if eq == "dock":
        assert np.abs(relative(read(d.qpos)) - start)[MASK].max() < 1e-3  # rates of 0.02 rad/s end in 0.02 s
    assert np.abs(anchors(tilted.mj, d) - point)[MASK].max() < 1e-3
    assert np.abs(relative(read(d.qpos)) - start)[1].max() > 1e-2


def anchors(mj: mujoco.MjModel, d: Any) -> np.ndarray:
    """Where the connect's point of body 1 is in body 2 [m]."""
    q = read(d.qpos).astype(float)
    point = q[:, :3] + _quat.rotate(q[:, 3:7], np.broadcast_to(mj.eq_data[1, :3], (len(q), 3)))
    return _quat.rotate(_quat.conj(q[:, 10:14]), point - q[:, 7:10])


def test_kernel_and_twin_agree(tilted: mjo.MjoModel) -> None:
    """The numbers that are written, and then the motion."""
    d = scatter(mjo, tilted, 3, seed=1)
    twin = mjo_ref.from_warp(tilted, d)
    for eq, mask in (("dock", MASK), ("ball", ~MASK)):
        mjo.mjo_latch(tilted, d, eq, mask)
        mjo_ref.mjo_latch(tilted, twin, eq, mask)
    assert np.array_equal(d.latch.on.numpy(), twin.latch.on)
    got, want = d.latch.pose.numpy(), twin.latch.pose
    sign = np.sign(np.sum(got[..., 6:10] * want[..., 6:10], axis=-1, keepdims=True))
    sign[sign == 0.0] = 1.0
    want = np.concatenate([want[..., :6], want[..., 6:10] * sign, want[..., 10:]], axis=-1)
    assert np.abs(got[twin.latch.on] - want[twin.latch.on]).max() < 2e-6  # float32 of 2 m
    eq_data = d.latch.data.numpy().reshape(3, 2, 12)
    assert np.abs(eq_data[..., :6] - twin.parameter("eq_data")[..., :6]).max() < 2e-6
    again = mjo_ref.from_warp(tilted, d)
    assert np.array_equal(again.latch.on, twin.latch.on)
    for _ in range(20):
        mjo.mjo_step(tilted, d)
        mjo_ref.mjo_step(tilted, again)
    assert np.abs(d.qvel.numpy() - again.qvel).max() < 2e-5  # float32 constraints of 0.01 rad/s


@BACKENDS
def test_momentum_in_orbit(backend: Any) -> None:
    """In a real orbit the total momentum relative to the origin is that of the run without a latch."""
    model = h22(LEO, "RK4")
    both = [backend.make_data(model) for _ in range(2)]
    for d, latched in zip(both, (True, False), strict=True):
        q, v = read(d.qpos), read(d.qvel)
        q[:, 7:], v[:, :2] = CAPTURE, [0.04, 0.01]
        write(d.qpos, q)
        write(d.qvel, v)
        if latched:
            backend.mjo_latch(model, d, 0)
        for _ in range(200):
            backend.mjo_step(model, d)
    (p, h), (p0, _) = (momenta(model.mj, d) for d in both)
    assert np.abs(p - p0).max() < (1e-9 if backend is mjo_ref else 2e-4)
    assert np.abs(h).max() < 1e-3  # the tide over 0.4 s: 3e-6 /s² · 300 kg · (1.3 m)² · 0.4 s
    assert abs(read(both[0].qvel)[0, 5]) > 0.0028 and read(both[1].qvel)[0, 5] < 1e-4
    assert np.abs(read(both[0].orbit.r) - read(both[1].orbit.r)).max() < 1e-6


@pytest.mark.parametrize("precision", ["single", "shadow", "conserving"])
def test_every_precision_holds_the_pose(precision: str, tilted: mjo.MjoModel) -> None:
    d = scatter(mjo, tilted, 2, seed=2, precision=precision)
    before = momenta(tilted.mj, d)
    mjo.mjo_latch(tilted, d, "dock")
    start = relative(read(d.qpos))
    for _ in range(100):
        mjo.mjo_step(tilted, d)
    assert np.abs(relative(read(d.qpos)) - start).max() < 1e-3
    assert np.abs(momenta(tilted.mj, d)[0] - before[0]).max() < 2e-4


def test_inside_a_graph_the_mask_is_read_at_each_replay(tilted: mjo.MjoModel) -> None:
    """A latch captured with a step does what the same calls do one by one, to the bit."""
    masks = [np.array(m) for m in ([False, False], [True, False], [False, False], [False, True])]
    d, eager = (scatter(mjo, tilted, 2, seed=3) for _ in range(2))
    mask = wp.zeros(2, dtype=bool, device=d.device)

    def body() -> None:
        mjo.mjo_latch(tilted, d, "dock", mask)
        mjo.mjo_step(tilted, d)

    replay = CapturedStep(tilted, d, 1, body)
    assert not d.eq_active.numpy().any() and not d.latch.on.numpy().any()
    for chosen in masks:
        mask.assign(chosen)
        replay()
        mjo.mjo_latch(tilted, eager, "dock", chosen)
        mjo.mjo_step(tilted, eager)
    assert d.eq_active.numpy()[:, 0].all()
    assert np.array_equal(*(mjo.get_state(tilted, each).numpy() for each in (d, eager)))


@BACKENDS
def test_reset_restores_pose_and_switch_of_masked_worlds(backend: Any, tilted: mjo.MjoModel) -> None:
    d, other = (scatter(backend, tilted, 3, seed=4) for _ in range(2))
    for each in (d, other):
        backend.mjo_latch(tilted, each, "dock")
        backend.mjo_step(tilted, each)
    backend.mjo_reset(tilted, d, MASK)
    numbers = d.latch.data.numpy() if backend is mjo else d.parameter("eq_data")
    numbers = numbers.reshape(3, 2, 12)
    assert np.abs(numbers[MASK] - tilted.mj.eq_data).max() < 1e-6
    assert np.abs(numbers[1, 0] - tilted.mj.eq_data[0]).max() > 1e-2
    assert not read(d.eq_active)[MASK].any() and read(d.eq_active)[1, 0]
    fresh = backend.make_data(tilted, nworld=3)
    for each in (d, other, fresh):
        backend.mjo_step(tilted, each)
    states = [read(backend.get_state(tilted, each)) for each in (d, other, fresh)]
    assert np.array_equal(states[0][1], states[1][1])
    columns = np.r_[backend.state_layout(d)["qpos"], backend.state_layout(d)["qvel"]]
    assert np.array_equal(states[0][MASK][:, columns], states[2][MASK][:, columns])


@BACKENDS
def test_unlatch_lets_go(backend: Any, tilted: mjo.MjoModel) -> None:
    d = scatter(backend, tilted, 2, seed=5)
    backend.mjo_latch(tilted, d, "dock")
    for _ in range(50):
        backend.mjo_step(tilted, d)
    held = relative(read(d.qpos))
    before = read(d.qvel)
    backend.mjo_unlatch(tilted, d, "dock", np.array([False, True]))
    assert read(d.eq_active)[:, 0].tolist() == [True, False]
    backend.mjo_step(tilted, d)
    assert np.abs(read(d.qvel) - before)[1].max() < 1e-4  # free bodies: no force but the gyroscopic torque
    assert np.abs(relative(read(d.qpos)) - held)[1].max() < 1e-3


@BACKENDS
def test_states_carry_the_pose(backend: Any) -> None:
    """get_state into data of another model of the same MJCF, and a bank of states: the same bits afterwards."""
    first, second = ports().compile(), ports().compile()
    d = scatter(backend, first, 2, seed=6)
    backend.mjo_latch(first, d, "dock", np.array([True, False]))
    backend.mjo_step(first, d)
    state = read(backend.get_state(first, d))
    other = backend.make_data(second, nworld=2)
    backend.set_state(second, other, state)
    if backend is mjo:
        bank = mjo.StateBank(first, d)
        back = mjo.make_data(first, nworld=2)  # shares the model, not the pose
    for _ in range(5):
        backend.mjo_step(first, d)
        backend.mjo_step(second, other)
    want = read(backend.get_state(first, d))
    assert np.array_equal(want, read(backend.get_state(second, other)))
    if backend is mjo:
        assert not back.eq_active.numpy().any() and not back.latch.on.numpy().any()
        mjo.mjo_reset(first, d)
        bank.restore()
        mjo.broadcast_state(first, d, back, world=0)
        for _ in range(5):
            mjo.mjo_step(first, d)
            mjo.mjo_step(first, back)
        assert np.array_equal(want, mjo.get_state(first, d).numpy())
        layout = mjo.state_layout(back)
        assert np.array_equal(mjo.get_state(first, back).numpy()[:, layout["qpos"]], want[[0, 0]][:, layout["qpos"]])


def test_a_run_file_carries_the_pose(tmp_path: Any) -> None:
    spec = ports()
    spec.orbit = LEO
    model = spec.compile()
    d = scatter(mjo, model, 2, seed=7)
    recorder = Recorder(d, range(2))
    recorder.record()
    mjo.mjo_latch(model, d, "dock", np.array([True, False]))
    mjo.mjo_step(model, d)
    recorder.record()
    save_run(tmp_path / "dock.npz", spec, d, recorder, options={}, command=[])
    again, restored = load_run(tmp_path / "dock.npz").restore()
    for _ in range(5):
        mjo.mjo_step(model, d)
        mjo.mjo_step(again, restored)
    assert np.array_equal(mjo.get_state(model, d).numpy(), mjo.get_state(again, restored).numpy())


@BACKENDS
def test_set_const_keeps_a_latched_point(backend: Any) -> None:
    """mj_setConst computes connects anew from qpos0: those that are held must not jump there."""
    model = ports().compile()
    d = scatter(backend, model, 2, seed=8)
    backend.mjo_latch(model, d, "ball", np.array([True, False]))

    def numbers() -> np.ndarray:
        return (d.latch.data.numpy() if backend is mjo else d.parameter("eq_data")).reshape(2, 2, 12).copy()

    held = numbers()
    masses = model.expand("body_mass", 2) if backend is mjo else d.expand("body_mass")
    write(masses, read(masses) * 1.5)
    backend.set_const(model, d)
    assert np.array_equal(numbers()[0], held[0])
    assert np.abs(numbers()[1] - model.mj.eq_data).max() < 1e-6


def test_what_is_refused() -> None:
    spec = ports()
    arm = spec.body("target").add_body(name="arm", pos=[0.0, 1.0, 0.0])
    arm.add_joint(name="hinge", axis=[0.0, 0.0, 1.0])
    arm.add_geom(size=[0.1, 0.0, 0.0], mass=1.0)
    spec.add_equality(name="gear", type=mujoco.mjtEq.mjEQ_JOINT, name1="hinge", objtype=mujoco.mjtObj.mjOBJ_JOINT)
    for name in ("chaser", "target"):
        spec.body(name).add_site(name=f"{name}_port")
    site = spec.add_equality(name="pins", type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_SITE)
    site.name1, site.name2, site.active = "chaser_port", "target_port", False
    model = spec.compile()
    can = "welds and connects between bodies can be latched, here dock, ball"
    d = mjo_ref.make_data(model, nworld=2)
    for function in (mjo_ref.mjo_latch, mjo_ref.mjo_unlatch):
        for eq in ("docks", "", 7, -1, True):
            with pytest.raises(ValueError, match=f"no equality constraint {eq!r} in the model: {can}"):
                function(model, d, eq)
        with pytest.raises(ValueError, match=f"equality 'gear' is a joint: {can}"):
            function(model, d, "gear")
        with pytest.raises(ValueError, match=f"equality 'pins' is a weld of sites: {can}"):
            function(model, d, "pins")
        with pytest.raises(ValueError, match=r"mask has shape \(3,\)"):
            function(model, d, "dock", [True] * 3)
    plain = mjo.MjoSpec.from_file(DATA / "h28_two_boxes.xml").compile()
    d = mjo_ref.make_data(plain)
    with pytest.raises(ValueError, match="can be latched, here there is none"):
        mjo_ref.mjo_latch(plain, d, 0)


def test_masks_are_checked_on_the_device_too(tilted: mjo.MjoModel) -> None:
    d = mjo.make_data(tilted, nworld=3)
    for mask in (np.ones(2, dtype=bool), np.ones(3), wp.zeros(3, dtype=int)):
        with pytest.raises(ValueError, match="mask has shape"):
            mjo.mjo_latch(tilted, d, "dock", mask)
    with pytest.raises(ValueError, match="no equality constraint 'x'"):
        mjo.mjo_latch(tilted, d, "x")
    assert d.mjw.eq_active.numpy().sum() == 0
