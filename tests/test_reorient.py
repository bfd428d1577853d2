"""The reorientation task: its geometry in closed form, and a short closed loop."""

import json

import mujoco
import numpy as np

from mjorbit_warp.cli import main
from mjorbit_warp.tasks import reorient


def test_clearance_and_angle() -> None:
    """Straight arms point away from the bus; one that is turned by −90° lies in the plane of the face that it is on.

    Its first point is 0.2 + 0.25 m from the hinge: 0.05 m past the edge, as much as the link's radius.
    """
    m = reorient.model("IMPLICITFAST", environment=False, timestep=0.1)
    data = mujoco.MjData(m.mj)
    data.qpos[3:7] = [0.8, 0.0, 0.6, 0.0]  # distances do not depend on the attitude
    for yaw, expected in ((0.0, 0.4), (-0.5 * np.pi, 0.0)):
        data.qpos[7] = yaw
        mujoco.mj_kinematics(m.mj, data)
        near = reorient.clearance(m, data.xpos, data.xquat)
        assert near.shape == (10,)
        assert abs(near[:5].min() - expected) < 1e-9 and abs(near[5:].min() - 0.4) < 1e-9
    goal = reorient.target()
    assert abs(np.degrees(reorient.error_angle(np.array([1.0, 0.0, 0.0, 0.0]), goal)) - 60.0) < 1e-9
    assert reorient.error_angle(-goal, goal) < 1e-6


def test_a_short_run(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    """15 s with few rollouts: well on its way, gentle, clear of the bus; result and picture are written."""
    out, plot = tmp_path / "r.json", tmp_path / "r.png"
    argv = ["task", "reorient", "--duration", "15", "--nrollout", "24", "--json", str(out), "--plot", str(plot)]
    assert main(argv) == 1  # not there yet
    assert "not reached" in capsys.readouterr().out
    result = json.loads(out.read_text())
    assert result["error"][-1] < 0.8 * np.radians(60.0) and result["largest_joint_rate_rad_s"] < 1.5
    assert result["least_clearance_m"] > 0.0 and plot.stat().st_size > 10_000
    assert main(["task", "reorient", "--duration", "-1"]) == 2
    assert "duration is -1.0 s: a positive number" in capsys.readouterr().err
