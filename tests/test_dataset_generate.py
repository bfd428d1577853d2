"""Making datasets: bits that depend on the episode alone, policies, sensors, images, and what a shard says."""

import dataclasses
import json
import pathlib
from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

import mjorbit_warp as mjo
from mjorbit_warp import datasets
from mjorbit_warp.datasets.batch import BatchMaker
from mjorbit_warp.datasets.config import Config, read_config
from mjorbit_warp.datasets.shard import sha256, shard_path
from tests.dataset_cases import arrays_of, config_of, same, whole_dataset

pytest.importorskip("zarr")
pytest.importorskip("h5py")


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A finished dataset of ``config_of()``."""
    return whole_dataset(tmp_path_factory.getbasetemp())


def test_what_a_shard_says(whole: pathlib.Path) -> None:
    assert sorted(p.name for p in whole.iterdir()) == [".lock", "dataset.json", *(f"shard_0000{i}" for i in range(3))]
    manifest = json.loads((shard_path(whole, 2) / "manifest.json").read_text())
    assert manifest["episodes"] == [6, 7] and manifest["seed"] == 0 and manifest["bad"] == {}
    assert read_config(manifest["config"]) == config_of()
    assert manifest["versions"]["mujoco"] == mujoco.__version__
    assert manifest["fields"]["sensor:gyro"] == {
        "units": "rad/s",
        "frame": "site axes, relative to ECI",
        "description": "gyro",
        "when": "the start of the row's last step",
    }
    assert manifest["fields"]["qvel"]["elements"][:2] == ["bus_free.vx", "bus_free.vy"]
    assert manifest["arrays"]["qpos"] == [[1, 5, 15], "float32"] and manifest["arrays"]["ctrl"] == [
        [1, 4, 8],
        "float32",
    ]
    for name, file in manifest["files"].items():
        assert sha256(shard_path(whole, 2) / name) == file["sha256"]
    xml = datasets.open(whole).xml
    assert xml is not None
    spec = mjo.MjoSpec.from_string(xml)
    assert spec.orbit == mjo.Orbit.circular(altitude=4e5, inclination=0.9)
    assert spec.compile().sensors.names == ("gyro",) or list(spec.compile().sensors.names) == ["gyro"]


def test_episodes_are_what_stepping_them_gives(whole: pathlib.Path) -> None:
    """Episode 4, made by hand: drawn parameters, start, noise and commands in one world of its own."""
    data = datasets.open(whole)
    episode = data.episode(4)
    assert data.xml is not None
    model = mjo.MjoSpec.from_string(data.xml).compile()
    d = mjo.make_data(model, 1, seed=0)
    mjo.randomize(model, d, config_of().randomize, seed=0, first=4)
    assert np.array_equal(episode["parameters/body_mass"], model.body_mass.numpy()[0].astype(np.float64))
    d.qpos.assign(episode["qpos"][:1])
    d.qvel.assign(episode["qvel"][:1])
    d.sensors.stream.assign(np.array([4], dtype=np.int32))
    out = mjo.rollout(model, d, episode["ctrl"][:, None], decimation=5, record=("qpos", "qvel", "xipos", "sensor:gyro"))
    # the model went through six digits of MJCF, which is worth 1e-6 of masses and forces
    for name, tolerance in (("qpos", 2e-6), ("qvel", 2e-6), ("xipos", 2e-6), ("sensor:gyro", 1e-5)):
        assert np.abs(out[name].numpy()[:, 0] - episode[name][1:]).max() < tolerance, name
    assert episode["time"] == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0], abs=1e-6)
    assert np.linalg.norm(episode["qvel"][0, 3:6]) == pytest.approx(0.02, rel=1e-6)
    assert np.abs(episode["qpos"][0, 7:]).max() <= 0.4 and np.linalg.norm(episode["qpos"][0, :3]) <= 5.0
    gyro = np.asarray(data["sensor:gyro"])
    assert np.abs(gyro[:, 0] - np.asarray(data["qvel"])[:, 0, 3:6]).max() < 7.0 * 1e-3  # its noise alone


def test_episodes_differ(whole: pathlib.Path) -> None:
    arrays = arrays_of(whole)
    for name in ("qpos", "qvel", "ctrl", "sensor:gyro", "parameters/body_mass"):
        assert len({episode.tobytes() for episode in arrays[name]}) == 7, name
    assert np.abs(arrays["ctrl"]).max() <= 0.7 and arrays["episode/index"].tolist() == list(range(7))
    assert (arrays["episode/length"] == 5).all() and not arrays["episode/status"].any()


@pytest.mark.parametrize("batch", [1, 2])
def test_the_batch_does_not_matter(whole: pathlib.Path, tmp_path: pathlib.Path, batch: int) -> None:
    """Also to files: shards are the same to the byte."""
    datasets.generate(config_of(), tmp_path / "a", batch=batch)
    assert same(arrays_of(tmp_path / "a"), arrays_of(whole))
    for index in range(3):
        ours, theirs = (datasets.open(p).manifests[index]["files"] for p in (tmp_path / "a", whole))
        assert ours == theirs


def test_the_size_of_shards_and_the_store_do_not_matter(whole: pathlib.Path, tmp_path: pathlib.Path) -> None:
    datasets.generate(config_of(episodes={"per_shard": 5}, format="hdf5"), tmp_path / "a")
    assert len(datasets.open(tmp_path / "a").manifests) == 2
    assert same(arrays_of(tmp_path / "a"), arrays_of(whole))


def test_reading_parts(whole: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """As NumPy's indexing of the whole array, from both stores."""
    datasets.generate(config_of(format="hdf5"), tmp_path / "h5")
    for folder in (whole, tmp_path / "h5"):
        array = datasets.open(folder)["qpos"]
        full = array[:]
        assert array.shape == full.shape == (7, 5, 15) and len(array) == 7
        keys: list[Any] = [3, -1, slice(1, 6, 2), slice(None, None, -1), [5, 0, 5], np.arange(7) > 4, ..., (..., 2)]
        keys += [(2, 1), (slice(2, 4), 0, slice(3)), ([6, 2], slice(None), 4), slice(3, 3)]
        for key in keys:
            assert np.array_equal(array[key], full[key]), key
        with pytest.raises(IndexError, match="no episode 7: it has 7"):
            array[7]
        with pytest.raises(KeyError, match="'speed' is not in the dataset: it has time, qpos"):
            datasets.open(folder)["speed"]


POLICY = """
import os, signal
import numpy as np

def hold(data):
    return -0.5 * data.qpos.numpy()[:, 7:15]

def broken(model, data, episodes, seed, bad):
    def command(d):
        out = np.full((d.nworld, model.nu), 0.1)
        out[episodes == bad, 3] = np.nan
        return out
    return command

def wide(data):
    return np.zeros((data.nworld, 3))

def no_function(model, data, episodes, seed):
    return 7

def cost(model):
    def value(rollout):
        out = np.sum(rollout["qvel"].numpy()[-1, :, 6:] ** 2, axis=-1)
        out[1] = np.nan
        return out
    return value

def lost(model):
    return lambda rollout: np.full(rollout["qvel"].shape[1], np.inf)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A configuration's folder with policies."""
    path = tmp_path_factory.mktemp("policies")
    (path / "dataset_policies.py").write_text(POLICY)
    return path


def made(config: Config, nworld: int, *parts: tuple[int, int]) -> tuple[dict[str, NDArray[Any]], dict[int, list[str]]]:
    """Batches of a maker, together."""
    maker = BatchMaker(config, nworld)
    batches = [maker.make(first, count) for first, count in parts]
    arrays = {n: np.concatenate([b.arrays[n] for b in batches]) for n in batches[0].arrays}
    return arrays, {episode: texts for b in batches for episode, texts in b.notes.items()}


def test_a_function(folder: pathlib.Path) -> None:
    config = config_of(folder, policy={"kind": "python", "entry": "dataset_policies:hold"})
    arrays, _ = made(config, 2, (0, 2), (2, 1))
    assert np.array_equal(arrays["ctrl"], np.float32(-0.5) * arrays["qpos"][:, :-1, 7:])
    assert same(made(config, 3, (0, 3))[0], arrays)


def test_commands_that_are_not_finite(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """They are taken as 0, and the episode is named."""
    policy = {"kind": "python", "entry": "dataset_policies:broken", "factory": True, "options": {"bad": 4}}
    done = datasets.generate(config_of(folder, policy=policy), tmp_path / "a")
    assert done.bad == {"4": {"status": [], "length": 5, "notes": ["commands that were not finite were taken as 0"]}}
    data = datasets.open(tmp_path / "a")
    assert data.bad.keys() == {4} and np.flatnonzero(data["episode/bad_ctrl"]).tolist() == [4]
    expected = np.full((7, 4, 8), 0.1, dtype=np.float32)
    expected[4, :, 3] = 0.0
    assert np.array_equal(data["ctrl"], expected)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"entry": "dataset_policies:wide"}, r"what the policy returned has shape \(1, 3\): \(1, 8\) is expected"),
        ({"entry": "dataset_policies:no_function", "factory": True}, "returned a int: a function is expected"),
    ],
)
def test_policies_that_do_not_fit(folder: pathlib.Path, policy: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(config_of(folder, policy={"kind": "python"} | policy), 1, (0, 1))


def test_worlds_that_are_lost_are_named(tmp_path: pathlib.Path) -> None:
    """Steps far too large for the servos: rows after the loss repeat the last one, and are not counted."""
    table = {"timestep": 5.0}
    config = config_of(
        scenario=table,
        episodes={"rate": 0.2, "duration": 150.0, "count": 3},
        sensors={"add": []},
        record={"fields": ["qpos"]},
        start={"spin": 0.05},
    )
    done = datasets.generate(config, tmp_path / "a")
    data = datasets.open(tmp_path / "a")
    assert set(done.bad) == {"0", "1", "2"} and all("NONFINITE" in what["status"] for what in done.bad.values())
    for index, what in data.bad.items():
        rows = data.episode(index)["qpos"]
        assert len(rows) == what["length"] < 31
        assert np.isfinite(rows[:-1]).all() and not np.isfinite(rows[-1]).all()


def test_planning_with_a_cost_of_ones_own(folder: pathlib.Path) -> None:
    """Rollouts whose cost is not finite are left out and named; each episode has its own plan, whatever the batch."""
    policy = {"kind": "mppi", "nrollout": 4, "cost": "dataset_policies:cost", "options": {"horizon": 1.0, "sigma": 0.3}}
    config = config_of(folder, policy=policy, episodes={"duration": 1.0})
    arrays, notes = made(config, 2, (0, 2), (2, 1))
    assert notes == {e: [f"row {k}: rollouts 1 had no finite cost and were left out" for k in (0, 1)] for e in range(3)}
    assert same(made(config, 1, (2, 1))[0], {name: values[2:] for name, values in arrays.items()})
    assert len({c.tobytes() for c in arrays["ctrl"].reshape(6, 8)}) == 6
    lost = dataclasses.replace(config, policy=dataclasses.replace(config.policy, cost="dataset_policies:lost"))
    arrays, notes = made(lost, 1, (0, 1))
    assert notes[0] == [f"row {k}: no rollout had a finite cost, the plan before was kept" for k in (0, 1)]
    assert not arrays["ctrl"].any()


def test_the_task_reorient() -> None:
    """Commands are those of its planner, and make the arms move; the MJCF is the plant's, with orbit and surfaces."""
    table = {
        "scenario": {"task": "reorient"},
        "episodes": {"count": 2, "duration": 0.6, "rate": 1 / 0.3, "per_shard": 1},
        "policy": {"kind": "mppi", "nrollout": 4},
        "record": {"fields": ["qpos"]},
    }
    maker = BatchMaker(read_config(table), 1)
    assert maker.decimation == 6
    plant = mjo.MjoSpec.from_string(maker.xml)
    assert plant.orbit is not None and plant.compile().mj.nsite >= 6
    arrays = maker.make(1, 1).arrays
    assert arrays["ctrl"].shape == (1, 2, 8) and 0.0 < np.abs(arrays["ctrl"]).max() <= 2.5
    assert np.abs(np.diff(arrays["qpos"][0, :, 7:], axis=0)).max() > 1e-4


def test_images(tmp_path: pathlib.Path) -> None:
    """The bus is seen in the middle, nearer than the background; images do not depend on the batch."""
    camera = {"name": "eye", "body": "world", "pos": [4.0, 0.0, 0.0], "xyaxes": [0, 1, 0, 0, 0, 1], "fovy": 60.0}
    config = config_of(
        cameras=[camera | {"width": 24, "height": 16, "depth": True}],
        start={"spread": 0.0, "joints": 0.3},
        episodes={"count": 3, "duration": 0.5},
        record={"fields": ["qpos"]},
    )
    arrays, _ = made(config, 2, (0, 2), (2, 1))
    image, depth = arrays["image:eye"], arrays["depth:eye"]
    assert image.shape == (3, 2, 16, 24, 3) and image.dtype == np.uint8 and depth.shape == (3, 2, 16, 24)
    # the bus' near face is 3.6 m away, and rays in the middle are within 3° of the axis
    assert depth[:, 0, 7:9, 11:13] == pytest.approx(3.6, abs=0.01) and not depth[:, :, 0, 0].any()
    assert image[:, :, 7:9, 11:13].min() > 0
    assert same(made(config, 3, (0, 3))[0], arrays)
    datasets.generate(config, tmp_path / "a")
    assert datasets.open(tmp_path / "a").fields["depth:eye"]["units"] == "m"


def test_a_torchscript_module(tmp_path: pathlib.Path) -> None:
    """Commands are those of the module on the recorded rows, in bits that no batch changes."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(29, 40), torch.nn.Tanh(), torch.nn.Linear(40, 8))
    torch.jit.script(net).save(tmp_path / "policy.pt")
    policy = {"kind": "torchscript", "file": "policy.pt", "observation": ["qpos", "qvel"]}
    config = config_of(tmp_path, policy=policy)
    arrays, _ = made(config, 3, (0, 3), (3, 3), (6, 1))
    rows = np.concatenate([arrays["qpos"], arrays["qvel"]], axis=-1)[:, :-1]
    with torch.no_grad():
        expected = net(torch.as_tensor(rows)).numpy()
    assert np.abs(arrays["ctrl"] - expected).max() < 1e-6  # sums of 40 in float32
    assert same(made(config, 2, (0, 2), (2, 2), (4, 2), (6, 1))[0], arrays)
    for name, observation, message in (
        ("policy.pt", ["qpos"], r"with observations of shape \(32, 15\)"),
        ("none.pt", ["qpos"], "cannot be read as TorchScript"),
    ):
        with pytest.raises(ValueError, match=message):
            made(config_of(tmp_path, policy=policy | {"file": name, "observation": observation}), 1, (0, 1))


def test_export_to_minari(whole: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    from mjorbit_warp.datasets.minari_export import export_minari

    data = datasets.open(whole)
    export_minari(data, "two_arm/smooth-v0")
    theirs = list(minari.load_dataset("two_arm/smooth-v0").iterate_episodes())
    assert len(theirs) == 7
    for position, episode in enumerate(theirs):
        ours = data.episode(position)
        assert np.array_equal(episode.actions, ours["ctrl"])
        assert all(np.array_equal(episode.observations[name], ours[name]) for name in ("qpos", "time", "sensor:gyro"))
        assert episode.truncations.tolist() == [False] * 3 + [True] and not episode.terminations.any()
