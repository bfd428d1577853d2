"""Status bits."""

import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from tests.conftest import compile_model


def test_each_bit_names_its_world() -> None:
    """NaN velocity, an orbit below the surface, a body 700 km away; world 0 is well, and a reset clears."""
    model = compile_model("box_satellite")
    for backend in (mjo, mjo_ref):
        d = backend.make_data(model, nworld=4)
        qpos, qvel = np.tile(model.mj.qpos0, (4, 1)), np.zeros((4, 6))
        qvel[1, 2] = np.nan
        qpos[3, 0] = 7e5
        r = np.array(d.orbit.r.numpy() if backend is mjo else d.orbit.r)
        r[2] *= 0.9
        if backend is mjo:
            d.qpos.assign(qpos)
            d.qvel.assign(qvel)
            d.orbit.r.assign(r)
        else:
            d.qpos[:], d.qvel[:], d.orbit.r[:] = qpos, qvel, r
        assert not d.bad_worlds()
        backend.mjo_step(model, d)
        assert d.bad_worlds() == {"NONFINITE": [1], "BELOW_SURFACE": [2], "TOO_FAR": [3]}
        backend.mjo_reset(model, d)
        assert not d.bad_worlds()


def test_dropped_contacts_are_seen() -> None:
    """Two plates pressed together with room for no contact row: OVERFLOW, not silence."""
    model = compile_model("chaser_target")
    d = mjo.make_data(model, nworld=2, nconmax=4, njmax=1)
    qpos = np.tile(model.mj.qpos0, (2, 1))
    qpos[1, 7] = 1.09  # the target's plate, 1 cm into the chaser's
    d.qpos.assign(qpos)
    model.opt.warn_overflow = False
    mjo.mjo_step(model, d)
    assert d.bad_worlds() == {"OVERFLOW": [1]}


def test_a_solver_that_stops_early_drops_nothing() -> None:
    """Pressed plates, and a solver that may not converge: ``overflow`` says so; no contact is lost, no fault set."""
    model = compile_model("chaser_target")
    d = mjo.make_data(model, nworld=2, nconmax=4, njmax=64)
    qpos = np.tile(model.mj.qpos0, (2, 1))
    qpos[1, 7] = 1.09
    d.qpos.assign(qpos)
    model.opt.warn_overflow = False
    model.opt.iterations = 1
    model.opt.tolerance.zero_()
    mjo.mjo_step(model, d)
    assert d.mjw.overflow.numpy()[1] != 0 and d.mjw.nacon.numpy()[0] > 0
    assert not d.bad_worlds()
