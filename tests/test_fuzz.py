"""Damaged files in every loader of ours: a result or a ValueError in one sentence; no other error, no NaN."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp.datasets.config import EXAMPLES, load_config
from mjorbit_warp.magnetic_field import MagneticField
from mjorbit_warp.models import tle_path
from mjorbit_warp.run_file import save_run
from tests.conftest import DATA, recorded_step
from tests.mutations import mutations


def one_sentence(error: BaseException) -> None:
    """What a person can read: one line, not endless."""
    said = str(error)
    assert said and "\n" not in said and len(said) < 700, said


def damaged(folder: pathlib.Path, name: str, data: bytes, load: Callable[[pathlib.Path], Any], count: int) -> int:
    """Loads every damaged copy; the number that was refused."""
    path, refused = folder / name, 0
    for k, mutant in enumerate(mutations(data, count)):
        path.write_bytes(mutant)
        try:
            load(path)
        except ValueError as error:
            assert type(error) is not UnicodeDecodeError, f"copy {k}: Python's own words"
            one_sentence(error)
            refused += 1
    return refused


def load_tle(path: pathlib.Path) -> None:
    """An orbit is finite."""
    orbit = mjo.Orbit.from_tle(path)
    assert np.isfinite([*orbit.r, *orbit.v, orbit.epoch or 0.0]).all()


def finite_field(field: MagneticField) -> None:
    """Coefficients, rates, years and radii are numbers."""
    for piece in field.pieces:
        tables = (piece.g, piece.h, piece.g_rate, piece.h_rate, np.array([piece.radius, piece.year or 0.0]))
        assert all(np.isfinite(table).all() for table in tables)
    assert not np.isnan([field.first, field.last]).any()


def load_text(path: pathlib.Path) -> None:
    """A field from a line in <custom>."""
    finite_field(MagneticField.from_text(path.read_bytes().decode("utf-8", errors="replace")))


FIELD = MagneticField.gauss(
    [[0.0, 0.0], [3e-5, 1e-6]], [[0.0, 0.0], [0.0, 2e-6]], year=2020.0, g_rate=[[0.0, 0.0], [1e-8, 0.0]]
)
# name: (a good file, its loader, damaged copies)
LOADERS: dict[str, tuple[bytes, Callable[[pathlib.Path], Any], int]] = {
    "orbit.tle": (pathlib.Path(tle_path()).read_bytes(), load_tle, 1100),
    "WMM.COF": ((DATA / "WMM2025.COF").read_bytes(), lambda path: finite_field(MagneticField.from_cof(path)), 400),
    "dataset.toml": ((EXAMPLES / "two_arm.toml").read_bytes(), load_config, 300),
    "gauss.txt": (FIELD.to_text().encode(), load_text, 400),
    "dipole.txt": (MagneticField.dipole(-3e-5, 1e-6, 4e-6).to_text().encode(), load_text, 300),
    "igrf.txt": (MagneticField.igrf(5).to_text().encode(), load_text, 200),
}


@pytest.mark.parametrize("name", LOADERS)
def test_text_files(tmp_path: pathlib.Path, name: str) -> None:
    data, load, count = LOADERS[name]
    (tmp_path / name).write_bytes(data)
    load(tmp_path / name)
    assert count > damaged(tmp_path, name, data, load, count) > count // 5


COF = (DATA / "WMM2025.COF").read_text()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  1  1   -1410.8", "  1  2   -1410.8", "order 2 of degree 1"),
        ("  1  1   -1410.8", "  1 -1   -1410.8", "order -1 of degree 1"),
        ("  1  1   -1410.8", " 99  1   -1410.8", "degree 99"),
        ("  1  1   -1410.8", "  1  0   -1410.8", "twice"),
        ("  1  1   -1410.8", "1.5  1   -1410.8", "line 3"),
        ("  1  1   -1410.8", "  1  1 ", "line 3"),
        ("  1  1   -1410.8    4545.4        9.7      -21.5\n", "", "degree 1 and order 1"),
        ("2025.0 ", "nan ", "year"),
        ("-29351.8", "nan", "finite"),
        ("WMM-2025", "WMM-\xe9", "ASCII"),
        (COF, "", "not a WMM coefficient file"),
    ],
)
def test_cof_says_what_is_wrong(tmp_path: pathlib.Path, old: str, new: str, said: str) -> None:
    """A coefficient that is not there, or is there twice, was once taken as zero, or as a Python error."""
    assert old in COF
    (tmp_path / "x.COF").write_text(COF.replace(old, new, 1), encoding="latin-1")
    with pytest.raises(ValueError, match=said) as caught:
        MagneticField.from_cof(tmp_path / "x.COF")
    assert type(caught.value) is ValueError
    one_sentence(caught.value)


@pytest.mark.parametrize("key", ["year", "first", "last"])
def test_a_field_has_no_year_nan(key: str) -> None:
    with pytest.raises(ValueError, match=f"{key} of the magnetic field is nan"):
        MagneticField.gauss([[0.0, 0.0], [3e-5, 0.0]], [[0.0, 0.0], [0.0, 0.0]], **{key: float("nan")})


@pytest.fixture(scope="module")
def archives(box: mjo.MjoModel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A run file and a dump of one world."""
    folder = tmp_path_factory.mktemp("archives")
    d = mjo.make_data(box, nworld=1, state_ring=2)
    recorder, spec = recorded_step(box, d, 0)
    save_run(folder / "run.npz", spec, d, recorder, options={"a": 1}, command=["x"])
    mjo.mjo_dump(box, d, 0, folder / "dump.npz")
    return {path.stem: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["run", "dump"])
def test_archives(tmp_path: pathlib.Path, archives: dict[str, bytes], name: str) -> None:
    """Their checksums catch what bytes change; what is left is whole."""
    load = {"run": mjo.load_run, "dump": mjo.load_dump}[name]
    refused = damaged(tmp_path, f"{name}.npz", archives[name], load, 300)
    assert 300 >= refused > 250


def rewritten(path: pathlib.Path, data: bytes, change: Callable[[dict[str, Any]], None]) -> None:
    """An archive with other arrays."""
    path.write_bytes(data)
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files}
    change(arrays)
    np.savez(path, **arrays)


@pytest.mark.parametrize("name", ["run", "dump"])
def test_archives_of_others(tmp_path: pathlib.Path, archives: dict[str, bytes], name: str) -> None:
    """Whole archives with wrong contents: texts that are mutants, arrays missing, of another kind or shape."""
    load = {"run": mjo.load_run, "dump": mjo.load_dump}[name]
    path = tmp_path / "x.npz"
    rewritten(path, archives[name], lambda arrays: None)
    load(path)
    with np.load(path) as file:
        keys = [key for key in file.files if not key.startswith(("parameter_", "faults_"))]  # looked at by restore
        meta = str(file["meta"])

    def put(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
        return lambda arrays: arrays.update({key: value})

    changes: list[Callable[[dict[str, Any]], None]] = [
        put("meta", np.array(text.decode("utf-8", errors="replace"))) for text in mutations(meta.encode(), 60)
    ]
    changes += [put("meta", np.array(text)) for text in ("", "[]", "null", "3", '{"layout": 1}', '"x"')]
    for key in keys:
        changes += [
            put(key, np.array("text")),
            put(key, np.array(np.nan)),
            put(key, np.zeros((0,))),
            put(key, np.zeros((2, 2, 2))),
            lambda arrays, key=key: arrays.pop(key),  # type: ignore[misc]
        ]
    refused = 0
    for change in changes:
        rewritten(path, archives[name], change)
        try:
            load(path)
        except ValueError as error:
            one_sentence(error)
            refused += 1
    assert refused > 0.8 * len(changes)  # another text may be a good one, another number a number
