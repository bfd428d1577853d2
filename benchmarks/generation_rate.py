"""Steps per second of making a dataset ÷ those of the bare simulation, replayed, of the same model and worlds.

What is compared takes turns in one run: a shard (draws, starts, commands, rollout with records, compression, checksums,
files that are synchronised with the disk) against the same number of steps of a captured graph that does nothing else.

python -m benchmarks.generation_rate --out benchmarks/results/generation_cpu.json
"""

import dataclasses
import itertools
import os
import pathlib
import statistics
import tempfile
from typing import Any

import numpy as np
import warp as wp

import mjorbit_warp as mjo
from benchmarks.common import alternate, parser, report, result
from mjorbit_warp.bench.metrics import paired_ratio
from mjorbit_warp.datasets import load_config
from mjorbit_warp.datasets.batch import BatchMaker
from mjorbit_warp.datasets.config import Config
from mjorbit_warp.datasets.job import Job, ShardMaker, about
from mjorbit_warp.datasets.scenario import model_of
from mjorbit_warp.starts import scatter


def config_of(nworld: int, duration: float, store: str) -> Config:
    """The shipped example, with a shard of ``nworld`` episodes."""
    example = load_config("two_arm")
    episodes = dataclasses.replace(example.episodes, count=10**6, per_shard=nworld, duration=duration)
    return dataclasses.replace(example, episodes=episodes, format=store)


def measure(nworld: int, duration: float, repeat: int, store: str) -> dict[str, Any]:
    """Alternating shards and bare steps; the bare worlds start where the episodes of a shard do."""
    config = config_of(nworld, duration, store)
    maker = BatchMaker(config, nworld)
    model, _ = model_of(config)
    data = mjo.make_data(model, nworld, sensor_noise=config.sensors.noise)
    bare = mjo.capture(model, data, nstep=maker.decimation)
    nrow, steps = config.episodes.nrow, nworld * maker.nstep

    def place(name: str, count: int) -> None:
        if name == "bare":
            mjo.mjo_reset(model, data)
            qpos, qvel = scatter(model.mj, nworld, 0, 20.0, 0.01, first=count * nworld, joints=0.5)
            data.qpos.assign(qpos)
            data.qvel.assign(qvel)
            data.ctrl.assign(np.random.default_rng(count).uniform(-0.7, 0.7, data.ctrl.shape))

    def rows() -> None:
        for _ in range(nrow):
            bare()

    with tempfile.TemporaryDirectory(dir=pathlib.Path.cwd()) as folder:
        job = Job(config.to_dict(), config.folder, os.path.abspath(folder), nworld, None, about(maker))
        shards, index = ShardMaker(job, maker), itertools.count()
        manifests: list[dict[str, Any]] = []
        calls = {"generation": lambda: manifests.append(shards.make(next(index))), "bare": rows}
        times = alternate(calls, repeat, place)
    if bad := data.bad_worlds():
        raise RuntimeError(f"worlds went bad, timings mean nothing: {bad}")
    return {
        "nworld": nworld,
        "rows": nrow,
        "steps_per_row": maker.decimation,
        "store": store,
        "shard_bytes": sum(file["bytes"] for file in manifests[-1]["files"].values()),
        "generation_world_steps_per_s": steps / statistics.median(times["generation"]),
        "bare_world_steps_per_s": steps / statistics.median(times["bare"]),
        # of rates, so the times are the other way round
        "generation_over_bare": dataclasses.asdict(paired_ratio(times["bare"], times["generation"])),
    }


def main() -> None:
    """Run and print or write JSON."""
    words = parser(__doc__)
    words.add_argument("--nworld", type=int, nargs="+", default=[64, 256])
    words.add_argument("--duration", type=float, default=20.0, help="of an episode [s]")
    words.add_argument("--repeat", type=int, default=7)
    words.add_argument("--store", nargs="+", default=["zarr", "hdf5"])
    args = words.parse_args()
    wp.config.log_level = wp.LOG_WARNING
    rows = [measure(n, args.duration, args.repeat, store) for n in args.nworld for store in args.store]
    report(result(args, rows), args.out)


if __name__ == "__main__":
    main()
