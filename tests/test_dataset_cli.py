"""``mjorbit-warp generate`` and ``mjorbit-warp dataset``, in-process."""

import json
import pathlib

import numpy as np
import pytest

from mjorbit_warp import datasets
from mjorbit_warp.cli import main
from tests.dataset_cases import arrays_of, config_of, same, toml, whole_dataset

Capture = pytest.CaptureFixture[str]
pytest.importorskip("zarr")


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A finished dataset of ``config_of()``."""
    return whole_dataset(tmp_path_factory.getbasetemp())


def test_a_dataset(whole: pathlib.Path, tmp_path: pathlib.Path, capsys: Capture) -> None:
    """Made, described, verified, drawn, and gone on with where nothing is left to do."""
    path, out = toml(tmp_path / "small.toml", config_of()), str(tmp_path / "a")
    argv = ["generate", path, "--out", out, "--device", "cpu", "--json"]
    assert main(argv) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["made"], result["shards"], result["episodes"], result["bad"]) == (3, 3, 7, {})
    assert result["world_steps_per_s"] == pytest.approx(7 * 20 / result["wall_s"])
    assert same(arrays_of(out), arrays_of(whole))
    assert main([*argv[:-1], "--resume"]) == 0
    assert "nothing was to do" in " ".join(capsys.readouterr().out.split())

    assert main(["dataset", "info", out, "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert (info["episodes"], info["rows"], info["policy"], info["seed"]) == (7, 5, "smooth", 0)
    assert info["arrays"]["qpos"]["shape"] == [7, 5, 15] and info["arrays"]["sensor:gyro"]["units"] == "rad/s"
    files = [p for p in pathlib.Path(out).rglob("*") if p.is_file() and p.parent.name != "a"]
    assert info["bytes"] == sum(p.stat().st_size for p in files if p.name != "manifest.json")
    assert main(["dataset", "info", out]) == 0
    assert "7 of 7, 2 s each" in capsys.readouterr().out
    assert main(["dataset", "verify", out]) == 0
    assert "7 episodes in 3 shards" in capsys.readouterr().out
    picture = tmp_path / "a.png"
    assert main(["dataset", "plot", out, "--out", str(picture)]) == 0
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and picture.stat().st_size > 20_000
    capsys.readouterr()


def test_what_verify_finds(whole: pathlib.Path, tmp_path: pathlib.Path, capsys: Capture) -> None:
    out = tmp_path / "a"
    datasets.generate(config_of(episodes={"count": 2}), out)
    (out / "shard_00000" / "model.xml").write_text("<mujoco/>")
    assert main(["dataset", "verify", str(out)]) == 1
    assert "model.xml has 9 bytes" in capsys.readouterr().err


def test_bad_episodes_give_exit_code_1(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """They are named, and the picture is drawn all the same."""
    (tmp_path / "dataset_nan.py").write_text(
        "import numpy as np\n\n\ndef nan(data):\n    return np.full((data.nworld, 8), np.nan)\n"
    )
    policy = {"kind": "python", "entry": "dataset_nan:nan"}
    path = toml(tmp_path / "nan.toml", config_of(tmp_path, policy=policy, episodes={"count": 2}))
    out = str(tmp_path / "a")
    assert main(["generate", path, "--out", out, "--device", "cpu"]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "0: commands that were not finite were taken as 0" in text and "1: commands" in text
    assert not np.asarray(datasets.open(out)["ctrl"]).any()
    assert main(["dataset", "plot", out, "--out", str(tmp_path / "a.png")]) == 0
    assert main(["dataset", "info", out]) == 0
    assert "taken as 0" in capsys.readouterr().out


def test_refusals(whole: pathlib.Path, tmp_path: pathlib.Path, capsys: Capture) -> None:
    """One line on stderr, exit code 2."""
    path = toml(tmp_path / "small.toml", config_of())
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(pathlib.Path(path).read_text().replace('"qpos"', '"speed"'))
    out, new = str(whole), str(tmp_path / "new")
    cases = [
        (["generate", "none.toml", "--out", new], "no configuration at 'none.toml', nor a shipped one of that name"),
        (
            ["generate", str(wrong), "--out", new],
            "record has 'speed', which is no field: allowed are time, status",
        ),
        (["generate", path, "--out", out], "has a dataset already: go on with it by --resume"),
        (["generate", path, "--out", new, "--workers", "0"], "--workers is 0: a positive integer is expected"),
        (
            ["generate", path, "--out", new, "--batch", "9"],
            "--batch is 9: 1 to 3, the episodes of a shard",
        ),
        (["generate", path, "--out", new, "--device", "abacus"], "available here are cpu"),
        (["generate", path, "--out", str(tmp_path / "no" / "a")], "there is no folder"),
        (["dataset", "info", str(tmp_path)], "no dataset at"),
        (["dataset", "info", out, "--out", "a.png"], "--out is an option of plot, not of info"),
        (["dataset", "verify", out, "--json"], "--json is an option of info, not of verify"),
        (["dataset", "plot", out, "--out", "a.pdf"], "ends in .png"),
        (["dataset", "minari", out], "minari needs --id"),
    ]
    for words, message in cases:
        assert main(words) == 2, words
        text = capsys.readouterr()
        lines = [line for line in text.err.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1 and message in lines[0] and "Traceback" not in text.err, (words, text.err)
        assert text.out == "", words
    assert not (tmp_path / "new" / "shard_00000").exists()
