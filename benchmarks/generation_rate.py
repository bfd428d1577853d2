"""Steps per second of making a dataset ÷ those of the bare simulation, replayed, of the same model and worlds.

What is compared takes turns in one run: a shard (draws, starts, commands, rollout with records, compression, checksums,
files that are synchronised with the disk) against the same number of steps of a captured graph that does nothing else.

python -m benchmarks.generation_rate --out benchmarks/results/generation_cpu.json
"""

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import statistics
import tempfile
import time
from typing import Any

import numpy as np
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.datasets import load_config
from mjorbit_warp.datasets.batch import BatchMaker
from mjorbit_warp.datasets.config import Config
from mjorbit_warp.datasets.job import Job, ShardMaker, about
from mjorbit_warp.datasets.scenario import model_of
from mjorbit_warp.run_file import package_versions
from mjorbit_warp.starts import scatter


def config_of(nworld: int, duration: float, store: str) -> Config:
    """The shipped example, with a shard of ``nworld`` episodes."""
    example = load_config("two_arm")
    episodes = dataclasses.replace(example.episodes, count=10**6, per_shard=nworld, duration=duration)
    return dataclasses.replace(example, episodes=episodes, format=store)


def measure(nworld: int, duration: float, repeat: int, store: str) -> dict[str, Any]:
    """Medians of alternating shards and bare steps; the bare worlds start where the episodes of a shard do."""
    config = config_of(nworld, duration, store)
    maker = BatchMaker(config, nworld)
    model, _ = model_of(config)
    data = mjo.make_data(model, nworld, sensor_noise=config.sensors.noise)
    bare = mjo.capture(model, data, nstep=maker.decimation)
    nrow, steps = config.episodes.nrow, nworld * maker.nstep
    times: dict[str, list[float]] = {"generation": [], "bare": []}
    size = 0
    with tempfile.TemporaryDirectory(dir=pathlib.Path.cwd()) as folder:
        job = Job(config.to_dict(), config.folder, os.path.abspath(folder), nworld, None, about(maker))
        shards = ShardMaker(job, maker)
        for index in range(repeat + 1):  # the first compiles
            start = time.perf_counter()
            manifest = shards.make(index)
            times["generation"].append(time.perf_counter() - start)
            size = sum(file["bytes"] for file in manifest["files"].values())
            mjo.mjo_reset(model, data)
            qpos, qvel = scatter(model.mj, nworld, 0, 20.0, 0.01, first=index * nworld, joints=0.5)
            data.qpos.assign(qpos)
            data.qvel.assign(qvel)
            data.ctrl.assign(np.random.default_rng(index).uniform(-0.7, 0.7, data.ctrl.shape))
            wp.synchronize()
            start = time.perf_counter()
            for _ in range(nrow):
                bare()
            wp.synchronize()
            times["bare"].append(time.perf_counter() - start)
    generation, alone = times["generation"][1:], times["bare"][1:]
    return {
        "nworld": nworld,
        "rows": nrow,
        "steps_per_row": maker.decimation,
        "store": store,
        "shard_bytes": size,
        "generation_world_steps_per_s": steps / statistics.median(generation),
        "bare_world_steps_per_s": steps / statistics.median(alone),
        "generation_over_bare": statistics.median(a / b for a, b in zip(alone, generation, strict=True)),
    }


def main() -> None:
    """Run and print or write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nworld", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--duration", type=float, default=20.0, help="of an episode [s]")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--store", nargs="+", default=["zarr", "hdf5"])
    parser.add_argument("--out")
    args = parser.parse_args()
    wp.config.log_level = wp.LOG_WARNING
    rows = [measure(n, args.duration, args.repeat, store) for n in args.nworld for store in args.store]
    result = {
        "device": str(wp.get_device()),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "versions": package_versions(),
        "repeat": args.repeat,
        "duration_s": args.duration,
        "results": rows,
    }
    text = json.dumps(result, indent=1)
    print(text)
    if args.out:
        pathlib.Path(args.out).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
