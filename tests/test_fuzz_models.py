"""Damaged model files in a process of their own: an error in one sentence or a finite model; no crash, hang or NaN."""

import ast
import pathlib
import re
import subprocess
import sys
import zipfile

import mujoco
import numpy as np
import pytest
from astropy.time import Time

import mjorbit_warp as mjo
from mjorbit_warp.models import model_path
from tests.conftest import DATA
from tests.mutations import mutations

ROOT = pathlib.Path(__file__).parent.parent
ALLOWED = ("ok", "ValueError", "FileNotFoundError")
HANG = 120  # s for all copies of a kind; one takes some milliseconds


def loaded(paths: list[pathlib.Path], hang: float = HANG) -> list[tuple[str, str]]:
    """(error's type or "ok", message) for each file; AssertionError with the file that ended the process."""
    worker = subprocess.run(
        [sys.executable, "-m", "tests.fuzz_worker"],
        input="".join(f"{path}\n" for path in paths),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=hang,
        check=False,
    )
    lines = [line.split("\t") for line in worker.stdout.splitlines()]
    ends = [line for line in lines if line[0] == "end"]
    begun = [line for line in lines if line[0] == "begin"]
    assert worker.returncode == 0 and len(ends) == len(paths), (
        f"{begun[-1] if begun else 'the first file'} ended the process ({worker.returncode}): {worker.stderr[-500:]}"
    )
    return [(kind, ast.literal_eval(said)) for _, kind, said in ends]


def equipped_xml() -> bytes:
    """A satellite with parts of every kind in its <custom>."""
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    spec.orbit = mjo.Orbit.circular(altitude=400e3, inclination=0.9, epoch=Time("2026-04-01", scale="utc"))
    spec.options = mjo.OrbitOptions(j2=True, magnetic_field=mjo.MagneticField.igrf(degree=3))
    spec.add_reaction_wheel("wheel", "bus", axis=(0, 0, 1), max_momentum=2.0, max_speed=600.0, max_torque=0.1)
    spec.add_magnetorquer("rod", "bus", axis=(1, 0, 0), max_dipole=20.0)
    spec.add_thruster("jet", "bus", pos=(0, 0, -0.6), direction=(0, 0, 1), max_force=1.0)
    spec.add_surface("panel", "bus", pos=(0, 1.5, 0), normal=(0, 0, 1), size=(0.8, 2.0), drag=2.2, specular=0.1)
    spec.add_sensor("gyro", "gyro", "wheel", noise=1e-5)
    return spec.to_xml().encode()


def custom_copies(xml: bytes, count: int) -> list[bytes]:
    """Copies that are damaged only inside <custom>, so that the orbit and the parts are what is read."""
    start, end = xml.index(b"<custom>") + len(b"<custom>"), xml.index(b"</custom>")
    return [xml[:start] + part + xml[end:] for part in mutations(xml[start:end], count, seed=1)]


def sources(folder: pathlib.Path) -> dict[str, tuple[str, list[bytes]]]:
    """Kinds of files: suffix, and copies of which the first is whole."""
    urdf, mjcf, equipped = (
        (DATA / "h23_bus_boom.urdf").read_bytes(),
        pathlib.Path(model_path("two_arm")),
        equipped_xml(),
    )
    mujoco.mj_saveModel(mujoco.MjModel.from_xml_path(str(mjcf)), str(folder / "m.mjb"))
    with zipfile.ZipFile(folder / "m.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.write(model_path("box_satellite"), "model.xml")
    mjb, mjz = (folder / "m.mjb").read_bytes(), (folder / "m.zip").read_bytes()
    return {
        "mjcf": (".xml", [mjcf.read_bytes(), *mutations(mjcf.read_bytes(), 80)]),
        "custom": (".xml", [equipped, *custom_copies(equipped, 200)]),
        "urdf": (".urdf", [urdf, *mutations(urdf, 150)]),
        "mjb": (".mjb", [mjb, *mutations(mjb, 150)]),
        "mjz": (".mjz", [mjz, *mutations(mjz, 150)]),
    }


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, str]]]:
    """What one process said of every file of every kind."""
    folder = tmp_path_factory.mktemp("fuzz")
    paths: dict[str, list[pathlib.Path]] = {}
    for kind, (suffix, copies) in sources(folder).items():
        paths[kind] = [folder / f"{kind}{k}" / f"model{suffix}" for k in range(len(copies))]
        for path, data in zip(paths[kind], copies, strict=True):
            path.parent.mkdir()
            path.write_bytes(data)
    said = iter(loaded([path for group in paths.values() for path in group]))
    return {kind: [next(said) for _ in group] for kind, group in paths.items()}


@pytest.mark.parametrize("kind", ["mjcf", "custom", "urdf", "mjb", "mjz"])
def test_damaged_files(outcomes: dict[str, list[tuple[str, str]]], kind: str) -> None:
    """The whole file loads; a damaged one loads as numbers, or is refused in one sentence."""
    whole, *damaged = outcomes[kind]
    assert whole == ("ok", "")
    for k, (error, said) in enumerate(damaged, 1):
        assert error in ALLOWED, f"{kind}{k}: {error}: {said}"
        assert error == "ok" or (said and "\n" not in said and len(said) < 700), f"{kind}{k}: {said!r}"
    assert sum(error != "ok" for error, _ in damaged) > len(damaged) // 3


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('xyz="0.5 0 0"', 'xyz="0.5 0 nan"', '<origin xyz="0.5 0 nan">: MuJoCo would take NaN as not given'),
        ('xyz="0.5 0 0"', 'xyz="0.5 0 -NaN"', '<origin xyz="0.5 0 -NaN">'),
        ('mass value="2"', 'mass value="nan"', '<mass value="nan">'),
        ('mass value="2"', "mass value='nan'", '<mass value="nan">'),
        ('mass value="2"', 'mass value="inf"', "finite numbers are expected"),
        ('mass value="2"', 'mass value="1e999"', "number is too large"),
    ],
)
@pytest.mark.filterwarnings("ignore::mjorbit_warp.MjoWarning")
def test_a_urdf_with_nan(old: str, new: str, said: str) -> None:
    """MuJoCo notes it in its log alone, and leaves the link's mass out."""
    text = (DATA / "h23_bus_boom.urdf").read_text()
    assert old in text
    with pytest.raises(ValueError, match=re.escape(said)):
        mjo.MjoSpec.from_string(text.replace(old, new, 1)).compile()


BODY = '<body name="b"><freejoint/><geom size="0.1" {}/></body>'
MODEL = f"<mujoco><worldbody>{BODY}</worldbody></mujoco>"


@pytest.mark.filterwarnings("ignore::mjorbit_warp.MjoWarning")
def test_an_mjcf_with_nan(tmp_path: pathlib.Path) -> None:
    """A mass of NaN would be that of the density; in an included file too. A name may be nan."""
    with pytest.raises(ValueError, match='the model text has <geom mass="nan">'):
        mjo.MjoSpec.from_string(MODEL.format('mass="nan"'))
    (tmp_path / "part.xml").write_text("<mujocoinclude>" + BODY.format('mass="NaN"') + "</mujocoinclude>")
    (tmp_path / "m.xml").write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    with pytest.raises(ValueError, match=r'part.xml has <geom mass="NaN">'):
        mjo.MjoSpec.from_file(tmp_path / "m.xml")
    named = MODEL.format('mass="1" name="nan"').replace("</worldbody>", '<!-- pos="nan" --></worldbody>')
    assert mjo.MjoSpec.from_string(named).compile().mj.body_mass[1] == 1.0


@pytest.mark.filterwarnings("ignore::mjorbit_warp.MjoWarning")
def test_a_compiled_model_with_nan(tmp_path: pathlib.Path) -> None:
    """MuJoCo reads such an MJB as it is."""
    mj = mujoco.MjModel.from_xml_path(model_path("box_satellite"))
    mj.body_ipos[1, 2] = np.nan
    mujoco.mj_saveModel(mj, str(tmp_path / "m.mjb"))
    with pytest.raises(ValueError, match=r"body_ipos of bus is \[.*nan\]: finite numbers are expected"):
        mjo.MjoSpec.from_file(tmp_path / "m.mjb").compile()


def test_the_worker_tells_a_crash(tmp_path: pathlib.Path) -> None:
    """What it is for: a process that ends is an error that names the file."""
    with pytest.raises(AssertionError, match="ended the process"):
        loaded([tmp_path / "a\nstdin.xml"])  # two lines for one file
