"""Models from anywhere: compiled models, archives, folders, includes, keyframes, several bodies, mocap bodies."""

import os
import pathlib
import struct
import warnings
import zipfile
from typing import Any

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import mjb_sizes
from mjorbit_warp.binary import BinarySpec, NotEditableError
from mjorbit_warp.models import model_path
from mjorbit_warp.recorder import Recorder
from mjorbit_warp.run_file import load_run, save_run
from tests.conftest import DATA, LEO
from tests.equipped import equipped_model
from tests.test_cases import BACKENDS, read, write

BODY = "<body name='sat'>%s<freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
HULL = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MESH = "<asset><mesh name='hull' file='hull.obj'/></asset>"
WORN = "<body name='sat'><freejoint/><geom type='mesh' mesh='hull' mass='12'/></body>"


def mjcf(world: str = BODY % "", more: str = "", option: str = "gravity='0 0 0'") -> str:
    return f"<mujoco><option {option}/><worldbody>{world}</worldbody>{more}</mujoco>"


def save_mjb(mj: mujoco.MjModel, path: pathlib.Path) -> str:
    mujoco.mj_saveModel(mj, str(path), None)
    return str(path)


def save_zip(path: pathlib.Path, files: dict[str, str], how: int = zipfile.ZIP_DEFLATED) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", how) as file:
        for name, text in files.items():
            file.writestr(name, text)
    return str(path)


def steps(backend: Any, model: mjo.MjoModel, n: int = 3) -> np.ndarray:
    """State after n steps with constant commands."""
    d = backend.make_data(model)
    write(d.ctrl, np.full((1, model.mj.nu), 0.01))
    for _ in range(n):
        backend.mjo_step(model, d)
    return read(backend.get_state(model, d))


@BACKENDS
def test_a_compiled_model_flies_as_its_source(backend: Any, tmp_path: pathlib.Path) -> None:
    """Orbit, options and hardware come from the <custom> inside the MJB: the same bits after steps."""
    model = equipped_model("RK4")
    again = mjo.MjoSpec.from_file(save_mjb(model.mj, tmp_path / "sat.MJB"))
    assert isinstance(again, BinarySpec)
    assert again.orbit == model.orbit
    compiled = again.compile()
    assert compiled.options == model.options
    assert [len(getattr(compiled.hardware, k)) for k in ("reaction_wheel", "thruster", "surface")] == [
        len(getattr(model.hardware, k)) for k in ("reaction_wheel", "thruster", "surface")
    ]
    assert np.array_equal(steps(backend, model), steps(backend, compiled))


def test_what_a_compiled_model_allows(tmp_path: pathlib.Path) -> None:
    """Another orbit, options, step and integrator; a copy is independent; gravity is set to 0 and said."""
    path = save_mjb(mujoco.MjModel.from_xml_string(mjcf(option="timestep='0.01'")), tmp_path / "sat.mjb")
    spec = mjo.MjoSpec.from_file(path)
    assert spec.orbit is None
    other = spec.copy()
    other.orbit, other.options = LEO, mjo.OrbitOptions(j2=False)
    other.option.timestep, other.option.integrator = 0.05, mujoco.mjtIntegrator.mjINT_RK4
    with pytest.warns(mjo.MjoWarning, match="gravity 0 0 -9.81 of the MJCF was set to 0 0 0"):
        model = other.compile()
    assert (model.mj.opt.timestep, model.options.j2, model.orbit) == (0.05, False, LEO)
    assert spec.option.timestep == 0.01 and spec.orbit is None and spec.options.j2
    assert other.compiled.opt.gravity[2] == -9.81  # compile leaves what it was given
    for use in (
        lambda: spec.to_xml(),
        lambda: spec.add_reaction_wheel("w", "sat", max_momentum=1.0, max_speed=1.0, max_torque=1.0),
        lambda: spec.add_sensor("s", "nadir", "x"),
        lambda: spec.body("sat"),
        lambda: setattr(spec, "meshdir", "x"),
    ):
        with pytest.raises(NotEditableError, match=r"sat\.mjb is a compiled model, .* take the MJCF") as caught:
            use()
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="no degrees of freedom"):
        fixed = mujoco.MjModel.from_xml_string(mjcf("<body mocap='true'><geom size='1'/></body>"))
        mjo.MjoSpec.from_file(save_mjb(fixed, tmp_path / "fixed.mjb")).compile()


def test_a_run_of_a_compiled_model_is_restored(tmp_path: pathlib.Path) -> None:
    path = save_mjb(mujoco.MjModel.from_xml_path(model_path("box_satellite")), tmp_path / "box.mjb")
    spec = mjo.MjoSpec.from_file(path)
    spec.orbit, spec.options = LEO, mjo.OrbitOptions(j2=False)
    model = spec.compile()
    d = mjo.make_data(model)
    recorder = Recorder(d, [0])
    recorder.record()
    mjo.mjo_step(model, d)
    recorder.record()
    save_run(tmp_path / "box.npz", spec, d, recorder, options={}, command=[])
    run = load_run(tmp_path / "box.npz")
    assert isinstance(run.spec(), BinarySpec) and run.spec().orbit == LEO
    again, restored = run.restore()
    assert again.options == model.options
    mjo.mjo_step(model, d)
    mjo.mjo_step(again, restored)
    assert np.array_equal(mjo.get_state(model, d).numpy(), mjo.get_state(again, restored).numpy())


def test_compiled_files_that_do_not_read(tmp_path: pathlib.Path) -> None:
    """Cut anywhere, changed, of another version, or something else: one sentence, and this process goes on."""
    good = pathlib.Path(
        save_mjb(mujoco.MjModel.from_xml_path(model_path("two_arm")), tmp_path / "good.mjb")
    ).read_bytes()
    old = bytearray(good)
    struct.pack_into("<i", old, 12, mujoco.mj_version() - 1000)
    wrong = {
        "empty": (b"", "it is empty"),
        "text": (b"<mujoco/>", "it has no header of one"),
        "random": (bytes(range(256)) * 20, "it has no header of one"),
        "longer": (good + b"\0" * 8, "by the sizes that it starts with it has .* bytes, the file has"),
        "old": (bytes(old), "another version wrote it .* only that one reads it: save the MJCF or an MJZ"),
    }
    for cut in (1, 19, 20, 24, 400, 900, len(good) // 2, len(good) - 1):
        wrong[f"cut{cut}"] = (good[:cut], "header|Truncated model file|damaged compiled model")
    handler = mujoco.get_mju_user_warning()
    for name, (data, words) in wrong.items():
        path = tmp_path / f"{name}.mjb"
        path.write_bytes(data)
        with pytest.raises(ValueError, match=words) as caught:
            mjo.MjoSpec.from_file(path)
        assert "\n" not in str(caught.value) and str(path) in str(caught.value)
    assert mujoco.get_mju_user_warning() == handler
    # MuJoCo itself would allocate what this says: 2³¹ vertices of meshes
    huge = bytearray(good)
    struct.pack_into("<q", huge, 20 + 8 * mjb_sizes._layout()[0].index("nmeshvert"), 2**31 - 2)
    (tmp_path / "huge.mjb").write_bytes(huge)
    with pytest.raises(ValueError, match=f"huge.mjb is a damaged compiled model: .* the file has {len(good)}"):
        mjo.MjoSpec.from_file(tmp_path / "huge.mjb")
    rng = np.random.default_rng(0)
    for _ in range(200):  # sizes and addresses stand in the first kilobyte
        changed = bytearray(good)
        for place in rng.integers(20, 1000, 2):
            changed[place] = int(rng.integers(256))
        (tmp_path / "changed.mjb").write_bytes(changed)
        try:
            mjo.MjoSpec.from_file(tmp_path / "changed.mjb")
        except ValueError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("dof_treeid", 9, "dof_treeid has 9, where -1 to 0 are possible"),
        ("body_treeid", -5, "body_treeid has -5"),
        ("geom_type", 99, "geom_type has 99, where 0 to"),
        ("jnt_actuatorid", 77, "jnt_actuatorid has 77"),
        ("actuator_history", 1000, "actuator_history has 1000, where 0 to 0 are possible"),
    ],
)
def test_indices_that_mujoco_would_follow_to_a_crash(
    tmp_path: pathlib.Path, field: str, value: int, words: str
) -> None:
    mj = mujoco.MjModel.from_xml_path(model_path("two_arm"))
    getattr(mj, field).reshape(-1)[0] = value
    with pytest.raises(ValueError, match=r"two\.mjb is a damaged compiled model: " + words):
        mjo.MjoSpec.from_file(save_mjb(mj, tmp_path / "two.mjb"))


@pytest.mark.parametrize("place", ["sat.xml", "model.xml", "sat/sat.xml", "sat/model.xml"])
@pytest.mark.parametrize("suffix", ["mjz", "zip"])
def test_archives(tmp_path: pathlib.Path, place: str, suffix: str) -> None:
    """With a mesh and an include of its own, whatever the current folder."""
    folder = os.path.dirname(place)
    text = f"<mujoco><compiler meshdir='parts'/>{MESH}<worldbody><include file='sub/b.xml'/></worldbody></mujoco>"
    files = {place: text, f"{folder}/parts/hull.obj".lstrip("/"): HULL}
    files[f"{folder}/sub/b.xml".lstrip("/")] = f"<mujoco>{WORN}</mujoco>"
    spec = mjo.MjoSpec.from_file(save_zip(tmp_path / f"sat.{suffix}", files))
    spec.orbit, spec.option.gravity = LEO, [0.0, 0.0, 0.0]
    for each in (spec, spec.copy()):
        assert abs(each.compile().mj.body_mass[1] - 12.0) < 1e-12


def test_mujocos_own_archive_is_read(tmp_path: pathlib.Path) -> None:
    spec = mujoco.MjSpec.from_string(mjcf(WORN, MESH), assets={"hull.obj": HULL.encode()})
    spec.modelname = "model"
    spec.to_zip(str(tmp_path / "sat.zip"))
    assert mjo.MjoSpec.from_file(tmp_path / "sat.zip").compile().mj.nmesh == 1


def test_a_urdf_in_an_archive_gets_a_free_base(tmp_path: pathlib.Path) -> None:
    path = save_zip(tmp_path / "bus.mjz", {"bus.xml": (DATA / "h23_bus_boom.urdf").read_text()})
    spec = mjo.MjoSpec.from_file(path)
    spec.orbit, spec.option.gravity = LEO, [0.0, 0.0, 0.0]
    with pytest.warns(mjo.MjoWarning, match="'bus' was given a free joint"):
        model = spec.compile()
    assert model.mj.nv == 6 and abs(model.mj.body_mass.sum() - 12.0) < 1e-12


def test_archives_that_do_not_read(tmp_path: pathlib.Path) -> None:
    def refuse(path: str | pathlib.Path, words: str, compile_too: bool = False) -> None:
        with pytest.raises(ValueError, match=words) as caught:
            spec = mjo.MjoSpec.from_file(path)
            if compile_too:
                spec.compile()
        assert "\n" not in str(caught.value)

    here = tmp_path
    refuse(
        save_zip(here / "a.mjz", {"b.xml": mjcf(), "c/d.urdf": ""}),
        r"a\.xml or model\.xml or a/a\.xml .*not b\.xml, c/d\.urdf",
    )
    refuse(save_zip(here / "n.zip", {"read.me": ""}), "is expected in it, not no model")
    refuse(
        save_zip(here / "l.mjz", {"l.xml": mjcf()}, zipfile.ZIP_LZMA),
        r"l\.xml in .*l\.mjz is encrypted or compressed in",
    )
    refuse(
        save_zip(here / "i.mjz", {"i.xml": "<mujoco><include file='no.xml'/></mujoco>"}),
        r"<include>: Error opening file 'no\.xml'",
    )
    lost = save_zip(here / "m.mjz", {"m.xml": mjcf(WORN, MESH)})
    refuse(lost, r"mesh file 'hull\.obj' was not found in '.*m\.mjz'", True)
    for name, data in (("random.mjz", bytes(range(256)) * 9), ("empty.zip", b""), ("text.mjz", b"<mujoco/>")):
        (here / name).write_bytes(data)
        refuse(here / name, f"{name} is not a zip archive that can be read")
    good = pathlib.Path(save_zip(here / "sat.mjz", {"sat.xml": mjcf() + " " * 500, "b": HULL})).read_bytes()
    (here / "sat.mjz").write_bytes(good[: len(good) // 2])
    refuse(here / "sat.mjz", "is not a zip archive that can be read")
    rng = np.random.default_rng(0)
    for _ in range(100):
        changed = bytearray(good)
        for place in rng.integers(0, len(good), 2):
            changed[place] = int(rng.integers(256))
        (here / "sat.mjz").write_bytes(changed)
        try:
            mjo.MjoSpec.from_file(here / "sat.mjz").compile()
        except ValueError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("relative", [False, True])
def test_includes_and_meshes_in_other_folders(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, relative: bool
) -> None:
    """An included file names a mesh beside itself, the main one names a meshdir, absolute or not."""
    (tmp_path / "a" / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "sub" / "deep" / "hull.obj").write_text(HULL)
    (tmp_path / "a" / "sub" / "b.xml").write_text("<mujoco>" + MESH.replace("hull.obj", "deep/hull.obj") + "</mujoco>")
    (tmp_path / "a" / "main.xml").write_text(mjcf(WORN, "<include file='sub/b.xml'/>"))
    folder = str(tmp_path / "a" / "sub" / "deep")
    (tmp_path / "a" / "far.xml").write_text(mjcf(WORN, f"<compiler meshdir='{folder}'/>{MESH}"))
    (tmp_path / "a" / "near.xml").write_text(mjcf(WORN, f"<compiler meshdir='sub/deep'/>{MESH}"))
    monkeypatch.chdir(tmp_path)
    for name in ("main.xml", "far.xml", "near.xml"):
        path = os.path.join("a", name) if relative else tmp_path / "a" / name
        assert mjo.MjoSpec.from_file(path).compile().mj.nmesh == 1


def test_a_fault_in_an_included_file_is_placed(tmp_path: pathlib.Path) -> None:
    """MuJoCo counts no lines there and names no file."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.xml").write_text(
        "<mujoco>\n<body name='b'>\n  <freejoint/>\n  <geom\n size='1' foo='3'/></body></mujoco>"
    )
    (tmp_path / "main.xml").write_text("<mujoco><worldbody><include file='sub/b.xml'/></worldbody></mujoco>")
    with pytest.raises(ValueError, match=r"sub/b\.xml, line 5, <geom>: unrecognized attribute: 'foo'"):
        mjo.MjoSpec.from_file(tmp_path / "main.xml")
    (tmp_path / "lost.xml").write_text("<mujoco>\n<include file='gone.xml'/></mujoco>")
    with pytest.raises(
        ValueError, match=r"lost\.xml, line 2, <include>: Error opening file 'gone\.xml', looked for in '.*'"
    ):
        mjo.MjoSpec.from_file(tmp_path / "lost.xml")


@pytest.mark.parametrize(
    ("old", "words"),
    [
        (
            "<option apirate='100'/>",
            "<option>: unrecognized attribute: 'apirate', which MuJoCo .* no longer has: remove it",
        ),
        ("<option mpr_iterations='9'/>", "<option>: .*'mpr_iterations', .*: it is ccd_iterations now"),
        ("<option><flag passive='disable'/></option>", "<flag>: .*'passive', .*: it is spring and damper now"),
        (
            "<compiler exactmeshinertia='true'/>",
            "<compiler>: .*'exactmeshinertia', .*: it is inertia=\"exact\" of a <mesh> now",
        ),
        ("<compiler coordinate='global'/>", "<compiler>: global coordinates no longer supported"),
        ("<equality><distance geom1='a' geom2='b'/></equality>", "<distance>: unrecognized element"),
    ],
)
def test_legacy_files_that_are_refused(tmp_path: pathlib.Path, old: str, words: str) -> None:
    path = tmp_path / "old.xml"
    path.write_text(f"<mujoco>\n\n  {old}<worldbody>{BODY % ''}</worldbody></mujoco>")
    with pytest.raises(ValueError, match=r"old\.xml, line 3, " + words) as caught:
        mjo.MjoSpec.from_file(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="the model text, line 3, " + words):
        mjo.MjoSpec.from_string(path.read_text())


def test_legacy_files_that_are_read() -> None:
    """What MuJoCo 4 still takes: buffer sizes, local coordinates, autolimits, total mass."""
    old = (
        "<mujoco><compiler coordinate='local' autolimits='false'/><size njmax='100' nconmax='50' nstack='3000'/>"
        f"<option gravity='0 0 0'/><worldbody>{BODY % ''}</worldbody></mujoco>"
    )
    assert mjo.MjoSpec.from_string(old).compile().mj.nv == 6


KEYS = {  # keyframe, notes of it
    "qpos='1 2 3 1 0 0 0 .4' ctrl='0.2'": None,
    "qpos='1 2 3 1 0 0 0 .4'": None,
    "ctrl='0.2'": None,
    "time='3'": None,
    "qpos='1 2 3'": "keyframe k gives 3 of the 8 numbers of qpos: the others are those of the model's start",
    "qpos='1 2 3 1 0 0 0' qvel='1 2'": "keyframe k gives 7 of the 8 numbers of qpos and 2 of the 7 numbers of qvel",
}


@pytest.mark.parametrize("key", KEYS)
@BACKENDS
def test_short_keyframes(backend: Any, key: str) -> None:
    """Fields that are left out start as the model does, and so does the rest of half a field, which is said."""
    arm = "<body name='arm' pos='1 0 0'><joint name='j' ref='20'/><geom size='.1' mass='1'/></body>"
    text = mjcf(BODY % arm, f"<actuator><motor joint='j'/></actuator><keyframe><key name='k' {key}/></keyframe>")
    spec = mjo.MjoSpec.from_string(text)
    spec.orbit = LEO
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = spec.compile()
    said = [str(w.message) for w in caught if issubclass(w.category, mjo.MjoWarning)]
    if (words := KEYS[key]) is None:
        assert not said
    else:
        assert len(said) == 1 and said[0].startswith(words)
    if backend is mjo:
        assert said == list(model.notes)
        return  # its reset to a keyframe is that of test_outside, on another model
    d = backend.make_data(model)
    backend.mjo_reset(model, d, keyframe="k")
    fields = {
        name: [float(x) for x in values.split()]
        for name, values in (f.split("=") for f in key.replace("' ", "';").replace("'", "").split(";"))
    }
    qpos = model.mj.qpos0.copy()
    qpos[: len(fields.get("qpos", []))] = fields.get("qpos", [])
    qvel = np.zeros(7)
    qvel[: len(fields.get("qvel", []))] = fields.get("qvel", [])
    assert np.abs(d.qpos[0] - qpos).max() < 1e-12 and np.abs(d.qvel[0] - qvel).max() == 0.0
    assert d.ctrl[0, 0] == fields.get("ctrl", [0.0])[0] and d.time[0] == fields.get("time", [0.0])[0]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (
            "name='a' qpos='0 0 0 1 0 0 0 4'",
            r"keyframe a: qpos has 8 numbers, 7 are expected \(a free joint takes 7 in",
        ),
        ("qvel='0 0 0 0 0 0 0'", "keyframe 0: qvel has 7 numbers, 6 are expected"),
        ("name='a' ctrl='1'", "keyframe 0: ctrl has another number of them, 0 are expected"),
    ],
)
def test_keyframes_that_do_not_fit(key: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        mjo.MjoSpec.from_string(mjcf(more=f"<keyframe><key {key}/></keyframe>")).compile()
    assert "\n" not in str(caught.value)
