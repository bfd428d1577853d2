"""Gravity-gradient capture: geometry, what coarse rollouts are worth, and short runs that tell the planners apart."""

import json

import mujoco
import numpy as np
import pytest

from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.cli import main
from mjorbit_warp.models import NAMES, model_path
from mjorbit_warp.tasks import gg_capture


def test_shipped_model_is_plain_mjcf() -> None:
    assert "capture_arm" in NAMES
    mj = mujoco.MjModel.from_xml_path(model_path("capture_arm"))
    assert mj.nv == 8 and abs(mj.body_mass.sum() - 560.0) < 1e-9  # kg: decimals of the file, summed in float64


@pytest.mark.parametrize("side", ["behind", "ahead"])
def test_start(side: gg_capture.Side) -> None:
    """The payload is at the angle asked for, on its side; the stack's COM rests at the origin and turns with LVLH."""
    m = gg_capture.model(1.0)
    assert m.orbit is not None
    sign = 1.0 if side == "behind" else -1.0
    qpos, qvel = gg_capture.start(m, sign * np.radians(80.0), 0.0, 0.0)
    d = mujoco.MjData(m.mj)
    d.qpos[:], d.qvel[:] = qpos, qvel
    mujoco.mj_forward(m.mj, d)
    up, ahead = m.orbit.r / np.linalg.norm(m.orbit.r), m.orbit.v / np.linalg.norm(m.orbit.v)
    angle = gg_capture.error_angle(m, d.xipos, -up)
    # degrees, m, m/s, rad/s: rounding of float64 at lengths of metres and rates below 1e-2 rad/s, with a wide margin
    assert abs(np.degrees(angle) - 80.0) < 1e-9
    line = d.xipos[m.body("payload").id] - d.xipos[m.body("bus").id]
    assert np.sign(line @ ahead) == -sign
    assert np.linalg.norm(d.subtree_com[1]) < 1e-12
    mujoco.mj_subtreeVel(m.mj, d)
    assert np.linalg.norm(d.subtree_linvel[1]) < 1e-12
    omega = d.xmat[1].reshape(3, 3) @ qvel[3:6]
    normal = np.cross(up, ahead)
    assert np.linalg.norm(omega - 2.0 * np.pi / m.orbit.period * normal) < 1e-12


def test_nadirs_are_the_orbit_to_come() -> None:
    """Against the reference backend's orbit, which knows J2 about the real pole: 1e-4 rad, a hundredth of a degree."""
    m = gg_capture.model(5.0)
    d = mjo_ref.make_data(m)
    assert d.orbit is not None
    nadir = gg_capture.nadirs(m, d.orbit.r[0].copy(), d.orbit.v[0].copy(), 20)
    for row in nadir:
        for _ in range(6):
            mjo_ref.mjo_step(m, d)
        r = d.orbit.r[0]
        assert np.linalg.norm(np.cross(row, -r / np.linalg.norm(r))) < 1e-4
        assert row @ -r > 0.0


def test_step_of_the_rollouts() -> None:
    """5 s against 0.5 s over a horizon: 1°, a tenth of what counts as settled; a start near the top triples errors."""
    assert gg_capture.step_error(seed=0) < np.radians(1.0)


def test_the_orbit_in_the_rollouts_makes_the_difference(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    """48 minutes with 16 rollouts from 90° behind: one plan has come near nadir, the other has not."""
    out, plot = tmp_path / "g.json", tmp_path / "g.png"
    argv = ["task", "gg_capture", "--seed", "1", "--duration", "2880", "--nrollout", "16"]
    assert main([*argv, "--json", str(out), "--plot", str(plot)]) == 1  # the last half hour is not over
    assert "rollouts orbit" in capsys.readouterr().out and plot.stat().st_size > 10_000
    orbit = json.loads(out.read_text())
    assert main([*argv, "--dynamics", "zero_g", "--json", str(out)]) == 1
    assert "rollouts zero_g: not settled" in capsys.readouterr().out
    zero_g = json.loads(out.read_text())
    assert abs(orbit["error"][0] - zero_g["error"][0]) < np.radians(1.0)
    assert max(orbit["error"][-16:]) < np.radians(20.0) and max(zero_g["error"][-16:]) > np.radians(60.0)


def test_bad_input(capsys) -> None:  # type: ignore[no-untyped-def]
    assert main(["task", "reorient", "--side", "ahead"]) == 2
    assert "--side is an option of gg_capture, not of reorient" in capsys.readouterr().err
    assert main(["task", "gg_capture", "--duration", "1"]) == 2
    assert "duration is 1.0 s: at least the 60 s" in capsys.readouterr().err
