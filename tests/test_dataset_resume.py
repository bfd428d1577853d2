"""Datasets that were stopped: processes that are killed, disks that are full, folders that are not ours."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from mjorbit_warp import datasets
from mjorbit_warp.datasets import shard
from mjorbit_warp.datasets.generate import generate
from mjorbit_warp.datasets.progress import Progress
from tests.dataset_cases import FULL, KILLER, arrays_of, config_of, same, toml, whole_dataset

ROOT = pathlib.Path(__file__).parent.parent
pytest.importorskip("zarr")


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A finished dataset of ``config_of()``."""
    return whole_dataset(tmp_path_factory.getbasetemp())


def start(*words: str, **more: Any) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "mjorbit_warp", *words]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True, **more)


def wait_for(condition: Any, seconds: float = 60.0) -> None:
    """Until it is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_and_resumed(whole: pathlib.Path, tmp_path: pathlib.Path, workers: int) -> None:
    """SIGKILL once the first shard is there: the rest is made later, to the same bits, and nothing twice."""
    out, path = tmp_path / "a", toml(tmp_path / "a.toml", config_of())
    with start("generate", path, "--out", str(out), "--workers", str(workers), "--batch", "1") as process:
        wait_for(lambda: shard.shard_path(out, 0).is_dir() or shard.shard_path(out, 1).is_dir())
        process.send_signal(signal.SIGKILL)
    before = [i for i in range(3) if shard.shard_path(out, i).is_dir()]
    assert before and all(not shard.check_shard(shard.shard_path(out, i)) for i in before)
    (out / ".shard_00002.1.cut.part").mkdir()  # what a process leaves that is killed while it writes
    done = generate(config_of(), out, resume=True)
    assert done.made <= 3 - len(before) and done.shards == 3  # workers may have ended what they were at
    assert datasets.open(out).verify() == [] and not list(out.glob("*.part"))
    assert same(arrays_of(out), arrays_of(whole))
    again = generate(config_of(), out, resume=True)
    assert (again.made, again.steps) == (0, 0)


WRITER = """
import sys
import numpy as np
from mjorbit_warp.datasets.shard import write_shard
rng = np.random.default_rng(0)
print("ready", flush=True)
for index in range(10**6):
    arrays = {f"a{k}": rng.normal(size=(4, 1000)) for k in range(6)}
    arrays |= {f"episode/{n}": np.arange(4) * 0 for n in ("index", "length", "status", "bad_ctrl")}
    about = {"config": {"format": sys.argv[2]}, "fields": {}}
    write_shard(sys.argv[1], index, arrays, {}, about, "<mujoco/>", b"model")
"""


@pytest.mark.parametrize("store", ["zarr", "hdf5"])
def test_killed_while_it_writes(tmp_path: pathlib.Path, store: str) -> None:
    """At any moment: what has its name is whole, and what is not goes."""
    rng, cut = np.random.default_rng(1), 0
    for k in range(2):
        out = tmp_path / str(k)
        out.mkdir()
        command = [sys.executable, "-c", WRITER, str(out), store]
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            wait_for(lambda: shard.shard_path(out, 0).is_dir())  # noqa: B023
            time.sleep(rng.uniform(0.0, 0.2))
            process.kill()
        shards = sorted(out.glob("shard_*"))
        assert shards and all(shard.check_shard(path) == [] for path in shards)
        cut += len(list(out.glob(".*.part")))
        shard.clean(out)
        assert sorted(out.iterdir()) == shards
    assert cut  # at least one was killed in the middle


def test_a_stop_by_signal(whole: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Ctrl-C, which all processes get, ends it with exit code 130 and a sentence that says how to go on."""
    config = config_of(episodes={"count": 3000})  # minutes
    out, path = tmp_path / "a", toml(tmp_path / "a.toml", config)
    with start("generate", path, "--out", str(out), "--workers", "2", start_new_session=True) as process:
        wait_for(lambda: shard.shard_path(out, 0).is_dir())
        os.killpg(process.pid, signal.SIGINT)
        _, text = process.communicate(timeout=30)
    assert process.returncode == 130
    assert f"of 1000 shards: go on with mjorbit-warp generate {path} --out {out} --resume" in text
    assert "Traceback" not in text and not list(out.glob("*.part"))
    ours = {name: values[:3] for name, values in arrays_of(out).items()}
    assert same(ours, {name: values[:3] for name, values in arrays_of(whole).items()})


@pytest.fixture
def killing(tmp_path: pathlib.Path) -> datasets.Config:
    """A policy that kills the worker which makes shard 1, once or always."""
    (tmp_path / "dataset_killer.py").write_text(KILLER)
    return config_of(tmp_path, policy={"kind": "python", "entry": "dataset_killer:policy", "factory": True})


def test_two_workers_one_of_which_dies(killing: datasets.Config, tmp_path: pathlib.Path) -> None:
    """Another one takes its place and makes its shard anew: bits are those of one process."""
    generate(killing, tmp_path / "whole")
    (tmp_path / "once").touch()
    done = generate(killing, tmp_path / "a", workers=2)
    assert done.notes == ("the worker that made shard 1 was killed by SIGKILL: the shard is made anew",)
    assert same(arrays_of(tmp_path / "a"), arrays_of(tmp_path / "whole"))


def test_a_shard_that_kills_its_workers(killing: datasets.Config, tmp_path: pathlib.Path) -> None:
    (tmp_path / "always").touch()
    with pytest.raises(
        ChildProcessError, match="shard 1 was given up: 3 workers died in it, the last one ended with exit"
    ):
        generate(killing, tmp_path / "a", workers=2)
    assert {p.name for p in (tmp_path / "a").glob("*shard*")} <= {"shard_00000", "shard_00002"}


def test_what_a_worker_says(tmp_path: pathlib.Path) -> None:
    """An error in a worker is that of the call."""
    (tmp_path / "dataset_wide.py").write_text("def wide(data):\n    return [[0.0] * 3] * data.nworld\n")
    config = config_of(tmp_path, policy={"kind": "python", "entry": "dataset_wide:wide"})
    with pytest.raises(ValueError, match=r"what the policy returned has shape \(3, 3\): \(3, 8\) is expected"):
        generate(config, tmp_path / "a", workers=2)


def test_what_is_not_gone_on_with(whole: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Other configurations and versions are refused with the difference; so is a folder that is not one."""
    out = tmp_path / "a"
    shutil.copytree(whole, out)
    with pytest.raises(ValueError, match="has a dataset already: go on with it by --resume"):
        generate(config_of(), out)
    other = config_of(episodes={"seed": 5}, start=FULL["start"] | {"spread": 6.0})
    with pytest.raises(ValueError, match=r"config.episodes.seed: 0 → 5; config.start.spread: 5.0 → 6.0; seed: 0 → 5$"):
        generate(other, out, resume=True)
    path = out / "shard_00001" / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"versions": manifest["versions"] | {"mujoco": "3.9.0"}}))
    with pytest.raises(ValueError, match=r"shard_00001 was made otherwise.*: versions.mujoco: 3.9.0 → \d"):
        generate(config_of(), out, resume=True)
    with open(out / "shard_00000" / "model.xml", "a") as file:
        file.write(" ")
    with pytest.raises(
        ValueError, match=r"model.xml has \d+ bytes, \d+ were written: delete .*shard_00000' to have it"
    ):
        generate(config_of(), out, resume=True)
    shutil.rmtree(out / "shard_00000")
    shutil.rmtree(out / "shard_00001")
    assert generate(config_of(), out, resume=True).made == 2
    assert same(arrays_of(out), arrays_of(whole))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "thesis.tex").touch()
    for resume in (False, True):
        with pytest.raises(ValueError, match="is not empty, and no dataset"):
            generate(config_of(), tmp_path / "b", resume=resume)
    assert generate(config_of(episodes={"count": 1}), tmp_path / "c", resume=True).made == 1  # a script may always ask


def test_folders_that_cannot_be_written(tmp_path: pathlib.Path) -> None:
    with pytest.raises(OSError, match="the dataset cannot be written in '/proc/dataset': "):
        generate(config_of(), "/proc/dataset")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        generate(config_of(), tmp_path / "none" / "a")
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="that is a file, a folder is expected"):
        generate(config_of(), tmp_path / "file")
    for words, message in (
        ({"workers": 0}, "--workers is 0"),
        ({"batch": 4}, "--batch is 4: 1 to 3, the episodes of a"),
    ):
        with pytest.raises(ValueError, match=message):
            generate(config_of(), tmp_path / "a", **words)  # type: ignore[arg-type]


@pytest.mark.parametrize("store", ["zarr", "hdf5"])
def test_no_room(tmp_path: pathlib.Path, store: str) -> None:
    """A limit on the size of files, as a full disk: one sentence, and nothing of the shard."""
    config = config_of(format=store, episodes={"duration": 20.0})  # shards of 20 kB
    out = tmp_path / "a"
    generate(config_of(format=store, episodes={"duration": 20.0, "count": 3}), tmp_path / "small")
    largest = max(p.stat().st_size for p in (tmp_path / "small" / "shard_00000").rglob("*") if "data" in str(p))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest // 2, before[1]))
    try:
        with pytest.raises(OSError, match=r"shard 0 cannot be written in .*: ") as caught:
            generate(config, out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "\n" not in str(caught.value)
    assert sorted(p.name for p in out.iterdir()) == [".lock", "dataset.json"]
    assert generate(config, out, resume=True).made == 3


def test_a_full_disk(tmp_path: pathlib.Path) -> None:
    """A file system of 200 kB: the shards that fit stay."""
    out = tmp_path / "disk"
    out.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(out)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        with pytest.raises(OSError, match=r"shard 1 cannot be written in .*: No space left on device"):
            generate(config_of(), out / "a")
        assert sorted(p.name for p in (out / "a").iterdir()) == [".lock", "dataset.json", "shard_00000"]
        assert shard.check_shard(out / "a" / "shard_00000") == []
    finally:
        subprocess.run(["umount", str(out)], check=True)


def test_one_process_at_a_time(tmp_path: pathlib.Path) -> None:
    """A second one is refused; the lock goes with the first."""

    class Second(Progress):
        def shard(self, index: int, bad: dict[str, dict[str, Any]]) -> None:
            super().shard(index, bad)
            with pytest.raises(ValueError, match="another process is making the dataset"):
                generate(config_of(), tmp_path / "a", resume=True)

    assert generate(config_of(), tmp_path / "a", progress=Second()).made == 3


def test_damage_is_found(whole: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "a"
    shutil.copytree(whole, out)
    data = out / "shard_00001" / "data.zarr" / "qpos" / "c" / "0" / "0" / "0"
    content = bytearray(data.read_bytes())
    content[40] ^= 1
    data.write_bytes(content)
    (out / "shard_00000" / "model.xml").unlink()
    (out / "shard_00000" / "note.txt").touch()
    shutil.rmtree(out / "shard_00002")
    (out / "shard_00007").mkdir()
    assert datasets.open(out).verify() == [
        "shard 2 is missing",
        "shard_00000: model.xml is missing",
        "shard_00000: note.txt does not belong there",
        "shard_00001: data.zarr/qpos/c/0/0/0 is not what was written: its checksum differs",
        "shard_00007 does not belong there",
    ]
    (out / "shard_00000" / "manifest.json").write_text("{}")
    with pytest.raises(ValueError, match="is no shard of a dataset, or damaged"):
        datasets.open(out)
    with pytest.raises(FileNotFoundError, match=r"no dataset at .*: a folder with dataset.json is expected"):
        datasets.open(tmp_path)


def test_cleaning_beside_a_process_that_lives(whole: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A worker that outlived its parent gives its shard its name while what it left is removed: whole, or not there."""
    part, path = tmp_path / ".shard_00000.7.abc.part", shard.shard_path(tmp_path, 0)
    shutil.copytree(shard.shard_path(whole, 0), part)
    rmtree, said = shutil.rmtree, []

    def halfway(folder: Any, **more: Any) -> None:
        (pathlib.Path(folder) / "manifest.json").unlink()
        try:
            os.rename(part, path)  # what the worker does at this moment
        except FileNotFoundError:
            said.append("refused")
        rmtree(folder, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "rmtree", halfway)
        shard.clean(tmp_path)
    assert said == ["refused"] and list(tmp_path.iterdir()) == []


def test_a_worker_whose_folder_was_removed(tmp_path: pathlib.Path) -> None:
    """Its store would make the folder again, with the arrays that were still to come: no shard is made of those."""
    arrays = {f"a{k}": np.zeros((4, 3)) for k in range(3)}
    arrays |= {f"episode/{n}": np.arange(4) * 0 for n in ("index", "length", "status", "bad_ctrl")}
    about = {"config": {"format": "zarr"}, "fields": {}}
    write = shard.STORES["zarr"].write

    def removed(part: str, *more: Any) -> None:
        shard.clean(tmp_path)
        write(part, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shard.STORES["zarr"], "write", removed)
        with pytest.raises(OSError, match=r"shard 0 cannot be written in .*: another process has removed it"):
            shard.write_shard(tmp_path, 0, arrays, {}, about, "<mujoco/>", b"model")
    assert list(tmp_path.iterdir()) == []
    shard.write_shard(tmp_path, 0, arrays, {}, about, "<mujoco/>", b"model")
    assert not shard.check_shard(shard.shard_path(tmp_path, 0))
