"""Noise of sensors: its numbers, its statistics, and on what it depends."""

from typing import Any

import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp import _quat
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.kernels.noise import normal4, philox
from mjorbit_warp.reference import noise as twin
from tests.conftest import compile_model
from tests.sensed import SENSORS, begin, sensed_spec


@pytest.fixture(scope="module")
def model() -> mjo.MjoModel:
    return sensed_spec().compile()


@wp.kernel
def _words(counter: wp.array2d[wp.uint32], key: wp.array2d[wp.uint32], out: wp.array2d[wp.uint32]):
    i = wp.tid()
    a, b, c, d = philox(counter[i, 0], counter[i, 1], counter[i, 2], counter[i, 3], key[i, 0], key[i, 1])
    out[i, 0] = a
    out[i, 1] = b
    out[i, 2] = c
    out[i, 3] = d


@wp.kernel
def _normals(seed: wp.array[wp.int64], count: wp.array[wp.int64], out: wp.array[wp.vec4]):
    i = wp.tid()
    out[i] = normal4(seed[i], 3, count[i], 17, 1, 2)


def test_philox_known_answers() -> None:
    """The test vectors of Random123 (kat_vectors, philox4x32 10)."""
    counter = [[0] * 4, [0xFFFFFFFF] * 4, [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344]]
    key = [[0] * 2, [0xFFFFFFFF] * 2, [0xA4093822, 0x299F31D0]]
    want = [
        [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8],
        [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ]
    assert np.array_equal(twin.philox(counter, key), want)


def test_words_are_the_twins_bit_for_bit() -> None:
    rng = np.random.default_rng(1)
    counter, key = (rng.integers(0, 2**32, (500, n), dtype=np.uint32) for n in (4, 2))
    out = wp.zeros((500, 4), dtype=wp.uint32)
    wp.launch(
        _words, dim=500, inputs=[wp.array(counter, dtype=wp.uint32), wp.array(key, dtype=wp.uint32)], outputs=[out]
    )
    assert np.array_equal(out.numpy(), twin.philox(counter, key))


def test_normals_are_the_twins() -> None:
    """To float32 rounding of the angle, 4e-7 rad, times a radius of up to 6.8."""
    n = 100_000
    rng = np.random.default_rng(2)
    seed, count = rng.integers(0, 2**53, n), rng.integers(0, 2**48, n)
    out = wp.zeros(n, dtype=wp.vec4)
    wp.launch(_normals, dim=n, inputs=[wp.array(seed, dtype=wp.int64), wp.array(count, dtype=wp.int64)], outputs=[out])
    want = twin.normal4(seed, 3, count, 17, 1, 2)
    assert np.abs(out.numpy() - want).max() < 4e-6
    # four moments of 400 000 variates, to five of their standard errors
    x, m = want.ravel(), want.size
    for power, moment, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs(np.mean(x**power) - moment) < 5.0 * np.sqrt(variance / m)


@pytest.mark.parametrize("backend", [mjo, mjo_ref])
def test_h26_native_noise(backend: Any) -> None:
    """Known-answer case H26: std 0.02 to 2 %, mean 0 within 1e-4, uncorrelated, repeatable, dynamics untouched."""
    model = compile_model("h26_gyro_noise.xml", orbit=None)
    nworld, nstep = 4096, 50

    def run(seed: int, noise: bool = True) -> tuple[np.ndarray, np.ndarray]:
        d = backend.make_data(model, nworld, seed=seed, sensor_noise=noise)
        samples = []
        for _ in range(nstep):
            backend.mjo_step(model, d)
            samples.append(np.array(d.sensor("gyro").numpy() if backend is mjo else d.sensor("gyro")))
        qpos, qvel = (d.qpos.numpy(), d.qvel.numpy()) if backend is mjo else (d.qpos, d.qvel)
        return np.array(samples), np.concatenate([qpos, qvel], axis=1)

    x, state = run(1)
    again, _ = run(1)
    other, _ = run(2)
    silent, still = run(1, noise=False)
    assert x.shape == (nstep, nworld, 3)
    assert abs(x.std() / 0.02 - 1.0) < 0.02 and abs(x.mean()) < 1e-4
    assert np.array_equal(x, again) and np.array_equal(state, still) and not silent.any()
    z = x / x.std()
    for a, b in ((z[1:], z[:-1]), (z[:, 1:], z[:, :-1]), (z[..., 1:], z[..., :-1]), (z, other / x.std())):
        assert abs(np.mean(a * b)) < 0.01


def samples(model: mjo.MjoModel, d: mjo.MjoData, n: int) -> np.ndarray:
    out = []
    for _ in range(n):
        mjo.mjo_step(model, d)
        out.append(np.concatenate([d.sensordata.numpy(), d.sensors.value.numpy().reshape(d.nworld, -1)], axis=1))
    return np.array(out)


def test_noise_depends_neither_on_nworld_nor_on_resets_of_others(model: mjo.MjoModel) -> None:
    a, b = mjo.make_data(model, 3, seed=5), mjo.make_data(model, 7, seed=5)
    begin(a)
    begin(b)
    mjo.set_state(model, b, mjo.get_state(model, a), world_ids=[0, 1, 2])
    first = samples(model, a, 4)
    assert np.array_equal(first, samples(model, b, 4)[:, :3])
    mjo.mjo_reset(model, b, np.array([False, False, False, True, True, False, True]))
    assert np.array_equal(samples(model, a, 5), samples(model, b, 5)[:, :3])
    assert np.abs(first[:, 0] - first[:, 1]).max() > 0.0


def test_replay_after_set_state_in_another_world(model: mjo.MjoModel) -> None:
    d = mjo.make_data(model, 3, seed=5)
    begin(d)
    samples(model, d, 7)
    saved = mjo.get_state(model, d, world_ids=[1])
    later = samples(model, d, 25)
    e = mjo.make_data(model, 2, seed=99)
    mjo.set_state(model, e, saved, world_ids=[0])
    assert np.array_equal(samples(model, e, 25)[:, 0], later[:, 1])


def test_captured_is_uncaptured_and_dynamics_do_not_see_noise(model: mjo.MjoModel) -> None:
    a, b, c = (mjo.make_data(model, 2, seed=3, sensor_noise=noise) for noise in (True, True, False))
    for d in (a, b, c):
        begin(d)
    before = b.sensors.count.numpy().copy()
    step = mjo.capture(model, b, nstep=3)
    assert np.array_equal(b.sensors.count.numpy(), before) and not b.sensors.value.numpy().any()
    for _ in range(4):
        step()
    samples(model, a, 12)
    samples(model, c, 12)
    for name in ("sensordata", "qpos", "qvel", "act"):
        assert np.array_equal(getattr(a, name).numpy(), getattr(b, name).numpy())
        assert name == "sensordata" or np.array_equal(getattr(a, name).numpy(), getattr(c, name).numpy())
    assert np.array_equal(mjo.get_state(model, a).numpy(), mjo.get_state(model, b).numpy())
    assert np.array_equal(a.orbit.r.numpy(), c.orbit.r.numpy())
    b.sensors.enabled = False  # a graph notices
    step()
    assert step.ncapture == 2
    samples(model, c, 3)
    assert np.array_equal(b.sensordata.numpy(), c.sensordata.numpy())


def test_reset_forgets_drift_and_holds_but_not_the_count(model: mjo.MjoModel) -> None:
    """An episode must not repeat the noise of the one before, unless the count is set back too."""
    d = mjo.make_data(model, 1, seed=8)
    first = samples(model, d, 3)
    assert d.sensors.drift.numpy().any() and (d.sensors.tick.numpy() == 0).all()
    mjo.mjo_reset(model, d)
    assert not d.sensors.drift.numpy().any() and (d.sensors.tick.numpy() == -1).all()
    assert (d.sensors.count.numpy() == 3).all() and not d.sensors.value.numpy().any()
    assert np.abs(samples(model, d, 3) - first).max() > 0.0
    mjo.mjo_reset(model, d)
    d.sensors.count.zero_()
    assert np.array_equal(samples(model, d, 3), first)


def test_seeds_and_parameters_per_world() -> None:
    model = sensed_spec().compile()
    d = mjo.make_data(model, 4, seed=1)
    d.sensors.seed.assign(np.array([1, 1, 2, 1]))
    d.sensors.stream.assign(np.array([0, 0, 0, 1]))
    bias = model.expand("sensors_bias", 4)
    i = model.sensors.names.index("alt")
    values = bias.numpy()
    values[3, i, 0] = 700.0
    bias.assign(values)
    mjo.mjo_step(model, d)
    gyro = d.sensor("gyro").numpy()
    assert np.array_equal(gyro[0], gyro[1])
    assert np.abs(gyro[0] - gyro[2]).max() > 1e-5 and np.abs(gyro[0] - gyro[3]).max() > 1e-5
    assert np.allclose(np.diff(d.sensors["alt"].numpy()[:, 0]), [0.0, 0.0, 600.0], atol=1e-6)


def test_statistics_of_spacecraft_sensors(model: mjo.MjoModel) -> None:
    """Errors about the truth over 4000 worlds, to five standard errors, on the Warp backend."""
    n, steps = 4000, 8
    d, t = mjo.make_data(model, n, seed=4), mjo.make_data(model, 1, sensor_noise=False)
    error = {}
    for _ in range(steps):
        mjo.mjo_step(model, d)
        mjo.mjo_step(model, t)
    for name in SENSORS:
        error[name] = d.sensors[name].numpy() - t.sensors[name].numpy()

    def check(x: np.ndarray, mean: Any, std: Any) -> None:
        assert (np.abs(x.mean(axis=0) - mean) <= 5.0 * np.asarray(std) / np.sqrt(n) + 1e-12).all()
        assert (np.abs(x.std(axis=0) - std) <= 5.0 * np.asarray(std) / np.sqrt(2 * n)).all()

    check(error["mag"], (1e-8, 2e-8, 3e-8), 1e-8)
    # the eighth sample has seven increments of walk √dt
    check(error["gyro"], 0.0, np.sqrt(1e-6 + 7 * 0.05 * 1e-8))
    check(error["acc"], 0.0, np.sqrt(1e-10 + 1e-12 / 12.0))
    check(error["gps_ecef"], 0.0, (1.0, 1.0, 2.0, 0.1, 0.1, 0.2))
    check(error["speed"], 0.0, 0.1)
    assert np.abs(error["alt"] - 100.0).max() < 1e-6
    assert np.abs(np.linalg.norm(d.sensors["nadir"].numpy(), axis=1) - 1.0).max() < 1e-12
    assert np.abs(np.linalg.norm(d.sensors["st"].numpy(), axis=1) - 1.0).max() < 3e-7
    # quanta: every output is a multiple
    acc = d.sensors["acc"].numpy() / 1e-6
    assert np.abs(acc - np.rint(acc)).max() < 1e-9
    drift = d.sensors.drift.numpy()[:, model.sensors.names.index("gyro"), :3]
    check(drift, 0.0, 1e-4 * np.sqrt(0.05 * steps))


def test_star_tracker_noise_is_about_its_own_axes(model: mjo.MjoModel) -> None:
    n = 4000
    d, t = mjo.make_data(model, n, seed=6), mjo.make_data(model, 1, sensor_noise=False)
    mjo.mjo_step(model, d)
    mjo.mjo_step(model, t)
    truth = np.float64(t.sensors["st"].numpy())
    turn = 2.0 * _quat.mul(_quat.conj(truth), d.sensors["st"].numpy())[:, 1:]
    assert (np.abs(turn.std(axis=0) / (1e-4, 1e-4, 1e-3) - 1.0) < 0.06).all()
    assert np.abs(turn.mean(axis=0)).max() < 1e-4


def test_rate_holds_samples(model: mjo.MjoModel) -> None:
    """At 0.05 s per step a star tracker of 4 Hz changes every 5th step, a GPS of 1 Hz every 20th."""
    d = mjo.make_data(model, 1, seed=2)
    begin(d)
    out: dict[str, list[np.ndarray]] = {"st": [], "gps": [], "gyro": []}
    for _ in range(45):
        mjo.mjo_step(model, d)
        for name, values in out.items():
            values.append(d.sensors[name].numpy()[0].copy())
    for name, every in (("st", 5), ("gps", 20), ("gyro", 1)):
        changes = np.flatnonzero(np.any(np.diff(out[name], axis=0), axis=1)) + 1
        assert np.array_equal(changes, np.arange(every, 45, every)), name


@pytest.mark.parametrize("seed", [-1, 2**53, 1.5, True, "1"])
def test_bad_seeds(model: mjo.MjoModel, seed: Any) -> None:
    for backend in (mjo, mjo_ref):
        with pytest.raises(ValueError, match=r"seed is .*: an integer from 0 to 2\^53 − 1 is expected"):
            backend.make_data(model, seed=seed)
