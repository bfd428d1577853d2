"""The script for a GPU runs end to end on the CPU, and says what it found."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from benchmarks.gpu_run import PARITY, QUICK_PARITY, ROOT, GpuRun, _finishes, _outcomes


def test_parity_names_exist() -> None:
    for name in (*PARITY, *QUICK_PARITY):
        path, _, test = name.partition("::")
        assert (ROOT / path).is_file(), name
        assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8") or not test, name


def test_a_failing_test_is_seen(tmp_path: pathlib.Path) -> None:
    """The outcomes come from pytest's own file, and a process that takes too long is ended."""
    (tmp_path / "test_it.py").write_text("def test_good(): pass\ndef test_bad(): assert False\n")
    junit = tmp_path / "junit.xml"
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={junit}"]
    assert _finishes([*words, str(tmp_path / "test_it.py")], 60.0, {})
    assert [outcome for _, outcome in sorted(_outcomes(junit).items())] == ["failure", "passed"]
    assert _outcomes(junit) == {}  # each file counts once
    assert not _finishes([sys.executable, "-c", "import time; time.sleep(60)"], 0.5, {})


def test_an_exception_is_a_failure_and_is_written(tmp_path: pathlib.Path) -> None:
    import warp as wp

    out = tmp_path / "out.json"
    run = GpuRun(wp.get_device("cpu"), True, 100.0, out)

    def broken() -> dict[str, bool]:
        raise RuntimeError("the device fell off")

    run.check("broken", broken)
    run.check("well", lambda: {"passed": True})
    late = GpuRun(wp.get_device("cpu"), True, 1.0, out)
    late.check("late", lambda: {"passed": True})
    assert [row["passed"] for row in run.result["checks"]] == [False, True]
    assert "the device fell off" in run.result["checks"][0]["why"]
    (row,) = json.loads(out.read_text(encoding="utf-8"))["checks"]
    assert not row["passed"] and "not reached" in row["why"]


@pytest.mark.long
def test_end_to_end(tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> None:
    if "long" not in request.config.getoption("markexpr"):
        pytest.skip("takes minutes: run with pytest -m long")
    out = tmp_path / "gpu_run.json"
    words = ["bash", str(ROOT / "benchmarks" / "gpu_run.sh"), "--device", "cpu", "--quick", "--out", str(out)]
    found = subprocess.run(
        words, capture_output=True, text=True, check=False, env=os.environ | {"PYTHON": sys.executable}
    )
    assert found.returncode == 0, found.stdout + found.stderr
    result = json.loads(out.read_text(encoding="utf-8"))
    assert len(result["checks"]) == 5 and all(row["passed"] for row in result["checks"])
    assert result["sweep"]["cells"]
