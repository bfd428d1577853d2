"""The command, its files, and the document."""

import json
import pathlib

import pytest

from mjorbit_warp.cli import main
from mjorbit_warp.validation.doc import document
from mjorbit_warp.validation.doc import main as write_document
from mjorbit_warp.validation.registry import CASES
from mjorbit_warp.validation.run import verdicts

ROOT = pathlib.Path(__file__).parent.parent
RESULT = ROOT / "benchmarks" / "results" / "validate.json"
Capture = pytest.CaptureFixture[str]


def test_json_plots_and_exit_code(tmp_path: pathlib.Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.json"
    words = ["validate", "truth_thruster", "astropy_frames", "--json", str(out), "--plots", str(tmp_path)]
    assert main(words) == 0
    assert "2 PASS, 0 FAIL, 0 SKIPPED" in capsys.readouterr().out
    result = json.loads(out.read_text(encoding="utf-8"))
    assert list(result["cases"]) == ["truth_thruster", "astropy_frames"]
    assert result["cases"]["truth_thruster"]["variants"]["reference"]["quantities"]["position"]["unit"] == "m"
    assert (tmp_path / "truth_thruster.png").stat().st_size > 10_000
    # the same run against a tolerance that it does not keep
    limit = CASES["truth_thruster"].limits["attitude"]
    monkeypatch.setitem(limit.below, "reference", 1e-18)  # type: ignore[arg-type]
    assert main(["validate", "truth_thruster"]) == 1
    assert "FAIL: truth_thruster (reference)" in capsys.readouterr().out


def test_list_and_refusals(tmp_path: pathlib.Path, capsys: Capture) -> None:
    assert main(["validate", "--list"]) == 0
    text = capsys.readouterr().out
    assert all(f"{name}" in text for name in CASES) and "truth: " in text
    for words, message in (
        (["validate", "keplr_relative"], "perhaps you meant kepler_relative"),
        (["validate", "--json", str(tmp_path / "x.txt")], "a name that ends in .json"),
        (["validate", "--plots", str(tmp_path / "none")], "there is no such folder"),
    ):
        assert main(words) == 2
        assert message in capsys.readouterr().err


def test_the_document_is_that_of_the_result(tmp_path: pathlib.Path) -> None:
    """docs/accuracy.md is made by a command, of a run of both backends and all cases, in which nothing failed."""
    result = json.loads(RESULT.read_text(encoding="utf-8"))
    assert document(result) == (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    assert result["backend"] == "both" and list(result["cases"]) == list(CASES)
    assert verdicts(result)["FAIL"] == []
    assert write_document([str(RESULT), str(tmp_path / "a.md")]) == 0
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == document(result)
    assert write_document([]) == 2
