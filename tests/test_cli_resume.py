"""``mjorbit-warp run --resume``: a run that was stopped, killed or extended has the bits of one that was not."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import run_file
from mjorbit_warp.cli import main, stepping
from mjorbit_warp.models import tle_path

Capture = pytest.CaptureFixture[str]
ARRAYS = ("world_ids", "time", "t", "qpos", "qvel", "act", "ctrl", "r", "v", "status", "state")
ROOT = pathlib.Path(mjo.__file__).parents[1]
MODEL = [
    "run",
    "box_satellite",
    "--tle",
    tle_path(),
    "--device",
    "cpu",
    "--spin",
    "3",
    "--spread",
    "9",
    "--nworld",
    "2",
]


def same(one: pathlib.Path, other: pathlib.Path) -> None:
    a, b = mjo.load_run(one), mjo.load_run(other)
    for name in ARRAYS:
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype and np.array_equal(x, y), name
    assert (a.xml, a.binary, a.steps, a.layout) == (b.xml, b.binary, b.steps, b.layout)


def started(argv: list[str]) -> subprocess.Popen[str]:
    code = "import sys; from mjorbit_warp.cli import main; sys.exit(main(sys.argv[1:]))"
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", code, *argv], env=env, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(("number", "precision"), [(signal.SIGTERM, "single"), (signal.SIGKILL, "shadow")])
def test_a_killed_run_goes_on(tmp_path: pathlib.Path, capsys: Capture, number: signal.Signals, precision: str) -> None:
    """A real process, stopped after its first checkpoint, at a step that falls on no record."""
    argv = [*MODEL, "--precision", precision, "--duration", "700", "--record-every", "53.9"]
    whole, out = tmp_path / "whole.npz", tmp_path / "run.npz"
    part = tmp_path / "run.npz.part"
    process = started([*argv, "--out", str(out), "--checkpoint-every", "0.2"])
    deadline = time.monotonic() + 120.0
    while not part.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    said = process.communicate(timeout=60)[1].splitlines()
    if number == signal.SIGKILL:
        assert process.returncode == -signal.SIGKILL
    else:
        assert process.returncode == 130
        assert said[-1].startswith("stopped at ") and said[-1].endswith(f"of 700 s: go on with {resume_words(part)}")
    assert not out.exists()
    stopped = mjo.load_run(part)
    assert stopped.steps is not None and 0 < stopped.steps.done < stopped.steps.planned == 7000
    assert not stopped.complete and "a checkpoint" in repr(stopped)
    assert len(stopped.time) == stopped.steps.done // 539 + 1

    assert main(["run", "--resume", str(part), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["resumed_at_s"] == pytest.approx(stopped.steps.done * 0.1) and result["out"] == str(out)
    assert out.exists() and not part.exists()
    assert main([*argv, "--out", str(whole)]) == 0
    same(out, whole)
    capsys.readouterr()


def resume_words(part: pathlib.Path) -> str:
    return f"mjorbit-warp run --resume {part}"


def test_a_finished_run_is_extended(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """From an end that falls on no record, in place and then to another file; commands kept repeat the long run."""
    argv = [*MODEL, "--record-every", "0.4", "--record-worlds", "1"]
    out, other, long = (tmp_path / f"{name}.npz" for name in ("run", "other", "long"))
    assert main([*argv, "--duration", "1.4", "--out", str(out)]) == 0
    assert len(mjo.load_run(out).time) == 5
    assert main(["run", "--resume", str(out), "--duration", "2"]) == 0
    assert " ".join(capsys.readouterr().out.split()).count("20 steps of 0.1 s, resumed at 1.4 s") == 1
    plot = tmp_path / "x.png"
    assert main(["run", "--resume", str(out), "--duration", "3", "--out", str(other), "--plot", str(plot)]) == 0
    assert main([*argv, "--duration", "3", "--out", str(long)]) == 0
    same(other, long)
    assert mjo.load_run(out).time == pytest.approx([0.0, 0.4, 0.8, 1.2, 1.6, 2.0])
    command = list(mjo.load_run(other).command)
    assert command[command.index("--duration") + 1] == "3.0" and plot.is_file()
    capsys.readouterr()


def test_refusals(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """One sentence, exit code 2; the file stays as it was."""
    out = tmp_path / "run.npz"
    assert main([*MODEL, "--duration", "0.4", "--record-every", "0.2", "--out", str(out)]) == 0
    capsys.readouterr()
    before = out.read_bytes()
    cases: list[tuple[list[str], str]] = [
        ([], f"{out} is at 0.4 s already: give a longer --duration"),
        (["--duration", "0.3"], "--duration is 0.3, but "),
        (["two_arm"], f"MODEL is two_arm, but {out} has box_satellite: leave it out"),
        (["--tle", "x.tle"], "--tle is x.tle, but "),
        (["--nworld", "3"], "--nworld is 3, but "),
        (["--dt", "0.2"], "--dt is 0.2, but "),
        (["--integrator", "Euler"], f"--integrator is Euler, but {out} has RK4"),
        (["--precision", "shadow"], "--precision is shadow, but "),
        (["--record-every", "0.1"], "--record-every is 0.1, but "),
        (["--record-worlds", "1"], "--record-worlds is 1, but "),
        (["--seed", "1"], "--seed is 1, but "),
        (["--spin", "0"], "--spin is 0.0, but "),
        (["--duration", "1", "--device", "cuda:9"], "--device is 'cuda:9': available here are cpu"),
        (["--duration", "1", "--out", str(tmp_path / "none" / "x.npz")], "there is no folder"),
        (["--resume", str(tmp_path / "none.npz")], "no run file at"),
        (["--resume", tle_path()], "is not a run file of mjorbit-warp"),
        (["--resume", str(tmp_path)], "that is a folder"),
    ]
    for words, message in cases:
        given = ["run", "--resume", str(out)] if "--resume" not in words else ["run"]
        assert main([*given, *words]) == 2, words
        text = capsys.readouterr()
        assert len(text.err.splitlines()) == 1 and text.err.startswith("error: ") and message in text.err, text.err
        assert text.out == ""
    # what agrees may be said
    words = ["box_satellite", "--nworld", "2", "--dt", "0.1", "--record-every", "0.2", "--integrator", "RK4"]
    assert main(["run", "--resume", str(out), *words]) == 2
    assert "already: give a longer" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"] and out.read_bytes() == before


def test_a_checkpoint_is_not_overwritten(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """A new run, or an extension of the finished file, says that an older one waits."""
    out = tmp_path / "run.npz"
    argv = [*MODEL, "--duration", "0.4", "--out", str(out)]
    assert main(argv) == 0
    part = tmp_path / "run.npz.part"
    part.write_bytes(out.read_bytes())
    capsys.readouterr()
    for words in (["run", "--resume", str(out), "--duration", "1"], argv):
        assert main(words) == 2
        assert f"go on with it by --resume {part}, or give --force" in capsys.readouterr().err
    assert main([*argv, "--force"]) == 0
    assert not part.exists()
    # the final name finds its checkpoint
    out.rename(part)
    assert main(["run", "--resume", str(out), "--duration", "0.5"]) == 0
    assert mjo.load_run(out).time[-1] == pytest.approx(0.5)
    capsys.readouterr()


def test_other_versions_and_devices_are_said(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    out = tmp_path / "run.npz"
    assert main([*MODEL, "--duration", "0.2", "--out", str(out)]) == 0
    capsys.readouterr()
    versions = run_file.package_versions() | {"warp-lang": "0.1", "numpy": "9.9"}
    monkeypatch.setattr(run_file, "package_versions", lambda: versions)
    assert main(["run", "--resume", str(out), "--duration", "0.3", "--json"]) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1 and "(here 0.1), numpy" in notes[0] and "not with the same bits" in notes[0]


def test_a_checkpoint_that_fails_does_not_end_the_run(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """The disk was full for a while."""
    out = tmp_path / "run.npz"
    save = stepping.save_run

    def full(path: pathlib.Path, *args: Any, **more: Any) -> None:
        if path.suffix == ".part":
            raise OSError(28, "No space left on device")
        save(path, *args, **more)

    monkeypatch.setattr(stepping, "save_run", full)
    assert main([*MODEL, "--duration", "0.5", "--out", str(out), "--checkpoint-every", "1e-9"]) == 0
    assert "run.npz.part': No space left on device" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def test_stopped_without_a_file(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """Nothing could be kept: it stops at once, and handlers are put back."""

    def interrupted(*args: Any) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5.0)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("mjorbit_warp.cli.run.simulate", interrupted)
    assert main([*MODEL, "--duration", "0.2"]) == 130
    assert capsys.readouterr().err.splitlines()[-1].startswith("interrupted")
    assert signal.getsignal(signal.SIGTERM) == before
