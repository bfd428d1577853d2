"""The command line, in-process."""

import json
import pathlib
import stat
import subprocess
import sys

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp.cli import main
from mjorbit_warp.cli.checks import clohessy_wiltshire, impulse, whole_motion
from mjorbit_warp.models import NAMES, model_path, tle_path

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", NAMES)
def test_inspect(name: str, capsys: Capture) -> None:
    assert main(["inspect", model_path(name)]) == 0
    text = capsys.readouterr()
    assert "total mass" in text.out and "zero gravity" in text.out
    assert text.err == ""
    assert main(["inspect", name, "--tle", tle_path(), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["orbit"]["epoch"].startswith("2019-12-09T16:38:29")
    assert report["mass"] == pytest.approx(sum(body["mass"] for body in report["bodies"]))


def test_version_and_help(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"mjorbit-warp {mjo.__version__}\n"
    assert main([]) == 0
    text = capsys.readouterr().out
    assert "inspect" in text and "demo" in text
    assert main(["demo", "--help"]) == 0


def test_refusals(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """One line on stderr that says what is wrong, exit code 2, nothing on stdout, no traceback."""
    broken = tmp_path / "broken.xml"
    broken.write_text("<mujoco><worldbody><body></worldbody></mujoco>")
    fixed = tmp_path / "fixed.xml"
    fixed.write_text('<mujoco><worldbody><body name="mast"><geom size="1"/></body></worldbody></mujoco>')
    mesh = tmp_path / "mesh.xml"
    mesh.write_text(
        '<mujoco><asset><mesh name="m" file="not_there.stl"/></asset><worldbody><body><freejoint/>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    tle = tmp_path / "bad.tle"
    tle.write_text("nothing\n")
    png = str(tmp_path / "x.png")
    cases = [
        (["inspect", str(tmp_path / "none.xml")], "no model file at"),
        (["inspect", str(broken)], "broken.xml"),
        (["inspect", str(fixed)], "mast has no free joint"),
        (["inspect", str(mesh)], "not_there.stl"),
        (["inspect", "two_arm", "--tle", str(tle)], "not one two-line element set"),
        (["inspect", "two_arm", "--tle", str(tmp_path / "none.tle")], "no TLE file"),
        (["demo", "--nworld", "0", "--out", png], "--nworld is 0"),
        (["demo", "--duration", "-1", "--out", png], "--duration is -1"),
        (["demo", "--dt", "nan", "--out", png], "--dt is nan"),
        (["demo", "--seed", "-1", "--out", png], "--seed is -1"),
        (["demo", "--device", "abacus", "--out", png], "available here are cpu"),
        (["demo", "--out", str(tmp_path / "none" / "x.png")], "there is no folder"),
        (["demo", "--out", str(tmp_path)], "ends in .png"),
        (["demo", "--out", "x.pdf"], "ends in .png"),
    ]
    for argv, words in cases:
        assert main(argv) == 2, argv
        text = capsys.readouterr()
        lines = text.err.splitlines()
        assert lines[-1].startswith("error: ") and words in lines[-1], (argv, text.err)
        shown = argv == ["inspect", str(fixed)]  # what could be read of it
        assert len(lines) == 1 and text.out.startswith("model ") == shown, (argv, text)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.tle", "broken.xml", "fixed.xml", "mesh.xml"]


@pytest.mark.parametrize(
    "argv", [["inspect", "two_arm", "--colour"], ["demo", "--nworld", "many"], ["orbit"], ["inspect"]]
)
def test_unknown_options(argv: list[str], capsys: Capture) -> None:
    assert main(argv) == 2
    text = capsys.readouterr()
    assert text.err and "Traceback" not in text.err + text.out


def test_missing_extra() -> None:
    """One sentence that names the command to install."""
    code = (
        "import sys; sys.modules['tyro'] = None\n"
        "from mjorbit_warp.cli import main\nsys.exit(main(['inspect', 'two_arm']))"
    )
    root = pathlib.Path(mjo.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "error: this command needs tyro: pip install 'mjorbit-warp[cli]'\n"


def test_notes_are_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    import warnings

    import mjorbit_warp.cli as cli

    def run(args: list[str]) -> int:
        warnings.warn("said once", mjo.MjoWarning, stacklevel=1)
        return 0

    monkeypatch.setattr(cli, "_run", run)
    assert main(["x"]) == 0
    assert capsys.readouterr().err == "note: said once\n"


def test_demo(tmp_path: pathlib.Path, capsys: Capture) -> None:
    out = tmp_path / "demo.png"
    out.write_bytes(b"old")
    argv = ["demo", "--nworld", "2", "--duration", "6.7", "--device", "cpu", "--out", str(out), "--json"]
    assert main(argv) == 0
    result = json.loads(capsys.readouterr().out)
    assert out.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert [p.name for p in tmp_path.iterdir()] == ["demo.png"]
    assert stat.S_IMODE(out.stat().st_mode) & stat.S_IRUSR
    assert (result["nworld"], result["nstep"], result["bad"]) == (2, 67, {})
    assert result["duration_s"] == pytest.approx(6.7, rel=1e-6)
    # 6.7 s at 20 to 50 m: ½n²ρt² to twice that, 0.6 to 2.9 mm; Clohessy-Wiltshire leaves out e = 1e-3 and J2
    assert 3e-4 < result["tidal_m"] < 3e-3
    assert result["cw_error_m"] < 0.02 * result["tidal_m"] + 2e-5
    assert result["momentum_error"] < 0.02 * result["momentum_change"] + 2e-6
    assert main([*argv[:-1], "--duration", "0.1", "--seed", "1"]) == 0
    text = capsys.readouterr().out
    assert "world-steps/s" in text and "bad worlds" in text


def test_a_bad_world_gives_exit_code_1(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """Steps far too large for the servos: worlds that are not finite are named, and the picture is still drawn."""
    out = tmp_path / "bad.png"
    assert main(["demo", "--nworld", "2", "--duration", "300", "--dt", "5", "--device", "cpu", "--out", str(out)]) == 1
    assert "NONFINITE in 2: 0, 1" in capsys.readouterr().out
    assert out.is_file()


def test_clohessy_wiltshire_solves_its_equations() -> None:
    """ẍ = 3n²x + 2nẏ, ÿ = −2nẋ, z̈ = −n²z, by central differences."""
    n, h = 1.1e-3, 1.0
    rng = np.random.default_rng(0)
    x0, v0 = rng.normal(size=(5, 3)), 1e-3 * rng.normal(size=(5, 3))
    for t in (0.0, 700.0, 5000.0):
        before, now, after = (clohessy_wiltshire(n, x0, v0, t + k * h) for k in (-1, 0, 1))
        rate, acceleration = (after - before) / (2 * h), (after - 2 * now + before) / h**2
        expected = np.stack(
            [3 * n**2 * now[:, 0] + 2 * n * rate[:, 1], -2 * n * rate[:, 0], -(n**2) * now[:, 2]], axis=-1
        )
        assert np.allclose(acceleration, expected, rtol=1e-5, atol=1e-10)
    assert np.allclose(clohessy_wiltshire(n, x0, v0, 0.0), x0)


def test_whole_motion_of_a_rigid_body() -> None:
    """All joints at rest: H = J ω, and the COM moves as a point of the body."""
    mj = mjo.MjoSpec.from_file(model_path("two_arm")).compile().mj
    rng = np.random.default_rng(1)
    qpos, qvel = np.tile(mj.qpos0, (2, 1)), np.zeros((2, mj.nv))
    qpos[0, 7:] = rng.uniform(-1, 1, 8)
    qvel[0, :6] = rng.normal(size=6)
    qpos[1, 0] = np.nan
    motion = whole_motion(mj, qpos, qvel)
    omega = qvel[0, 3:6]  # the attitude is the identity: body axes are world axes
    assert np.allclose(motion.momentum[0], motion.inertia[0] @ omega)
    assert np.allclose(motion.velocity[0], qvel[0, :3] + np.cross(omega, motion.com[0]))
    assert np.isnan(motion.com[1]).all()


def test_impulse() -> None:
    times = np.array([0.0, 1.0, 3.0])
    torque = np.array([[0.0], [2.0], [6.0]])
    assert np.allclose(impulse(times, torque)[:, 0], [0.0, 1.0, 9.0])
