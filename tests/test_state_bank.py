"""Banks of states: the reset that can be part of a graph is the reset that cannot."""

from typing import Any

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from tests.conftest import scatter
from tests.equipped import equipped_model

MASK = np.array([True, False, True, False])


@pytest.fixture(scope="module")
def model() -> mjo.MjoModel:
    return equipped_model("RK4")


def moved(model: mjo.MjoModel, precision: str = "single") -> tuple[mjo.MjoData, mjo.StateBank]:
    d = mjo.make_data(model, 4, precision=precision, seed=3)
    bank = mjo.StateBank(model, d)
    scatter(d, seed=1)
    d.ctrl.assign(np.full((4, model.nu), 0.05, dtype=np.float32))
    for _ in range(3):
        mjo.mjo_step(model, d)
    return d, bank


@pytest.mark.parametrize("precision", ["single", "shadow"])
def test_restore_is_a_masked_reset(model: mjo.MjoModel, precision: str) -> None:
    """Bits of the state, and of the states after two more steps, are those of mjo_reset; others go on untouched."""
    (a, bank), (b, _), (c, _) = (moved(model, precision) for _ in range(3))
    bank.restore(MASK)
    mjo.mjo_reset(model, b, MASK)
    for _ in range(3):
        states = [mjo.get_state(model, d).numpy().copy() for d in (a, b, c)]
        assert np.array_equal(states[0], states[1])
        assert np.array_equal(states[0][~MASK], states[2][~MASK])
        for name in ("xipos", "qfrc_orbit", "sensordata", "qacc", "actuator_force", "cacc"):
            x, y = (getattr(d, name).numpy() for d in (a, b))
            assert np.array_equal(x, y), name
        for d in (a, b, c):
            mjo.mjo_step(model, d)


def test_a_lost_world_comes_back_in_a_graph(model: mjo.MjoModel) -> None:
    """Step and restore as one graph: the NaN world is back at its start, its neighbours as without it."""
    d, bank = moved(model)
    mask: Any = wp.zeros(4, dtype=bool)

    def body() -> None:
        mjo.mjo_step(model, d)
        bank.restore(mask)

    graph = mjo.CapturedStep(model, d, 1, body, [mask])
    other, _ = moved(model)
    for k in range(4):
        if k == 1:
            qvel = d.qvel.numpy().copy()
            qvel[2, 0] = np.nan
            d.qvel.assign(qvel)
        mask.assign(np.array([False, False, k == 2, False]))
        graph()
        mjo.mjo_step(model, other)
    assert graph.ncapture == 1 and not d.bad_worlds()
    state, want = mjo.get_state(model, d).numpy(), mjo.get_state(model, other).numpy()
    assert np.array_equal(state[[0, 1, 3]], want[[0, 1, 3]]) and np.isfinite(state).all()


def test_any_state_for_any_world(model: mjo.MjoModel) -> None:
    d, _ = moved(model)
    bank = mjo.StateBank(model, d, mjo.get_state(model, d, [3, 1]))
    kept = d.qpos.numpy().copy()
    bank.row.assign(np.array([1, 0, 0, 1]))
    bank.restore()
    assert np.array_equal(d.qpos.numpy(), kept[[1, 3, 3, 1]])
    with pytest.raises(ValueError, match=r"states has shape \(2, 3\)"):
        mjo.StateBank(model, d, np.zeros((2, 3)))


def test_rows_that_do_not_exist(model: mjo.MjoModel) -> None:
    """Refused by name where that is possible; in a graph the world is NONFINITE, and its neighbours are as asked."""
    d, bank = moved(model)
    bank.row.assign(np.array([0, 7, 2, -1]))
    with pytest.raises(ValueError, match="row of world 1 is 7: the bank has states 0 to 3"):
        bank.restore()
    bank.restore(MASK)  # rows of the other worlds are of no matter
    mask: Any = wp.full(4, True, dtype=bool)

    def body() -> None:
        bank.restore(mask)
        mjo.mjo_step(model, d)

    bank.row.zero_()
    graph = mjo.CapturedStep(model, d, 1, body, [mask])
    bank.row.assign(np.array([0, 7, 2, -1]))
    graph()
    assert graph.ncapture == 1
    assert d.bad_worlds() == {"NONFINITE": [1, 3]}
    assert np.isfinite(mjo.get_state(model, d, [0, 2]).numpy()).all()
