"""Arrays of NumPy, torch and DLPack in and out of rollouts, without copies where there need be none."""

from typing import Any

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.rollout_arrays import device_array
from tests.conftest import scatter

NROW = 4
GAIN = np.float32(-0.3)


@pytest.fixture
def d(two_arm: mjo.MjoModel) -> mjo.MjoData:
    d = mjo.make_data(two_arm, nworld=3)
    scatter(d, seed=1)
    return d


class Outside:
    """An array of another library: all that is known of it is DLPack."""

    def __init__(self, array: Any) -> None:
        self._array, self.shape = array, array.shape

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()

    def __getitem__(self, part: Any) -> "Outside":
        return Outside(self._array[part])


def closed(model: mjo.MjoModel, d: mjo.MjoData, start: Any, policy: Any, stop: Any = None) -> list[Any]:
    mjo.set_state(model, d, start)
    out = mjo.rollout(model, d, policy=policy, stop=stop, nstep=NROW, record=("qpos", "ctrl"))
    return [array.numpy().copy() for array in (out["qpos"], out["ctrl"], out.length)]


def by_numpy(data: mjo.MjoData) -> Any:
    return GAIN * data.qpos.numpy()[:, 7:]


def stop_by_numpy(data: mjo.MjoData) -> Any:
    return data.time.numpy() > np.array([0.15, 0.25, 9.0])


def test_pointers_never_move(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """Through runs, resets, states put back and states from one world onto the others."""
    out = mjo.rollout(two_arm, d, np.zeros((NROW, 3, 8)), record=("qpos", "xipos", "orbit.r"))

    def live() -> list[int]:
        arrays = [*out.records.values(), out.tape, out.length, out.done, out.bad_ctrl, d.qpos, d.qvel, d.ctrl, d.time]
        return [a.ptr for a in (*arrays, d.orbit.r, d.orbit.v, d.status, d.xipos, d.sensordata)]

    before = live()
    state = mjo.get_state(two_arm, d)
    for _ in range(2):
        assert mjo.rollout(two_arm, d, np.ones((NROW, 3, 8)), record=("qpos", "xipos", "orbit.r"), restore=True) is out
        mjo.mjo_reset(two_arm, d, np.array([True, False, True]))
        mjo.broadcast_state(two_arm, d, world=1)
        mjo.set_state(two_arm, d, state)
        mjo.mjo_forward(two_arm, d)
        assert live() == before


def test_dlpack_out(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """Records and live arrays leave without a copy, and what happens inside is seen outside."""
    out = mjo.rollout(two_arm, d, np.zeros((NROW, 8)), record=("qpos", "xipos"))
    for array in (out["qpos"], out["xipos"], d.qpos, d.ctrl, d.orbit.r):
        outside = np.from_dlpack(array)
        assert outside.__array_interface__["data"][0] == array.ptr
        assert outside.shape == array.numpy().shape
    view, before = np.from_dlpack(d.qpos), d.qpos.numpy().copy()
    mjo.mjo_step(two_arm, d)
    assert np.array_equal(view, d.qpos.numpy()) and not np.array_equal(view, before)


def test_dlpack_in(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """Commands, masks and tapes of a library that is not known, float64 too."""
    start = mjo.get_state(two_arm, d)
    want = closed(two_arm, d, start, by_numpy, stop_by_numpy)
    assert want[2].tolist() == [2, 3, NROW]
    got = closed(two_arm, d, start, lambda x: Outside(by_numpy(x)), lambda x: Outside(stop_by_numpy(x)))
    assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))
    wide = closed(two_arm, d, start, lambda x: Outside(by_numpy(x).astype(np.float64)))
    assert np.array_equal(wide[1], closed(two_arm, d, start, by_numpy)[1])
    same = np.ones(3, dtype=np.float32)
    assert device_array(Outside(same), wp.float32, d.device, "it").ptr == same.__array_interface__["data"][0]
    tape = np.random.default_rng(0).normal(size=(NROW, 3, 8))
    for controls in (tape, Outside(tape), Outside(tape.astype(np.float32)[:, ::-1][:, ::-1])):
        mjo.set_state(two_arm, d, start)
        out = mjo.rollout(two_arm, d, controls, record="ctrl")
        assert np.array_equal(out["ctrl"].numpy(), tape.astype(np.float32))


def test_warp_arrays_in(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """Strided ones and those of other types are taken by copy."""
    start = mjo.get_state(two_arm, d)
    want = closed(two_arm, d, start, lambda x: x.qpos.numpy()[:, 7:])
    got = closed(two_arm, d, start, lambda x: x.qpos[:, 7:])
    assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))
    half = wp.array(np.full((3, 8), 0.25), dtype=wp.float16)
    assert np.all(closed(two_arm, d, start, lambda _: half)[1] == 0.25)
    mask = wp.array([True, False, False], dtype=bool)
    assert closed(two_arm, d, start, by_numpy, lambda _: mask)[2].tolist() == [1, NROW, NROW]
    tape = wp.array(np.random.default_rng(0).normal(size=(NROW, 8)), dtype=wp.float64)
    mjo.set_state(two_arm, d, start)
    out = mjo.rollout(two_arm, d, tape, record="ctrl")
    assert np.array_equal(out["ctrl"].numpy()[:, 1], tape.numpy().astype(np.float32))


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([[1.0], [2.0, 3.0]], "what the policy returned is a list of unequal parts"),
        ("full ahead", "what the policy returned has dtype <U10: real numbers are expected"),
        (np.zeros((3, 8), dtype=complex), "what the policy returned has dtype complex128"),
    ],
)
def test_commands_that_are_none(two_arm: mjo.MjoModel, d: mjo.MjoData, returned: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        mjo.rollout(two_arm, d, policy=lambda _: returned, nstep=2)


def test_controls_that_are_none(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    with pytest.raises(TypeError, match="controls is a list of unequal parts: an array is expected"):
        mjo.rollout(two_arm, d, [[1.0] * 8, [2.0]])
    with pytest.raises(TypeError, match="controls has dtype complex128: real numbers are expected"):
        mjo.rollout(two_arm, d, np.zeros((2, 8), dtype=complex))
    with pytest.raises(ValueError, match=r"controls has shape \(\): \(nrow, 8\)"):
        mjo.rollout(two_arm, d, 0.5)


@pytest.mark.parametrize("mask", [np.zeros(3), np.zeros(3, dtype=np.uint8), wp.zeros(3, dtype=float)])
def test_masks_that_are_none(two_arm: mjo.MjoModel, d: mjo.MjoData, mask: Any) -> None:
    with pytest.raises(TypeError, match=r"what stop returned has dtype \w+: bool is expected"):
        mjo.rollout(two_arm, d, np.zeros((2, 8)), stop=lambda _: mask)


def test_torch(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    """Views in, tensors out: the same bits as NumPy; those that are strided, of float64 or of a graph too."""
    torch = pytest.importorskip("torch")
    start = mjo.get_state(two_arm, d)
    qpos, time = wp.to_torch(d.qpos), wp.to_torch(d.time)
    limit = torch.tensor([0.15, 0.25, 9.0], dtype=torch.float64, device=time.device)
    want = closed(two_arm, d, start, by_numpy, stop_by_numpy)

    def writes(data: mjo.MjoData) -> None:
        wp.to_torch(data.ctrl).copy_(float(GAIN) * qpos[:, 7:])

    policies = {
        "returns": lambda _: float(GAIN) * qpos[:, 7:],
        "strided": lambda _: (float(GAIN) * qpos.T[7:]).T,
        "double": lambda _: (float(GAIN) * qpos[:, 7:]).double(),
        "with a gradient": lambda _: (float(GAIN) * qpos[:, 7:]).requires_grad_(),
        "writes": writes,
    }
    for name, policy in policies.items():
        got = closed(two_arm, d, start, policy, lambda _: time > limit)
        assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True)), name
    for message, policy in (
        ("what the policy returned has dtype torch.complex64", lambda _: torch.zeros(3, 8, dtype=torch.complex64)),
        (r"what the policy returned has shape \(3, 15\)", lambda _: qpos),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            closed(two_arm, d, start, policy)
    with pytest.raises(TypeError, match="what stop returned has dtype float32: bool is expected"):
        closed(two_arm, d, start, by_numpy, lambda _: torch.zeros(3))


def test_torch_without_a_copy(two_arm: mjo.MjoModel, d: mjo.MjoData) -> None:
    torch = pytest.importorskip("torch")
    tape = torch.randn(NROW, 3, 8, generator=torch.Generator().manual_seed(0))
    assert device_array(tape, wp.float32, wp.device_from_torch(tape.device), "it").ptr == tape.data_ptr()
    for controls in (tape, tape.double(), tape.transpose(0, 1).contiguous().transpose(0, 1)):
        out = mjo.rollout(two_arm, d, controls, record="ctrl")
        assert np.array_equal(out["ctrl"].numpy(), tape.numpy())
    view = wp.to_torch(out["ctrl"])
    assert view.data_ptr() == out["ctrl"].ptr
    parts: list[Any] = []
    mjo.rollout(two_arm, d, tape, record="ctrl", stream=lambda _, rows: parts.append(rows["ctrl"]), chunk=3)
    assert np.array_equal(np.concatenate(parts), tape.numpy())
