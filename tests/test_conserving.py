"""Precision "conserving": momenta and COM against closed forms and the float64 reference."""

from typing import Any

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from benchmarks import conserving as benchmark
from mjorbit_warp.conserving import closed
from tests.conftest import compile_model, scatter
from tests.equipped import equipped_model, start
from tests.test_momentum import TREES, _float32_model, c_momentum, momentum_after_collision


def momentum(model: mjo.MjoModel, d: mjo.MjoData, world: int = 0) -> Any:
    """(P, H about the COM, COM) of the tree of TREES by MuJoCo C, with the device's float32 constants."""
    mj = _float32_model(model)
    qpos, qvel = d.shadow.qpos.numpy()[world], d.shadow.qvel.numpy()[world]
    c = mujoco.MjData(mj)
    c.qpos = qpos
    mujoco.mj_fwdPosition(mj, c)
    return np.concatenate([c_momentum(mj, qpos, qvel, 1), c.subtree_com[1]])


def test_no_torque_no_change_and_a_straight_line() -> None:
    """Zero gravity, a driven arm, 500 steps: P and H stay to 1e-12, the COM is on its line to 1e-12 m: float64."""
    model = mjo.MjoSpec.from_string(TREES).compile()
    d = mjo.make_data(model, precision="conserving")
    scatter(d, seed=2, speed=0.2)
    d.ctrl.assign(np.array([[0.3, 0.0]]))
    d.shadow.qpos.assign(d.qpos.numpy())
    d.shadow.qvel.assign(d.qvel.numpy())
    before, rate = momentum(model, d), float(d.qvel.numpy()[0, 6])
    mass = _float32_model(model).body_subtreemass[1]
    replay = mjo.capture(model, d)
    for _ in range(500):
        replay()
    after = momentum(model, d)
    assert abs(float(d.qvel.numpy()[0, 6]) - rate) > 1e-3  # the arm did move
    assert np.abs(after[:6] - before[:6]).max() < 1e-12
    time = float(d.time.numpy()[0])
    assert np.abs(after[6:] - before[6:] - time * before[:3] / mass).max() < 1e-12


def test_constant_torque() -> None:
    """Torque on a link: P of the tree stays and H about the moving COM follows M t, to 1e-10."""
    model = mjo.MjoSpec.from_string(TREES).compile()
    d = mjo.make_data(model, precision="conserving")
    scatter(d, seed=4, speed=0.2)
    push = np.zeros((1, model.nbody, 6))
    push[0, 3, 3:] = [0.02, 0.03, -0.01]  # a pure torque: that of a force about the COM depends on the motion
    d.xfrc_applied.assign(push)
    d.shadow.qpos.assign(d.qpos.numpy())
    d.shadow.qvel.assign(d.qvel.numpy())
    before = momentum(model, d)
    for _ in range(100):
        mjo.mjo_step(model, d)
    gained = momentum(model, d)[:6] - before[:6]
    time = float(d.time.numpy()[0])
    want = time * np.concatenate([np.zeros(3), np.float32([0.02, 0.03, -0.01])])
    assert np.abs(gained - want).max() < 1e-10


def test_wheels_turn_the_body() -> None:
    """Zero gravity, driven wheels and CMGs: the body's H and what is stored add up to a constant, to 2e-8 N·m·s.

    It stays within 6e-9 of 0.7 N·m·s: not to float64, though within float32's 4e-8.
    """
    model = equipped_model("RK4", in_orbit=False)
    d = mjo.make_data(model, nworld=2, precision="conserving")
    scatter(d, seed=6, speed=0.05)
    start(d, seed=6)
    ctrl = d.ctrl.numpy().copy()
    ctrl[:, model.hardware.thruster.ctrl] = 0.0
    d.ctrl.assign(ctrl)
    for name in ("qpos", "qvel", "act"):
        getattr(d.shadow, name).assign(getattr(d, name).numpy())
    before, act = total_momentum(model, d), d.shadow.act.numpy().copy()
    for _ in range(100):
        mjo.mjo_step(model, d)
    assert np.abs(d.shadow.act.numpy() - act).max() > 1e-3
    assert np.abs(total_momentum(model, d) - before).max() < 2e-8


def total_momentum(model: mjo.MjoModel, d: mjo.MjoData) -> Any:
    """H about the COM of each world, wheels and CMGs included, by MuJoCo C at the float64 state."""
    benchmark.round_constants(model.mj)
    out = []
    for qpos, qvel, act in zip(*(getattr(d.shadow, n).numpy() for n in ("qpos", "qvel", "act")), strict=True):
        c = mujoco.MjData(model.mj)
        h = c_momentum(model.mj, qpos, qvel, 1)[3:]
        c.qpos = qpos
        mujoco.mj_kinematics(model.mj, c)
        frames = c.site_xmat.reshape(-1, 3, 3)
        wheels, cmgs = model.hardware.reaction_wheel, model.hardware.cmg
        for i, (site, slot) in enumerate(zip(wheels.site, wheels.act, strict=True)):
            h = h + act[slot] * (frames[site] @ np.float32(wheels.axis[i]).astype(float))
        spins = cmgs.values("spin_axis")
        for i, (site, slot) in enumerate(zip(cmgs.site, cmgs.act, strict=True)):
            s = np.float32(spins[i]).astype(float)
            side = np.cross(np.float32(cmgs.axis[i]).astype(float), s)
            spin = np.cos(act[slot]) * s + np.sin(act[slot]) * side
            h = h + float(np.float32(cmgs.values("momentum")[i])) * (frames[site] @ spin)
        out.append(h)
    return np.array(out)


def test_contact_between_trees_keeps_the_total() -> None:
    """Total P stays to 1e-13 kg·m/s, rounding of float64, where float32 contact forces alone leave 1e-8."""
    model, lost = momentum_after_collision("conserving")
    assert closed(model.mj)
    assert lost < 1e-13


def test_where_constraints_are_internal(two_arm: mjo.MjoModel) -> None:
    assert closed(two_arm.mj)
    floor = mjo.MjoSpec.from_string("""<mujoco><option gravity="0 0 0"/><worldbody>
      <geom type="plane" size="1 1 1"/>
      <body pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>""").compile()
    assert not closed(floor.mj)


def test_two_arm_beats_the_shadow() -> None:
    """28 s of the benchmark's free-flyer, origin on its COM: 2e-8 m; the whole half orbit may have 1e-6."""
    got = benchmark.error("conserving", fraction=0.01, recentre=True)
    assert got["body_m"] < 5e-8, got


def test_restart_reset_and_bank(two_arm: mjo.MjoModel) -> None:
    """No state of its own: saved states go on with the same bits, and so do reset and restored worlds."""
    d = mjo.make_data(two_arm, nworld=2, precision="conserving")
    scatter(d, seed=5, speed=0.05)
    bank = mjo.StateBank(two_arm, d)
    step = mjo.capture(two_arm, d)
    step()
    first = mjo.get_state(two_arm, d)
    step()
    after = mjo.get_state(two_arm, d).numpy().copy()
    mjo.set_state(two_arm, d, first)
    mjo.mjo_step(two_arm, d)
    assert np.array_equal(mjo.get_state(two_arm, d).numpy(), after)
    bank.restore()
    step()
    assert np.array_equal(mjo.get_state(two_arm, d).numpy(), first.numpy())


def test_what_it_needs_is_said() -> None:
    model = compile_model("two_arm", "implicitfast")
    with pytest.raises(ValueError, match='"conserving" needs the RK4 integrator'):
        mjo.make_data(model, precision="conserving")
    fixed = mjo.MjoSpec.from_string("""<mujoco><option gravity="0 0 0" integrator="RK4"/><worldbody>
      <body><joint axis="0 0 1"/><geom size="0.1" mass="1"/></body></worldbody></mujoco>""")
    with pytest.raises(ValueError, match="free joint"):
        fixed.orbit = None
        mjo.make_data(fixed.compile(), precision="conserving")
