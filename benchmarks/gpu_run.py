"""Checks and throughput on a device, within a time budget; the JSON is written anew after each part.

Run by gpu_run.sh. The exit code is 0 if every check passed and was reached, and no sweep cell was refused.
"""

import argparse
import gc
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import warp as wp

import mjorbit_warp as mjo
from benchmarks.common import memory_in_use
from mjorbit_warp.bench import Settings, load_scenes, run
from mjorbit_warp.bench.machine import header
from mjorbit_warp.bench.report import report
from mjorbit_warp.bench.starts import starts
from mjorbit_warp.run_file import replacing

ROOT = pathlib.Path(__file__).parent.parent
# tests that compare kernels with the reference, in the order of what matters most
PARITY = (
    "tests/test_kernels.py",
    "tests/test_parity.py",
    "tests/test_hardware_parity.py",
    "tests/test_sensors.py",
    "tests/test_shadow.py",
    "tests/test_momentum.py",
    "tests/test_env_kernels.py",
    "tests/test_planning.py",
    "tests/test_state_bank.py",
    "tests/test_eclipse.py",
    "tests/test_magnetic_field.py",
    "tests/test_zonal.py",
    "tests/test_noise.py",
    "tests/test_propellant.py",
)
QUICK_PARITY = (
    "tests/test_kernels.py",
    "tests/test_parity.py",
    "tests/test_hardware_parity.py::test_everything_together",
    "tests/test_hardware_parity.py::test_steps",
    "tests/test_sensors.py::test_backends_agree",
    "tests/test_shadow.py::test_the_float64_step_is_the_references",
)
PARTS = ("graphs", "parity", "soak", "sweep")
SWEEP = ("two_arm", "satellite", "berthing", "docking", "panels", "humanoid")
LARGE, MIDDLE, SMALL = 65536, 8192, 1024
GROWTH = 8 << 20  # bytes that an allocator may take during the soak without a leak: 0.8 kB per step would be more
ROUNDING = 2e-6  # atomics on a GPU add in any order: some ulp of metres and radians of order one


def main() -> int:
    """Run all parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", help="Warp device, default the first GPU if there is one")
    parser.add_argument("--out", default="gpu_run.json", help="default: gpu_run.json")
    parser.add_argument("--budget", type=float, default=450.0, help="seconds for everything, default 450")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts, default all")
    parser.add_argument("--quick", action="store_true", help="fewer worlds, steps and tests")
    args = parser.parse_args()
    warnings.simplefilter("ignore", mjo.MjoWarning)
    wp.config.log_level = wp.LOG_WARNING
    return GpuRun(wp.get_device(args.device), args.quick, args.budget, pathlib.Path(args.out)).run(args.only)


class GpuRun:
    """The parts, what is left of the budget, and the result so far."""

    def __init__(self, device: Any, quick: bool, budget: float, out: pathlib.Path) -> None:
        self.device, self.quick, self.budget, self.out = device, quick, budget, out
        self.began = time.perf_counter()
        self.reserve: dict[str, float] = {}
        self.result: dict[str, Any] = {"machine": header(device), "quick": quick, "checks": [], "sweep": {}}

    def left(self) -> float:
        """Seconds left."""
        return self.budget - (time.perf_counter() - self.began)

    def run(self, parts: Sequence[str] = PARTS) -> int:
        """Some of PARTS; 0 if all is well."""
        # seconds that parity leaves to what comes after it
        self.reserve = {"soak": 30.0, "sweep": 0.0 if self.quick else 180.0}
        self.reserve = {part: seconds for part, seconds in self.reserve.items() if part in parts}
        with wp.ScopedDevice(self.device):
            # capture comes first: nothing is compiled or loaded then
            for part, name, check in (
                ("graphs", "first call is a capture", self.first_call),
                ("graphs", "captured is uncaptured", self.captured),
                ("graphs", "masked reset and commands between replays", self.between_replays),
                ("parity", "parity with the reference", self.parity),
                ("soak", "soak", self.soak),
            ):
                if part in parts:
                    self.check(name, check)
            if "sweep" in parts:
                self.sweep()
        self.result["seconds"] = time.perf_counter() - self.began
        self.write()
        bad = [row["check"] for row in self.result["checks"] if not row["passed"]]
        sweep = self.result["sweep"]
        print(report(sweep, "short") if sweep.get("cells") else "no sweep")
        refused, skipped = sweep.get("refused", []), sweep.get("skipped", [])
        print(
            f"{self.result['seconds']:.0f} s; failed: {bad or 'none'}; refused: {len(refused)}; not reached: {skipped}"
        )
        return 1 if bad or refused or skipped else 0

    def check(self, name: str, function: Callable[[], dict[str, Any]]) -> None:
        """One check; an exception is a failure like any other."""
        row: dict[str, Any] = {"check": name, "passed": False}
        start = time.perf_counter()
        if self.left() < 30.0:
            row["why"] = "not reached within the budget"
        else:
            try:
                row |= function()
            except Exception as error:  # what a device does is not foreseen; the rest must still run
                row |= {"why": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
        row["seconds"] = time.perf_counter() - start
        self.result["checks"].append(row)
        print(f"{'ok  ' if row['passed'] else 'FAIL'} {name} ({row['seconds']:.1f} s) {row.get('why', '')}", flush=True)
        self.write()
        gc.collect()

    def write(self) -> None:
        """The result so far, whole."""
        with replacing(self.out) as part:
            part.write_text(json.dumps(self.result, indent=1) + "\n", encoding="utf-8")

    def make(self, nworld: int, integrator: str = "RK4", equipment: str = "everything", **more: Any) -> Any:
        """A model of the two-arm scene and its data at the scene's start."""
        scene = load_scenes(("two_arm",))[0]
        model = scene.compile(integrator, equipment)
        data = mjo.make_data(model, nworld=nworld, device=self.device, **more)
        for name, values in zip(("qpos", "qvel", "ctrl"), starts(model.mj, scene, nworld), strict=True):
            getattr(data.mjw, name).assign(values)
        return model, data

    def same(self, model: Any, a: Any, b: Any) -> dict[str, Any]:
        """Difference of two data's states: none on a CPU, rounding on a GPU."""
        x, y = (mjo.get_state(model, d).numpy() for d in (a, b))
        worst = float(np.abs(np.nan_to_num(x - y, nan=np.inf)).max())
        return {
            "passed": worst <= (ROUNDING if self.device.is_cuda else 0.0),
            "difference": worst,
            "bit for bit": bool(np.array_equal(x, y)),
        }

    def first_call(self) -> dict[str, Any]:
        """The very first call of this process captures a graph, and its replays are steps."""
        model, data = self.make(4)
        before = mjo.get_state(model, data).numpy().copy()
        start = time.perf_counter()
        step = mjo.capture(model, data, nstep=5)
        seconds = time.perf_counter() - start
        untouched = bool(np.array_equal(before, mjo.get_state(model, data).numpy()))
        step()
        other = mjo.make_data(model, nworld=4, device=self.device)
        mjo.set_state(model, other, before)
        for _ in range(5):
            mjo.mjo_step(model, other)
        found = self.same(model, data, other)
        return found | {
            "passed": found["passed"] and untouched and step.graph is not None,
            "state untouched by capture": untouched,
            "compile_and_capture_s": seconds,
        }

    def captured(self) -> dict[str, Any]:
        """Replays are steps: both integrators, and the float64 shadow."""
        rows = {}
        for integrator, precision in (("RK4", "single"), ("RK4", "shadow"), ("implicitfast", "single")):
            model, a = self.make(8, integrator, precision=precision)
            b = mjo.make_data(model, nworld=8, precision=precision, device=self.device)
            mjo.set_state(model, b, mjo.get_state(model, a).numpy().copy())
            step = mjo.capture(model, b, nstep=4)
            for _ in range(3):
                step()
            for _ in range(12):
                mjo.mjo_step(model, a)
            rows[f"{integrator} {precision}"] = self.same(model, a, b)
        return {"passed": all(row["passed"] for row in rows.values()), "cases": rows}

    def between_replays(self) -> dict[str, Any]:
        """A masked reset and other commands between replays of one graph do what they do between steps."""
        model, a = self.make(8)
        b = mjo.make_data(model, nworld=8, device=self.device)
        mjo.set_state(model, b, mjo.get_state(model, a).numpy().copy())
        step = mjo.capture(model, b, nstep=2)
        mask = np.arange(8) % 3 == 0
        ctrl = a.ctrl.numpy().copy()
        rows, alone = [], False
        for k in range(4):
            if k == 2:
                before = mjo.get_state(model, b).numpy().copy()
                for d in (a, b):
                    mjo.mjo_reset(model, d, mask)
                after = mjo.get_state(model, b).numpy().copy()
                changed = (before != after).any(axis=1)
                alone = bool((changed == mask).all() and np.array_equal(b.qpos.numpy()[mask][0], model.mj.qpos0))
            for d in (a, b):
                d.ctrl.assign(ctrl * (1.0 - 0.5 * k))
            step()
            mjo.mjo_step(model, a)
            mjo.mjo_step(model, a)
            rows.append(self.same(model, a, b))
        dt = float(model.opt.timestep.numpy()[0])
        clocks = bool(np.array_equal(b.time.numpy(), np.where(mask, 4 * dt, 8 * dt)))
        return {
            "passed": all(row["passed"] for row in rows) and alone and clocks and step.ncapture == 1,
            "captures": step.ncapture,
            "the reset touched its worlds alone": alone,
            "clocks": clocks,
            "cases": rows,
        }

    def parity(self) -> dict[str, Any]:
        """The tests that compare every kernel with the NumPy reference, on this device."""
        end = time.perf_counter() + max(30.0, self.left() - sum(self.reserve.values()))
        env = os.environ | ({} if self.device.is_cuda else {"CUDA_VISIBLE_DEVICES": ""})
        # a process for each file: what is done counts when the time is up
        groups = [list(QUICK_PARITY)] if self.quick else [[name] for name in PARITY]
        tests: dict[str, str] = {}
        late: list[str] = []
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "junit.xml"
            words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={path}"]
            for nodes in groups:
                left = end - time.perf_counter()
                if left < 1.0 or not _finishes([*words, *nodes], left, env):
                    late += nodes
                tests |= _outcomes(path)
        failed = [name for name, outcome in tests.items() if outcome not in ("passed", "skipped")]
        return {
            "passed": bool(tests) and not failed and not late,
            "why": f"{len(tests)} tests, failed: {failed or 'none'}, not finished in time: {late or 'none'}",
            "tests": tests,
        }

    def soak(self) -> dict[str, Any]:
        """10,000 steps with everything on: finite, on time, and memory does not grow."""
        nworld, nstep = (16, 1000) if self.quick else (SMALL if self.device.is_cuda else 64, 10_000)
        model, data = self.make(nworld)
        step = mjo.capture(model, data, nstep=10)
        ctrl = data.ctrl.numpy().copy()
        marks = []
        for k in range(nstep // 10):
            if k % 50 == 0:  # arms swing to and fro
                data.ctrl.assign(ctrl * (-1.0) ** (k // 50))
                wp.synchronize_device(self.device)
                marks.append(memory_in_use(self.device))
            step()
        wp.synchronize_device(self.device)
        marks.append(memory_in_use(self.device))
        growth = {key: marks[-1][key] - marks[1][key] for key in marks[0]}
        dt = float(model.opt.timestep.numpy()[0])
        late = float(np.abs(data.time.numpy() - nstep * dt).max())
        bad = data.bad_worlds()
        return {
            "passed": not bad and late < 1e-9 and max(growth.values()) < GROWTH and step.ncapture == 1,
            "why": f"{nworld} worlds, {nstep} steps, growth {growth} bytes, bad worlds {bad or 'none'}",
            "memory": marks,
        }

    def sweep(self) -> None:
        """Throughput and the orbit's tax, the most telling cells first, while time is left."""
        cells = [(scene, n) for n in ((16,) if self.quick else (LARGE, SMALL, MIDDLE)) for scene in SWEEP]
        if not self.quick:  # the whole sweep of the first scene before the others'
            cells.sort(key=lambda cell: cell[0] != SWEEP[0])
        else:
            cells = cells[:2]
        out: dict[str, Any] = {"machine": self.result["machine"], "cells": [], "refused": [], "skipped": []}
        self.result["sweep"] = out
        longest = 0.0
        for scene, nworld in cells:
            for integrator in ("RK4", "implicitfast"):
                if self.left() < max(20.0, 1.2 * longest):
                    out["skipped"].append(f"{scene} {nworld} {integrator}")
                    continue
                start = time.perf_counter()
                settings = Settings(
                    scenes=(scene,),
                    nworld=(nworld,),
                    device=self.device.alias,
                    repeat=3 if self.quick else 7,
                    sample_s=0.02 if self.quick else 0.1,
                    integrators=(integrator,),
                    host=False,
                    trace=scene == SWEEP[0],
                )
                try:
                    found = run(settings)
                    out["cells"] += found["cells"]
                    out["refused"] += found["refused"]
                except Exception as error:  # memory, above all
                    why = f"{type(error).__name__}: {error}"
                    out["refused"].append({"scene": scene, "nworld": nworld, "integrator": integrator, "why": why})
                longest = max(longest, time.perf_counter() - start)
                print(f"     {scene}, {nworld} worlds, {integrator} ({time.perf_counter() - start:.1f} s)", flush=True)
                self.write()
                gc.collect()


def _finishes(words: list[str], seconds: float, env: dict[str, str]) -> bool:
    """Run a process in the checkout; whether it ended within ``seconds``."""
    try:
        subprocess.run(words, cwd=ROOT, env=env, timeout=seconds, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return False
    return True


def _outcomes(path: pathlib.Path) -> dict[str, str]:
    """Outcome of each test in a JUnit file."""
    out: dict[str, str] = {}
    if not path.exists():
        return out
    for case in ET.parse(path).getroot().iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = next((kind for kind in ("failure", "error", "skipped") if kind in kinds), "passed")
        out[f"{case.get('classname')}::{case.get('name')}"] = outcome
    path.unlink()
    return out


if __name__ == "__main__":
    sys.exit(main())
