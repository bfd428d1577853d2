"""Run files: what they hold, and continuing from them."""

import pathlib
from typing import Any

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import run_file
from mjorbit_warp.cli import main
from mjorbit_warp.models import model_path, tle_path
from mjorbit_warp.recorder import Recorder
from tests.conftest import LEO, compile_model, scatter

ARRAYS = ("world_ids", "time", "t", "qpos", "qvel", "act", "ctrl", "r", "v", "status", "state")
FAULTS = ("faults_first_step", "faults_first_time", "faults_needed")


def saved(path: pathlib.Path, precision: str = "single", nworld: int = 3) -> tuple[mjo.MjoModel, mjo.MjoData]:
    """A run of 3 steps of the two-arm model with commands, records of worlds 2 and 0 before and after, saved."""
    spec = mjo.MjoSpec.from_file(model_path("two_arm"))
    spec.orbit = LEO
    spec.option.timestep = 0.1 / 3.0  # six digits do not hold it
    model = spec.compile()
    d = mjo.make_data(model, nworld=nworld, precision=precision)
    scatter(d, seed=4)
    d.ctrl.assign(np.random.default_rng(1).normal(size=(nworld, 8)))
    recorder = Recorder(d, [2, 0])
    recorder.record()
    for _ in range(3):
        mjo.mjo_step(model, d)
    recorder.record()
    run_file.save_run(path, spec, d, recorder, options={"a": 1.5, "b": None}, command=["x", "y"], seed=7)
    return model, d


@pytest.mark.parametrize("precision", ["single", "shadow"])
def test_round_trip_and_continue(tmp_path: pathlib.Path, precision: str) -> None:
    """Everything comes back, and stepping on gives the bits of the run that was never interrupted."""
    path = tmp_path / "run.npz"
    model, d = saved(path, precision)
    run = mjo.load_run(path)
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]
    assert (run.nworld, run.precision, run.seed, run.timestep) == (3, precision, 7, 0.1 / 3.0)
    assert run.options == {"a": 1.5, "b": None} and run.command == ("x", "y")
    assert run.versions["mujoco"] == mujoco.__version__ and run.versions["mjorbit-warp"] == mjo.__version__
    assert run.world_ids.tolist() == [2, 0]
    assert np.array_equal(run.time, [0.0, d.time.numpy()[0]])
    assert np.array_equal(run.t, run.time)  # the orbit has no epoch
    assert run.qpos.shape == (2, 2, 15) and run.qvel.shape == (2, 2, 14) and run.act.shape == (2, 2, 0)
    assert run.qpos.dtype == (np.float64 if precision == "shadow" else np.float32)
    assert np.array_equal(run.qpos[-1].astype(np.float32), d.qpos.numpy()[[2, 0]])
    assert np.array_equal(run.ctrl[0], d.ctrl.numpy()[[2, 0]])
    assert np.array_equal(run.r[-1], d.orbit.r.numpy()[[2, 0]]) and np.array_equal(run.v[0, 1], LEO.v)
    assert np.array_equal(run.state, mjo.get_state(model, d).numpy())
    assert run.layout == mjo.state_layout(d)
    assert run.bad_worlds() == {} and "2 records of 2 worlds" in repr(run)
    spec = run.spec()
    assert spec.orbit == LEO and spec.option.timestep == 0.1 / 3.0
    if precision == "shadow":
        assert np.array_equal(run.qpos[-1], d.shadow.qpos.numpy()[[2, 0]])
        assert np.any(run.qpos[-1] != run.qpos[-1].astype(np.float32))

    again_model, again = run.restore()
    assert again_model.mj.opt.timestep == model.mj.opt.timestep
    for _ in range(3):
        mjo.mjo_step(model, d)
        mjo.mjo_step(again_model, again)
    assert np.array_equal(mjo.get_state(again_model, again).numpy(), mjo.get_state(model, d).numpy())
    assert np.array_equal(again.qpos.numpy(), d.qpos.numpy()) and np.array_equal(
        again.orbit.t.numpy(), d.orbit.t.numpy()
    )


def test_the_first_shadow_record_is_what_was_written() -> None:
    model = compile_model("two_arm")
    d = mjo.make_data(model, nworld=1, precision="shadow")
    scatter(d)
    recorder = Recorder(d, [0])
    recorder.record()
    assert np.array_equal(recorder.arrays()["qpos"][0], d.qpos.numpy())


def test_one_command_line_run_is_two(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """2 s in captured graphs, and 1 s that is restored and stepped for another second: the same bits."""
    argv = ["run", "two_arm", "--tle", tle_path(), "--nworld", "2", "--spread", "20", "--spin", "2", "--device", "cpu"]
    for name, duration in (("long", "2"), ("short", "1")):
        assert main([*argv, "--duration", duration, "--out", str(tmp_path / f"{name}.npz")]) == 0
    long, short = (mjo.load_run(tmp_path / f"{name}.npz") for name in ("long", "short"))
    model, d = short.restore(device="cpu")
    step = mjo.capture(model, d, nstep=5)
    step()
    step()
    assert np.array_equal(mjo.get_state(model, d).numpy(), long.state)
    assert np.array_equal(short.qpos, long.qpos[:11])
    capsys.readouterr()


def test_status_comes_back(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "run.npz"
    spec = mjo.MjoSpec.from_file(model_path("two_arm"))
    spec.orbit = LEO
    d = mjo.make_data(spec.compile(), nworld=2)
    d.qvel.assign(np.stack([np.zeros(14), np.full(14, np.nan)]))
    recorder = Recorder(d, [0])
    mjo.mjo_step(d.model, d)
    recorder.record()
    run_file.save_run(path, spec, d, recorder, options={}, command=[])
    run = mjo.load_run(path)
    assert run.bad_worlds() == {"NONFINITE": [1]} and run.seed is None
    assert run.restore()[1].bad_worlds() == {"NONFINITE": [1]}


def changed(path: pathlib.Path, target: pathlib.Path, drop: str = "", **values: Any) -> pathlib.Path:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != drop} | values
    np.savez(target, **arrays)
    return target


def test_errors(tmp_path: pathlib.Path) -> None:
    """One sentence each."""
    path, other = tmp_path / "run.npz", tmp_path / "other.npz"
    with pytest.raises(FileNotFoundError, match="no run file at"):
        mjo.load_run(path)
    path.write_text("nothing")
    with pytest.raises(ValueError, match="not a run file of mjorbit-warp"):
        mjo.load_run(path)
    np.savez(path, x=np.zeros(3))
    with pytest.raises(ValueError, match="npz file, but not a run file"):
        mjo.load_run(path)
    saved(path)
    with pytest.raises(ValueError, match="has format 99 and this mjorbit-warp reads up to 1: upgrade"):
        mjo.load_run(changed(path, other, format=np.array(99)))
    with pytest.raises(ValueError, match="damaged run file"):
        mjo.load_run(changed(path, other, drop="qvel"))
    with pytest.raises(ValueError, match="damaged run file"):
        mjo.load_run(changed(path, other, meta=np.array("{}")))
    with pytest.raises(ValueError, match="Object arrays cannot be loaded"):
        mjo.load_run(changed(path, other, qvel=np.array([{}], dtype=object)))
    with pytest.raises(ValueError, match="cannot be read by MuJoCo"):
        mjo.load_run(changed(path, other, binary=np.zeros(100, dtype=np.uint8))).restore()
    with pytest.raises(ValueError, match="a list of worlds from 0 to 1 is expected"):
        Recorder(mjo.make_data(compile_model("two_arm"), nworld=2), [2])
    with pytest.raises(ValueError, match="no orbit to record"):
        Recorder(mjo.make_data(compile_model("two_arm", orbit=None)), [0])


def test_another_mujoco_compiles_anew(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.npz"
    model, d = saved(path)
    run = mjo.load_run(path)
    monkeypatch.setattr(run_file, "package_versions", lambda: {"mujoco": "99.0"})
    with pytest.warns(mjo.MjoWarning, match="compiled anew"):
        again_model, again = run.restore()
    mjo.mjo_step(model, d)
    mjo.mjo_step(again_model, again)
    assert np.allclose(again.qpos.numpy(), d.qpos.numpy(), atol=1e-5)


def test_nothing_is_left_after_a_failed_write(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old file stays, and there is no other."""
    path = tmp_path / "run.npz"
    path.write_bytes(b"old")

    def fail(file: Any, **arrays: Any) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(OSError, match="No space left"):
        saved(path)
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"] and path.read_bytes() == b"old"


def test_all_arrays_are_plain(tmp_path: pathlib.Path) -> None:
    saved(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        assert set(file.files) == {"format", "meta", "xml", "binary", *ARRAYS, *FAULTS}
        assert all(not file[name].dtype.hasobject for name in file.files)
