"""What a review by attack found: each of these failed once."""

import copy
from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from tests.conftest import LEO, compile_model, scatter

WELDED = """
<mujoco><option gravity="0 0 0" timestep="0.02" integrator="RK4"/><worldbody>
 <body name="a"><freejoint/><inertial pos="0.1 0 0" mass="2" diaginertia="1 1.2 1.4"/></body>
 <body name="b" pos="1 0 0"><freejoint/><inertial pos="0 0.1 0" mass="4" diaginertia="2 1.5 1"/></body>
</worldbody><equality><weld body1="a" body2="b"/></equality></mujoco>
"""


@pytest.fixture(scope="module")
def welded() -> mjo.MjoModel:
    spec = mjo.MjoSpec.from_string(WELDED)
    spec.orbit = LEO
    return spec.compile()


def moving(model: mjo.MjoModel) -> mjo.MjoData:
    d = mjo.make_data(model, nworld=2)
    d.qvel.assign(np.random.default_rng(0).normal(0.0, 0.05, (2, model.nv)))
    return d


def test_a_welded_world_recovers_from_nan(welded: mjo.MjoModel) -> None:
    """MJWarp's weld rows read the velocity of the evaluation before: a reset must refresh it."""
    d, new = moving(welded), mjo.make_data(welded, nworld=2)
    qvel = d.qvel.numpy().copy()
    qvel[0] = np.nan
    d.qvel.assign(qvel)
    for _ in range(3):
        mjo.mjo_step(welded, d)
    mjo.mjo_reset(welded, d, np.array([True, False]))
    for _ in range(5):
        mjo.mjo_step(welded, d)
        mjo.mjo_step(welded, new)
    assert not d.bad_worlds()
    assert np.array_equal(d.qpos.numpy()[0], new.qpos.numpy()[0])


def test_a_welded_step_is_a_function_of_the_state(welded: mjo.MjoModel) -> None:
    """Restoring a state, or looking at the data in between, gives the same bits."""
    d, fresh, watched = moving(welded), mjo.make_data(welded, nworld=2), moving(welded)
    for _ in range(3):
        mjo.mjo_step(welded, d)
        mjo.absolute_state(welded, watched)
        mjo.mjo_step(welded, watched)
        mjo.mjo_forward(welded, watched)
    mjo.set_state(welded, fresh, mjo.get_state(welded, d))
    for x in (d, fresh, watched):
        mjo.mjo_step(welded, x)
    assert np.array_equal(mjo.get_state(welded, d).numpy(), mjo.get_state(welded, fresh).numpy())
    assert np.array_equal(d.qpos.numpy(), watched.qpos.numpy())


def test_a_capture_survives_a_hook_that_raised() -> None:
    """The state is that from before, and the step works again once the hook is gone."""
    model = compile_model("two_arm")
    d = mjo.make_data(model, nworld=2)
    scatter(d, seed=1)
    step = mjo.capture(model, d)
    before = mjo.get_state(model, d).numpy().copy()

    def broken(m: Any, data: Any) -> None:
        raise ArithmeticError("mine")

    model.callback.control = broken
    with pytest.raises(ArithmeticError, match="mine"):
        step()
    assert np.array_equal(mjo.get_state(model, d).numpy(), before)
    model.callback.control = None
    step()
    assert d.time.numpy()[0] > 0.0


def test_sensor_callbacks_are_called() -> None:
    model = compile_model("two_arm")
    d = mjo.make_data(model)
    stages: list[int] = []
    model.callback.sensor = lambda m, data, stage: stages.append(int(stage))
    mjo.mjo_forward(model, d)
    assert len(stages) == 3


def test_a_control_hook_of_mjwarp_can_be_removed() -> None:
    model = compile_model("two_arm")
    d = mjo.make_data(model)
    calls: list[int] = []
    model.mjw.callback.control = lambda m, data: calls.append(1)
    mjo.mjo_step(model, d)
    assert len(calls) == 4
    model.mjw.callback.control = None
    mjo.mjo_step(model, d)
    assert len(calls) == 4


def test_from_warp_takes_the_device_options() -> None:
    model = compile_model("two_arm")
    d = mjo.make_data(model)
    model.opt.integrator = 3
    assert mjo_ref.from_warp(model, d).batch.model.opt.integrator == 3


def test_reference_refuses_what_it_ignores(box: mjo.MjoModel) -> None:
    model = compile_model("box_satellite")
    d = mjo_ref.make_data(model)
    model.callback.act_gain = lambda m, data: None
    with pytest.raises(NotImplementedError, match="no act_gain callback"):
        mjo_ref.mjo_step(model, d)
    for call in (mjo_ref.get_state, mjo_ref.mjo_reset, mjo_ref.set_const):
        with pytest.raises(ValueError, match="another model"):
            call(box, d)
    with pytest.raises(ValueError, match="0 to 0 are allowed"):
        mjo_ref.get_state(model, d, world_ids=[-1])


def test_data_of_the_other_backend(box: mjo.MjoModel) -> None:
    ours, theirs = mjo.make_data(box), mjo_ref.make_data(box)
    for name in ("mjo_step", "mjo_forward", "mjo_reset", "mjo_sense", "get_state", "absolute_state", "set_const"):
        with pytest.raises(ValueError, match=r"of the reference backend: data of mjorbit_warp\.make_data is expected"):
            getattr(mjo, name)(box, theirs)
        with pytest.raises(ValueError, match=r"Warp backend: data of mjorbit_warp\.reference\.make_data is expected"):
            getattr(mjo_ref, name)(box, ours)
    for call in (mjo.StateBank, mjo.capture, mjo_ref.from_warp):
        with pytest.raises(ValueError, match="of the reference backend"):
            call(box, theirs)  # type: ignore[operator]


def test_compiled_options_are_fixed(box: mjo.MjoModel) -> None:
    with pytest.raises(AttributeError, match="compile again"):
        box.options.j2 = False
    with pytest.raises(ValueError, match="True or False"):
        mjo.OrbitOptions(j2="no")  # type: ignore[arg-type]


def test_spec_attributes_are_not_lost() -> None:
    spec = mjo.MjoSpec.from_string(WELDED)
    spec.modelname = "pair"
    assert spec.mj.modelname == "pair"
    with pytest.raises(AttributeError, match="no attribute 'orbits'"):
        spec.orbits = LEO
    spec.orbit = LEO
    other = spec.copy()
    other.options.j2 = False
    other.modelname = "other"
    assert (spec.options.j2, spec.modelname, other.orbit) == (True, "pair", LEO)
    assert copy.copy(LEO) == LEO


def test_flags_are_checked_before_the_state_moves() -> None:
    model = compile_model("two_arm")
    d = mjo.make_data(model)
    scatter(d)
    before = mjo.get_state(model, d).numpy().copy()
    model.opt.disableflags |= mjo.check._BOTH_PASSIVE
    with pytest.raises(ValueError, match="spring and damper are both disabled"):
        mjo.mjo_step(model, d)
    assert np.array_equal(mjo.get_state(model, d).numpy(), before)
