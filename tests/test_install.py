"""Importing the package: quick, without a network, without a GPU; and the environments that it was installed in."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RESULT = ROOT / "benchmarks" / "results" / "install.json"
# what an import must not do: open a connection, look for a GPU, which wp.init does, load kernels, start threads
WATCH = """
import socket, threading
def refuse(*words, **more):
    raise AssertionError(f"import did what it must not: {words[:2]}")
socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
import warp
started = []
warp.init = lambda *words: started.append("wp.init")
"""
MEASURE = """
assert not started, started
import warp._src.context as context
assert context.runtime is None, "Warp was started"
assert threading.active_count() == 1, threading.enumerate()
"""
HEAVY = (
    "matplotlib",
    "scipy",
    "torch",
    "pandas",
    "tyro",
    "rich",
    "sgp4",
    "zarr",
    "h5py",
    "gymnasium",
    "ray",
    "IPython",
)


def isolated(code: str) -> str:
    """Output of a fresh interpreter, with a home that has no caches."""
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("module", ["mjorbit_warp", "mjorbit_warp.reference"])
def test_import_touches_no_network_and_no_gpu(module: str) -> None:
    """Connections are refused while it runs; Warp is not started."""
    isolated(f"{WATCH}\nimport {module}\n{MEASURE}")


def test_import_is_quick() -> None:
    """2 s of CPU time where mujoco_warp alone takes 1.9 s; slower machines, and busy ones, need longer for both."""
    measure = "import time, {}\nprint(time.process_time())"
    bare, ours = (
        min(float(isolated(measure.format(name)).split()[-1]) for _ in range(3))
        for name in ("mujoco_warp", "mjorbit_warp")
    )
    assert ours < 2.0 * max(1.0, bare / 1.9), (bare, ours)


def test_import_leaves_garbage_collection_as_it_was() -> None:
    """It is off while kernels are declared only."""
    isolated("import gc, mjorbit_warp\nassert gc.isenabled()")
    isolated("import gc\ngc.disable()\nimport mjorbit_warp\nassert not gc.isenabled()")


def test_import_leaves_what_is_heavy() -> None:
    """None of the extras; nor astropy, which takes half a second and is needed where there is a date."""
    names = isolated("import sys, mjorbit_warp, mjorbit_warp.reference\nprint(*sys.modules)").split()
    assert not set(HEAVY) & set(names)
    undated = "orbit = mjorbit_warp.Orbit.circular(altitude=4e5)\nassert 'astropy' not in sys.modules"
    isolated(f"import sys, mjorbit_warp\n{undated}")


def test_every_allowed_python_was_tried() -> None:
    """benchmarks/results/install.json: each Python of the classifiers with newest and lowest dependencies passed."""
    classifiers = [
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", text) for text in PYPROJECT["classifiers"]
    ]
    pythons = [found[1] for found in classifiers if found]
    rows = {(r["python"], r["dependencies"]): r for r in json.loads(RESULT.read_text(encoding="utf-8"))["results"]}
    assert rows.keys() == {(python, kind) for python in pythons for kind in ("lowest", "newest")}
    floors = dict(re.match(r"([\w-]+)>=([\d.]+)", text).groups() for text in PYPROJECT["dependencies"])  # type: ignore[union-attr]
    for (python, kind), row in rows.items():
        assert row["passed"], f"{python} {kind}: {row.get('why')}"
        if kind == "lowest":
            for name, floor in floors.items():
                # NumPy has no wheel of 2.0 for Python 3.13
                if (name, python) != ("numpy", "3.13"):
                    assert row["versions"][name].startswith(floor), f"{python}: {name} {row['versions'][name]}"
