"""The same seed and build give the same bits: other process, batch or graph (H29)."""

import hashlib
import os
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from tests.conftest import LEO, scatter
from tests.equipped import equipped_model, orbits, start

NSTEP = 20
ROOT = pathlib.Path(__file__).parent.parent
# a box satellite with a wheel, a thruster and a noisy magnetometer, that presses its boom on a second body
TOUCHING = """
<mujoco><option gravity="0 0 0" timestep="0.01" integrator="{integrator}"/><worldbody>
 <body name="a"><freejoint/><geom type="box" size="0.5 0.5 0.1" mass="20"/><site name="imu"/>
  <body pos="0.6 0 0"><joint name="boom" axis="0 1 0" range="-0.3 0.3" damping="0.1"/>
   <geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0" mass="1"/></body></body>
 <body name="b" pos="0 0 0.195"><freejoint/><geom type="box" size="0.5 0.5 0.1" mass="30"/></body>
 <body name="c" pos="0.2 0.1 0.39"><freejoint/><geom size="0.1" mass="2"/></body>
</worldbody><actuator><motor joint="boom" ctrlrange="-1 1"/></actuator></mujoco>
"""


def touching_model(integrator: str) -> mjo.MjoModel:
    spec = mjo.MjoSpec.from_string(TOUCHING.format(integrator=integrator))
    spec.orbit = orbits(1)[0]
    spec.options = mjo.OrbitOptions(magnetic_field=mjo.MagneticField.igrf(degree=1))
    spec.add_reaction_wheel("wheel", "a", (0, 0, 1), max_momentum=0.5, max_speed=600.0, max_torque=0.02, coulomb=1e-3)
    spec.add_thruster("jet", "a", (0, 0, -0.1), (0, 0, 1), max_force=1.0)
    spec.add_sensor("mag", "magnetometer", "imu", noise=1e-8, walk=1e-9)
    return spec.compile()


def inputs(model: mjo.MjoModel, nworld: int) -> tuple[Any, Any]:
    """Velocities and commands of the first worlds do not depend on how many there are."""
    rows = [np.random.default_rng((5, i)) for i in range(nworld)]
    v = np.array([rng.normal(size=model.nv) * 0.02 for rng in rows])
    return v, np.array([rng.uniform(0.0, 0.02, model.nu) for rng in rows])


def final_states(model: mjo.MjoModel, nworld: int, captured: bool = True, **options: Any) -> Any:
    """State vectors, sensors and forces after some steps in contact."""
    d = mjo.make_data(model, nworld, seed=11, nconmax=32, njmax=160, **options)
    v, ctrl = inputs(model, nworld)
    d.qvel.assign(v)
    d.ctrl.assign(ctrl)
    push = np.zeros((nworld, model.nbody, 6), dtype=np.float32)
    push[:, [1, 3, 4], 2] = 40.0, -20.0, -20.0  # that they stay in touch
    d.xfrc_applied.assign(push)
    step = mjo.capture(model, d, nstep=5) if captured else None
    for _ in range(NSTEP // 5):
        if step is not None:
            step()
        else:
            for _ in range(5):
                mjo.mjo_step(model, d)
    assert d.faults.needed.numpy()[:, 0].min() > 12 and mjo.mjo_status(model, d).bad == ()
    parts = (d.sensordata, d.qacc, d.qfrc_constraint, d.hardware.wheel_torque)
    return np.concatenate([mjo.get_state(model, d).numpy(), *(x.numpy().astype(np.float64) for x in parts)], axis=1)


def digest(integrator: str) -> str:
    """Of the final states, for another process."""
    return hashlib.sha256(final_states(touching_model(integrator), 3).tobytes()).hexdigest()


@pytest.fixture(scope="module", params=["RK4", "implicitfast"])
def touching(request: pytest.FixtureRequest) -> mjo.MjoModel:
    return touching_model(request.param)


def test_runs_batches_and_graphs(touching: mjo.MjoModel) -> None:
    """Twice, uncaptured, with MJWarp's deterministic switch, and as three of 64 worlds: bit for bit."""
    first = final_states(touching, 3)
    assert np.array_equal(first, final_states(touching, 3))
    assert np.array_equal(first, final_states(touching, 3, captured=False))
    assert np.array_equal(first, final_states(touching, 64)[:3])
    assert not np.array_equal(first[0], first[1])
    assert np.array_equal(first, final_states(touching, 3, deterministic=True))
    assert int(touching.opt.deterministic) == 7
    final_states(touching, 3, deterministic=False)
    assert int(touching.opt.deterministic) == 0


def in_process(code: str) -> str:
    """Last line that another Python prints, which has another hash seed."""
    code = f"from tests.test_determinism import *; {code}"
    env = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_processes() -> None:
    """Another process, with another hash seed of Python, finds the same bits."""
    assert in_process("print(digest('RK4'))") == digest("RK4")


def test_hardware_of_all_kinds() -> None:
    """World i of 3 is world i of 64, with every effect and part on board."""
    model = equipped_model("RK4")
    ends = []
    for nworld in (3, 64):
        d = mjo.make_data(model, nworld, seed=2)
        many = mjo.make_data(model, 64, seed=2)
        scatter(many, seed=1)
        start(many)
        state = mjo.get_state(model, many, range(nworld))
        mjo.set_state(model, d, state)
        for _ in range(3):
            mjo.mjo_step(model, d)
        ends.append(mjo.get_state(model, d).numpy()[:3].copy())
    assert np.array_equal(ends[0], ends[1])


def first_call() -> str:
    """H29: the captured step and masked reset are the very first calls; 1000 replays against uncaptured calls."""
    spec = mjo.MjoSpec.from_file(mjo.models.model_path("two_arm"))
    spec.orbit = LEO
    spec.option.integrator = 3
    model = spec.compile()
    d = mjo.make_data(model, nworld=3)
    mask: Any = wp.zeros(3, dtype=bool)

    def body() -> None:
        mjo.mjo_step(model, d)
        mjo.mjo_reset(model, d, mask)

    graph = mjo.CapturedStep(model, d, 1, body, [mask])
    other = mjo.make_data(model, nworld=3)
    plain: Any = wp.zeros(3, dtype=bool)
    for k in range(1000):
        if k % 100 == 0:
            rng = np.random.default_rng(k)
            ctrl, force = rng.uniform(-0.5, 0.5, (3, model.nu)), rng.normal(size=(3, model.nbody, 6)) * 0.01
            for x in (d, other):
                x.ctrl.assign(ctrl)
                x.xfrc_applied.assign(force)
        if k == 450:  # another date: the clock's epoch, and with it data.orbit.t
            for x in (d, other):
                x.orbit.epoch.assign(np.array([1e8, 2e8, 3e8]))
        chosen = np.array([False, k % 250 == 249, k == 600])
        mask.assign(chosen)
        plain.assign(chosen)
        graph()
        mjo.mjo_step(model, other)
        if chosen.any():  # a reset of none changes none; uncaptured it costs as much as many steps
            mjo.mjo_reset(model, other, plain)
    assert graph.ncapture == 1
    states = [mjo.get_state(model, x).numpy() for x in (d, other)]
    assert np.array_equal(*states) and np.isfinite(states[0]).all()
    dt = float(np.float32(model.mj.opt.timestep))
    assert np.abs(d.time.numpy() - dt * np.array([1000, 0, 399])).max() < 1e-9
    assert np.abs(d.orbit.t.numpy() - np.array([1e8, 2e8, 3e8]) - d.time.numpy()).max() < 1e-6
    assert np.abs(d.qvel.numpy()[0]).max() > 1e-3  # the commands did something
    return "same bits"


def test_h29_capture_comes_first() -> None:
    assert in_process("print(first_call())") == "same bits"
