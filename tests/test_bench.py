"""The throughput benchmark: its figures on known numbers, its scenes, what it refuses, and a small run of it."""

import dataclasses
import json
import math
import pathlib
from typing import Any

import mujoco
import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.bench import SMOKE, Refused, Scene, Settings, load_scenes, metrics, run
from mjorbit_warp.bench.benchmark import check_activity, ratios
from mjorbit_warp.bench.contender_basilisk import BASILISK, Basilisk, basilisk_python
from mjorbit_warp.bench.contenders import BareWarp, OrbitWarp
from mjorbit_warp.bench.contenders_c import BareC, ReferenceC
from mjorbit_warp.bench.memory import data_sizes
from mjorbit_warp.bench.report import report
from mjorbit_warp.bench.starts import starts
from mjorbit_warp.bench.study_growth import chain_mjcf
from mjorbit_warp.bench.study_host import follow, profiles, two_body
from mjorbit_warp.bench.timing import HORIZON, calibrate, interleave
from mjorbit_warp.cli import main

SCENES = {scene.name: scene for scene in load_scenes()}
DOFS = {"two_arm": 14, "berthing": 8, "panels": 18, "docking": 12, "humanoid": 27, "satellite": 6}


def test_ratio_of_pairs() -> None:
    """By hand: ratios 2, 3, 1, 4, 2 have the median 2 and the quartiles 2 and 3, whatever the machine's drift."""
    theirs = [1.0, 2.0, 40.0, 0.5, 3.0]
    ours = [2.0, 6.0, 40.0, 2.0, 6.0]
    ratio = metrics.paired_ratio(ours, theirs)
    assert (ratio.median, ratio.low, ratio.high, ratio.least, ratio.most, ratio.rounds) == (2.0, 2.0, 3.0, 1.0, 4.0, 5)
    assert np.median(ours) / np.median(theirs) == 3.0  # what a ratio of medians would have said
    for bad in (([], []), ([1.0], [1.0, 2.0]), ([1.0], [0.0]), ([math.nan], [1.0])):
        with pytest.raises(ValueError, match="sample"):
            metrics.paired_ratio(*bad)


def test_speed() -> None:
    """Samples 0.1 … 2.0 s of 50 steps of 10 worlds: median 1.05 s, 95th percentile 1.905 s (linear)."""
    found = metrics.speed([0.1 * k for k in range(1, 21)], nworld=10, nstep=50)
    assert found["steps_per_s"] == pytest.approx(10 * 50 / 1.05)
    assert found["ns_per_step"] == pytest.approx(1e9 * 1.05 / 500)
    assert found["step_ms"] == pytest.approx(21.0)
    assert found["step_p95_ms"] == pytest.approx(38.1)
    with pytest.raises(ValueError, match="samples"):
        metrics.speed([], 1, 1)


def test_counts_memory_and_replays() -> None:
    worlds = np.array([2, 0, 2, 2, 7, 7])  # two stale entries past the count
    assert metrics.contacts_per_world(worlds, 4, 4).tolist() == [1, 0, 3, 0]
    summary = metrics.count_summary(np.array([1, 0, 3, 0]), 8)
    assert summary == {"mean": 1.0, "p95": pytest.approx(2.7), "max": 3, "capacity": 8}
    sizes = {"small": (8, 2), "large": (4000, 2), "none": (0, 2), "shared": (8, 1)}
    assert metrics.memory_per_world(sizes, 2) == {"large": 2000.0, "shared": 4.0, "small": 4.0}
    assert list(metrics.memory_per_world(sizes, 2)) == ["large", "shared", "small"]
    assert metrics.replays_for(0.03, 0.2) == 7
    assert metrics.replays_for(1.0, 0.2) == 1
    assert metrics.replays_for(1e-6, 0.2, 100) == 100
    finite = np.array([True, True, False])
    assert metrics.converged(finite, np.array([0, metrics.ITERATION_BITS, 0])) == 1


def test_iteration_bits_are_mjwarps() -> None:
    import mujoco_warp as mjw

    assert metrics.ITERATION_BITS == mjw.OverflowType.ITERATIONS | mjw.OverflowType.LS_ITERATIONS


def test_refusals() -> None:
    with pytest.raises(Refused, match="ours is not replayed from a graph"):
        metrics.refuse_uncaptured("ours", None)
    metrics.refuse_uncaptured("ours", object())
    metrics.refuse_overflow("ours", np.array([0, metrics.ITERATION_BITS]), 1, 1)
    with pytest.raises(Refused, match="dropped contacts or constraints in 2 worlds, first 1: nconmax 4 or njmax 9"):
        metrics.refuse_overflow("ours", np.array([0, 1, 8]), 4, 9)
    with pytest.raises(Refused, match="not finite in 1 of 3 worlds, first 2"):
        metrics.refuse_nonfinite("ours", np.array([True, True, False]))
    with pytest.raises(Refused, match="TOO_FAR in 2 worlds"):
        metrics.refuse_faults("ours", {"TOO_FAR": [0, 3]})
    none = {"contacts": {"max": 0}, "constraints": {"max": 0}}
    with pytest.raises(Refused, match="had no contact"):
        check_activity(SCENES["docking"], {"bare": none})
    with pytest.raises(Refused, match="no active constraint"):
        check_activity(SCENES["humanoid"], {"bare": none})
    check_activity(SCENES["two_arm"], {"bare": none})


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("integrator", ["RK4", "implicitfast"])
def test_scene_steps_a_thousand_times(name: str, integrator: str) -> None:
    """In MuJoCo C: finite, no warning, within the scene's room, with the contacts and limits that it claims."""
    scene = SCENES[name]
    mj = scene.compile(integrator, "gravity").mj
    assert mj.nv == DOFS[name]
    for world in range(2):
        data = mujoco.MjData(mj)
        qpos, qvel, ctrl = (values[world] for values in starts(mj, scene, 2))
        data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel, ctrl
        ncon, nefc, nlimit = np.zeros(HORIZON), np.zeros(HORIZON), np.zeros(HORIZON)
        for step in range(HORIZON):
            mujoco.mj_step(mj, data)
            ncon[step], nefc[step] = data.ncon, data.nefc
            nlimit[step] = np.count_nonzero(data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT))
        assert np.isfinite(data.qpos).all() and np.abs(data.qvel).max() < 1.0
        assert not any(warning.number for warning in data.warning)
        assert ncon.max() <= scene.nconmax and nefc.max() <= scene.njmax
        if scene.contacts:
            assert ncon[100:].mean() > 0.5
        if scene.limits:
            assert nlimit[100:].mean() > 0.5


@pytest.mark.parametrize("name", SCENES)
def test_scene_carries_everything(name: str) -> None:
    """The equipped model has all parts, and its first commands are the plain model's."""
    scene = SCENES[name]
    plain, equipped = scene.compile("RK4", "gravity"), scene.compile("RK4", "everything")
    assert not plain.hardware.any("surface", "reaction_wheel", "thruster", "magnetorquer")
    assert len(equipped.hardware.surface) == 8 and len(equipped.hardware.reaction_wheel) == 4
    assert len(equipped.hardware.thruster) == 8 and len(equipped.hardware.magnetorquer) == 3
    assert len(equipped.sensors) == 8
    for a, b in zip(starts(plain.mj, scene, 3), starts(equipped.mj, scene, 5), strict=True):
        assert np.array_equal(a, b[:3, : a.shape[1]])
    ctrl = starts(equipped.mj, scene, 5)[2]
    assert np.abs(ctrl[:, plain.mj.nu :]).max(axis=0).min() > 0.0  # every part is told something
    assert np.unique(ctrl[:, -1]).size == 5


def test_names_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--scene", "moon_base"]) == 2
    assert "no scene 'moon_base': allowed are two_arm, " in capsys.readouterr().err
    assert main(["bench", "--study", "planets"]) == 2
    assert "no study 'planets': allowed are reference, " in capsys.readouterr().err
    assert main(["bench", "--integrator", "Verlet"]) == 2
    assert "integrator is 'Verlet': allowed are RK4, implicitfast" in capsys.readouterr().err
    assert main(["bench", "--nworld", "0"]) == 2
    assert "nworld is 0" in capsys.readouterr().err


def test_chain_has_that_many_bodies() -> None:
    for nbody in (4, 13, 50):
        mj = mujoco.MjModel.from_xml_string(chain_mjcf(nbody))
        assert mj.nbody == nbody + 1 and mj.nv == 6 + nbody - 1


class Slow:
    """A contender whose clock drifts: each sample of any takes longer than the one before."""

    clock = 1.0
    nstep, nworld = 1, 1

    def __init__(self, name: str, cost: float) -> None:
        self.name, self.cost, self.calls = name, cost, []  # type: ignore[var-annotated]

    def restart(self) -> None:
        self.calls.append("restart")

    def sample(self, replays: int) -> float:
        self.calls.append(f"sample {replays}")
        Slow.clock *= 1.001
        return Slow.clock * self.cost * replays

    def check(self) -> None:
        self.calls.append("check")


def test_rounds_interleave_and_drift_cancels() -> None:
    """The machine slows down to a fifth over the run; the ratio of costs 3 to 1 is found to the drift of one sample."""
    contenders = [Slow("ours", 3.0), Slow("theirs", 1.0)]
    assert calibrate(contenders[1], 20.0) == 20
    samples = interleave(contenders, [4, 4], 400)
    assert [len(values) for values in samples.values()] == [400, 400]
    assert contenders[0].calls[-4:] == ["restart", "sample 1", "sample 4", "check"]
    named = {"bare": samples["theirs"], "gravity": samples["ours"]}
    pair = [Slow("gravity", 3.0), Slow("bare", 1.0)]
    (ratio,) = ratios(pair, [4, 4], named)
    assert ratio["of"] == "gravity" and ratio["over"] == "bare"
    assert abs(ratio["median"] - 3.0) < 3.0 * 0.0025  # two calls of sample lie between the two, 0.1 % each
    assert samples["ours"][-1] / samples["ours"][0] > 4.0


def test_memory_counts_the_shadow() -> None:
    """float64 of qpos and qvel, and three stages of qacc in float32, per world."""
    scene = SCENES["two_arm"]
    model = scene.compile("RK4", "gravity")
    single, shadow = (mjo.make_data(model, 2, precision=p, device="cpu") for p in ("single", "shadow"))
    more = data_sizes(shadow).keys() - data_sizes(single).keys()
    found = sum(size for name, (size, _) in data_sizes(shadow).items() if name.startswith("orbit:shadow."))
    assert found == 2 * (8 * model.nq + 8 * model.nv + 3 * 4 * model.nv)
    assert any(name.startswith("orbit:momentum.") for name in more)


def _small(**changes: Any) -> Scene:
    return Scene(**({**vars(SCENES["docking"]), "nworld": {"cpu": [2], "gpu": [2]}} | changes))


def test_dropped_contacts_are_refused() -> None:
    """MJWarp itself says so: room for one row, and a contact of four."""
    scene = _small(njmax=1)
    model = scene.compile("implicitfast", "gravity")
    for kind in (BareWarp, OrbitWarp):
        more = () if kind is BareWarp else ("single",)
        contender = kind("full", model, scene, 2, 1, wp.get_device("cpu"), *more)
        with pytest.raises(Refused, match=r"full dropped contacts or constraints in 2 worlds.*njmax 1 "):
            interleave([contender], [20], 1)


def test_a_refused_cell_is_named_and_has_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mjorbit_warp.bench.benchmark.load_scenes", lambda names: [_small(njmax=1)])
    settings = Settings(nworld=(2,), device="cpu", repeat=1, nstep=1, sample_s=1e-3, integrators=("implicitfast",))
    result = run(dataclasses.replace(settings, host=False, trace=False))
    assert result["cells"] == []
    (row,) = result["refused"]
    assert row["scene"] == "docking" and row["nworld"] == 2 and "njmax 1 of the scene is too small" in row["why"]


def test_worlds_that_are_not_finite_are_refused() -> None:
    scene = SCENES["two_arm"]
    model = scene.compile("implicitfast", "gravity")
    many = (model, scene, 2, 1)
    device = wp.get_device("cpu")
    contenders = [
        BareWarp("bare", *many, device),
        OrbitWarp("ours", *many, device, "single"),
        BareC("host", *many, 1),
        ReferenceC("reference", *many, 1),
    ]
    for contender in contenders:
        contender.sample(1)
        contender.check()
        contender.start[1][1, 4] = np.inf
        contender.restart()
        contender.sample(1)
        with pytest.raises(Refused, match=r"(bare|ours|host|reference) is not finite in 1 of 2 worlds, first 1"):
            contender.check()
    uncaptured = contenders[1]
    uncaptured.captured.graph = None
    uncaptured.start[1][1, 4] = 0.0
    uncaptured.restart()
    with pytest.raises(Refused, match="ours is not replayed from a graph"):
        uncaptured.check()


def test_basilisk_moves_as_mujoco() -> None:
    """From the same start they agree to 2e-6 m and rad after 2 s, measured 8.5e-7: another MuJoCo, another RK4."""
    python = basilisk_python()
    if python is None:
        pytest.skip(f"Basilisk is not installed: {BASILISK} may name a Python that has it")
    scene = SCENES["two_arm"]
    theirs = Basilisk("basilisk", scene, 10, python)
    ours = BareC("mujoco", scene.compile("RK4", "gravity"), scene, 1, 10, 1)
    try:
        for _ in range(2):  # a restart is the start
            for contender in (theirs, ours):
                contender.restart()
                assert contender.sample(2) > 0.0
                contender.check()
            end = ours.batch.bind("qpos")[0]
            assert np.abs(end - ours.start[0][0]).max() > 0.1
            assert np.abs(np.array(theirs.qpos()) - end).max() < 2e-6
    finally:
        theirs.close()


@pytest.mark.parametrize("commands", ["held", "at every stage"])
def test_basilisk_in_orbit_moves_as_the_reference(commands: str) -> None:
    """What is compared is the same: 2e-6 rad and 1e-5 m after 2 s, measured 8.5e-7 and 1e-6.

    Basilisk's coordinates are from the Earth's centre, where float64 resolves 1e-9 m; the rest is its MuJoCo and RK4.
    """
    python = basilisk_python()
    if python is None:
        pytest.skip(f"Basilisk is not installed: {BASILISK} may name a Python that has it")
    scene = SCENES["two_arm"]
    model = two_body(scene)
    knots = None if commands == "held" else profiles(model, scene)
    if knots is not None:
        follow(model, knots)
    ours = ReferenceC("reference", model, scene, 1, 10, 1)
    theirs = Basilisk("basilisk", scene, 10, python, gravity=True, profiles=knots)
    try:
        for _ in range(2):  # a restart is the start, of the clock too
            for contender in (theirs, ours):
                contender.restart()
                assert contender.sample(2) > 0.0
                contender.check()
            found, orbit = np.array(theirs.qpos()), ours.data.orbit
            assert orbit is not None
            found[:3] -= orbit.r[0]
            error = np.abs(found - ours.data.qpos[0])
            assert error[3:].max() < 2e-6 and error[:3].max() < 1e-5, error
    finally:
        theirs.close()


def test_restart_repeats_to_the_bit() -> None:
    """Every sample computes the same numbers, so rounds are comparable."""
    scene = SCENES["two_arm"]
    ours = OrbitWarp("ours", scene.compile("implicitfast", "gravity"), scene, 2, 1, wp.get_device("cpu"), "single")
    ends = []
    for _ in range(2):
        ours.restart()
        ours.sample(5)
        ends.append([ours.data.qpos.numpy().copy(), ours.data.orbit.r.numpy().copy(), ours.data.time.numpy().copy()])
    assert all(np.array_equal(a, b) for a, b in zip(*ends, strict=True))
    assert ends[0][2][0] == 5 * float(np.float32(scene.timestep))  # MJWarp's step is float32
    sizes = data_sizes(ours.data)
    assert sizes["qpos"] == (2 * ours.model.nq * 4, 2)
    assert sizes["orbit:orbit.r"] == (2 * 3 * 8, 2)
    assert "orbit:model" not in "".join(sizes)  # parameters are not of a world
    plain = data_sizes(ours.data.mjw)
    assert {name: size for name, size in sizes.items() if not name.startswith("orbit:")} == plain


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], int]:
    path = tmp_path_factory.mktemp("bench") / "smoke.json"
    code = main(["bench", "--smoke", "--format", "short", "--device", "cpu", "--out", str(path)])
    return json.loads(path.read_text(encoding="utf-8")), code


def test_smoke(smoke: tuple[dict[str, Any], int]) -> None:
    """One cell with everything that a report needs; figures follow from the raw samples."""
    result, code = smoke
    assert code == 0 and result["refused"] == []
    assert result["machine"]["device"] == "cpu" and result["machine"]["graph"] is True
    (cell,) = result["cells"]
    rows = {row["name"]: row for row in cell["contenders"]}
    assert set(rows) >= {"bare", "gravity", "bare parts", "everything", "mujoco", "reference gravity"}
    for row in rows.values():
        assert len(row["samples_s"]) == SMOKE.repeat
        again = metrics.speed(row["samples_s"], row["nworld"], row["steps_per_sample"])
        assert row["ns_per_step"] == pytest.approx(again["ns_per_step"])
    for name in ("bare", "gravity", "bare parts", "everything"):
        assert rows[name]["graph"] and rows[name]["counts"]["converged"] == 2
        assert rows[name]["memory_per_world"] == pytest.approx(sum(rows[name]["memory_by_field"].values()))
    assert rows["gravity"]["memory_per_world"] > rows["bare"]["memory_per_world"]
    (tax,) = [ratio for ratio in cell["ratios"] if (ratio["of"], ratio["over"]) == ("everything", "bare parts")]
    pairs = zip(rows["everything"]["samples_s"], rows["bare parts"]["samples_s"], strict=True)
    assert tax["median"] == pytest.approx(np.median([a / b for a, b in pairs]))
    stages = [row["stage"] for row in cell["trace"]]
    assert "passive" in stages and "solve" in stages
    assert all(row["ours_ns"] > 0.0 for row in cell["trace"])


def test_reports(smoke: tuple[dict[str, Any], int]) -> None:
    result, _ = smoke
    human, short = report(result, "human"), report(result, "short")
    assert "graph=yes" in human and "everything ÷ bare parts" in human and "fwd_kinematics" in human
    assert "everything / bare parts = " in short
    refused = result | {
        "refused": [
            {"scene": "docking", "nworld": 2, "integrator": "RK4", "why": "bare is not finite in 1 of 2 worlds"}
        ]
    }
    for form in ("human", "short"):
        assert "refused: docking, 2 worlds, RK4: bare is not finite" in report(refused, form)
    with pytest.raises(ValueError, match="allowed are human, short, json"):
        report(result, "yaml")


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="repeat is 0"):
        Settings(repeat=0)


def test_shipped_models_open_in_mujoco() -> None:
    folder = pathlib.Path(SCENES["panels"].path()).parent
    names = {path.stem for path in folder.glob("*.xml")}
    assert names == {"berthing_arm", "panel_deployment", "humanoid_flyer"}
