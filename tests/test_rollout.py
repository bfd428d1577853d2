"""Rollouts against loops of steps, and states carried from one data to another."""

from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from tests import sensed
from tests.conftest import scatter

NROW, EVERY = 6, 2


def tape(model: mjo.MjoModel, nworld: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-0.5, 0.5, (NROW, nworld, model.nu)).astype(np.float32)


@pytest.fixture
def d(two_arm: mjo.MjoModel) -> mjo.MjoData:
    d = mjo.make_data(two_arm, nworld=3)
    scatter(d, seed=1)
    return d


def looped(model: mjo.MjoModel, d: mjo.MjoData, controls: Any) -> dict[str, Any]:
    """The same with mjo_step alone."""
    rows: dict[str, list[Any]] = {"qpos": [], "orbit.r": [], "time": [], "xipos": []}
    for row in controls:
        d.ctrl.assign(np.broadcast_to(row, (d.nworld, model.nu)))
        for _ in range(EVERY):
            mjo.mjo_step(model, d)
        mjo.absolute_state(model, d)
        for name in rows:
            source = {"orbit.r": d.orbit.r, "time": d.time}.get(name)
            rows[name].append((getattr(d, name) if source is None else source).numpy().copy())
    return {name: np.array(values) for name, values in rows.items()}


def test_open_loop_is_a_loop_of_steps(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """Bit for bit, twice: the second run allocates and captures nothing, and its pointers are the first one's."""
    start = mjo.get_state(two_arm, d)
    for seed in (0, 1):
        controls = tape(two_arm, 3, seed)
        mjo.set_state(two_arm, d, start)
        want = looped(two_arm, d, controls)
        mjo.set_state(two_arm, d, start)
        got = mjo.rollout(two_arm, d, controls, decimation=EVERY, record=tuple(want))
        for name, values in want.items():
            assert np.array_equal(got[name].numpy(), values), name
        pointers = [a.ptr for a in (*got.records.values(), got.tape, d.qpos, d.ctrl, d.orbit.r)]
        if seed == 0:
            first, before = got, pointers
    assert got is first and pointers == before and got._step.ncapture == 1
    assert got.length.numpy().tolist() == [NROW] * 3 and not got.bad_ctrl.numpy().any()


def test_one_row_for_all_worlds(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    start, controls = mjo.get_state(two_arm, d), tape(two_arm, 1)
    shared = mjo.rollout(two_arm, d, controls[:, 0], record=("qvel",))["qvel"].numpy().copy()
    mjo.set_state(two_arm, d, start)
    single = mjo.rollout(two_arm, d, np.repeat(controls, 3, axis=1), record=("qvel",))["qvel"].numpy()
    assert np.array_equal(shared, single)


def test_closed_loop(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """A policy sees the state of its row; what it returns or writes is held; NaN is taken as 0 and named."""
    start, gain = mjo.get_state(two_arm, d), np.float32(-0.3)

    def policy(data: mjo.MjoData) -> Any:
        ctrl = gain * data.qpos.numpy()[:, 7:]
        if policy.calls == 2:
            ctrl[1, 3] = np.nan
        policy.calls += 1
        return ctrl

    policy.calls = 0  # type: ignore[attr-defined]
    out = mjo.rollout(two_arm, d, policy=policy, nstep=NROW * EVERY, decimation=EVERY, record=("qpos", "ctrl"))
    assert policy.calls == NROW  # type: ignore[attr-defined]
    assert out.bad_ctrl.numpy().tolist() == [False, True, False]
    ctrl, qpos = out["ctrl"].numpy(), out["qpos"].numpy()
    assert ctrl[2, 1, 3] == 0.0
    assert np.array_equal(ctrl[1], gain * qpos[0, :, 7:])

    def writes(data: mjo.MjoData) -> None:
        data.ctrl.assign(gain * data.qpos.numpy()[:, 7:])

    mjo.set_state(two_arm, d, start)
    again = mjo.rollout(two_arm, d, policy=writes, nstep=NROW * EVERY, decimation=EVERY, record=("qpos",))
    assert np.array_equal(again["qpos"].numpy()[:, 0], qpos[:, 0])


def test_the_plant_is_untouched(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """After a restored rollout the state and the next step are what they would have been, status included."""
    start = mjo.get_state(two_arm, d).numpy().copy()
    mjo.mjo_step(two_arm, d)
    want = mjo.get_state(two_arm, d).numpy().copy()
    mjo.set_state(two_arm, d, start)
    wild = 1e30 * np.ones((NROW, two_arm.nu), dtype=np.float32)
    mjo.rollout(two_arm, d, wild, restore=True)
    assert np.array_equal(mjo.get_state(two_arm, d).numpy(), start) and not d.bad_worlds()
    mjo.mjo_step(two_arm, d)
    assert np.array_equal(mjo.get_state(two_arm, d).numpy(), want)


def test_policies_come_and_go(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """A new function for each call runs on the same graph; rollouts of other shapes are kept, the oldest dropped."""
    start = mjo.get_state(two_arm, d)
    for value in (0.1, -0.2):
        mjo.set_state(two_arm, d, start)
        out = mjo.rollout(two_arm, d, policy=lambda _, u=value: np.full((3, 8), u), nstep=2, record="ctrl")
        assert np.all(out["ctrl"].numpy() == np.float32(value)) and out._step.ncapture == 1
    assert len(d.rollouts) == 1
    with pytest.raises(KeyError, match="'qpos' is not in the records: they have ctrl"):
        out["qpos"]
    for nrow in range(1, 11):
        mjo.rollout(two_arm, d, np.zeros((nrow, 8)), record=())
    assert len(d.rollouts) == 8


def test_worlds_stop(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """A world that is asked to stop, and one that is not finite: their records repeat, the others go on."""
    qvel = d.qvel.numpy().copy()
    qvel[2, 0] = np.nan
    d.qvel.assign(qvel)

    def stop(data: mjo.MjoData) -> Any:
        return np.array([data.time.numpy()[0] > 0.25, False, False])

    out = mjo.rollout(two_arm, d, tape(two_arm, 3), stop=stop, record=("qpos", "time"))
    assert out.length.numpy().tolist() == [3, NROW, 1]
    time = out["time"].numpy()
    assert np.allclose(time[:, 0], [0.1, 0.2, 0.3, 0.3, 0.3, 0.3], rtol=0, atol=1e-6)
    assert np.allclose(time[:, 1], 0.1 * np.arange(1, NROW + 1), rtol=0, atol=1e-6)
    assert out.done.numpy().tolist() == [True, False, True]


def test_equipped_plant_is_untouched() -> None:
    """A wheel, a thruster and noisy sensors with rates of their own: the next step is what it would have been."""
    model = sensed.sensed_spec().compile()
    d = mjo.make_data(model, nworld=2, seed=4)
    sensed.begin(d)
    mjo.mjo_step(model, d)
    start = mjo.get_state(model, d)
    mjo.mjo_step(model, d)
    want = [mjo.get_state(model, d), d.sensordata, d.hardware.force]
    want = [array.numpy().copy() for array in want]
    mjo.set_state(model, d, start)
    mjo.rollout(model, d, np.full((3, model.nu), 0.02), record="sensor:gyro", restore=True)
    assert np.array_equal(mjo.get_state(model, d).numpy(), start.numpy())
    mjo.mjo_step(model, d)
    got = [mjo.get_state(model, d), d.sensordata, d.hardware.force]
    assert all(np.array_equal(a.numpy(), b) for a, b in zip(got, want, strict=True)) and want[2].any()


def test_a_good_state_heals(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """The status comes with the state: a world that went bad counts again."""
    qvel = d.qvel.numpy().copy()
    qvel[2, 0] = np.nan
    d.qvel.assign(qvel)
    mjo.mjo_step(two_arm, d)
    assert d.bad_worlds() == {"NONFINITE": [2]}
    mjo.broadcast_state(two_arm, d, world=0, world_ids=[2])
    assert not d.bad_worlds()
    assert mjo.rollout(two_arm, d, tape(two_arm, 3)).length.numpy().tolist() == [NROW] * 3


@pytest.mark.parametrize("precisions", [("single", "single"), ("shadow", "single"), ("single", "shadow")])
def test_one_state_onto_many(two_arm: mjo.MjoModel, precisions: tuple[str, str]) -> None:
    """A plant's world on four of five worlds of another data: the same bits after steps, the fifth untouched."""
    plant, many = (mjo.make_data(two_arm, nworld=n, precision=p) for n, p in zip((2, 5), precisions, strict=True))
    scatter(plant, seed=3)
    for _ in range(3):
        mjo.mjo_step(two_arm, plant)
    kept = mjo.get_state(two_arm, many, [4]).numpy().copy()
    mjo.broadcast_state(two_arm, plant, many, world=1, world_ids=[0, 1, 2, 3])
    assert np.array_equal(mjo.get_state(two_arm, many, [4]).numpy(), kept)
    assert np.array_equal(many.qpos.numpy()[:4], np.repeat(plant.qpos.numpy()[1:], 4, axis=0))
    assert np.array_equal(many.time.numpy()[:4], np.repeat(plant.time.numpy()[1:], 4))
    assert np.array_equal(many.orbit.lvlh.numpy()[0], plant.orbit.lvlh.numpy()[1])
    for x in (plant, many):
        mjo.mjo_step(two_arm, x)
    assert np.array_equal(many.orbit.r.numpy()[2], plant.orbit.r.numpy()[1])
    same = many.qpos.numpy()[0] == plant.qpos.numpy()[1]
    assert same.all() or precisions[0] != precisions[1]
    assert np.abs(many.qpos.numpy()[0] - plant.qpos.numpy()[1]).max() < 1e-6  # float32's rounding of a step
    assert np.array_equal(many.qpos.numpy()[0], many.qpos.numpy()[3])


def test_the_reference_rolls_alike(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """12 steps: to float32's rounding of them, and the state is put back to the bit."""
    r = mjo_ref.from_warp(two_arm, d)
    start = mjo_ref.get_state(two_arm, r)
    controls = tape(two_arm, 3)
    record = ("qpos", "orbit.r", "time")

    def stop(data: Any) -> Any:
        time = data.time if isinstance(data.time, np.ndarray) else data.time.numpy()
        return np.array([False, True, False]) & (time > 0.7)

    got = mjo_ref.rollout(two_arm, r, controls, decimation=EVERY, record=record, stop=stop, restore=True)
    want = mjo.rollout(two_arm, d, controls, decimation=EVERY, record=record, stop=stop)
    assert np.abs(got["qpos"] - want["qpos"].numpy()).max() < 2e-6
    assert np.abs(got["orbit.r"] - want["orbit.r"].numpy()).max() < 1e-8
    assert np.array_equal(got["time"], want["time"].numpy())
    assert got["length"].tolist() == want.length.numpy().tolist() == [NROW, 4, NROW]
    assert np.array_equal(mjo_ref.get_state(two_arm, r), start)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"record": ("qpos", "speed")}, "record has 'speed', which is no field: allowed are time, status"),
        ({"record": ("hardware.nothing",)}, "which is no field"),
        ({"record": ("xipo",)}, "and MJWarp's arrays, near this xipos"),
        ({"record": ("sensor:eye",)}, "which is no field: allowed are .*, sensor:NAME of a sensor that the model has"),
        ({"controls": np.zeros((4, 3))}, r"controls has shape \(4, 3\): \(nrow, 8\)"),
        ({"controls": np.zeros((4, 2, 8))}, r"controls has shape \(4, 2, 8\)"),
        ({"controls": None}, "either controls or a policy"),
        ({"nstep": 5}, "nstep is 5: 6 rows of controls at decimation 1 make 6"),
        ({"decimation": 0}, "decimation is 0: a positive integer"),
        ({"controls": None, "policy": lambda _: None, "nstep": 2, "decimation": 0}, "decimation is 0: a positive"),
        ({"chunk": 4}, "chunk is 4 and nothing takes the chunks"),
        ({"controls": None, "policy": lambda _: None}, "nstep is None: a policy's rollout needs a multiple"),
        (
            {"controls": None, "policy": lambda _: np.zeros((3, 2)), "nstep": 2},
            r"what the policy returned has shape \(3, 2\): \(3, 8\) is expected",
        ),
        ({"stop": lambda _: np.zeros(2, dtype=bool)}, r"what stop returned has shape \(2,\): \(3,\) is expected"),
    ],
)
def test_bad_input(two_arm: mjo.MjoModel, d: mjo.MjoData, change: dict[str, Any], message: str) -> None:
    arguments = {"controls": tape(two_arm, 3)} | change
    with pytest.raises(ValueError, match=message):
        mjo.rollout(two_arm, d, **arguments)
