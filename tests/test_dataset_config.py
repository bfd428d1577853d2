"""Configurations of datasets: what is refused, in one sentence, and what fields are."""

import json
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp.datasets.batch import BatchMaker
from mjorbit_warp.datasets.config import load_config, read_config
from mjorbit_warp.datasets.fields import EVALUATION, ROW, SENSED, describe, elements
from mjorbit_warp.datasets.job import differences
from mjorbit_warp.datasets.policies import command_ranges, cubic_b_spline, spline_knots
from mjorbit_warp.models import model_path
from mjorbit_warp.rollout_fields import field_names
from tests.conftest import compile_model
from tests.dataset_cases import SMALL, changed


def test_no_extra_is_imported_early() -> None:
    code = (
        "import sys, mjorbit_warp.datasets\n"
        "bad = {'zarr', 'h5py', 'ray', 'minari', 'torch', 'tyro', 'rich', 'matplotlib'} & sys.modules.keys()\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], cwd=pathlib.Path(__file__).parent.parent, check=True)


def test_the_shipped_example() -> None:
    config = load_config("two_arm")
    assert (config.episodes.count, config.episodes.nrow, config.episodes.nshard) == (64, 40, 4)
    assert config.randomize["body_mass"] == mjo.Uniform(0.8, 1.25, relative=True)
    assert read_config(json.loads(json.dumps(config.to_dict()))) == config
    assert [len(config.episodes.shard(i)) for i in range(4)] == [16] * 4
    small = read_config(SMALL)
    assert [list(small.episodes.shard(i)) for i in range(3)] == [[0, 1, 2], [3, 4, 5], [6]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "the configuration needs the key 'scenario'"),
        (changed(senario={}), "the configuration has no key 'senario': allowed are scenario, episodes, start, record"),
        (changed(scenario={"modell": "x"}), "scenario has no key 'modell': allowed are model, task, tle"),
        (changed(scenario={"task": "reorient"}), "scenario needs either model or task"),
        (changed(scenario={"tle": "iss"}), "scenario has both tle and orbit"),
        (changed(scenario={"integrator": "rk4"}), "scenario.integrator is 'rk4': allowed are RK4, implicitfast"),
        (changed(scenario={"timestep": "0.1"}), "scenario.timestep is '0.1': a number is expected"),
        (changed(episodes={"count": 0}), "episodes.count is 0: a positive integer"),
        (changed(episodes={"count": 2.5}), "episodes.count is 2.5: an integer is expected"),
        (changed(episodes={"count": True}), "episodes.count is True: an integer is expected"),
        (changed(episodes={"duration": 2.1}), "is 4.2 rows: a whole number"),
        (changed(episodes={"seed": -1}), "seed is -1"),
        (changed(record={"fields": "qpos"}), "record.fields is 'qpos': a list is expected"),
        (changed(record={"fields": ["qpos", "qpos"]}), "distinct names are expected"),
        (changed(start={"spread": -1.0}), "start.spread is -1.0: 0 or a positive number"),
        (changed(policy={"kind": "clever"}), "policy.kind is 'clever': allowed are none, smooth, mppi, python"),
        (changed(policy={"kind": "smooth", "interval": 0.0}), "policy.interval is 0.0: a positive number"),
        (changed(policy={"kind": "python"}), "policy needs the key 'entry'"),
        (changed(policy={"kind": "python", "entry": "a:b", "options": {"x": 1}}), "set policy.factory = true"),
        (changed(randomize={"body_mass": {"distribution": "flat"}}), "randomize.body_mass needs distribution = one of"),
        (changed(randomize={"body_mass": {"distribution": "uniform", "low": 1.0}}), "needs the key 'high'"),
        (changed(randomize={"body_mass": {"distribution": "normal", "mean": 1.0, "std": -1.0}}), "std is -1"),
        (changed(cameras=[{"name": "a"}, {"name": "a"}]), "distinct names are expected"),
        (changed(cameras=[{"name": "a", "width": 0}]), "camera 'a': width is 0: a positive integer"),
        (changed(sensors={"add": [{"name": "g", "type": "gyro"}]}), "'g' needs one of site, body and wheel"),
        (changed(format="csv"), "format is 'csv': allowed are zarr, hdf5"),
    ],
)
def test_refused_before_anything_is_loaded(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_config(table)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"scenario": {"model": "none"}}, "nor a shipped model of that name"),
        ({"scenario": {"orbit": {"altitude": 4e5, "epoch": "soon"}}}, "scenario.orbit.epoch is 'soon': a UTC date"),
        (
            {"episodes": {"rate": 3.0, "duration": 1.0}},
            "whole number of steps is expected, for instance at 3.33333",
        ),
        ({"record": {"fields": ["qpos", "speed"]}}, "record has 'speed', which is no field: allowed are time, status"),
        ({"randomize": {"body_weight": {"distribution": "uniform", "low": 1, "high": 2}}}, "body_weight"),
        ({"randomize": {"body_mass": {"distribution": "uniform", "low": -2, "high": -1}}}, "in world 0: positive"),
        ({"policy": {"kind": "smooth"}}, "policy.amplitude is needed: not every command of the model has a ctrlrange"),
        ({"policy": {"kind": "smooth", "amplitude": [1.0, 2.0]}}, "one number or 8, none negative, are expected"),
        ({"policy": {"kind": "python", "entry": "nothing"}}, "module:function is expected"),
        ({"policy": {"kind": "python", "entry": "no_such_module_here:f"}}, "there is no module 'no_such_module_here'"),
        ({"policy": {"kind": "python", "entry": "json:f"}}, "json has no function 'f', but "),
        ({"policy": {"kind": "mppi"}}, "policy.cost is needed"),
        ({"cameras": [{"name": "eye"}]}, "cameras has 'eye', which the model has not: allowed are none in this model"),
        ({"cameras": [{"name": "eye", "body": "moon"}]}, "there is no body 'moon': allowed are world, bus, L_sh1"),
        ({"sensors": {"add": [{"name": "g", "type": "gyro", "body": "b"}]}}, "there is no body 'b': allowed are bus"),
        (
            {"sensors": {"add": [{"name": "g", "type": "sonar", "body": "bus"}]}},
            "sensor g: type is 'sonar'",
        ),
    ],
)
def test_refused_before_steps_are_compiled(parts: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError)) as caught:
        BatchMaker(read_config(changed(**parts)), 1)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nor a shipped one of that name \(two_arm\)"):
        load_config(tmp_path / "none.toml")
    path = tmp_path / "bad.toml"
    path.write_text("[scenario\n")
    with pytest.raises(ValueError, match=r"bad.toml is not a TOML file"):
        load_config(path)
    path.write_text("[episodes]\ncount = 1\n")
    with pytest.raises(ValueError, match=r"bad.toml: the configuration needs the key 'scenario'"):
        load_config(path)


def test_parameters_with_a_dot_and_names() -> None:
    table = changed(
        randomize={
            "opt": {"timestep": {"distribution": "choice", "values": [0.05, 0.1]}},
            "dof_damping": {"distribution": "uniform", "low": 0.1, "high": 0.2, "names": ["L_yaw", "R_yaw"]},
        }
    )
    drawn = read_config(table).randomize
    assert drawn == {
        "opt.timestep": mjo.Choice([0.05, 0.1]),
        "dof_damping": mjo.Uniform(0.1, 0.2, names=("L_yaw", "R_yaw")),
    }


def test_every_field_is_described(two_arm: mjo.MjoModel) -> None:
    d = mjo.make_data(two_arm, precision="shadow")
    for name in field_names(two_arm, d):
        field = describe(two_arm, name)
        assert all((field.units, field.frame, field.description)) and field.when in (ROW, EVALUATION, SENSED), name
    assert describe(two_arm, "qfrc_passive").units == "N, N·m" and describe(two_arm, "xipos").when == ROW
    assert describe(two_arm, "qacc").when == EVALUATION and describe(two_arm, "sensordata").when == SENSED
    for name, size in (("qpos", 15), ("qvel", 14), ("xpos", 10), ("ctrl", 8)):
        names = elements(two_arm, name)
        assert names is not None and len(names) == len(set(names)) == size
    assert elements(two_arm, "qpos")[6:9] == ["bus_free.qz", "L_yaw", "L_pitch"]  # type: ignore[index]


def test_the_spline_is_a_cubic_b_spline() -> None:
    """Against the basis by Cox and de Boor's recursion, and smooth to the second derivative."""

    def basis(i: int, k: int, x: float) -> float:
        if k == 0:
            return float(i <= x < i + 1)
        return (x - i) / k * basis(i, k - 1, x) + (i + k + 1 - x) / k * basis(i + 1, k - 1, x)

    rng = np.random.default_rng(0)
    knots = rng.uniform(-1.0, 1.0, (spline_knots(7.0, 1.0), 2))
    for u in (0.0, 0.3, 1.0, 4.999, 6.5, 7.0):
        whole = sum(knots[j] * basis(j - 3, 3, u) for j in range(len(knots)))
        assert np.abs(cubic_b_spline(knots, u) - whole).max() < 1e-14
    h = 1e-4  # across a knot the second derivative goes on: the third is at most 8
    left, right = (
        (cubic_b_spline(knots, x - h) - 2 * cubic_b_spline(knots, x) + cubic_b_spline(knots, x + h)) / h**2
        for x in (3.0 - h, 3.0 + h)
    )
    assert np.abs(left - right).max() < 8.0 * 2.0 * h + 1e-6


def test_ranges_of_commands() -> None:
    model = compile_model("box_satellite")
    assert command_ranges(model).shape == (model.mj.nu, 2)
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    spec.add_thruster("jet", "bus", pos=(0, 0, 0), direction=(0, 0, 1), max_force=2.0)
    spec.orbit = mjo.Orbit.circular(altitude=4e5)
    assert np.array_equal(command_ranges(spec.compile()), [[0.0, 2.0]])


def test_differences_are_named() -> None:
    a = {"config": {"seed": 1, "scenario": {"model": "x"}}, "versions": {"mujoco": "3"}, "fields": {"q": 1}}
    b = {"config": {"seed": 2, "scenario": {"model": "x"}}, "versions": {"mujoco": "4", "numpy": "2"}, "fields": {}}
    assert differences(a, b) == "config.seed: 1 → 2; versions.mujoco: 3 → 4; versions.numpy: none → 2"
    assert differences(a, a) == ""
