"""Momentum in float64: against MuJoCo C's, and what it does for the shadow."""

from typing import Any

import mujoco
import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.kernels.momentum import _momentum_start
from mjorbit_warp.momentum import _tree_model, free_trees
from tests.conftest import compile_model, scatter

# every joint type, several joints on a body, anchors off the origin, ref, products of inertia, two trees
TREES = """<mujoco><option timestep="0.02" integrator="RK4" gravity="0 0 0"/><compiler angle="radian"/>
<worldbody>
  <body name="bus" pos="1 2 3"><freejoint/>
    <inertial pos="0.1 -0.2 0.05" mass="20" fullinertia="4 3 2 0.1 -0.2 0.3"/>
    <body name="a" pos="0.3 0 0.1" quat="0.9 0.1 -0.2 0.3">
      <joint name="h1" type="hinge" axis="0 1 1" pos="0.05 0 -0.1" ref="0.2" damping="0.1"/>
      <joint name="h2" type="hinge" axis="1 0 0.5" pos="0 0.1 0"/>
      <inertial pos="0.2 0.1 0" mass="2" fullinertia="0.2 0.3 0.25 0.01 0.02 -0.03"/>
      <site name="nozzle" pos="0.1 0.2 0.3" euler="0.3 0.2 0.1"/>
      <body name="b" pos="0.2 0 0"><joint name="s" type="slide" axis="0 0.3 1" ref="0.05" stiffness="1"/>
        <inertial pos="0 0.1 0.1" mass="1" diaginertia="0.05 0.06 0.07"/>
        <body name="c" pos="0 0 0.3" quat="0.7 0.7 0 0.1"><joint name="ball" type="ball" pos="0.05 0.02 0"/>
          <inertial pos="0.1 0 0" mass="1.5" diaginertia="0.04 0.05 0.06"/></body></body></body>
    <body name="fixed" pos="0 0.5 0"><inertial pos="0 0 0.1" mass="0.5" diaginertia="0.01 0.01 0.01"/></body></body>
  <body name="other" pos="-2 0 0"><freejoint/><inertial pos="0 0.1 0" mass="3" diaginertia="0.1 0.2 0.15"/></body>
</worldbody>
<actuator><motor name="m" joint="h1"/><general name="jet" site="nozzle" gear="0 0 1 0 0 0" gainprm="1"/></actuator>
</mujoco>"""


@pytest.fixture(scope="module")
def trees() -> mjo.MjoModel:
    return mjo.MjoSpec.from_string(TREES).compile()


def c_momentum(mj: mujoco.MjModel, qpos: Any, qvel: Any, body: int) -> Any:
    """(P, H about the COM) of a subtree by MuJoCo C."""
    c = mujoco.MjData(mj)
    c.qpos, c.qvel = qpos, qvel
    mujoco.mj_fwdPosition(mj, c)
    mujoco.mj_fwdVelocity(mj, c)
    mujoco.mj_subtreeVel(mj, c)
    return np.concatenate([mj.body_subtreemass[body] * c.subtree_linvel[body], c.subtree_angmom[body]])


def test_momentum_is_mujocos(trees: mjo.MjoModel) -> None:
    """To the float32 rounding of the model's masses and frames: 1e-6 of some 10 kg·m/s and N·m·s."""
    d = mjo.make_data(trees, nworld=16, precision="shadow")
    scatter(d, seed=1, speed=1.0)
    d.shadow.qpos.assign(d.qpos.numpy())
    d.shadow.qvel.assign(d.qvel.numpy())
    wp.launch(
        _momentum_start, dim=(16, 2), inputs=[_tree_model(trees, d.momentum), d.shadow], outputs=[d.momentum.target]
    )
    got = np.concatenate([d.momentum.target.linear.numpy(), d.momentum.target.angular.numpy()], axis=-1)
    qpos, qvel = d.shadow.qpos.numpy(), d.shadow.qvel.numpy()
    assert free_trees(trees.mj) == [1, 6]
    for tree, root in enumerate(free_trees(trees.mj)):
        want = np.array([c_momentum(trees.mj, q, v, root) for q, v in zip(qpos, qvel, strict=True)])
        assert np.abs(want).max() > 1.0
        assert np.abs(got[:, tree] - want).max() < 1e-5


def test_joint_torques_leave_the_momentum_alone(trees: mjo.MjoModel) -> None:
    """200 steps of a driven arm: H and P stay to 1e-9 (one float32 step alone leaves 1e-7)."""
    d = mjo.make_data(trees, nworld=4, precision="shadow")
    scatter(d, seed=2, speed=0.2)
    d.ctrl.assign(np.tile([[0.3, 0.0]], (4, 1)))
    before = [d.qpos.numpy()[0].astype(float), d.qvel.numpy()[0].astype(float)]
    trees32 = _float32_model(trees)
    want = c_momentum(trees32, *before, 1)
    for _ in range(200):
        mjo.mjo_step(trees, d)
    got = c_momentum(trees32, d.shadow.qpos.numpy()[0], d.shadow.qvel.numpy()[0], 1)
    assert np.abs(d.shadow.qvel.numpy()[0, 6] - before[1][6]) > 1e-3  # the arm did move
    assert np.abs(got - want).max() < 1e-9


def _float32_model(model: mjo.MjoModel) -> mujoco.MjModel:
    """The host model with its inertial parameters as the device holds them."""
    mj = mujoco.MjModel.from_xml_string(TREES)
    for name in (
        "body_pos",
        "body_quat",
        "body_ipos",
        "body_iquat",
        "body_mass",
        "body_inertia",
        "jnt_pos",
        "jnt_axis",
    ):
        values = np.float32(getattr(model.mj, name)).astype(float)
        if name.endswith("quat") or name == "jnt_axis":
            values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9)
        getattr(mj, name)[:] = values
    mj.qpos0[:] = np.float32(model.mj.qpos0)
    mj.body_subtreemass[1] = mj.body_mass[1:6].sum()
    return mj


def test_every_external_force_counts(trees: mjo.MjoModel) -> None:
    """Wrench on a link, generalised forces on base and joint, a jet, a passive hook: as the float64 reference moves.

    100 steps of 0.02 s; a force that were left out would show as more than 1e-4 m/s, float32 forces leave 1e-6.
    """
    d = mjo.make_data(trees, nworld=2, precision="shadow")
    scatter(d, seed=3, speed=0.1)
    r = mjo_ref.from_warp(trees, d)
    xfrc = np.zeros((2, trees.nbody, 6))
    xfrc[:, 3], xfrc[:, 6] = [0.3, -0.2, 0.1, 0.02, 0.03, -0.01], [0.1, 0.0, 0.0, 0.0, 0.01, 0.0]
    applied = np.linspace(-0.2, 0.3, trees.nv) * np.ones((2, 1))
    for x, assign in ((d, lambda a, v: a.assign(v)), (r, lambda a, v: a.__setitem__(slice(None), v))):
        assign(x.xfrc_applied, xfrc)
        assign(x.qfrc_applied, applied)
        assign(x.ctrl, np.array([[0.1, 0.5], [0.0, -0.4]]))
    for _ in range(100):
        mjo.mjo_step(trees, d)
        mjo_ref.mjo_step(trees, r)
    assert np.abs(d.shadow.qvel.numpy()[:, :6] - r.qvel[:, :6]).max() < 2e-6
    assert np.abs(d.shadow.qpos.numpy()[:, :7] - r.qpos[:, :7]).max() < 2e-6


def test_a_passive_hook_counts() -> None:
    """A force that the user adds to qfrc_passive drives the base as the same force in qfrc_applied does."""
    model = mjo.MjoSpec.from_string(TREES).compile()
    push = wp.array(np.tile(np.linspace(0.1, 0.3, model.nv), (1, 1)), dtype=float)
    hooked, applied = (mjo.make_data(model, precision="shadow") for _ in range(2))
    for d in (hooked, applied):
        scatter(d, seed=4, speed=0.1)
    applied.qfrc_applied.assign(push)

    def add(_: Any, d: Any) -> None:
        if d is hooked:
            wp.launch(_add, dim=d.qfrc_passive.shape, inputs=[push], outputs=[d.qfrc_passive])

    model.callback.passive = add
    for _ in range(50):
        mjo.mjo_step(model, hooked)
        mjo.mjo_step(model, applied)
    assert np.abs(hooked.shadow.qvel.numpy() - applied.shadow.qvel.numpy()).max() < 1e-6


@wp.kernel
def _add(push: wp.array2d[float], out: wp.array2d[float]):
    i, j = wp.tid()
    out[i, j] += push[i, j]


def momentum_after_collision(precision: str) -> tuple[mjo.MjoModel, Any]:
    """Two boxes of 2 and 3 kg that have collided off centre, and how far their total P [kg·m/s] is from its start."""
    spec = mjo.MjoSpec.from_string("""<mujoco><option timestep="0.005" integrator="RK4" gravity="0 0 0"/><worldbody>
      <body pos="-0.3 0 0"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>
      <body pos="0.3 0.05 0.02"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="3"/></body>
      </worldbody></mujoco>""")
    model = spec.compile()
    d = mjo.make_data(model, precision=precision, nconmax=16, njmax=64)
    v = np.zeros((1, 12))
    v[0, 0] = 0.5
    d.qvel.assign(v)
    for _ in range(300):
        mjo.mjo_step(model, d)
    v = d.shadow.qvel.numpy()[0]
    assert v[6] > 0.1  # it was hit
    return model, np.abs(2.0 * v[:3] + 3.0 * v[6:9] - [1.0, 0.0, 0.0]).max()


def test_contact_between_trees_keeps_their_sum() -> None:
    """Total P stays to 1e-6 kg·m/s, the float32 rounding of contact forces."""
    assert momentum_after_collision("shadow")[1] < 1e-6


def test_armature_on_a_free_joint_is_no_momentum() -> None:
    model = compile_model("box_satellite")
    assert free_trees(model.mj) == [1]
    mj = mujoco.MjModel.from_xml_string(TREES)
    mj.dof_armature[0:6] = 0.1
    assert free_trees(mj) == [6]
