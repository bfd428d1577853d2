"""Rotation of a rigid body against elliptic functions."""

import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp.frames import lvlh_axes
from mjorbit_warp.validation.case import Case, Growth, Limit, measured
from mjorbit_warp.validation.elliptic import jacobi, quarter_period
from mjorbit_warp.validation.models import angle, body_spec
from mjorbit_warp.validation.simulation import Simulation

I1, I2, I3 = 10.0, 20.0, 25.0
SPIN = np.array([0.02, 0.0, 0.03])


def free_rotation(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Attitude (n, 4), the identity at first, and body rate (n, 3) of a torque-free body; t (n,) [s] from 0.

    Rate: Landau & Lifshitz, "Mechanics", section 37. The angular momentum L stays; the two angles that put it into body
    axes follow from the rate, and the third, about L, grows by |L| (I1 ω1² + I2 ω2²)/(I1² ω1² + I2² ω2²), integrated by
    Gauss's formula.
    """
    energy2 = float(np.array([I1, I2, I3]) @ SPIN**2)
    momentum2 = float(np.array([I1, I2, I3]) ** 2 @ SPIN**2)
    a, b = energy2 * I3 - momentum2, momentum2 - energy2 * I1
    k = np.sqrt((I2 - I1) * a / ((I3 - I2) * b))
    speed = np.sqrt((I3 - I2) * b / (I1 * I2 * I3))

    def rate(time: np.ndarray) -> np.ndarray:
        sn, cn, dn = jacobi(speed * time, float(k))
        scale = np.sqrt([a / (I1 * (I3 - I1)), a / (I2 * (I3 - I2)), b / (I3 * (I3 - I1))])
        return scale * np.stack([cn, sn, dn], axis=-1)

    nodes, weights = np.polynomial.legendre.leggauss(12)
    half = 0.5 * np.diff(t)[:, None]
    w = rate(t[:-1, None] + half * (1.0 + nodes))
    inner, outer = I1 * w[..., 0] ** 2 + I2 * w[..., 1] ** 2, (I1 * w[..., 0]) ** 2 + (I2 * w[..., 1]) ** 2
    turned = np.concatenate([[0.0], np.cumsum((half * weights * inner / outer).sum(axis=1))]) * np.sqrt(momentum2)

    omega = rate(t)
    direction = omega * np.array([I1, I2, I3]) / np.sqrt(momentum2)
    nutation, spin = np.arccos(direction[:, 2]), np.arctan2(direction[:, 0], direction[:, 1])

    def about(axis: int, x: np.ndarray) -> np.ndarray:
        q = np.zeros((x.size, 4))
        q[:, 0], q[:, axis] = np.cos(x / 2), np.sin(x / 2)
        return q

    q = _quat.mul(_quat.mul(about(3, turned), about(1, nutation)), about(3, spin))
    return _quat.mul(np.broadcast_to(_quat.conj(q[0]), q.shape), q), omega


def torque_free(variant: str) -> Growth:
    """A tumbling body in zero gravity, 10 minutes."""
    model = body_spec((I1, I2, I3), 0.125).compile()
    sim = Simulation(model, variant, [0, 0, 0, 1, 0, 0, 0], [0, 0, 0, *SPIN], stride=80)
    t = np.arange(61) * 10.0
    quat, omega = free_rotation(t)
    attitude, rate = [], []
    for i in range(1, 61):
        sim.advance()
        attitude.append(float(angle(sim.qpos[0, 3:], quat[i])))
        rate.append(float(np.linalg.norm(sim.qvel[0, 3:] - omega[i])))
    return measured(t[1:], attitude=attitude, rate=rate)


def libration(variant: str) -> Growth:
    """Pitch of a gravity-gradient satellite on a circular orbit, from 0.3 rad, two periods."""
    orbit = mjo.Orbit.circular(altitude=5e5, inclination=0.7, raan=1.0, argument_of_latitude=0.2)
    inertia = np.array([30.0, 80.0, 100.0])  # along r, in track, across track: pitch is about the last
    model = body_spec(inertia, 2.0, orbit, j2=False).compile()
    start, n = 0.3, orbit.mean_motion
    speed = n * np.sqrt(3.0 * (inertia[1] - inertia[0]) / inertia[2])
    k = float(np.sin(start))
    quarter = quarter_period(k)
    of = _quat.conj(_quat.from_matrix(lvlh_axes(orbit.r, orbit.v)))
    quat = _quat.mul(of, np.array([np.cos(start / 2), 0.0, 0.0, np.sin(start / 2)]))
    sim = Simulation(model, variant, [0, 0, 0, *quat], [0, 0, 0, 0, 0, n], stride=15)
    t, pitch, error, across = [0.0], [start], [], []
    while t[-1] < 8.0 * quarter / speed:
        sim.advance()
        relative = _quat.mul(_quat.from_matrix(lvlh_axes(sim.r[0], sim.v[0])), sim.qpos[0, 3:])
        relative = relative * np.sign(relative[0])
        theta = 2.0 * np.arctan2(relative[3], relative[0])
        t.append(sim.t)
        pitch.append(theta)
        error.append(theta - np.arcsin(k * jacobi(speed * sim.t + quarter, k)[0]))
        across.append(2.0 * np.hypot(relative[1], relative[2]))
    zeros = _zeros(np.array(t), np.array(pitch))
    growth = measured(t[1:], pitch=error, out_of_plane=across)
    growth |= measured(zeros[2:3], period=[zeros[2] - zeros[0] - 4.0 * quarter / speed])
    return growth


def _zeros(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Times at which x passes 0, by the cubic through the four samples around."""
    out = []
    for crossing in np.flatnonzero(np.diff(np.sign(x)) != 0):
        i = min(max(int(crossing), 1), t.size - 3)
        cubic = np.polynomial.Polynomial.fit(x[i - 1 : i + 3], t[i - 1 : i + 3], 3)
        out.append(cubic(0.0))
    return np.array(out)


CASES = (
    Case(
        name="torque_free_tumble",
        title="attitude and rate of a torque-free body with three different moments of inertia, 10 minutes",
        frame="inertial",
        forces="none (zero gravity)",
        integrator="RK4",
        step="0.125 s",
        truth="rates by Jacobi's elliptic functions, attitude from the constant momentum (Landau & Lifshitz §37)",
        limits={
            "attitude": Limit(
                "rad",
                {"reference": 1e-9, "warp": 1e-3, "shadow": 1e-5},
                "RK4's truncation (ω dt)⁴ over the angle turned; float32: 6e-8 in each of 4800 steps, and its moments",
            ),
            "rate": Limit("rad/s", {"reference": 1e-11, "warp": 3e-6, "shadow": 3e-8}, "the same times 0.03 rad/s"),
        },
        run=torque_free,
        fast=True,
    ),
    Case(
        name="gg_libration",
        title="pitch libration of 0.3 rad in the gravity gradient, two periods",
        frame="LVLH",
        forces="point mass and gravity gradient",
        integrator="RK4",
        step="2 s",
        truth="the pendulum in closed form, sin θ = sin θ0 sn(√(3 (I_roll − I_yaw)/I_pitch) n t + K), T = 4 K/(…)",
        limits={
            "pitch": Limit(
                "rad",
                {"reference": 1e-8, "warp": 1e-3, "shadow": 2e-5},
                "RK4's truncation (n dt)⁴ of the libration and of the orbit's place; float32 rounds rate and torque",
            ),
            "out_of_plane": Limit(
                "rad",
                {"reference": 1e-9, "warp": 1e-3, "shadow": 2e-5},
                "a symmetric start stays in the plane to rounding",
            ),
            "period": Limit(
                "s", {"reference": 1e-2, "warp": 2.0, "shadow": 5e-2}, "of 3900 s; the cubic through samples 30 s apart"
            ),
        },
        run=libration,
        fast=True,
    ),
)
