"""``mjorbit-warp inspect`` and mjo.inspect: exit codes, refused models, what may be inspected, shipped models."""

import json
import pathlib
import re
import subprocess
import sys

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp.advice import CODES
from mjorbit_warp.cli import main
from mjorbit_warp.models import NAMES, model_path
from tests.conftest import DATA, LEO
from tests.test_advice import FREE, mjcf

Capture = pytest.CaptureFixture[str]
ROOT = pathlib.Path(mjo.__file__).parents[1]
BENCH = sorted((ROOT / "mjorbit_warp" / "bench" / "models").glob("*.xml"))
ORBITS = {"none": None, "leo": LEO}
# warnings of shipped models that are true and meant: these scenes are contact dynamics with a single-stage integrator,
# as MJWarp's own benchmarks are; they lose 5e-4 to 1.1e-3 of |H| in 100 s of a slow tumble, which says the advice
MEANT = {name: {"integrator-drift"} for name in ("berthing_arm", "humanoid_flyer", "panel_deployment")}


@pytest.mark.parametrize("orbit", ORBITS)
@pytest.mark.parametrize("name", [*NAMES, *(path.stem for path in BENCH)])
def test_shipped_models(name: str, orbit: str) -> None:
    """Nothing to warn of, but for what is meant."""
    path = model_path(name) if name in NAMES else next(p for p in BENCH if p.stem == name)
    report = mjo.inspect(path, orbit=ORBITS[orbit])
    assert {a.code for a in report.of_level("warning")} == MEANT.get(name, set())
    assert report.of_level("error") == () and (report.orbit is None) == (orbit == "none")


def test_exit_codes(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """0 clean, 1 warnings, 2 refused; warnings that are meant can be ignored by their code, errors cannot."""
    good, warned, refused = (str(tmp_path / f"{name}.xml") for name in ("good", "warned", "refused"))
    pathlib.Path(good).write_text(mjcf())
    pathlib.Path(warned).write_text(mjcf(option='<option integrator="RK4"/>'))
    pathlib.Path(refused).write_text(mjcf(more=FREE, free='<joint type="free"/>', option='<option integrator="RK4"/>'))
    assert main(["inspect", good]) == 0
    text = capsys.readouterr()
    assert "advice: nothing to warn of\n" in text.out and "info [energy-off]" in text.out and text.err == ""
    assert main(["inspect", good, "--ignore", "energy-off"]) == 0
    assert "\nadvice: none\n" in capsys.readouterr().out
    assert main(["inspect", warned]) == 1
    text = capsys.readouterr()
    assert "advice: 1 warning\n" in text.out and "→ <option gravity=" in text.out and text.err == ""
    assert main(["inspect", warned, "--ignore", "gravity,angle-unit"]) == 0
    capsys.readouterr()
    assert main(["inspect", refused, "--ignore", "gravity"]) == 2
    text = capsys.readouterr()
    assert "total mass 10 kg" in text.out and "advice: 1 error\n" in text.out
    assert text.err.startswith("error: free joint joint 0 has damping, which holds") and text.err.count("\n") == 1
    assert main(["inspect", warned, "--ignore", " gravity, angle-unit "]) == 0
    capsys.readouterr()
    for unknown in ("sleep", "refused", "nonsense"):
        assert main(["inspect", good, "--ignore", unknown]) == 2
        text = capsys.readouterr()
        assert f"{unknown!r} cannot be ignored: allowed are angle-unit," in text.err and text.out == ""


def test_help_says_the_exit_codes(capsys: Capture) -> None:
    assert main(["inspect", "--help"]) == 0
    text = " ".join(re.sub("[│╭╮╰╯─]", " ", capsys.readouterr().out).split())
    assert "Exit code: 0 if there is nothing to warn of, 1 with warnings, 2 if the model is refused" in text


def test_json_of_what_mujoco_refuses(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """A script that reads stdout gets the sentence; so does a reader of stderr."""
    path = tmp_path / "sat.xml"
    path.write_text("<mujoco><worldbody><body><geom size='-1'/></body></worldbody></mujoco>")
    for name in (str(path), str(tmp_path / "none.xml")):
        assert main(["inspect", name, "--json"]) == 2
        text = capsys.readouterr()
        (said,) = json.loads(text.out).values()
        assert text.err == f"error: {said.removeprefix('Error: ')}\n"


def test_json(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """Advice, solver, buffers and momentum by name; numbers that are not finite are null."""
    path = tmp_path / "sat.xml"
    path.write_text(mjcf(option='<option integrator="Euler" timestep="0.1"/>'))
    assert main(["inspect", str(path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [a["code"] for a in report["advice"]] == ["gravity", "energy-off"]
    assert set(report["advice"][0]) == {"level", "code", "where", "what", "remedy"}
    assert report["gravity"] == [0.0, 0.0, -9.81] and report["solver"]["solver"] == "NEWTON"
    assert report["buffers"]["njmax"] == 64 and report["momentum"]["integrator"] == "Euler"
    path.write_text(mjcf().replace('<body name="bus"', '<body name="bus" pos="inf 0 0"'))
    assert main(["inspect", str(path), "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert report["com"][0] is None and report["mass"] == 10.0
    assert [a["code"] for a in report["advice"] if a["level"] == "error"] == ["refused"]


def test_inertia_of_everything() -> None:
    """About the total COM in world axes, against the mass matrix of a single rigid body made of the same parts."""
    report = mjo.inspect(DATA / "h21_bus_panel.xml")
    assert report.com == pytest.approx((0.25, 0.0, 0.0))  # 2 kg at 1.5 m, 10 kg at 0
    # by hand: parallel axes, 10 kg at −0.25 m and 2 kg at 1.25 m of the COM
    along = 10 * 0.25**2 + 2 * 1.25**2
    assert np.abs(np.array(report.inertia) - np.diag([1.1, 2.1 + along, 2.1 + along])).max() < 1e-12
    assert report.principal == pytest.approx((1.1, 2.1 + along, 2.1 + along))


def test_parts_in_the_body_frame() -> None:
    """A wheel on a turned site: the axis of its gear in the body's axes, and its largest torque."""
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    spec.orbit = LEO
    spec.add_reaction_wheel("wheel", "bus", (0.6, 0.0, 0.8), inertia=0.01, max_torque=0.2)
    spec.add_surface("panel", "bus", (0.0, 1.5, 0.0), (1.0, 0.0, 0.0), size=(0.8, 2.0))
    parts = {part.name: part for part in mjo.inspect(spec).parts}
    assert parts["wheel"].axis == pytest.approx((0.6, 0.0, 0.8)) and parts["wheel"].limits == (-0.2, 0.2)
    assert parts["panel"].axis == pytest.approx((1.0, 0.0, 0.0)) and parts["panel"].position == (0.0, 1.5, 0.0)
    assert parts["panel"].site == "panel"


@pytest.mark.parametrize("kind", ["name", "path", "spec", "mjspec", "model", "mjmodel", "mjb"])
def test_what_can_be_inspected(kind: str, tmp_path: pathlib.Path) -> None:
    """The same numbers from every form of the model; only from its source is it known what was written."""
    path = model_path("two_arm")
    spec = mjo.MjoSpec.from_file(path)
    mj = mujoco.MjModel.from_xml_path(path)
    binary = tmp_path / "two_arm.mjb"
    mujoco.mj_saveModel(mj, str(binary))
    forms = {
        "name": "two_arm",
        "path": pathlib.Path(path),
        "spec": spec,
        "mjspec": mujoco.MjSpec.from_file(path),
        "model": spec.compile(),
        "mjmodel": mj,
        "mjb": str(binary),
    }
    report = mjo.inspect(forms[kind], orbit=LEO)
    assert report.mass == pytest.approx(55.0) and report.exit_code == 0 and report.orbit is not None
    assert (report.density_geoms is None) == (kind in ("model", "mjmodel", "mjb"))
    assert mj.opt.gravity.tolist() == [0.0, 0.0, 0.0] and spec.orbit is None  # nothing of the caller's is changed


def test_what_cannot() -> None:
    with pytest.raises(TypeError, match="inspect got a int: a file, MjoSpec, MjoModel"):
        mjo.inspect(3)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        mjo.inspect("none.xml")
    with pytest.raises(ValueError, match=r"not_there\.stl"):  # MuJoCo does not compile it: nothing can be shown
        mjo.inspect(DATA / "h24_missing_mesh.xml")


def test_a_wrong_setting_does_not_hide_the_model(tmp_path: pathlib.Path, capsys: Capture) -> None:
    """An orbit in kilometres, and a thruster without a limit: refused, with the table of the rest."""
    texts = '<custom><text name="mjo_orbit_r" data="7000 0 0"/><text name="mjo_orbit_v" data="0 7.5 0"/></custom>'
    path = tmp_path / "sat.xml"
    for more, words in (
        (texts, "are r and v in m and m/s?"),
        (
            '<actuator><general name="jet" site="s" gainprm="0"/></actuator>'
            '<custom><text name="mjo_thruster:jet" data="isp 200"/></custom>',
            "thruster jet",
        ),
    ):
        path.write_text(mjcf('<site name="s"/>', more))
        assert main(["inspect", str(path)]) == 2
        text = capsys.readouterr()
        assert words in text.err and "total mass 10 kg" in text.out and "error [refused]" in text.out


def test_every_code_is_documented() -> None:
    """docs/inspect.md has a row for each code, and for no other."""
    text = (ROOT / "docs" / "inspect.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE))
    errors = {"refused", "no-body", "no-free-joint", "step", "passive-flags", "sleep", "free-joint"}
    assert rows == {*CODES, *errors}
    sources = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "mjorbit_warp" / "advice").glob("*.py"))
    assert all(f'"{code}"' in sources.replace('"""', "") for code in CODES)


def test_nothing_is_printed_or_written(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A trial that diverges leaves neither a log file nor MuJoCo's warning."""
    monkeypatch.chdir(tmp_path)
    handler = mujoco.get_mju_user_warning()
    key = '<keyframe><key qvel="0 0 0 3 4 0"/></keyframe>'
    option = '<option gravity="0 0 0" timestep="0.4" integrator="Euler"/>'
    xml = mjcf(more=key, option=option).replace('diaginertia="1 1 1"', 'diaginertia="1 2 3"')
    report = mjo.inspect(mjo.MjoSpec.from_string(xml))
    assert report.momentum is not None and report.momentum.drift is None
    said = capfd.readouterr()
    assert said.out == said.err == "" and list(tmp_path.iterdir()) == []
    assert mujoco.get_mju_user_warning() == handler


def test_a_reader_that_has_seen_enough() -> None:
    """``inspect … | head -1`` is no error."""
    call = [sys.executable, "-m", "mjorbit_warp", "inspect", "two_arm", "--json"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        said = running.stderr.read()
    assert running.returncode == 0 and "rror" not in said, said
