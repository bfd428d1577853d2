"""Bad input from the shell: one sentence on stderr, exit code 2, no traceback, no file; in-process."""

import os
import pathlib
from collections.abc import Callable

import mujoco
import pytest

from mjorbit_warp.cli import main
from mjorbit_warp.models import model_path, tle_path

Capture = pytest.CaptureFixture[str]
BODY = "<body name='sat'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
OPTION = "gravity='0 0 0' timestep='0.1' integrator='RK4'"
LINES = pathlib.Path(tle_path()).read_text().splitlines()[:2]


def mjcf(option: str = OPTION, flags: str = "", world: str = BODY, more: str = "") -> str:
    return f"<mujoco><option {option}>{flags}</option><worldbody>{world}</worldbody>{more}</mujoco>"


def custom(**texts: str) -> str:
    return mjcf(more="<custom>" + "".join(f"<text name='mjo_{k}' data='{v}'/>" for k, v in texts.items()) + "</custom>")


MESH = mjcf(
    world="<body><freejoint/><geom type='mesh' mesh='m'/></body>",
    more="<asset><mesh name='m' file='no.stl'/></asset>",
)
# text of the model file, words of the error; HERE is the folder of the model
MODELS: dict[str, tuple[str | bytes, str]] = {
    "malformed": ("<mujoco><worldbody>", "model.xml is not well-formed XML: mismatched element at <worldbody>, line 1"),
    "binary": (bytes(range(256)), "model.xml is not well-formed XML: empty document"),
    "another_xml": ("<html></html>", "root element 'html': 'mujoco' or 'robot' is expected"),
    "empty": ("", "model.xml is empty: an MJCF or URDF file is expected"),
    "unknown_element": ("<mujoco><sattelite/></mujoco>", "unrecognized element"),
    "unknown_integrator": (mjcf(option="integrator='RK5'"), "invalid keyword: 'RK5'"),
    "mesh": (MESH, "mesh file 'no.stl' was not found in 'HERE'"),
    "include": ("<mujoco><include file='no.xml'/></mujoco>", "Error opening file 'no.xml'"),
    "no_free_joint": (
        mjcf(world="<body name='mast'><joint/><geom size='1'/></body>"),
        "mast has no free joint and is held by the orbit's moving origin: add <freejoint/> as its first child",
    ),
    "no_body": (mjcf(world=""), "no body but the world: add a <body> with a <freejoint/>"),
    "massless": (mjcf(world="<body name='ghost'><freejoint/></body>"), "Element name 'ghost'"),
    "passive_flags": (mjcf(flags="<flag spring='disable' damper='disable'/>"), "spring and damper are both disabled"),
    "sleep": (mjcf(flags="<flag sleep='enable'/>"), 'remove sleep="enable"'),
    "nan_pose": (
        mjcf(world=BODY.replace("<body", "<body pos='nan 0 0'")),
        '<body pos="nan 0 0">: MuJoCo would take NaN as not given',
    ),
    "nan_key": (mjcf(more="<keyframe><key qpos='nan 0 0 1 0 0 0'/></keyframe>"), 'qpos="nan 0 0 1 0 0 0">: MuJoCo'),
    "inf_key": (mjcf(more="<keyframe><key qvel='0 inf 0 0 0 0'/></keyframe>"), "keyframe 0: qvel of the model has"),
    "far": (mjcf(world=BODY.replace("<body", "<body pos='0 7e5 0'")), "sat is 700000 m from the orbit's origin, more"),
    "zero_step": (mjcf(option="timestep='0'"), "model.xml is 0.0: a positive number of seconds is expected"),
    "negative_step": (mjcf(option="timestep='-0.1'"), "model.xml is -0.1: a positive number"),
    "nan_step": (mjcf(option="timestep='nan'"), 'model.xml has <option timestep="nan">: MuJoCo'),
    "below_surface": (
        custom(orbit_r="6e6 0 0", orbit_v="0 7500 0"),
        "the orbit is 378.137 km below the surface of earth",
    ),
    "kilometres": (custom(orbit_r="7000 0 0", orbit_v="0 7.5 0"), "are r and v in m and m/s?"),
    "nan_orbit": (custom(orbit_r="nan 0 0", orbit_v="0 7500 0"), "3 finite numbers expected"),
    "half_an_orbit": (custom(orbit_r="7e6 0 0"), "an orbit needs both mjo_orbit_r and mjo_orbit_v"),
    "epoch_alone": (custom(epoch="0"), "mjo_epoch without an orbit"),
    "nan_epoch": (custom(orbit_r="7e6 0 0", orbit_v="0 7500 0", epoch="nan"), "mjo_epoch is 'nan'"),
    "unknown_setting": (custom(orbt_r="7e6 0 0"), "mjo_orbt_r is not a setting of this package: allowed are"),
    "unknown_body": (custom(orbit_r="7e6 0 0", orbit_v="0 7500 0", central_body="pluto"), "'pluto' is not known"),
}


@pytest.fixture
def refused(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Checks that a command line is refused in one sentence with these words, and leaves the folder as it was."""
    monkeypatch.chdir(tmp_path)

    def check(words: str, *argv: str) -> None:
        before = sorted(os.listdir(tmp_path))
        assert main(argv) == 2
        text = capfd.readouterr()  # what native code writes, too
        # inspect shows what could be read of a model that is refused, see test_advice_cli
        assert text.out == "" or (argv[0] == "inspect" and text.out.startswith("model "))
        lines = text.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith("error: ") and words in lines[0], text.err
        assert "Traceback" not in text.err and sorted(os.listdir(tmp_path)) == before

    return check


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("command", ["inspect", "run"])
def test_models(refused: Callable[..., None], tmp_path: pathlib.Path, name: str, command: str) -> None:
    text, words = MODELS[name]
    path = tmp_path / "model.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    orbit = [] if isinstance(text, str) and "mjo_" in text else ["--tle", tle_path()]
    refused(words.replace("HERE", str(tmp_path)), command, str(path), *orbit)


@pytest.mark.parametrize("command", ["inspect", "run"])
def test_paths(refused: Callable[..., None], tmp_path: pathlib.Path, command: str) -> None:
    for name in ("sat", "sat.txt"):
        (tmp_path / name).write_text(pathlib.Path(model_path("two_arm")).read_text())
    for model, words in (
        ("none.xml", "no model file at 'none.xml'"),
        ("two_arms", "nor a shipped model of that name (two_arm, box_satellite, chaser_target, capture_arm)"),
        ("", "no model file at ''"),
        (".", "'.' is a folder: a model file is expected"),
        ("sat", "sat has no suffix, and MuJoCo goes by that: rename it to .xml if it is MJCF"),
        ("sat.txt", "sat.txt has the suffix '.txt', and MuJoCo goes by that"),
        (tle_path(), "has the suffix '.tle'"),
    ):
        refused(words, command, model)


@pytest.mark.parametrize("command", ["inspect", "run"])
def test_two_line_elements(refused: Callable[..., None], tmp_path: pathlib.Path, command: str) -> None:
    path = tmp_path / "x.tle"
    digit = "2" if LINES[0][20] != "2" else "3"
    for text, words in (
        ("\n".join([LINES[0][:20] + digit + LINES[0][21:], LINES[1]]), "line 1 of x.tle has checksum"),
        ("\n".join([LINES[0], LINES[1][:-1]]), "line 2 of x.tle has 68 characters"),
        (LINES[0], "x.tle is not one two-line element set"),
        ("", "x.tle is not one two-line element set"),
        (mjcf(), "x.tle is not one two-line element set"),
    ):
        path.write_text(text)
        refused(words, command, "two_arm", "--tle", "x.tle")
    refused("no TLE file at 'none.tle'", command, "two_arm", "--tle", "none.tle")
    refused("no TLE file at '.'", command, "two_arm", "--tle", ".")
    path.write_bytes(bytes(range(256)))
    refused("x.tle is not one two-line element set", command, "two_arm", "--tle", "x.tle")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--dt 0", "--dt is 0.0: a positive number of seconds"),
        ("--dt=-1", "--dt is -1.0: a positive"),
        ("--dt nan", "--dt is nan: a positive"),
        ("--dt 1e-60", "--dt is 1e-60: a positive"),
        ("--dt x", "--dt is 'x': a number is expected"),
        ("--dt", "--dt has no value after it"),
        ("--duration=-5", "--duration is -5.0: a positive"),
        ("--duration 0", "--duration is 0.0: a positive"),
        ("--duration inf", "--duration is inf: a positive"),
        ("--duration nan", "--duration is nan: a positive"),
        ("--duration 1e300", "--duration is 1e+300: that is more than 1000000000000 steps"),
        ("--nworld 0", "--nworld is 0: 1 or a larger integer"),
        ("--nworld -3", "--nworld is -3: 1 or"),
        ("--nworld 1.5", "--nworld is '1.5': an integer is expected"),
        ("--nworld 100000000000", "there is not enough memory"),
        ("--integrator RK5", "--integrator is 'RK5': allowed are Euler, RK4, implicit, implicitfast"),
        ("--precision double", "--precision is 'double': allowed are shadow, single"),
        ("--integrator implicitfast --precision shadow", 'precision "shadow" needs the RK4 integrator'),
        ("--device cuda:9", "--device is 'cuda:9': available here are cpu"),
        ("--device gpu", "--device is 'gpu': available here are cpu"),
        ("--spread 1e6", "--spread is 1000000.0: at most 10 % of the orbit's radius"),
        ("--checkpoint-every 0", "--checkpoint-every is 0.0: a positive"),
        ("--out none/x.npz", "--out is 'none/x.npz': there is no folder 'none'"),
        ("--out x.txt", "a name that ends in .npz is expected"),
        ("--out folder.npz", "--out is 'folder.npz': that is a folder"),
        ("--out old.npz", "--out is 'old.npz': that file exists, and only --force overwrites it"),
        ("--plot none/x.png", "there is no folder 'none'"),
        ("--colour", "--colour is not known to mjorbit-warp run: mjorbit-warp run --help lists what is"),
        ("--nworl 3", "--nworl is not known to mjorbit-warp run: perhaps you meant --nworld"),
        ("another", "another is not known to mjorbit-warp run"),
    ],
)
def test_options_of_run(refused: Callable[..., None], tmp_path: pathlib.Path, options: str, words: str) -> None:
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "old.npz").write_bytes(b"old")
    refused(words, "run", "box_satellite", "--tle", tle_path(), *options.split())
    assert (tmp_path / "old.npz").read_bytes() == b"old"


def test_commands(refused: Callable[..., None]) -> None:
    refused("orbit is not known to mjorbit-warp: mjorbit-warp --help lists what is", "orbit")
    refused("no model is given: name an MJCF file or a shipped model", "run")
    refused("mjorbit-warp inspect needs MODEL", "inspect")
    refused("box_satellite has no orbit in its <custom>: give one with --tle FILE", "run", "box_satellite")
    refused("--nworld is 'many': an integer is expected", "demo", "--nworld", "many")
    refused("--dt is 0.0: a positive number", "demo", "--dt", "0")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder in which not even root can write")
def test_a_folder_that_is_not_writable(refused: Callable[..., None]) -> None:
    refused("--out is '/proc/self/x.npz': cannot write there", "run", "two_arm", "--out", "/proc/self/x.npz")
    refused("--out is '/proc/self/x.png': cannot write there", "demo", "--out", "/proc/self/x.png")


def test_what_is_no_error(tmp_path: pathlib.Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gravity is set to 0 and said in one line; an orbit needs no date; njmax 0 does not lose the orbit's forces."""
    monkeypatch.chdir(tmp_path)
    text = custom(orbit_r="7e6 0 0", orbit_v="0 7500 0").replace("gravity='0 0 0'", "gravity='0 0 -9.81'")
    (tmp_path / "sat.xml").write_text(text.replace("<body name='sat'", "<body pos='0 100 0' name='sat'"))
    said = "gravity 0 0 -9.81 of the MJCF was set to 0 0 0: gravity comes from the orbit alone"
    assert main(["inspect", "sat.xml"]) == 1  # a warning
    out = capsys.readouterr().out
    assert out.count(f"note: {said}\n") == 1 and "epoch not given" in out
    for integrator in ("Euler", "implicitfast"):
        argv = ["--duration", "1", "--device", "cpu", "--out", f"{integrator}.npz", "--integrator", integrator]
        assert main(["run", "sat.xml", *argv]) == 0
        lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("stepping")]
        assert lines == [f"note: {said}"]
        import mjorbit_warp as mjo

        run = mjo.load_run(f"{integrator}.npz")
        assert run.spec().njmax <= 0
        # the tide at 100 m along y, −μ/r³ of it, for a second: 1.2e-4 m/s
        assert run.qvel[-1, 0, 1] == pytest.approx(-3.986e14 / 7e6**3 * 100.0, rel=2e-2)


def test_warnings_of_mujoco_are_notes(tmp_path: pathlib.Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is wrong for us they come as one line, and MuJoCo's log file is not written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nan.xml").write_text(mjcf(more="<custom><numeric name='mine' data='nan'/></custom>"))
    handler = mujoco.get_mju_user_warning()
    assert main(["inspect", "nan.xml", "--tle", tle_path()]) == 0
    assert capfd.readouterr().err.startswith("note: MuJoCo says: XML contains a 'NaN'")
    assert os.listdir(tmp_path) == ["nan.xml"] and mujoco.get_mju_user_warning() == handler
