"""Records that go to the host while a rollout runs, against records on the device."""

from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from tests.conftest import scatter

NROW = 7
RECORD = ("qpos", "time", "xipos", "status", "act", "orbit.r")  # of all types, one refreshed, one empty


@pytest.fixture
def d(two_arm: mjo.MjoModel) -> mjo.MjoData:
    d = mjo.make_data(two_arm, nworld=3)
    scatter(d, seed=2)
    qvel = d.qvel.numpy().copy()
    qvel[2, 1] = np.nan  # this world stops after its first row
    d.qvel.assign(qvel)
    return d


def tape(model: mjo.MjoModel, nworld: int) -> Any:
    controls = np.random.default_rng(3).uniform(-0.5, 0.5, (NROW, nworld, model.nu)).astype(np.float32)
    controls[4, 0, 2] = np.inf
    return controls


def stop(data: mjo.MjoData) -> Any:
    """World 0 after four rows, which is in the middle of chunks and at the end of one."""
    return np.array([data.time.numpy()[0] > 0.35, False, False])


def policy(data: mjo.MjoData) -> Any:
    return np.float32(-0.3) * data.qpos.numpy()[:, 7:]


def collect(parts: Any) -> dict[str, Any]:
    """The chunks put together; each row is there once and in order."""
    rows: dict[str, list[Any]] = {name: [] for name in RECORD}
    row = 0
    for first, chunk in parts:
        assert first == row and set(chunk) == set(RECORD)
        row += chunk["qpos"].shape[0]
        for name, values in chunk.items():
            rows[name].append(values)
    assert row == NROW
    return {name: np.concatenate(values) for name, values in rows.items()}


@pytest.mark.parametrize("source", ["tape", "one command for all", "policy"])
@pytest.mark.parametrize("chunk", [1, 2, 4, 7, 100])
def test_streamed_is_recorded(two_arm: mjo.MjoModel, d: mjo.MjoData, chunk: int, source: str) -> None:
    """Bit for bit, whether chunks divide the rows or not, through worlds that stop; the device holds two chunks."""
    start = mjo.get_state(two_arm, d)
    command: dict[str, Any] = {"policy": policy, "nstep": NROW}
    if source != "policy":
        command = {"controls": tape(two_arm, 3 if source == "tape" else 1)}
    whole = mjo.rollout(two_arm, d, **command, stop=stop, record=RECORD)
    end = mjo.get_state(two_arm, d).numpy().copy()
    mjo.set_state(two_arm, d, start)
    parts: list[Any] = []
    out = mjo.rollout(
        two_arm, d, **command, stop=stop, record=RECORD, stream=lambda *part: parts.append(part), chunk=chunk
    )
    for name, values in collect(parts).items():
        assert np.array_equal(values, whole[name].numpy(), equal_nan=True), name
    for name in ("length", "done", "bad_ctrl"):
        assert np.array_equal(getattr(out, name).numpy(), getattr(whole, name).numpy()), name
    assert out.length.numpy().tolist() == [4, NROW, 1]
    assert np.array_equal(mjo.get_state(two_arm, d).numpy(), end, equal_nan=True)
    assert out.rings["qpos"].shape[0] <= min(2 * chunk, NROW) and out.records == {}
    assert out.tape is None or out.tape.shape[0] == min(chunk, NROW)


def test_again_and_restored(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """A second run uses the same buffers, whose pointers do not move; the arrays of the first stay as they were."""
    start, controls = mjo.get_state(two_arm, d).numpy().copy(), tape(two_arm, 3)
    runs = []
    for _ in range(2):
        parts: list[Any] = []
        out = mjo.rollout(
            two_arm, d, controls, record=RECORD, stream=lambda *part, to=parts: to.append(part), chunk=3, restore=True
        )
        assert np.array_equal(mjo.get_state(two_arm, d).numpy(), start, equal_nan=True)
        runs.append((out, [ring.ptr for ring in out.rings.values()], collect(parts)))
    assert runs[0][:2] == runs[1][:2] and out._step.ncapture == 1
    assert all(np.array_equal(a, runs[1][2][name], equal_nan=True) for name, a in runs[0][2].items())


def test_a_generator(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """Whoever leaves the loop finds the data at the end of the chunk after, and can run again from there."""
    start = mjo.get_state(two_arm, d)
    plan = mjo.Rollout(two_arm, d, NROW, record=RECORD, policy=policy, chunk=2)
    whole = collect(plan.stream())
    mjo.set_state(two_arm, d, start)
    for first, rows in plan.stream():
        assert np.array_equal(rows["qpos"], whole["qpos"][first : first + 2], equal_nan=True)
        if first == 2:
            break
    assert np.array_equal(d.qpos.numpy()[:2], whole["qpos"][5, :2])
    assert plan.length.numpy().tolist() == [6, 6, 1]
    mjo.set_state(two_arm, d, start)
    again = collect(plan.stream())
    assert all(np.array_equal(a, whole[name], equal_nan=True) for name, a in again.items())


@pytest.mark.parametrize("restore", [False, True])
def test_an_error_in_the_function(two_arm: mjo.MjoModel, d: mjo.MjoData, restore: bool) -> None:
    """It comes through, and the data is whole: at the end of a row, or where it was."""
    start = mjo.get_state(two_arm, d)
    whole = mjo.rollout(two_arm, d, tape(two_arm, 3), record="qpos")["qpos"].numpy().copy()
    mjo.set_state(two_arm, d, start)

    def full(first: int, rows: Any) -> None:
        raise OSError(f"no space for row {first}")

    with pytest.raises(OSError, match="no space for row 0"):
        mjo.rollout(two_arm, d, tape(two_arm, 3), record="qpos", stream=full, chunk=2, restore=restore)
    want = start.numpy() if restore else whole[3]
    got = mjo.get_state(two_arm, d).numpy() if restore else d.qpos.numpy()
    assert np.array_equal(got[:2], want[:2])
    mjo.set_state(two_arm, d, start)
    assert np.array_equal(
        mjo.rollout(two_arm, d, tape(two_arm, 3), record="qpos")["qpos"].numpy(), whole, equal_nan=True
    )


def test_bad_input(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    with pytest.raises(ValueError, match="chunk is 0: a positive integer"):
        mjo.rollout(two_arm, d, tape(two_arm, 3), stream=print, chunk=0)
    taped = mjo.Rollout(two_arm, d, NROW, chunk=2)
    with pytest.raises(ValueError, match="takes controls if it has no policy"):
        taped.stream()
    with pytest.raises(ValueError, match=r"controls has shape \(7, 1, 8\): \(7, 3, 8\) is expected"):
        taped.stream(tape(two_arm, 1))
    for call in (taped.run, taped.launch):
        with pytest.raises(ValueError, match=r"this rollout has chunks for the host: use stream\(\)"):
            call()
    with pytest.raises(KeyError, match="'qpos' is not in the records: they have been streamed"):
        taped["qpos"]
    with pytest.raises(ValueError, match="make it with chunk="):
        mjo.Rollout(two_arm, d, NROW).stream(tape(two_arm, 3))
