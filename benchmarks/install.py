"""The wheel in clean environments of each Python, with the newest and the lowest allowed dependencies, and tests there.

What is committed is built, as wheel and as sdist. Each environment first gets the wheel alone, without extras, and
steps a model on both backends; then the extra `test`, and a part of the tests runs outside the repository. Only wheels
are installed, no dependency is compiled. Results of other environments in the file stay, each with its commit. Needs uv
(pip install uv) and a package index.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from typing import Any

from benchmarks.common import parser, result, write

ROOT = pathlib.Path(__file__).parent.parent
OUT = ROOT / "benchmarks" / "results" / "install.json"
PYTHONS = ("3.11", "3.12", "3.13")
RESOLUTIONS = {"newest": "highest", "lowest": "lowest-direct"}
# quick ones that touch each dependency: MuJoCo, MJWarp, Warp, NumPy, astropy, sgp4, tyro, rich, matplotlib
TESTS = (
    "tests/test_elements.py",
    "tests/test_orbit.py",
    "tests/test_frames.py",
    "tests/test_epoch.py",
    "tests/test_tle.py",
    "tests/test_orientation.py",
    "tests/test_custom.py",
    "tests/test_spec.py",
    "tests/test_state.py",
    "tests/test_kernels.py",
    "tests/test_run_file.py",
    "tests/test_cli.py",
    "tests/test_dataset_config.py",
    "tests/test_magnetic_field.py",
    "tests/test_parts.py",
)
SMOKE = """
import json, pathlib, sys
import mjorbit_warp as mjo
from importlib import metadata
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.models import NAMES, model_path
assert not pathlib.Path(mjo.__file__).is_relative_to(sys.argv[1]), mjo.__file__
extras = [name for name in ("tyro", "rich", "matplotlib", "sgp4", "zarr", "h5py", "pytest") if name in sys.modules]
assert not extras, extras
for name in NAMES:
    spec = mjo.MjoSpec.from_file(model_path(name))
    spec.orbit = mjo.Orbit.circular(altitude=4e5)
    model = spec.compile()
    mjo_ref.mjo_step(model, mjo_ref.make_data(model))
data = mjo.make_data(model)
mjo.mjo_step(model, data)
assert not data.bad_worlds()
names = ("mjorbit-warp", "mujoco", "mujoco-warp", "warp-lang", "numpy", "astropy")
print(json.dumps({"versions": {name: metadata.version(name) for name in names}}))
"""

IMPORT = """
import json, time
start, cpu = time.perf_counter(), time.process_time()
import mjorbit_warp
print(json.dumps({"import_s": time.perf_counter() - start, "import_cpu_s": time.process_time() - cpu}))
"""


def shell(words: list[str], **more: Any) -> str:
    """Standard output of a process; RuntimeError with the end of what it said if it failed."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        said = (done.stdout + done.stderr).strip()[-2000:]
        raise RuntimeError(f"{' '.join(map(str, words))} ended with {done.returncode}: {said}")
    return done.stdout


def find_python(version: str) -> str | None:
    """An interpreter of that minor version, from PATH or pyenv."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    known = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python{version}"))]
    for path in filter(None, known):
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        done = subprocess.run([str(path), "-c", code], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip() == version:
            return str(path)
    return None


def requirements(tree: pathlib.Path, extra: str | None = None) -> list[str]:
    """Dependencies and those of an extra, extras of extras included.

    uv takes the lowest versions of what it is asked for directly only, so all of it has to be asked for.
    """
    project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    out = list(project["dependencies"])
    todo = [extra] if extra else []
    while todo:
        for word in project["optional-dependencies"][todo.pop()]:
            if found := re.fullmatch(rf"{project['name']}\[(.*)\]", word):
                todo += found[1].split(",")
            else:
                out.append(word)
    return out


def build(folder: pathlib.Path) -> dict[str, Any]:
    """Wheel and sdist of the commit, and the wheel that the sdist makes, which must hold the same files."""
    tree, out, again = folder / "tree", folder / "dist", folder / "again"
    tree.mkdir()
    archive = folder / "tree.tar"
    shell(["git", "archive", "--output", str(archive), "HEAD"], cwd=ROOT)
    with tarfile.open(archive) as file:
        file.extractall(tree, filter="tar")
    shell([sys.executable, "-m", "build", "--wheel", "--sdist", "--outdir", str(out), str(tree)])
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    shell(["uv", "build", "--wheel", "--out-dir", str(again), str(sdist)])
    (second,) = again.glob("*.whl")
    names = [sorted(zipfile.ZipFile(path).namelist()) for path in (wheel, second)]
    if names[0] != names[1]:
        raise RuntimeError(f"the sdist's wheel has other files: {sorted(set(names[0]) ^ set(names[1]))}")
    commit = shell(["git", "rev-parse", "HEAD"], cwd=ROOT).strip()
    return {"wheel": str(wheel), "commit": commit, "files": len(names[0]), "sdist_wheel_same_files": True}


def outside(tree: pathlib.Path, folder: pathlib.Path) -> None:
    """The tests and their pytest settings in a folder without the library."""
    shutil.copytree(tree / "tests", folder / "tests")
    text = (tree / "pyproject.toml").read_text(encoding="utf-8")
    table = re.search(r"^\[tool\.pytest\.ini_options\].*?(?=^\[)", text, re.M | re.S)
    assert table is not None
    (folder / "pyproject.toml").write_text(table[0], encoding="utf-8")


def check(
    python: str, kind: str, wheel: str, tree: pathlib.Path, folder: pathlib.Path, seconds: float
) -> dict[str, Any]:
    """One environment; what went wrong is in ``why``."""
    start, env = time.perf_counter(), folder / "env"
    row: dict[str, Any] = {"dependencies": kind, "passed": False}
    vars_ = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    vars_ |= {"WARP_CACHE_PATH": str(folder.parent / "warp-cache"), "CUDA_VISIBLE_DEVICES": ""}
    exe = str(env / "bin" / "python")
    # compiled here: what a compiler warns of would be in the output of whoever imports a module first
    install = ["uv", "pip", "install", "-q", "--compile-bytecode", "-p", exe]
    install += ["--only-binary", ":all:", "--resolution", RESOLUTIONS[kind]]
    try:
        shell(["uv", "venv", "-q", "-p", python, str(env)])
        shell([*install, wheel, *requirements(tree)])
        row |= json.loads(shell([exe, "-c", SMOKE, str(ROOT)], cwd=folder, env=vars_).splitlines()[-1])
        times = [json.loads(shell([exe, "-c", IMPORT], cwd=folder, env=vars_).splitlines()[-1]) for _ in range(3)]
        row |= min(times, key=lambda t: float(t["import_s"]))
        shell([*install, f"mjorbit-warp[test] @ {pathlib.Path(wheel).as_uri()}", *requirements(tree, "test")])
        shell(["uv", "pip", "check", "-p", exe])
        listed = json.loads(shell(["uv", "pip", "list", "-p", exe, "--format", "json"]))
        row["versions"] = {entry["name"]: entry["version"] for entry in listed}
        words = [exe, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
        said = shell(words, cwd=folder, env=vars_, timeout=seconds)
        row |= {"passed": True, "tests": said.strip().splitlines()[-1]}
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        row["why"] = str(error)
    row["seconds"] = round(time.perf_counter() - start, 1)
    return row


def main() -> int:
    """Every environment; 0 if all passed."""
    args = parser(__doc__)
    args.add_argument("--python", nargs="+", default=PYTHONS, choices=PYTHONS, help="default all")
    args.add_argument("--dependencies", nargs="+", default=tuple(RESOLUTIONS), choices=RESOLUTIONS, help="default both")
    args.add_argument("--limit", type=float, default=1200.0, help="seconds for one environment's tests, default 1200")
    args.set_defaults(out=str(OUT))
    given = args.parse_args()
    if shutil.which("uv") is None:
        print("uv is not installed: pip install uv", file=sys.stderr)
        return 2
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        built = build(folder)
        for version in given.python:
            python = find_python(version)
            for kind in given.dependencies:
                row = {"dependencies": kind, "passed": False, "why": "no such Python was found"}
                if python is not None:
                    place = folder / f"{version}-{kind}"
                    place.mkdir()
                    outside(folder / "tree", place)
                    row = check(python, kind, built["wheel"], folder / "tree", place, given.limit)
                    shutil.rmtree(place)
                rows.append({"python": version, "commit": built["commit"], **row})
                said = row.get("tests", row.get("why"))
                print(version, kind, "passed" if row["passed"] else "FAILED", said, flush=True)
    built["wheel"] = pathlib.Path(built["wheel"]).name
    old = pathlib.Path(given.out)
    before = json.loads(old.read_text(encoding="utf-8"))["results"] if old.exists() else []
    done = {(row["python"], row["dependencies"]) for row in rows}
    kept = [row for row in before if (row["python"], row["dependencies"]) not in done]
    every = sorted(kept + rows, key=lambda row: (row["python"], row["dependencies"]))
    write(result(given, every) | {"built": built, "tests": TESTS}, given.out)
    return 0 if all(row["passed"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
