"""mjo_status: which worlds, since when, what to do; worlds that are frozen; buffers that were too small."""

import json
import warnings
from typing import Any

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.recorder import Recorder
from tests.conftest import DATA, compile_model, scatter

BACKENDS = pytest.mark.parametrize("backend", [mjo, mjo_ref])


def write(array: Any, values: Any) -> None:
    if isinstance(array, wp.array):
        array.assign(values)
    else:
        array[:] = values


def read(array: Any) -> Any:
    return np.array(array.numpy() if isinstance(array, wp.array) else array)


@pytest.fixture(scope="module")
def boxes() -> mjo.MjoModel:
    return compile_model("h28_two_boxes.xml")


@BACKENDS
def test_first_step_and_remedy_of_each_condition(backend: Any, box: mjo.MjoModel) -> None:
    """Faults set at steps 1, 3 and 4 of worlds whose clocks differ; the first step of a bit stays the first."""
    d = backend.make_data(box, nworld=4)
    dt = float(np.float32(box.mj.opt.timestep)) if backend is mjo else box.mj.opt.timestep
    assert backend.mjo_status(box, d).ok and str(mjo.mjo_status(box, d)) == "all 4 worlds are well"
    for k in range(6):
        if k == 0:
            r = read(d.orbit.r)
            r[2] *= 0.9
            write(d.orbit.r, r)
        if k == 2:
            v = read(d.qvel)
            v[1, 4] = np.nan
            write(d.qvel, v)
        if k == 3:
            q = read(d.qpos)
            q[3, 0] = 7e5
            write(d.qpos, q)
        backend.mjo_step(box, d)
    report = backend.mjo_status(box, d)
    assert [c.name for c in report.conditions] == ["NONFINITE", "BELOW_SURFACE", "TOO_FAR"]
    assert report.bad == (1, 2, 3) and not report.ok
    found = {c.name: (c.worlds, c.first_step, c.first_time) for c in report.conditions}
    # a world that is NaN when the step begins is not stepped: its clock has counted 2
    assert found["NONFINITE"] == ((1,), (2,), (pytest.approx(2 * dt, abs=1e-12),))
    assert found["BELOW_SURFACE"] == ((2,), (1,), (pytest.approx(dt, abs=1e-12),))
    assert found["TOO_FAR"] == ((3,), (4,), (pytest.approx(4 * dt, abs=1e-12),))
    text = str(report)
    assert f"a timestep below {dt:g} s" in text and "make_data(..., recenter=1000.0)" in text
    # 10 % of |r_c|, and the radius of Earth
    assert "677814 m" in text and "6378.14 km" in text and "6100.32 km" in text
    with pytest.raises(mjo.MjoError, match=r"NONFINITE in world 1, first at step 2, .* BELOW_SURFACE in world 2"):
        backend.mjo_status(box, d, strict=True)
    assert json.loads(json.dumps(report.as_dict()))[0]["worlds"] == [1]
    backend.mjo_reset(box, d, np.array([False, True, False, True]))
    assert backend.mjo_status(box, d).bad == (2,)
    with pytest.raises(KeyError, match="the report has BELOW_SURFACE"):
        backend.mjo_status(box, d)[mjo.Status.TOO_FAR]
    with pytest.raises(ValueError, match="another model"):
        mjo.mjo_status(compile_model("box_satellite"), d)


@BACKENDS
def test_far_and_then_not_finite(backend: Any, box: mjo.MjoModel) -> None:
    """Where a lost world is cannot be told; other worlds that are far still can."""
    d = backend.make_data(box, nworld=3)
    for value in (7e5, np.nan):
        q = read(d.qpos)
        q[1, 0] = value
        write(d.qpos, q)
        backend.mjo_step(box, d)
    far = backend.mjo_status(box, d)[mjo.Status.TOO_FAR]
    assert far.worlds == (1,) and "where it is now is not finite" in far.remedy and "nan m" not in far.remedy
    q = read(d.qpos)
    q[2, 0] = 8e5
    write(d.qpos, q)
    backend.mjo_step(box, d)
    far = backend.mjo_status(box, d)[mjo.Status.TOO_FAR]
    assert far.worlds == (1, 2) and "a body is 800000 m from" in far.remedy and "recenter" in far.remedy
    q[2, 0] = 2e7
    write(d.qpos, q)
    backend.mjo_step(box, d)
    far = backend.mjo_status(box, d)[mjo.Status.TOO_FAR]
    assert "2e+07 m from the orbit's origin, more than the orbit's radius" in far.remedy
    assert "diverged" in far.remedy and "recenter" not in far.remedy


@BACKENDS
@pytest.mark.parametrize("what", ["qpos", "qvel", "orbit"])
def test_a_lost_world_is_frozen(backend: Any, boxes: mjo.MjoModel, what: str) -> None:
    """NaN or infinity in world 1: motion, orbit and clock stay bit for bit; the others go on as without it."""
    good, bad = (backend.make_data(boxes, nworld=3) for _ in range(2))
    speed = np.random.default_rng(0).normal(size=(3, boxes.nv)) * 0.1
    for d in (good, bad):
        write(d.qvel, speed)
        for _ in range(3):
            backend.mjo_step(boxes, d)
    array = bad.orbit.v if what == "orbit" else getattr(bad, what)
    values = read(array)
    values[1, 2] = np.inf if what == "qvel" else np.nan
    write(array, values)
    kept = [read(x)[1] for x in (bad.qpos, bad.qvel, bad.orbit.r, bad.orbit.v, bad.time)]
    for _ in range(4):
        for d in (good, bad):
            backend.mjo_step(boxes, d)
    for before, now in zip(kept, (bad.qpos, bad.qvel, bad.orbit.r, bad.orbit.v, bad.time), strict=True):
        assert before.tobytes() == read(now)[1].tobytes()
    a, b = (np.asarray(read(backend.get_state(boxes, d))) for d in (good, bad))
    assert np.array_equal(a[[0, 2]], b[[0, 2]])
    report = backend.mjo_status(boxes, bad)
    assert report.bad == (1,) and report["NONFINITE"].first_step == (3,)
    # a state that was put right goes on, and its bit stays until a reset
    backend.set_state(boxes, bad, a[1:2], [1])
    for d in (good, bad):
        backend.mjo_step(boxes, d)
    a, b = (np.asarray(read(backend.get_state(boxes, d))) for d in (good, bad))
    assert np.array_equal(a, b) and backend.mjo_status(boxes, bad).bad == (1,)


def test_a_world_that_blows_up_by_itself_stays_as_found(two_arm: mjo.MjoModel) -> None:
    """A velocity that squares to infinity: found at the end of its first step, not touched after, shadow and all."""
    d = mjo.make_data(two_arm, nworld=2, precision="shadow")
    scatter(d)
    v = d.qvel.numpy().copy()
    v[0, 3] = 1e30
    d.qvel.assign(v)
    mjo.mjo_step(two_arm, d)
    report = mjo.mjo_status(two_arm, d)
    assert report["NONFINITE"].first_step == (1,)
    q, v = d.qpos.numpy().copy(), d.qvel.numpy().copy()
    step = mjo.capture(two_arm, d, nstep=3)
    step()
    assert q[0].tobytes() == d.qpos.numpy()[0].tobytes() and v[0].tobytes() == d.qvel.numpy()[0].tobytes()
    assert np.array_equal(d.shadow.qvel.numpy()[0], v[0].astype(np.float64), equal_nan=True)
    dt = float(np.float32(two_arm.mj.opt.timestep))
    assert np.abs(d.time.numpy() - [dt, 4.0 * dt]).max() < 1e-12
    assert d.mjw.time.numpy()[0] == np.float32(dt)


def test_warnings_are_said_once(box: mjo.MjoModel) -> None:
    d = mjo.make_data(box, nworld=2)
    q = d.qpos.numpy().copy()
    q[1, 0] = np.nan
    d.qpos.assign(q)
    mjo.mjo_step(box, d)
    said: set[str] = set()
    with pytest.warns(mjo.MjoWarning, match=r"NONFINITE in world 1, first at step 0, 0 s: it is frozen"):
        mjo.mjo_status(box, d).warn(said)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mjo.mjo_status(box, d).warn(said)


@BACKENDS
@pytest.mark.parametrize("by_hook", [False, True])
def test_commands_that_are_not_finite(two_arm: mjo.MjoModel, backend: Any, by_hook: bool) -> None:
    """MuJoCo C alone would move on with every command 0; an infinite one that is clamped is a command."""
    spec = mjo.MjoSpec.from_file(mjo.models.model_path("two_arm"))
    spec.orbit = two_arm.orbit
    spec.actuators[0].ctrlrange, spec.actuators[0].ctrllimited = (-0.5, 0.5), 1
    model = spec.compile()
    d = backend.make_data(model, nworld=3)
    ctrl = np.full((3, model.nu), 0.1)
    ctrl[1, 3], ctrl[2, 0] = np.nan, np.inf
    if by_hook:
        values = wp.array(ctrl, dtype=wp.float32) if backend is mjo else ctrl
        model.callback.control = lambda m, data: (
            wp.copy(data.ctrl, values) if backend is mjo else write(data.ctrl, values)
        )
    else:
        write(d.ctrl, ctrl)
    for _ in range(3):
        backend.mjo_step(model, d)
    assert d.bad_worlds() == {"NONFINITE": [1]}
    assert d.faults.first_step[1, 0] == 1 if backend is mjo_ref else d.faults.first_step.numpy()[1, 0] == 1
    assert np.isfinite(read(d.qpos)[[0, 2]]).all() and np.abs(read(d.qpos)[[0, 2], 7:]).max() > 1e-4


def test_records_go_on_without_the_first_world(box: mjo.MjoModel) -> None:
    """World 0 stands still after two steps; the records' time is that of the others, whichever were chosen."""
    d = mjo.make_data(box, nworld=3)
    recorders = [Recorder(d, ids) for ids in ((0, 2), (0,))]
    for k in range(6):
        if k == 2:
            q = d.qpos.numpy().copy()
            q[0, 1] = np.nan
            d.qpos.assign(q)
        mjo.mjo_step(box, d)
        for recorder in recorders:
            recorder.record()
    dt = float(np.float32(box.mj.opt.timestep))
    for recorder in recorders:
        arrays = recorder.arrays()
        assert np.abs(arrays["time"] - dt * np.arange(1, 7)).max() < 1e-12
        assert np.abs(arrays["t"] - arrays["time"] - d.orbit.epoch.numpy()[0]).max() < 1e-6  # s since J2000, of 1e8
        assert np.isnan(arrays["qpos"][2:, 0, 1]).all()


def test_rollouts_tell_what_was_put_back(two_arm: mjo.MjoModel) -> None:
    """A velocity without bounds in one rollout: named by the rollout, while the plant is as before."""
    d = mjo.make_data(two_arm, nworld=3)
    scatter(d)
    v = d.qvel.numpy().copy()
    v[2, 3] = 1e30
    d.qvel.assign(v)
    out = mjo.rollout(two_arm, d, np.zeros((2, 3, two_arm.nu), dtype=np.float32), restore=True)
    assert out.bad_worlds() == {"NONFINITE": [2]} and mjo.mjo_status(two_arm, d).ok
    assert np.array_equal(d.faults.first_step.numpy(), np.full((3, len(mjo.Status)), -1))
    assert out.length.numpy().tolist() == [2, 2, 1]


@pytest.fixture(scope="module")
def balls() -> mjo.MjoModel:
    model = compile_model("h19_nine_balls.xml", orbit=None)
    model.opt.warn_overflow = 0  # MJWarp's own lines: thousands
    return model


def pressed(model: mjo.MjoModel, nconmax: int, njmax: int) -> mjo.MjoData:
    """World 0: nine balls pressed on a plate with 1 N for 2 s; world 1: idle 5 m above it."""
    d = mjo.make_data(model, nworld=2, nconmax=nconmax, njmax=njmax)
    q = d.qpos.numpy().copy()
    q[1, 2::7] = 5.0
    d.qpos.assign(q)
    force = np.zeros((2, model.nbody, 6), dtype=np.float32)
    force[0, 1:, 2] = -1.0
    d.xfrc_applied.assign(force)
    step = mjo.capture(model, d, nstep=20)
    for _ in range(50):
        step()
    return d


def test_h19_large_enough_buffers(balls: mjo.MjoModel) -> None:
    """All nine rest 0.04 mm inside the plate, where MuJoCo C has them; what was needed can be read for a later run."""
    d = pressed(balls, 16, 64)
    assert mjo.mjo_status(balls, d).conditions == ()
    assert np.abs(d.qpos.numpy()[0, 2::7] - 0.09996).max() < 1e-5
    assert np.abs(d.qpos.numpy()[1, 2::7] - 5.0).max() == 0.0
    assert d.faults.needed.numpy().tolist() == [[36, 9, 9], [0, 9, 9]]  # 4 rows a contact


def test_h19_too_few_contacts(balls: mjo.MjoModel) -> None:
    """A ball falls through the plate (free fall: 0.1 − ½·1·2²): both worlds are named, as they share the buffer."""
    d = pressed(balls, 4, 64)
    assert d.qpos.numpy()[0, 2::7].min() == pytest.approx(-1.902, abs=1e-3)
    report = mjo.mjo_status(balls, d)
    assert report["OVERFLOW"].worlds == (0, 1) and report["OVERFLOW"].first_step == (1, 1)
    assert "9 contacts were needed in 2 worlds, which share a buffer of 8" in str(report)
    assert "set make_data(..., nconmax=5) or naconmax=9, at least" in str(report)
    assert mjo.mjo_status(balls, pressed(balls, 5, 64)).ok  # as told
    with pytest.raises(mjo.MjoError, match=r"OVERFLOW in 2 worlds \(0, 1\), first at step 1"):
        mjo.mjo_status(balls, d, strict=True)


def test_h19_too_few_rows(balls: mjo.MjoModel) -> None:
    """Rows for two balls: seven fall, in the world that is named."""
    d = pressed(balls, 16, 8)
    assert np.count_nonzero(d.qpos.numpy()[0, 2::7] < -1.9) == 7
    report = mjo.mjo_status(balls, d)
    assert report.bad == (0,)
    assert "36 constraint rows were needed and njmax is 8: set make_data(..., njmax=36), at least" in str(report)
    assert mjo.mjo_status(balls, pressed(balls, 16, 36)).ok


@pytest.mark.parametrize(("memory", "gap", "bad"), [(30_000, 0.0, (0,)), (60_000, 0.0, ()), (60_000, 0.01, ())])
def test_h19_reference_whose_arena_is_full(memory: int, gap: float, bad: tuple[int, ...]) -> None:
    """MuJoCo C drops every row, and the balls fall; with room, or with contacts that need no row, nothing is said."""
    spec = mjo.MjoSpec.from_file(DATA / "h19_nine_balls.xml")
    spec.memory = memory
    for geom in spec.geoms:
        geom.gap, geom.margin = gap, 0.0
    with pytest.warns(mjo.MjoWarning, match="no orbit"):
        model = spec.compile()
    d = mjo_ref.make_data(model, nworld=2)
    d.qpos[1, 2::7] = 5.0
    if gap:
        d.qpos[0, 2::7] = 0.105  # 5 mm above the plate: found, and without force
    else:
        d.xfrc_applied[0, 1:, 2] = -1.0
    for _ in range(100):
        mjo_ref.mjo_step(model, d)
    report = mjo.mjo_status(model, d)
    assert d.ncon.tolist() == [9, 0]
    assert report.bad == bad
    if bad:
        assert d.qpos[0, 2::7].max() < 0.09  # free fall would be 0.1 - 0.5*1*0.2**2 = 0.08
        assert report["OVERFLOW"].first_step == (1,) and f'<size memory="{2 * memory}"/>' in str(report)
    elif not gap:
        assert d.nefc.tolist() == [36, 0]


def test_an_overflow_ends_with_the_state_that_had_it(balls: mjo.MjoModel) -> None:
    """MJWarp's bits only ever grow: a bank, a broadcast and a rollout's end must take them back."""
    d = mjo.make_data(balls, nworld=2, nconmax=16, njmax=8)
    q = d.qpos.numpy().copy()
    q[:, 2::7] = 5.0
    d.qpos.assign(q)
    bank = mjo.StateBank(balls, d)
    start = mjo.get_state(balls, d).numpy().copy()

    def press() -> None:
        low = q.copy()
        low[0, 2::7] = 0.0999
        d.qpos.assign(low)
        mjo.mjo_step(balls, d)

    def well() -> None:
        assert d.mjw.overflow.numpy().tolist() == [0, 0]
        mjo.mjo_step(balls, d)
        assert mjo.mjo_status(balls, d).conditions == ()

    press()
    assert mjo.mjo_status(balls, d).bad == (0,)
    bank.restore()
    well()
    press()
    mjo.broadcast_state(balls, d, world=1)
    well()
    mjo.set_state(balls, d, start)
    with mjo.saved(balls, d):
        press()
    well()
