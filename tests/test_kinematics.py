"""Our kinematics against MuJoCo C's position stage."""

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.models import NAMES, model_path
from mjorbit_warp.reference.kinematics import Kinematics, can_follow
from mjorbit_warp.reference.poses import mujoco_poses
from mjorbit_warp.reference.wrench import project
from tests.conftest import scatter

pytestmark = pytest.mark.filterwarnings("ignore::mjorbit_warp.MjoWarning")
# every kind of joint, several on a body, off their body's origin, frames turned, two trees, a body fixed to the world
JOINTS = """
<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
  <body name="fixed" pos="1 2 3" quat="0.6 0 0.8 0"><geom size="0.1" mass="1" pos="0.1 0 0"/>
    <body name="rail" pos="0 0 1" quat="0.8 0.6 0 0">
      <joint type="slide" axis="1 2 2" pos="0.1 0.2 0.3"/><joint type="hinge" axis="0 1 1" pos="-0.2 0.1 0.3"/>
      <joint type="slide" axis="0 0 1"/>
      <geom type="box" size="0.1 0.2 0.3" mass="2" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3"/>
    </body></body>
  <body name="bus" pos="0.5 0 0"><freejoint/>
    <geom type="box" size="0.3 0.2 0.1" mass="5" pos="0.2 0.1 0" euler="1 2 3"/>
    <body name="ball" pos="0.4 0 0" quat="0 0.6 0.8 0"><joint type="ball" pos="0 0.1 0.2"/>
      <geom type="capsule" size="0.05 0.2" mass="1" pos="0 0 0.2"/>
      <body name="two" pos="0 0 0.4"><joint type="slide" axis="1 0 0" pos="0 0.1 0" ref="0.3"/>
        <joint type="ball" pos="0 0 0.1"/>
        <geom size="0.1" mass="1" pos="0.05 0 0.1"/>
        <body name="rigid" pos="0.1 0.1 0" euler="0.5 0 0"><geom size="0.1" mass="1"/></body></body></body>
    <body name="arm" pos="-0.4 0 0"><joint axis="0 0 1" ref="0.2"/>
      <joint axis="0 1 0" pos="0 0.1 0.1"/><geom size="0.1" mass="1" pos="-0.1 0 0"/></body></body>
</worldbody></mujoco>
"""


def scattered(mj: mujoco.MjModel, nworld: int) -> np.ndarray:
    """Random coordinates, attitudes of unit length."""
    rng = np.random.default_rng(4)
    qpos = np.tile(mj.qpos0, (nworld, 1)) + rng.normal(0.0, 0.7, (nworld, mj.nq))
    for joint in range(mj.njnt):
        size = {int(mujoco.mjtJoint.mjJNT_FREE): (3, 7), int(mujoco.mjtJoint.mjJNT_BALL): (0, 4)}
        if int(mj.jnt_type[joint]) in size:
            a, b = (int(mj.jnt_qposadr[joint]) + k for k in size[int(mj.jnt_type[joint])])
            quat = rng.normal(size=(nworld, 4))
            qpos[:, a:b] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    return qpos


def check(model: mjo.MjoModel, d: mjo_ref.MjoData) -> None:
    """Positions, axes and generalised forces of random wrenches; rounding of metres and of newtons."""
    d.batch.forward(stage=mujoco.mjtStage.mjSTAGE_POS.value)
    ours, theirs = Kinematics(model.mj)(d, True), mujoco_poses(d)
    assert np.abs(ours.xipos - theirs.xipos).max() < 2e-14
    assert ours.ximat is not None
    assert np.abs(ours.ximat - theirs.ximat).max() < 2e-14
    wrenches = np.random.default_rng(5).normal(size=(d.nworld, model.nbody, 6))
    wrenches[:, 0] = 0.0
    assert np.abs(project(d, ours, wrenches) - project(d, theirs, wrenches)).max() < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_shipped_models(name: str) -> None:
    model = mjo.MjoSpec.from_file(model_path(name)).compile()
    if not can_follow(model.mj):
        pytest.skip("mocap bodies: MuJoCo's stage is used")
    d = mjo_ref.make_data(model, nworld=5, nthread=1)
    d.qpos[:] = scattered(model.mj, 5)
    check(model, d)


def test_every_joint_and_values_per_world() -> None:
    model = mjo.MjoSpec.from_string(JOINTS).compile(require_free_joint=False)
    d = mjo_ref.make_data(model, nworld=6, nthread=1)
    d.qpos[:] = scattered(model.mj, 6)
    check(model, d)
    rng = np.random.default_rng(6)
    for name in ("body_pos", "body_ipos", "jnt_pos"):
        d.expand(name)[:, 1:] += rng.normal(0.0, 0.3, d.expand(name)[:, 1:].shape)
    for name in ("body_quat", "body_iquat", "jnt_axis"):
        values = d.expand(name)[:, 1:]
        values[:] += rng.normal(0.0, 0.3, values.shape)
        values /= np.linalg.norm(values, axis=-1, keepdims=True)
    check(model, d)  # MuJoCo still goes by the flags of the compiled model
    mjo_ref.set_const(model, d)
    check(model, d)


def test_attitude_without_length() -> None:
    """MuJoCo takes a quaternion of zeros for no rotation."""
    model = mjo.MjoSpec.from_string(JOINTS).compile(require_free_joint=False)
    d = mjo_ref.make_data(model, nworld=2, nthread=1)
    d.qpos[:] = scattered(model.mj, 2)
    start = int(model.mj.jnt_qposadr[model.mj.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)][0])
    d.qpos[0, start + 3 : start + 7] = 0.0
    check(model, d)


def test_mocap_bodies_are_left_to_mujoco() -> None:
    text = JOINTS.replace("<worldbody>", '<worldbody><body name="m" mocap="true"/>')
    model = mjo.MjoSpec.from_string(text).compile(require_free_joint=False)
    assert mjo_ref.make_data(model, numpy_poses=True).kinematics is None


def test_steps_with_either() -> None:
    """Ten coupled steps with our poses and with MuJoCo's part by rounding only."""
    spec = mjo.MjoSpec.from_file(model_path("two_arm"))
    spec.orbit = mjo.Orbit.circular(altitude=4e5, inclination=0.9)
    model = spec.compile()
    both = [mjo_ref.make_data(model, 4, nthread=1, numpy_poses=ours) for ours in (True, False)]
    assert both[0].kinematics is not None and both[1].kinematics is None
    for d in both:
        scatter(d, seed=3)
        for _ in range(10):
            mjo_ref.mjo_step(model, d)
    assert np.abs(both[0].qfrc_orbit).max() > 1e-6  # N, N·m: there is something to differ
    assert np.abs(both[0].qfrc_orbit - both[1].qfrc_orbit).max() < 1e-15  # of 1e-4 N
    assert np.abs(both[0].qpos - both[1].qpos).max() < 1e-14  # m, rad


def test_which_is_chosen() -> None:
    """MuJoCo's for few worlds and for many threads."""
    model = mjo.MjoSpec.from_file(model_path("box_satellite")).compile()
    assert mjo_ref.make_data(model, 8, nthread=1).kinematics is None
    assert mjo_ref.make_data(model, 512, nthread=1).kinematics is not None
    assert mjo_ref.make_data(model, 512, nthread=8).kinematics is None
