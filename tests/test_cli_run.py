"""``mjorbit-warp run``, in-process."""

import json
import pathlib
from typing import Any

import numpy as np
import pytest
from astropy.time import Time

import mjorbit_warp as mjo
from mjorbit_warp.cli import main
from mjorbit_warp.cli.run import _plan
from mjorbit_warp.cli.run_report import orbit_summary
from mjorbit_warp.cli.stepping import Plan
from mjorbit_warp.models import model_path, tle_path
from mjorbit_warp.starts import scatter
from tests.conftest import compile_model

Capture = pytest.CaptureFixture[str]
TLE = ["--tle", tle_path(), "--device", "cpu"]


def test_a_run(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """Summary, run file and picture agree."""
    out, plot = tmp_path / "run.npz", tmp_path / "run.png"
    argv = ["run", "two_arm", *TLE, "--nworld", "3", "--duration", "2.5", "--record-every", "1", "--record-worlds", "2"]
    argv += ["--spread", "30", "--spin", "1", "--seed", "5", "--out", str(out), "--plot", str(plot), "--json"]
    assert main(argv) == 0
    result = json.loads(capsys.readouterr().out)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.npz", "run.png"]
    assert plot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (result["nworld"], result["nstep"], result["integrator"], result["bad"]) == (3, 25, "RK4", {})
    assert result["timestep_s"] == 0.1 and result["world_steps_per_s"] > 0.0
    assert result["orbit_start"]["utc"].startswith("2019-12-09T16:38:29")
    assert result["orbit_end"]["altitude_km"] == pytest.approx(result["orbit_start"]["altitude_km"], abs=0.1)

    run = mjo.load_run(out)
    assert run.time == pytest.approx([0.0, 1.0, 2.0, 2.5], rel=1e-6)
    assert run.t - run.t[0] == pytest.approx(run.time, abs=1e-6)
    assert run.qpos.shape == (4, 2, 15) and run.world_ids.tolist() == [0, 1]
    assert run.seed == 5 and run.options["spread"] == 30.0 and run.options["dt"] is None
    assert np.linalg.norm(run.qpos[0, :, :3], axis=-1).max() <= 30.0
    assert np.linalg.norm(run.qvel[0, :, 3:6], axis=-1) == pytest.approx(np.radians(1.0), rel=1e-5)
    assert run.spec().orbit == mjo.Orbit.from_tle(tle_path())
    # the command line that is kept repeats the run
    other = [word if word != str(out) else str(tmp_path / "again.npz") for word in run.command[1:]]
    assert main(other) == 0
    assert np.array_equal(mjo.load_run(tmp_path / "again.npz").state, run.state)
    capsys.readouterr()


def test_integrator_and_step(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """What is asked for is used, and by default the file's own; the orbit may come from the file."""
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    spec.orbit = mjo.Orbit.circular(altitude=500e3)
    spec.compile()
    path, out = tmp_path / "sat.xml", tmp_path / "run.npz"
    path.write_text(spec.to_xml())
    argv = ["run", str(path), "--duration", "0.2", "--device", "cpu", "--out", str(out)]
    assert main([*argv, "--integrator", "implicitfast", "--dt", "0.05"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "implicitfast, precision single" in text and "4 steps of 0.05 s" in text and "altitude 500.000 km" in text
    mj = mjo.load_run(out).host_model()
    assert (mj.opt.timestep, mj.opt.integrator) == (0.05, 3)
    assert mjo.load_run(out).spec().option.integrator == 3
    assert main([*argv, "--precision", "shadow"]) == 2
    assert "that file exists, and only --force overwrites it" in capsys.readouterr().err
    assert main([*argv, "--precision", "shadow", "--force"]) == 0
    assert "RK4, precision shadow" in capsys.readouterr().out
    assert mjo.load_run(out).qpos.dtype == np.float64


def test_refusals(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """One line on stderr, exit code 2, nothing on stdout, no file."""
    npz, png = str(tmp_path / "x.npz"), str(tmp_path / "x.png")
    cases: list[tuple[list[str], str]] = [
        (["none.xml"], "no model file at"),
        (["two_arm"], "has no orbit in its <custom>: give one with --tle FILE"),
        (["two_arm", "--tle", str(tmp_path / "none.tle")], "no TLE file"),
        (["two_arm", *TLE, "--nworld", "0"], "--nworld is 0"),
        (["two_arm", *TLE, "--duration", "nan"], "--duration is nan"),
        (["two_arm", *TLE, "--duration", "0.01"], "at least one step of 0.1 s"),
        (["two_arm", *TLE, "--dt", "-1"], "--dt is -1"),
        (["two_arm", *TLE, "--record-every", "0.01"], "--record-every is 0.01"),
        (["two_arm", *TLE, "--record-worlds", "2"], "--record-worlds is 2: 1 to 1 are allowed"),
        (["two_arm", *TLE, "--seed", "-1"], "--seed is -1"),
        (["two_arm", *TLE, "--spread", "-1"], "--spread is -1"),
        (["two_arm", *TLE, "--spin", "inf"], "--spin is inf"),
        (["two_arm", "--tle", tle_path(), "--device", "abacus"], "available here are cpu"),
        (["two_arm", *TLE, "--out", "x.npy"], "ends in .npz"),
        (["two_arm", *TLE, "--plot", "x.pdf"], "ends in .png"),
        (["two_arm", *TLE, "--out", str(tmp_path / "none" / "x.npz")], "there is no folder"),
        (["two_arm", *TLE, "--precision", "shadow", "--integrator", "Euler"], "needs the RK4 integrator"),
    ]
    for words, message in cases:
        given = ["--out", npz] * ("--out" not in words) + ["--plot", png] * ("--plot" not in words)
        assert main(["run", *words, *given]) == 2, words
        text = capsys.readouterr()
        lines = text.err.splitlines()
        assert lines[-1].startswith("error: ") and message in lines[-1], (words, text.err)
        assert len(lines) == 1 and text.out == "", (words, text)
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def fail(file: Any, **arrays: Any) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", fail)
    out = str(tmp_path / "x.npz")
    assert main(["run", "box_satellite", *TLE, "--duration", "0.2", "--out", out]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "error: [Errno 28] No space left on device"
    assert list(tmp_path.iterdir()) == []


def test_a_bad_world_gives_exit_code_1(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """Steps far too large for the servos; the files are written all the same."""
    out, plot = tmp_path / "x.npz", tmp_path / "x.png"
    argv = ["run", "two_arm", *TLE, "--dt", "5", "--duration", "300", "--spin", "3", "--plot", str(plot)]
    assert main([*argv, "--out", str(out)]) == 1
    assert "NONFINITE in 1: 0" in capsys.readouterr().out
    assert mjo.load_run(out).bad_worlds()["NONFINITE"] == [0] and plot.is_file()


def test_plan() -> None:
    plan = _plan(0.1, 600.0, None, None, 1000)
    assert (plan.nstep, plan.every, plan.worlds) == (6000, 30, 64)
    assert _plan(0.1, 1.0, None, None, 2).every == 1
    assert _plan(0.1, 1.0, 99.0, None, 2).every == 990
    assert _plan(0.1, 1.0, 0.26, None, 2).every == 3
    assert list(Plan(0.1, 10, 4, 1).pieces(3)) == [3, 1, 3, 1, 2]
    assert list(Plan(0.1, 10, 4, 1, start=6).pieces(3)) == [2, 2]


def test_starts_of_a_world_do_not_depend_on_the_others() -> None:
    """Each tree turns about its own centre of mass, and all of a world's are moved alike."""
    mj = compile_model("chaser_target").mj
    qpos, qvel = scatter(mj, 3, 1, 5.0, 0.1)
    few = scatter(mj, 2, 1, 5.0, 0.1)
    assert np.array_equal(few[0], qpos[:2]) and np.array_equal(few[1], qvel[:2])
    assert qpos[:, 7:10] - qpos[:, :3] == pytest.approx(np.tile([10.0, 0.0, 0.0], (3, 1)))
    arm = np.array([0.1, 0.0, 0.05])  # COM of the target
    assert qvel[:, 6:9] + np.cross(qvel[:, 9:12], arm) == pytest.approx(np.zeros((3, 3)), abs=1e-15)
    assert np.linalg.norm(qvel[:, 9:12], axis=1) == pytest.approx(0.1)


def test_a_date_that_cannot_be_written() -> None:
    """The end of a run of 1e31 s: the orbit is reported, its date is not."""
    orbit = mjo.Orbit.circular(altitude=4e5, inclination=0.9, epoch=Time("2026-04-01", scale="utc"))
    model = compile_model("box_satellite", orbit=orbit)
    r, v = np.array(orbit.r), np.array(orbit.v)
    summary = orbit_summary(model, r, v, 1e31)
    assert summary["utc"] is None and summary["altitude_km"] == pytest.approx(400.0, abs=1e-6)
    assert orbit_summary(model, r, v, 8.0e8)["utc"] == "2025-05-08T18:12:10.816"  # 37 + 32.184 s before TT
