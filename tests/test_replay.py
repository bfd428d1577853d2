"""Dumps of bad worlds, their replay, and what the command line makes of both."""

import json
import pathlib
from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp.cli import main
from mjorbit_warp.models import tle_path
from mjorbit_warp.replay import replay
from tests.conftest import scatter

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def lost(two_arm: mjo.MjoModel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    """12 steps of 3 worlds under commands that change; world 1 gets a NaN command before its 11th."""
    folder = tmp_path_factory.mktemp("dumps")
    d = mjo.make_data(two_arm, 3, state_ring=8)
    scatter(d)
    step = mjo.capture(two_arm, d)
    paths = {}
    for k in range(12):
        ctrl = np.random.default_rng(k).uniform(-0.2, 0.2, (3, two_arm.nu))
        if k == 10:
            ctrl[1, 2] = np.nan
        d.ctrl.assign(ctrl)
        step()
    for name, world in (("bad", 1), ("good", 0)):
        paths[name] = folder / f"{name}.npz"
        mjo.mjo_dump(two_arm, d, world, paths[name])
    assert sorted(p.name for p in folder.iterdir()) == ["bad.npz", "good.npz"]
    return paths


def test_the_ring_ends_with_the_step_that_failed(lost: dict[str, pathlib.Path], two_arm: mjo.MjoModel) -> None:
    bad, good = mjo.load_dump(lost["bad"]), mjo.load_dump(lost["good"])
    dt = float(np.float32(two_arm.mj.opt.timestep))
    # the failed step began after 10; the held state is that after it, and no step was recorded since
    assert np.abs(bad.component("time")[:, 0] - dt * np.arange(3, 12)).max() < 1e-12
    assert np.abs(good.component("time")[:, 0] - dt * np.arange(4, 13)).max() < 1e-12
    assert bad.conditions == ("NONFINITE",) and good.conditions == ()
    assert bad.report[0].startswith("NONFINITE in world 1, first at step 11, 1.1 s: ")
    assert np.isfinite(bad.states[:-1]).all() and np.isnan(bad.component("ctrl")[7, 2])


@pytest.mark.parametrize("backend", ["warp", "reference"])
def test_replay_finds_the_step_and_the_quantity(lost: dict[str, pathlib.Path], backend: str) -> None:
    """Both backends go through the recorded states; Warp to the bit, float64 to rounding."""
    again = replay(mjo.load_dump(lost["bad"]), backend)
    assert again.nstep == 7 and again.bad is not None
    assert (again.bad.step, again.bad.quantity, again.bad.element) == (7, "ctrl", "L_roll")
    assert again.bad.sentence.startswith("step 7 (1 s) begins with ctrl of L_roll = nan; largest before it: q")
    good = replay(mjo.load_dump(lost["good"]), backend, nstep=10)
    assert good.bad is None and good.nstep == 10 and good.difference.size == 8
    assert good.same == (backend == "warp")
    # float32 steps of 0.1 s against float64, joint rates below 1 rad/s: some ulp each
    assert good.difference.max() < 1e-5


def test_what_grows_by_itself(box: mjo.MjoModel, tmp_path: pathlib.Path) -> None:
    """A spin of 1e30 rad/s: the step that overflows, and what was largest before it."""
    d = mjo.make_data(box, 2, state_ring=4)
    v = d.qvel.numpy().copy()
    v[1, 4] = 1e30
    d.qvel.assign(v)
    for _ in range(3):
        mjo.mjo_step(box, d)
    mjo.mjo_dump(box, d, 1, tmp_path / "spin.npz")
    again = replay(mjo.load_dump(tmp_path / "spin.npz"), "warp")
    assert again.conditions == {"NONFINITE": 0} and again.bad is not None
    assert again.bad.sentence == (
        "step 0 (0 s) finds qfrc_bias of bus_free, entry 0 = nan; largest before it: qvel of bus_free, entry 4 = 1e+30"
    )
    assert again.same  # NaN for NaN


@pytest.mark.parametrize("backend", ["warp", "reference"])
@pytest.mark.parametrize(("quantity", "said"), [("qvel", "bus_free, entry 1"), ("orbit.v", "the orbit, entry 1")])
def test_what_somebody_wrote(box: mjo.MjoModel, tmp_path: pathlib.Path, quantity: str, said: str, backend: str) -> None:
    """NaN written between two steps: no step made it, and the step that was given it is named."""
    d = mjo.make_data(box, 2, state_ring=4)
    for _ in range(3):
        mjo.mjo_step(box, d)
    array = d.qvel if quantity == "qvel" else d.orbit.v
    values = array.numpy().copy()
    values[1, 1] = np.nan
    array.assign(values)
    mjo.mjo_step(box, d)
    assert d.bad_worlds() == {"NONFINITE": [1]}
    mjo.mjo_dump(box, d, 1, tmp_path / "given.npz")
    again = replay(mjo.load_dump(tmp_path / "given.npz"), backend)
    assert again.bad is not None
    assert again.bad.sentence.startswith(f"step 3 (0.3 s) is given {quantity} of {said} = nan; largest before it: ")
    assert main(["replay", str(tmp_path / "given.npz"), "--backend", backend]) == 1


def test_finite_numbers_that_somebody_wrote(box: mjo.MjoModel, tmp_path: pathlib.Path, capsys: Capture) -> None:
    """A velocity written between the third and the fourth step: the states before it come again bit for bit."""
    d = mjo.make_data(box, 1, state_ring=8)
    for k in range(6):
        if k == 3:
            d.qvel.fill_(0.5)
        mjo.mjo_step(box, d)
    mjo.mjo_dump(box, d, 0, tmp_path / "w.npz")
    again = replay(mjo.load_dump(tmp_path / "w.npz"), "warp")
    assert not again.same and again.nsame == 2  # after the first and the second step
    assert main(["replay", str(tmp_path / "w.npz"), "--backend", "warp"]) == 0
    assert "the first 2 of which came again bit for bit" in " ".join(capsys.readouterr().out.split())


def test_a_dump_has_the_worlds_own_parameters(tmp_path: pathlib.Path, box: mjo.MjoModel) -> None:
    """Mass, orbit and applied force of the world, not those of the model; a dump without a ring has one state."""
    spec = mjo.MjoSpec.from_file(mjo.models.model_path("box_satellite"))
    spec.orbit = box.orbit
    model = spec.compile()
    other = mjo.Orbit.circular(altitude=700e3, inclination=0.3)
    d = mjo.make_data(model, 2, orbit=[model.orbit, other])
    mass = model.expand("body_mass", 2)
    values = mass.numpy().copy()
    values[1, 1] *= 2.0
    mass.assign(values)
    mjo.set_const(model, d)
    d.xfrc_applied.assign(np.full((2, model.nbody, 6), 0.3, dtype=np.float32))
    mjo.mjo_step(model, d)
    mjo.mjo_dump(model, d, 1, tmp_path / "w.npz")
    dump = mjo.load_dump(tmp_path / "w.npz")
    assert dump.states.shape[0] == 0
    again, one = dump.restore()
    assert np.array_equal(again.body_mass.numpy()[0], values[1]) and one.nworld == 1
    assert again.orbit is not None and np.array_equal(again.orbit.r, other.r)
    for _ in range(3):
        mjo.mjo_step(model, d)
        mjo.mjo_step(again, one)
    assert np.array_equal(mjo.get_state(model, d, [1]).numpy(), mjo.get_state(again, one).numpy())
    assert replay(dump, "warp", nstep=2).nstep == 2


def test_refusals(tmp_path: pathlib.Path, two_arm: mjo.MjoModel, capsys: Capture, lost: dict[str, Any]) -> None:
    d = mjo.make_data(two_arm, 2)
    with pytest.raises(ValueError, match="0 to 1 are allowed"):
        mjo.mjo_dump(two_arm, d, 2, tmp_path / "x.npz")
    with pytest.raises(FileNotFoundError):
        mjo.mjo_dump(two_arm, d, 0, tmp_path / "none" / "x.npz")
    with pytest.raises(ValueError, match="state_ring is 0: 1 to 1024"):
        mjo.make_data(two_arm, 2, state_ring=0)
    with pytest.raises(ValueError, match="allowed are reference, warp"):
        replay(mjo.load_dump(lost["good"]), "cuda")
    assert not list(tmp_path.iterdir())
    (tmp_path / "no.npz").write_bytes(b"no")
    np.savez(tmp_path / "other.npz", x=1)
    broken = tmp_path / "broken.npz"
    broken.write_bytes(lost["good"].read_bytes()[:-2000])
    for argv, said in (
        ([str(tmp_path / "none.npz")], "no dump at"),
        ([str(tmp_path / "no.npz")], "is not a dump of mjorbit-warp"),
        ([str(tmp_path / "other.npz")], "is an .npz file, but not a dump"),
        ([str(broken)], "dump"),
        ([str(lost["good"]), "--steps", "0"], "--steps is 0"),
        ([str(lost["good"]), "--plot", "x.pdf"], "a name that ends in .png"),
    ):
        assert main(["replay", *argv]) == 2
        out = capsys.readouterr()
        assert out.out == "" and said in out.err and out.err.count("\n") == 1


def test_replay_on_the_command_line(lost: dict[str, pathlib.Path], tmp_path: pathlib.Path, capsys: Capture) -> None:
    plot = tmp_path / "replay.png"
    assert main(["replay", str(lost["bad"]), "--plot", str(plot)]) == 1
    text = " ".join(capsys.readouterr().out.replace("│", " ").replace("┃", " ").split())
    assert "NONFINITE in world 1, first at step 11" in text
    assert "7 steps; step 7 (1 s) begins with ctrl of L_roll = nan" in text and "bit for bit" in text
    assert plot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert main(["replay", str(lost["good"]), "--json", "--backend", "warp"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["replays"][0]["same_bits"] and len(result["states"]) == 9 and result["status"] == []


def test_run_with_dumps_and_strict(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """A spin of 1e9 deg/s at dt 1 s is lost at once: dumped, said once with a remedy; with --strict the run ends."""
    folder, out = tmp_path / "dumps", tmp_path / "run.npz"
    argv = ["run", "two_arm", "--tle", tle_path(), "--device", "cpu", "--nworld", "3", "--duration", "40", "--dt", "1"]
    argv += ["--spin", "1e9", "--record-every", "10", "--dump", str(folder)]
    assert main([*argv, "--json"]) == 1
    got = capsys.readouterr()
    result = json.loads(got.out)
    assert result["bad"]["NONFINITE"] == [0, 1, 2] and len(result["dumps"]) == 3
    condition = next(c for c in result["conditions"] if c["status"] == "NONFINITE")
    assert condition["worlds"] == [0, 1, 2] and min(condition["first_step"]) >= 1
    assert got.err.count("note: NONFINITE in 3 worlds (0, 1, 2), first at step") == 1
    assert sorted(p.name for p in folder.iterdir()) == ["world_0.npz", "world_1.npz", "world_2.npz"]
    assert main(["replay", str(folder / "world_2.npz"), "--backend", "warp", "--json"]) == 1
    again = json.loads(capsys.readouterr().out)["replays"][0]
    assert again["same_bits"] and " = nan; largest before it: q" in again["goes_bad"]

    assert main([*argv, "--out", str(out), "--strict"]) == 1
    err = capsys.readouterr().err
    assert "error: NONFINITE in 3 worlds" in err and "the run until 10 s is in" in err and "dumps in" in err
    assert not out.exists() and mjo.load_run(f"{out}.part").bad_worlds()["NONFINITE"] == [0, 1, 2]
    assert main(["run", "--resume", f"{out}.part", "--json"]) == 1  # known faults do not stop it again
    assert json.loads(capsys.readouterr().out)["bad"]["NONFINITE"] == [0, 1, 2]
    assert min(mjo.load_run(out).faults["first_step"][:, 0]) == min(condition["first_step"])
