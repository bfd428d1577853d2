"""Shards as tasks on Ray, with two workers of this machine."""

import pathlib

import pytest

from mjorbit_warp import datasets
from tests.dataset_cases import KILLER, arrays_of, config_of, same

pytest.importorskip("ray")
pytest.importorskip("zarr")


def test_two_workers_one_of_them_killed(tmp_path: pathlib.Path) -> None:
    """The shard of the worker that dies is made by another one, to the same bits; nothing is left of the first."""
    (tmp_path / "dataset_killer_ray.py").write_text(KILLER)
    config = config_of(tmp_path, policy={"kind": "python", "entry": "dataset_killer_ray:policy", "factory": True})
    datasets.generate(config, tmp_path / "whole")
    (tmp_path / "once").touch()
    done = datasets.generate(config, tmp_path / "a", workers=2, ray="local")
    assert not (tmp_path / "once").exists()  # it has been killed
    assert (done.made, done.episodes, done.bad) == (3, 7, {})
    assert datasets.open(tmp_path / "a").verify() == [] and not list((tmp_path / "a").glob("*.part"))
    assert same(arrays_of(tmp_path / "a"), arrays_of(tmp_path / "whole"))


def test_an_error_in_a_task(tmp_path: pathlib.Path) -> None:
    """It is that of the call."""
    (tmp_path / "dataset_wide_ray.py").write_text("def wide(data):\n    return [[0.0] * 3] * data.nworld\n")
    config = config_of(tmp_path, policy={"kind": "python", "entry": "dataset_wide_ray:wide"})
    with pytest.raises(ValueError, match=r"what the policy returned has shape \(3, 3\): \(3, 8\) is expected"):
        datasets.generate(config, tmp_path / "a", workers=1, ray="local")
