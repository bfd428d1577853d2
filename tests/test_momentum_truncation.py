"""What RK4 truncates of the momentum of a spacecraft with every kind of hardware, and what the shadow keeps."""

from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from tests.conftest import scatter
from tests.equipped import equipped_model, orbits, start
from tests.test_momentum import c_momentum

NWORLD = 4
STEP = 0.1


def after_one_step(precision: str | None, divide: int = 1) -> np.ndarray:
    """P [kg·m/s] and H about the COM [N·m·s] of the bodies, by MuJoCo C, after 0.1 s in ``divide`` steps  (nworld, 6).

    ``precision`` of Warp; None is the reference. The arms begin far from their commands, with servos stiff at 0.1 s.
    """
    model = equipped_model("RK4")
    model.mj.opt.timestep = STEP / divide
    d: Any
    if precision is None:
        d = mjo_ref.make_data(model, NWORLD, orbit=orbits(NWORLD), nthread=1)
    else:
        d = mjo.make_data(model, NWORLD, orbit=orbits(NWORLD), precision=precision)
    scatter(d, seed=1)
    start(d, 1)
    if precision is None:  # the start that float32 holds
        for array in (d.qpos, d.qvel, d.ctrl, d.act):
            array[:] = array.astype(np.float32)
    for _ in range(divide):
        (mjo_ref if precision is None else mjo).mjo_step(model, d)
    qpos, qvel = (np.array(x if precision is None else x.numpy(), dtype=float) for x in (d.qpos, d.qvel))
    return np.array([c_momentum(model.mj, q, v, 1) for q, v in zip(qpos, qvel, strict=True)])


@pytest.mark.filterwarnings("ignore::mjorbit_warp.MjoWarning")
def test_shadow_keeps_what_rk4_truncates() -> None:
    """The reference at the same step is off by what RK4 truncates, and so float32 and it agree; shadow is with the
    reference at a thirtieth of the step."""
    fine = after_one_step(None, 32)
    error = {p: np.abs(after_one_step(p) - fine).max(axis=0) for p in (None, "single", "shadow")}
    assert error[None][:3].max() > 1e-3 and error[None][3:].max() > 1e-3  # of 1 kg·m/s and 0.5 N·m·s
    assert np.abs(error[None] - error["single"]).max() < 2e-6
    assert error["shadow"][:3].max() < 1e-6  # kg·m/s: float32 of a velocity of 0.02 m/s times 55 kg
    # N·m·s: wheels and gimbals feel the truncated motion: their stored momenta are 3e-5 off in both
    assert error["shadow"][3:].max() < 1e-4
