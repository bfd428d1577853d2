"""Kernels of tasks against their NumPy twins, MuJoCo C and closed forms; hooks inside graphs against hooks outside."""

from typing import Any, ClassVar

import mujoco
import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp.envs import Env, Reorient, Weights
from mjorbit_warp.reference import reorient_env as twin
from mjorbit_warp.tasks import reorient as scenario
from tests.conftest import LEO
from tests.sensed import DIPOLE
from tests.test_envs import actions, run, same

NWORLD = 8
ROUNDING = 3e-6  # of float32 angles up to π, and of sums of terms about 1


@pytest.fixture(scope="module")
def env() -> Reorient:
    return Reorient(NWORLD, seed=5, record=("qpos", "qvel"))


def double(array: Any) -> Any:
    return array.numpy().astype(np.float64)


def goals(env: Reorient) -> Any:
    return double(env.goal)


def test_starts(env: Reorient) -> None:
    """Attitudes and joints come from the seed, the world and the number of the episode, as the twin computes them."""
    for number in range(3):
        env.reset(5) if number == 0 else env.reset()
        random = twin.start_uniform(5, np.arange(NWORLD), number, 11)
        assert np.array_equal(env.random.numpy(), random.astype(np.float32))
        quat, joints = twin.start(random, goals(env), env.start_angle, env.start_bend)
        qpos = double(env.data.qpos)
        assert np.abs(qpos[:, 3:7] - quat).max() < ROUNDING and np.abs(qpos[:, 7:] - joints).max() < ROUNDING
        assert np.abs(env.obs.numpy() - observed(env, qpos, double(env.data.qvel), 0)).max() < ROUNDING
        assert (double(env.data.qvel) == 0.0).all()
        assert np.abs(double(env.data.xpos) - positions(env, qpos)).max() < ROUNDING  # fresh, not those of qpos0


def observed(env: Reorient, qpos: Any, qvel: Any, length: int) -> Any:
    return twin.observation(qpos, qvel, goals(env), np.full(NWORLD, length), env.max_episode_length)


def test_starts_are_spread() -> None:
    """Of 4096 worlds: angles uniform up to the largest, axes uniform on the sphere, numbers seldom twice."""
    random = twin.start_uniform(1, np.arange(4096), 0, 11)
    quat, joints = twin.start(random, np.array([1.0, 0.0, 0.0, 0.0]), 1.0, 0.3)
    error = twin.attitude_error(np.array([1.0, 0.0, 0.0, 0.0]), quat)
    angle = np.linalg.norm(error, axis=1)
    # five standard deviations of a mean over 4096: of a uniform variate 1/√12, of an axis' component 1/√3
    assert abs(angle.mean() - 0.5) < 5.0 / np.sqrt(12.0 * 4096) and angle.max() <= 1.0
    assert np.abs((error / angle[:, None]).mean(axis=0)).max() < 5.0 / np.sqrt(3.0 * 4096)
    # rad: five standard deviations of the mean of 32768 of them, 0.3/√12 each, are 2.4e-3; this seed's is within 1e-3
    assert abs(np.abs(joints).mean() - 0.15) < 1e-3
    assert np.unique(random).size > random.size - 150  # float32: 60 pairs are expected


def positions(env: Reorient, qpos: Any) -> Any:
    """Body positions by MuJoCo C."""
    data, rows = mujoco.MjData(env.model.mj), []
    for row in qpos:
        data.qpos[:] = row
        mujoco.mj_kinematics(env.model.mj, data)
        rows.append(data.xpos.copy())
    return np.array(rows)


def mujoco_clearance(env: Reorient, qpos: Any) -> Any:
    """Distances of float64 kinematics, by MuJoCo C and the scenario's own geometry."""
    m, rows = env.model.mj, []
    data = mujoco.MjData(m)
    for row in qpos:
        data.qpos[:] = row
        mujoco.mj_kinematics(m, data)
        rows.append(scenario.clearance(env.model, data.xpos, data.xquat))
    return np.array(rows)


def test_observation_and_reward(env: Reorient) -> None:
    """Along an episode with arms that come close: all terms of the reward are seen, and both distances agree."""
    env.reset(5)
    tape = actions(40)
    tape[:, :4, 0], tape[:, :4, 4] = -0.7, 0.7  # shoulders turned until the arms lie along the bus
    seen = np.zeros(5)
    for k, action in enumerate(tape):
        env.step(action)
        qpos, qvel = double(env.records["qpos"]), double(env.records["qvel"])
        done = env.done.numpy()
        applied, ctrl, _ = twin.read_action(action.astype(np.float64), np.tile([-2.5, 2.5], (8, 1)))
        assert np.abs(env.data.ctrl.numpy()[~done] - ctrl[~done]).max() < ROUNDING
        distance = mujoco_clearance(env, qpos)
        terms, touch = twin.reward(qpos, qvel, distance, applied, goals(env), env.weights, env.dt)
        # m: closer to a boundary, float32 may fall on the other side
        sure = np.abs(distance).min(axis=1) > 1e-5
        assert np.abs(env.terms.numpy() - terms)[sure].max() < 2e-5  # 50 per metre, of 1e-6 m of kinematics
        assert np.abs(env.reward.numpy() - terms.sum(axis=1))[sure].max() < 2e-5
        assert np.array_equal(env.terminated.numpy()[sure], touch[sure])
        first = k + 1 if not seen[4] else -1  # worlds that touched count their steps anew
        if first > 0:
            assert np.abs(double(env.final_obs) - observed(env, qpos, qvel, first)).max() < ROUNDING
        seen += (terms != 0.0).any(axis=0)
    assert (seen > 0).all()


def test_clearance_of_the_twin(env: Reorient) -> None:
    """The twin's distances are the scenario's; and straight arms are where they are by construction."""
    rng = np.random.default_rng(0)
    qpos = np.tile(env.model.mj.qpos0, (5, 1))
    qpos[1:, 7:] = rng.uniform(-2.0, 2.0, (4, 8))
    qpos[1:, 3:7] = _quat.from_matrix(_quat.to_matrix(np.array([0.8, 0.0, 0.6, 0.0])))
    data, bus = mujoco.MjData(env.model.mj), env.model.body("bus").id
    bodies, points = scenario.arm_points(env.model)
    for row in qpos:
        data.qpos[:] = row
        mujoco.mj_kinematics(env.model.mj, data)
        mine = twin.clearance(data.xpos, data.xquat, bus, bodies, points, scenario.HALF, scenario.RADIUS)
        # m: float64 on both sides, at distances of metres
        assert np.abs(mine - scenario.clearance(env.model, data.xpos, data.xquat)).max() < 1e-12
    assert abs(mujoco_clearance(env, qpos[:1])[0].min() - 0.4) < 1e-12


def test_attitude_error_in_closed_form() -> None:
    """A turn of the bus about its own axis, from small ones to nearly half a turn, from any attitude."""
    rng = np.random.default_rng(2)
    q = rng.normal(size=(200, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    axis = rng.normal(size=(200, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    vector = axis * np.geomspace(1e-7, 3.1, 200)[:, None]
    angle = np.linalg.norm(vector, axis=1, keepdims=True)
    goal = _quat.mul(q, np.concatenate([np.cos(0.5 * angle), np.sin(0.5 * angle) * axis], axis=1))
    goal[::2] *= -1.0  # the same attitude
    assert np.abs(twin.attitude_error(q, goal) - vector).max() < 3e-8  # arccos near 1


class Eager(Reorient):
    """The same task with its hooks outside the graphs."""

    captured: ClassVar[bool] = False


class OnHost(Reorient):
    """An observation that a graph would freeze."""

    def observe(self) -> None:
        self.obs.assign(np.tile(self.data.qpos.numpy()[:, :1], (1, self.nobs)))


def test_graphs_are_what_they_replay() -> None:
    """Bit for bit, resets in the step included; what works on the host is refused."""
    options: dict[str, Any] = {"seed": 3, "episode_seconds": 0.9, "record": ("qvel", "xpos")}
    tape = actions(7, 4)
    eager, replayed = Eager(4, **options), Reorient(4, **options)
    assert same(run(eager, tape), run(replayed, tape))
    for name in ("qvel", "xpos"):
        assert np.array_equal(eager.records[name].numpy(), replayed.records[name].numpy())
    with pytest.raises(ValueError, match=r"OnHost\.observe cannot be captured: it works on the host"):
        OnHost(2)


def test_rk4_and_shadow() -> None:
    """Starts reach the state of precision "shadow" in each episode: what is at rest keeps no angular momentum."""
    tape = actions(7, 2)
    options: dict[str, Any] = {"integrator": "RK4", "seed": 3, "episode_seconds": 0.9, "record": ("qpos", "qvel")}
    envs = {precision: Reorient(2, precision=precision, **options) for precision in ("single", "shadow")}
    data = mujoco.MjData(envs["single"].model.mj)
    for action in tape:
        for env in envs.values():
            env.step(action)
        for qpos, qvel in zip(*(envs["shadow"].records[name].numpy() for name in ("qpos", "qvel")), strict=True):
            data.qpos[:], data.qvel[:] = qpos, qvel
            mujoco.mj_forward(envs["shadow"].model.mj, data)
            mujoco.mj_subtreeVel(envs["shadow"].model.mj, data)
            # N·m·s: the gravity gradient, below 2e-5 N·m for 0.9 s, and rounding of qvel; "single" has 1e-2
            assert np.abs(data.subtree_angmom[0]).max() < 3e-5
        assert np.abs(envs["single"].obs.numpy() - envs["shadow"].obs.numpy()).max() < 2e-3  # 1e-2 N·m·s on 7 kg·m²
    assert envs["shadow"].statistics()["truncated"] == 4


class Sensed(Env):
    """Observes a noisy magnetometer and gyro."""

    nobs = 6

    def refresh(self) -> None:
        mjo.mjo_sense(self.model, self.data)

    def observe(self) -> None:
        wp.copy(self.obs, self.data.mjw.sensordata)

    def reward_and_done(self) -> None:
        self.reward.fill_(1.0)


def test_sensors_are_fresh_and_seeded() -> None:
    """The noise begins anew with a seed and goes on without one; the first observation is not the reset's zeros."""
    spec = mjo.MjoSpec.from_file(mjo.models.model_path("box_satellite"))
    spec.orbit = LEO
    spec.options = mjo.OrbitOptions(magnetic_field=mjo.MagneticField.dipole(*DIPOLE))
    spec.add_sensor("mag", "magnetometer", "nadir_face", noise=1e-6)
    spec.add_sensor("gyro", "gyro", "nadir_face", noise=1e-3)
    env = Sensed(spec.compile(), 2, max_episode_length=2, seed=1)

    def three() -> Any:
        return np.array([env.obs.numpy().copy(), *(env.step()[0].numpy().copy() for _ in range(3))])

    env.reset(1)
    first, second = three(), (env.reset(), three())[1]
    env.reset(1)
    assert np.array_equal(first, three())
    env.reset(2)
    other = three()
    # one draw each for the two worlds, episodes and seeds, around the same field
    draws = np.array([*first[0], *second[0], *other[0]])
    assert np.unique(draws, axis=0).shape[0] == 6 and (np.ptp(draws[:, :3], axis=0) < 1e-5).all()
    assert (np.abs(draws[:, :3]) > 1e-7).any() and (draws[:, 3:] != 0.0).all()


def test_weights() -> None:
    with pytest.raises(ValueError, match=r"near is 0\.0: a positive number is expected"):
        Weights(near=0.0)
    with pytest.raises(ValueError, match=r"rate is -1\.0: a number, 0 or more, is expected"):
        Weights(rate=-1.0)
