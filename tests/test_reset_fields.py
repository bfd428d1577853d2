"""A masked reset, array by array: chosen worlds are as new, the others keep their bits."""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from tests.conftest import scatter
from tests.equipped import equipped_model, start

NWORLD = 3
MASK = np.array([False, True, False])
# MJWarp's make_data leaves these at 0 until a step or a reset has set them
UNSET = {f"mjw.{name}" for name in "ntree_awake nbody_awake nv_awake body_awake_ind dof_awake_ind".split()}
# positions and velocities of bodies follow the state in all worlds
FOLLOW = {
    f"mjw.{name}"
    for name in (
        "xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat subtree_com cdof cinert "
        "cvel cdof_dot"
    ).split()
}
# contacts and rows: lists of the last evaluation, empty for a reset world by nefc and dim; held: of worlds not finite
# of the step under way, written in it before they are read: see test_one_step_later
SCRATCH = ("shadow.stage_", "momentum.", "conserving.")
LISTS = ("mjw.contact.", "mjw.efc.", "mjw.nacon", "mjw.ncollision", "faults.held.", "ring.")


def of_objects(d: mjo.MjoData) -> Iterator[tuple[str, wp.array]]:
    """Every array of the data and of MJWarp's, once, by name."""
    seen = set()

    def walk(owner: Any, prefix: str) -> Iterator[tuple[str, wp.array]]:
        if isinstance(owner, wp._src.codegen.StructInstance):
            names: Any = owner._cls.vars
        else:
            names = vars(owner)
        for name in list(names):
            value = getattr(owner, name)
            if isinstance(value, wp.array):
                if value.size and value.ptr not in seen:
                    seen.add(value.ptr)
                    yield prefix + name, value
            elif isinstance(value, wp._src.codegen.StructInstance) or dataclasses.is_dataclass(value):
                yield from walk(value, f"{prefix}{name}.")

    yield from walk(d.mjw, "mjw.")
    for part in ("orbit", "environment", "hardware", "sensors", "faults", "shadow", "momentum", "conserving", "latch"):
        if getattr(d, part) is not None:
            yield from walk(getattr(d, part), f"{part}.")
    yield from walk(d._clock, "clock.")
    yield from walk(d, "")


def worlds(name: str, array: wp.array) -> Any:
    """Values with the world first; None for what all worlds share."""
    values = array.numpy().copy()
    if name.startswith("orbit.state.stage") or name.startswith("shadow.stage"):
        values = values.swapaxes(0, 1)
    return values if values.shape[0] == NWORLD else None


def everything(d: mjo.MjoData) -> dict[str, Any]:
    found = {name: worlds(name, array) for name, array in of_objects(d)}
    return {name: values for name, values in found.items() if values is not None and not name.startswith(LISTS)}


def same(a: Any, b: Any) -> bool:
    return np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def lived(model: mjo.MjoModel, **options: Any) -> mjo.MjoData:
    """Three steps of hardware, noise and applied forces; then NaN in the world that will be reset, and a step."""
    d = mjo.make_data(model, NWORLD, seed=3, **options)
    scatter(d, seed=1)
    start(d)
    rng = np.random.default_rng(2)
    d.qfrc_applied.assign(rng.normal(size=d.qfrc_applied.shape) * 1e-3)
    d.xfrc_applied.assign(rng.normal(size=(NWORLD, model.nbody, 6)) * 1e-3)
    for k in range(4):
        if k == 3:
            v = d.qvel.numpy().copy()
            v[MASK, 0] = np.nan
            d.qvel.assign(v)
        mjo.mjo_step(model, d)
    return d


def by_reset(model: mjo.MjoModel, d: mjo.MjoData) -> None:
    mjo.mjo_reset(model, d, MASK)


def by_graph(model: mjo.MjoModel, d: mjo.MjoData) -> None:
    mask: Any = wp.array(np.zeros(NWORLD, dtype=bool))
    graph = mjo.CapturedStep(model, d, 1, lambda: mjo.mjo_reset(model, d, mask), [mask])
    mask.assign(MASK)
    graph()


@pytest.fixture(scope="module")
def equipped() -> mjo.MjoModel:
    return equipped_model("RK4")


@pytest.mark.parametrize("reset", [by_reset, by_graph])
@pytest.mark.parametrize("precision", ["single", "shadow"])
def test_every_array(
    equipped: mjo.MjoModel, precision: str, reset: Callable[[mjo.MjoModel, mjo.MjoData], None]
) -> None:
    """Chosen: the bits of new data, in every array; others: their own bits, in every array but derived positions."""
    d = lived(equipped, precision=precision, state_ring=2)
    new = mjo.make_data(equipped, NWORLD, seed=3, precision=precision)
    before = everything(d)
    assert np.isnan(before["mjw.qacc"][MASK]).any() and len(before) > 100
    reset(equipped, d)
    after, fresh = everything(d), everything(new)
    kept = {"sensors.count", "sensors.state.count"}  # the noise of a world goes on, so that episodes differ
    known = [name for name in after if name not in UNSET | kept and not name.startswith(SCRATCH)]
    assert [name for name in known if not same(after[name][MASK], fresh[name][MASK])] == []
    touched = [name for name in after if name not in FOLLOW and not same(after[name][~MASK], before[name][~MASK])]
    assert touched == []
    assert d.ring.count.numpy().tolist() == [4, 0, 4]


@pytest.mark.parametrize("precision", ["single", "shadow", "conserving"])
def test_one_step_later(equipped: mjo.MjoModel, precision: str) -> None:
    """A step after: others as if there had been no reset, the chosen world as in new data with its noise count."""
    d, without = (lived(equipped, precision=precision) for _ in range(2))
    new = mjo.make_data(equipped, NWORLD, seed=3, precision=precision)
    mjo.mjo_reset(equipped, d, MASK)
    new.sensors.count.assign(d.sensors.count.numpy())
    for x in (d, without, new):
        mjo.mjo_step(equipped, x)
    after, other, fresh = everything(d), everything(without), everything(new)
    assert [name for name in after if not same(after[name][~MASK], other[name][~MASK])] == []
    assert [name for name in after if name not in UNSET and not same(after[name][MASK], fresh[name][MASK])] == []
    assert mjo.mjo_status(equipped, d).bad == ()


def test_contacts_and_equalities() -> None:
    """Plates in touch, a weld switched off and a mocap body moved in the world that is reset: all as in new data."""
    spec = mjo.MjoSpec.from_string(
        """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody>
         <body name="hand" mocap="true" pos="0 0 3"><geom size="0.1"/></body>
         <body name="a"><freejoint/><geom type="box" size="0.5 0.5 0.1" mass="2"/></body>
         <body name="b" pos="0 0 0.19"><freejoint/><geom type="box" size="0.5 0.5 0.1" mass="3"/></body>
         <body name="c" pos="2 0 0"><freejoint/><geom size="0.1" mass="1"/></body>
        </worldbody><equality><weld body1="a" body2="c"/></equality>
        <keyframe><key name="apart" qpos="0 0 0 1 0 0 0  0 0 2 1 0 0 0  2 0 0 1 0 0 0" mpos="0 0 4"/></keyframe>
        </mujoco>"""
    )
    spec.orbit = None
    model = spec.compile()
    model.opt.warn_overflow = 0

    def used() -> mjo.MjoData:
        d = mjo.make_data(model, NWORLD, nconmax=16, njmax=40)
        d.eq_active.assign(np.tile([False], (NWORLD, 1)))
        d.mocap_pos.assign(np.tile([[0.0, 0.0, 5.0]], (NWORLD, 1, 1)))
        d.qvel.assign(np.random.default_rng(1).normal(size=(NWORLD, model.nv)) * 0.1)
        for _ in range(3):
            mjo.mjo_step(model, d)
        return d

    for keyframe in (None, "apart"):
        d, without = used(), used()
        new = mjo.make_data(model, NWORLD, nconmax=16, njmax=40)
        mjo.mjo_reset(model, new, keyframe=keyframe)
        assert d.nacon.numpy()[0] == 12
        mjo.mjo_reset(model, d, MASK, keyframe=keyframe)
        assert d.eq_active.numpy()[:, 0].tolist() == [False, True, False]
        assert d.mocap_pos.numpy()[:, 0, 2].tolist() == [5.0, 3.0 if keyframe is None else 4.0, 5.0]
        assert d.nefc.numpy().tolist()[1] == 0
        for k in range(2):
            after, other, fresh = everything(d), everything(without), everything(new)
            known = [
                n for n in after if n not in UNSET and n != "faults.state.needed"
            ]  # it counts all worlds' contacts
            chosen = [n for n in known if not same(after[n][MASK], fresh[n][MASK])]
            rest = [n for n in after if n not in FOLLOW and not same(after[n][~MASK], other[n][~MASK])]
            assert (k, chosen, rest) == (k, [], [])
            for x in (d, without, new):
                mjo.mjo_step(model, x)


def test_the_reference_resets_alike(equipped: mjo.MjoModel) -> None:
    """Its state, status and parts; other worlds go on to the same bits."""
    one, two, new = (mjo_ref.make_data(equipped, NWORLD, seed=3) for _ in range(3))
    for d in (one, two):
        scatter(d, seed=1)
        start(d)
        d.qfrc_applied[:] = 1e-3
        for k in range(3):
            if k == 2:
                d.qvel[MASK, 0] = np.nan
            mjo_ref.mjo_step(equipped, d)
    mjo_ref.mjo_reset(equipped, one, MASK)
    assert not mjo_ref.mjo_status(equipped, one).conditions or mjo_ref.mjo_status(equipped, one).ok
    count = mjo_ref.state_layout(one)
    kept = [count[name] for name in count if name == "sensors.count"]
    for _ in range(2):
        states = [mjo_ref.get_state(equipped, d) for d in (one, two, new)]
        for part in kept:
            states[2][:, part] = states[0][:, part]
        assert np.array_equal(states[0][MASK], states[2][MASK])
        assert np.array_equal(states[0][~MASK], states[1][~MASK])
        for d in (one, two, new):
            mjo_ref.mjo_step(equipped, d)
