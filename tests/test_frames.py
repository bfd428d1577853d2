"""Frames against finite differences, known answers and round trips in both directions."""

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjorbit_warp import _quat, frames
from mjorbit_warp.constants import EARTH
from mjorbit_warp.orientation import BodyFixedFrame, frame_rotation_z

MU, R_E = EARTH.mu, EARTH.radius
FIXED = settings(derandomize=True, deadline=None, max_examples=60)
RC, VC = np.array([5.1e6, -3.2e6, 3.4e6]), np.array([3900.0, 6200.0, 500.0])
TILT = np.array([[1.0, 0.0, 0.0], [0.0, 0.8, 0.6], [0.0, -0.6, 0.8]])
FRAME = BodyFixedFrame(q=TILT, w=frame_rotation_z(0.3)[[1, 2, 0]][:, [1, 2, 0]], theta0=0.7, rate=7.292e-5, t0=100.0)
TIME = 4321.0


def vectors(size):
    return st.tuples(*[st.floats(-size, size)] * 3).map(np.array)


quats = (
    st.tuples(*[st.floats(-1.0, 1.0)] * 4)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 0.01)
    .map(lambda q: q / np.linalg.norm(q))
)


def same_attitude(a, b):
    """Angle between two attitudes is below 4e-14 rad, some float64 roundings."""
    return np.linalg.norm(_quat.mul(a, _quat.conj(b))[..., 1:], axis=-1).max() < 2e-14


# Quaternions


@FIXED
@given(q=quats)
def test_matrix_round_trip(q):
    m = _quat.to_matrix(q)
    w, x, y, z = q
    closed = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    assert np.abs(m - closed).max() < 4e-15
    back = _quat.from_matrix(m)
    assert back[0] >= 0.0 and abs(np.linalg.norm(back) - 1.0) < 4e-15 and same_attitude(back, q)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.8, 0), (0, 0.6, -0.8), (-2, 1, 2)])
@pytest.mark.parametrize("short", [0.0, 1e-12, 1e-8, 1e-4])
def test_half_turns(axis, short):
    axis = np.array(axis, dtype=float) / np.linalg.norm(axis)
    angle = math.pi - short
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    rodrigues = np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * k @ k
    got = _quat.from_matrix(rodrigues)
    want = np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])
    assert same_attitude(got, want)


def test_quaternions_against_mujoco():
    rng = np.random.default_rng(0)
    a, b = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in rng.normal(size=(2, 20, 4)))
    v = rng.normal(size=(20, 3))
    for i in range(20):
        product, turned, matrix = np.zeros(4), np.zeros(3), np.zeros(9)
        mujoco.mju_mulQuat(product, a[i], b[i])
        mujoco.mju_rotVecQuat(turned, v[i], a[i])
        mujoco.mju_quat2Mat(matrix, a[i])
        # 1e-14: some roundings of numbers near 1
        assert np.abs(_quat.mul(a, b)[i] - product).max() < 1e-14
        assert np.abs(_quat.rotate(a, v)[i] - turned).max() < 1e-14
        assert np.abs(_quat.to_matrix(a)[i].ravel() - matrix).max() < 1e-14
    assert same_attitude(_quat.from_matrix(_quat.to_matrix(a)), a)


# Velocities and rates against differences in time


def accelerated(r0, v0, a, t):
    return r0 + v0 * t + 0.5 * a * t * t, v0 + a * t


A_C = -MU * RC / np.linalg.norm(RC) ** 3 + np.array([2e-2, -3e-2, 5e-2])  # gravity and a push out of the plane


def test_lvlh_axes():
    axes = frames.lvlh_axes(RC, VC)
    assert np.abs(axes @ axes.T - np.eye(3)).max() < 4e-15 and np.linalg.det(axes) > 0
    assert np.abs(axes @ RC - [np.linalg.norm(RC), 0.0, 0.0]).max() < 1e-8  # m
    assert abs((axes @ VC)[2]) < 1e-11 and (axes @ VC)[1] > 0.0  # m/s: in the plane, ahead


def test_lvlh_rate_by_differences():
    h = 0.1  # s: the third derivative adds n³ h² = 1e-11 rad/s, rounding 1e-16/h = 1e-15
    before, after = (frames.lvlh_axes(*accelerated(RC, VC, A_C, t)) for t in (-h, h))
    skew = frames.lvlh_axes(RC, VC).T @ (after - before) / (2 * h)  # -[ω]× in ECI axes
    rate = np.array([skew[1, 2] - skew[2, 1], skew[2, 0] - skew[0, 2], skew[0, 1] - skew[1, 0]]) / 2
    assert np.abs(frames.lvlh_rate(RC, VC, A_C) - rate).max() < 1e-10
    assert np.abs(frames.lvlh_rate(RC, VC) - rate).max() > 1e-6  # the turn of the plane is not nothing


def test_turn_of_the_plane_by_j2():
    worst = 0.0
    for i in np.radians(np.arange(0.0, 180.0, 15.0)):
        for u in np.radians(np.arange(0.0, 360.0, 15.0)):
            r = R_E * np.array([np.cos(u), np.sin(u) * np.cos(i), np.sin(u) * np.sin(i)])
            v = np.sqrt(MU / R_E) * np.array([-np.sin(u), np.cos(u) * np.cos(i), np.cos(u) * np.sin(i)])
            s = (r[2] / R_E) ** 2
            a = 1.5 * EARTH.j2 * MU / R_E**3 * r * np.array([5 * s - 1, 5 * s - 1, 5 * s - 3])
            plain = frames.lvlh_rate(r, v)
            worst = max(worst, np.linalg.norm(frames.lvlh_rate(r, v, a) - plain) / np.linalg.norm(plain))
    assert 0.95 < worst / (1.5 * EARTH.j2) < 1.0 + 1e-9  # the docstring's bound, reached at the surface


POS, VEL, ACC = np.array([310.0, -120.0, 45.0]), np.array([0.7, -1.3, 0.4]), np.array([0.01, 0.02, -0.03])


def derivative(f, h):
    return (f(h) - f(-h)) / (2 * h)


def test_lvlh_velocity_by_differences():
    def position(t):
        return frames.lvlh_from_of(*accelerated(RC, VC, A_C, t), accelerated(POS, VEL, ACC, t)[0])

    _, v = frames.lvlh_from_of(RC, VC, POS, VEL, A_C)
    # m/s: n h²·(0.04 m/s²)/2 = 2e-9 with h = 0.01 s, rounding 6e-14/h
    assert np.abs(v - derivative(position, 0.01)).max() < 4e-9


def test_ecef_velocity_by_differences():
    x, v = np.array([6.9e6, 1e6, -2e6]), np.array([-1200.0, 6800.0, 2100.0])

    def position(t):
        return frames.ecef_from_eci(FRAME, TIME + t, x + v * t)

    # m/s: ω² v h² + ω³ r h² = 5e-5 h², rounding 1e-9/h, with h = 0.05 s
    assert np.abs(frames.ecef_from_eci(FRAME, TIME, x, v)[1] - derivative(position, 0.05)).max() < 5e-7
    site, still = frames.ecef_from_eci(FRAME, TIME, x, np.cross(FRAME.rate_eci, x))
    assert np.abs(still).max() < 5e-10 and abs(np.linalg.norm(site) - np.linalg.norm(x)) < 1e-8


OMEGA = np.array([0.3, -0.2, 0.5])  # body axes, inertial, constant here
Q0 = np.array([0.5, -0.1, 0.7, 0.5])


def spun(t):
    angle = np.linalg.norm(OMEGA) * t
    step = np.array([math.cos(angle / 2), *(math.sin(angle / 2) * OMEGA / np.linalg.norm(OMEGA))])
    return _quat.mul(Q0, step)


@pytest.mark.parametrize("name", ["lvlh", "ecef"])
def test_relative_rate_by_differences(name):
    if name == "lvlh":
        rate = frames.rate_lvlh_from_of(RC, VC, Q0, OMEGA, A_C)

        def attitude(t):
            return frames.quat_lvlh_from_of(*accelerated(RC, VC, A_C, t), spun(t))
    else:
        rate = frames.rate_ecef_from_eci(FRAME, Q0, OMEGA)

        def attitude(t):
            return frames.quat_ecef_from_eci(FRAME, TIME + t, spun(t))

    h = 1e-4  # s: |ω|³ h² = 2e-9, rounding 1e-16/h = 1e-12 rad/s
    now = attitude(0.0)
    q_dot = (
        math.copysign(1, attitude(h) @ now) * attitude(h) - math.copysign(1, attitude(-h) @ now) * attitude(-h)
    ) / h
    assert np.abs(_quat.mul(_quat.conj(now), q_dot)[1:] - rate).max() < 5e-9


# Round trips: 1e-15 of the largest number in each


@FIXED
@given(x=vectors(1e5), v=vectors(1e3))
def test_lvlh_round_trip(x, v):
    for there, back in ((frames.lvlh_from_of, frames.of_from_lvlh), (frames.of_from_lvlh, frames.lvlh_from_of)):
        x2, v2 = back(RC, VC, *there(RC, VC, x, v, A_C), A_C)
        assert np.abs(x2 - x).max() < 1e-10 and np.abs(v2 - v).max() < 3e-12
        assert np.array_equal(back(RC, VC, there(RC, VC, x)), back(RC, VC, *there(RC, VC, x, v))[0])


@FIXED
@given(x=vectors(5e7), v=vectors(1e4), t=st.floats(-1e7, 1e7))
def test_ecef_and_of_round_trip(x, v, t):
    for there, back in ((frames.ecef_from_eci, frames.eci_from_ecef), (frames.eci_from_ecef, frames.ecef_from_eci)):
        x2, v2 = back(FRAME, t, *there(FRAME, t, x, v))
        assert np.abs(x2 - x).max() < 1e-7 and np.abs(v2 - v).max() < 1e-10  # m, m/s: 5e7 m in float64
        assert np.abs(back(FRAME, t, there(FRAME, t, x)) - x).max() < 1e-7
    for there, back in ((frames.eci_from_of, frames.of_from_eci), (frames.of_from_eci, frames.eci_from_of)):
        x2, v2 = back(RC, VC, *there(RC, VC, x, v))
        assert np.abs(x2 - x).max() < 2e-8 and np.abs(v2 - v).max() < 4e-12
        assert np.array_equal(there(RC, VC, x), there(RC, VC, x, v)[0])


@FIXED
@given(q=quats, w=vectors(10.0))
def test_attitude_and_rate_round_trip(q, w):
    orbit, earth = (RC, VC), (FRAME, TIME)
    assert same_attitude(frames.quat_of_from_lvlh(*orbit, frames.quat_lvlh_from_of(*orbit, q)), q)
    assert same_attitude(frames.quat_lvlh_from_of(*orbit, frames.quat_of_from_lvlh(*orbit, q)), q)
    assert same_attitude(frames.quat_eci_from_ecef(*earth, frames.quat_ecef_from_eci(*earth, q)), q)
    assert same_attitude(frames.quat_ecef_from_eci(*earth, frames.quat_eci_from_ecef(*earth, q)), q)
    for back in (
        frames.rate_of_from_lvlh(*orbit, q, frames.rate_lvlh_from_of(*orbit, q, w, A_C), A_C),
        frames.rate_lvlh_from_of(*orbit, q, frames.rate_of_from_lvlh(*orbit, q, w, A_C), A_C),
        frames.rate_eci_from_ecef(FRAME, q, frames.rate_ecef_from_eci(FRAME, q, w)),
        frames.rate_ecef_from_eci(FRAME, q, frames.rate_eci_from_ecef(FRAME, q, w)),
    ):
        assert np.abs(back - w).max() < 8e-15  # rad/s


def test_attitude_takes_the_same_vector():
    arrow = np.array([0.2, -0.9, 0.4])  # body axes
    eci = _quat.rotate(Q0, arrow)
    assert (
        np.abs(_quat.rotate(frames.quat_lvlh_from_of(RC, VC, Q0), arrow) - frames.lvlh_axes(RC, VC) @ eci).max() < 4e-15
    )
    turned = _quat.rotate(frames.quat_ecef_from_eci(FRAME, TIME, Q0), arrow)
    assert np.abs(turned - FRAME.rotation(TIME) @ eci).max() < 4e-15


def test_leading_dimensions():
    """Worlds and bodies at once are the same as one by one."""
    rng = np.random.default_rng(1)
    r, v = RC + rng.normal(size=(4, 1, 3)), VC + rng.normal(size=(4, 1, 3))
    x, u, w = rng.normal(size=(3, 4, 5, 3))
    q = rng.normal(size=(4, 5, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    t = TIME + np.arange(4.0)[:, None]
    calls = [
        (lambda r, v, x, u, w, q, t: frames.lvlh_from_of(r, v, x, u)[1]),
        (lambda r, v, x, u, w, q, t: frames.of_from_lvlh(r, v, x, u, A_C)[1]),
        (lambda r, v, x, u, w, q, t: frames.ecef_from_eci(FRAME, t, r + x, u)[1]),
        (lambda r, v, x, u, w, q, t: frames.eci_from_ecef(FRAME, t, r + x, u)[1]),
        (lambda r, v, x, u, w, q, t: frames.quat_lvlh_from_of(r, v, q)),
        (lambda r, v, x, u, w, q, t: frames.quat_ecef_from_eci(FRAME, t, q)),
        (lambda r, v, x, u, w, q, t: frames.rate_of_from_lvlh(r, v, q, w)),
        (lambda r, v, x, u, w, q, t: frames.rate_ecef_from_eci(FRAME, q, w)),
    ]
    for call in calls:
        got = call(r, v, x, u, w, q, t)
        for i in range(4):
            for j in range(5):
                one = call(r[i, 0], v[i, 0], x[i, j], u[i, j], w[i, j], q[i, j], t[i, 0])
                assert np.abs(got[i, j] - one).max() < 2e-9  # m or m/s: sums in another order


# The free joint

H12_XML = """<mujoco><option gravity="0 0 0"/><worldbody><body name="bus" pos="1 2 3"><freejoint/>
<inertial pos="0.2 0 0" mass="1" diaginertia="1 2 3"/></body></worldbody></mujoco>"""
H12_QUAT, H12_QVEL = np.array([math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0]), np.array([0.1, 0, 0, 0, 0, 1.0])


def test_h12_free_joint():
    origin, omega, com = frames.free_joint_velocity(H12_QUAT, H12_QVEL, [0.2, 0.0, 0.0])
    for got, want in ((origin, [0.1, 0, 0]), (omega, [0, -1, 0]), (com, [0.1, 0, 0.2])):
        assert np.abs(got - want).max() < 4e-15
    momentum = _quat.rotate(H12_QUAT, np.diag([1.0, 2.0, 3.0]) @ H12_QVEL[3:])
    assert np.abs(momentum - [0, -3, 0]).max() < 4e-15


def test_h12_against_mujoco():
    model = mujoco.MjModel.from_xml_string(H12_XML)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(2)
    quat, qvel = rng.normal(size=(8, 4)), rng.normal(size=(8, 6))
    quat /= np.linalg.norm(quat, axis=-1, keepdims=True)
    quat[0], qvel[0] = H12_QUAT, H12_QVEL
    origin, omega, com = frames.free_joint_velocity(quat, qvel, model.body_ipos[1])
    for i in range(8):
        data.qpos[:] = [1, 2, 3, *quat[i]]
        data.qvel[:] = qvel[i]
        mujoco.mj_forward(model, data)
        at_com, at_origin = np.zeros(6), np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, 1, at_com, 0)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, 1, at_origin, 0)
        # 1e-14: sums of numbers near 1, MuJoCo shifts them from the subtree's COM
        assert np.abs(at_com - [*omega[i], *com[i]]).max() < 1e-14
        assert np.abs(at_origin - [*omega[i], *origin[i]]).max() < 1e-14


def test_warp_like_arrays_are_read():
    class Array:
        def numpy(self):
            return np.float32([7e6, 0.0, 0.0])

    assert frames.eci_from_of(Array(), VC, [1.0, 0.0, 0.0]).dtype == np.float64
