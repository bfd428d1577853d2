"""Packaging, and the shape of the code."""

import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).parent.parent


def test_every_package_is_listed() -> None:
    """setuptools takes only what is listed: each folder with Python files must be."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        tool = tomllib.load(file)["tool"]["setuptools"]
    found = {"mjorbit_warp.kernels"}
    for folder in [ROOT / "mjorbit_warp", *(p for p in (ROOT / "mjorbit_warp").rglob("*") if p.is_dir())]:
        if folder.name != "__pycache__" and "kernels" not in folder.parts and any(folder.glob("*.py")):
            found.add(".".join(folder.relative_to(ROOT).parts))
    assert found == set(tool["packages"])
    assert tool["package-dir"] == {"mjorbit_warp.kernels": "kernels"}
    assert (ROOT / "mjorbit_warp" / "kernels").is_symlink()


def test_the_global_name_kernels_is_refused() -> None:
    code = "import kernels"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "import this package as mjorbit_warp.kernels" in result.stderr


def test_core_needs_no_extra() -> None:
    """Importing the package, and its reference, pulls in none of the extras."""
    code = (
        "import sys, mjorbit_warp, mjorbit_warp.reference, mjorbit_warp.inspect\n"
        "bad = [n for n in ('tyro', 'rich', 'matplotlib', 'sgp4', 'scipy', 'torch') if n in sys.modules]\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_files_stay_small() -> None:
    long = {}
    for folder in ("mjorbit_warp", "kernels", "benchmarks", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            count = len(path.read_text(encoding="utf-8").splitlines())
            if count > 400:
                long[str(path.relative_to(ROOT))] = count
    assert not long


def test_only_public_mjwarp() -> None:
    """MJWarp's and Warp's private modules change without notice."""
    for path in [*(ROOT / "mjorbit_warp").rglob("*.py"), *(ROOT / "kernels").glob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert "mujoco_warp._src" not in text and "warp._src" not in text and "wp.context" not in text, path
