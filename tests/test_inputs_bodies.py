"""Several free bodies, mocap bodies and URDF in orbit, and names and folders that are not ASCII."""

import json
import os
import pathlib
import zipfile
from typing import Any

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.cli import main
from mjorbit_warp.models import model_path, tle_path
from tests.conftest import DATA, LEO, MU
from tests.test_cases import BACKENDS, read, write

BOX = "<inertial pos='0 0 0' mass='{m}' diaginertia='{m} {m} {m}'/>"


def fleet(mocap: bool) -> mjo.MjoModel:
    """Two free bodies 10 m and −20 m along y, and perhaps a mocap body at z = 5 m."""
    world = "".join(
        f"<body name='{name}' pos='0 {y} 0'><freejoint/>{BOX.format(m=m)}</body>"
        for name, y, m in (("a", 10.0, 2.0), ("b", -20.0, 1.0))
    )
    if mocap:
        world += "<body name='guide' mocap='true' pos='0 0 5'><geom size='.1' contype='0' conaffinity='0'/></body>"
    spec = mjo.MjoSpec.from_string(
        f"<mujoco><option gravity='0 0 0' integrator='RK4' timestep='0.1'/><worldbody>{world}</worldbody></mujoco>"
    )
    spec.orbit = mjo.Orbit(r=[7e6, 0.0, 0.0], v=[0.0, 0.0, np.sqrt(MU / 7e6)])
    spec.options = mjo.OrbitOptions(j2=False)
    return spec.compile()


@BACKENDS
def test_each_free_body_feels_its_own_tide(backend: Any) -> None:
    """Across the plane, z of LVLH: −n² y on each body, whatever its mass; closed form y cos(nt)."""
    model = fleet(mocap=False)
    d = backend.make_data(model)
    for _ in range(100):
        backend.mjo_step(model, d)
    n = np.sqrt(MU / 7e6**3)
    want = np.array([10.0, -20.0]) * -n * np.sin(n * 10.0)
    # 2e-4 m/s; float32 of it, and the tide's next order, y/r = 3e-6
    assert np.abs(read(d.qvel)[0, [1, 7]] - want).max() < 1e-8
    assert np.abs(read(d.qpos)[0, [1, 8]] - np.array([10.0, -20.0]) * np.cos(n * 10.0)).max() < 1e-5


@BACKENDS
def test_a_mocap_body_is_prescribed_in_the_orbit_frame(backend: Any) -> None:
    """It stays where it is put, relative to the origin, takes no part in forces, and is moved by mocap_pos alone."""
    models = fleet(mocap=True), fleet(mocap=False)
    with_guide, without = (backend.make_data(model) for model in models)
    for k in range(20):
        if k == 10:
            write(with_guide.mocap_pos, [[[1.0, 2.0, 3.0]]])
        for model, d in zip(models, (with_guide, without), strict=True):
            backend.mjo_step(model, d)
    backend.mjo_forward(models[0], with_guide)
    guide = models[0].body("guide").id
    assert np.abs(read(with_guide.xipos)[0, guide] - [1.0, 2.0, 3.0]).max() == 0.0
    for name in ("qpos", "qvel"):
        assert np.array_equal(read(getattr(with_guide, name)), read(getattr(without, name)))
    assert np.array_equal(read(with_guide.orbit.r), read(without.orbit.r))
    absolute = read(backend.absolute_state(models[0], with_guide).r)[0, guide]
    assert np.abs(absolute - read(with_guide.orbit.r)[0] - [1.0, 2.0, 3.0]).max() < 1e-6
    backend.mjo_reset(models[0], with_guide)
    assert np.abs(read(with_guide.mocap_pos)[0, 0] - [0.0, 0.0, 5.0]).max() == 0.0


def link(name: str, mass: float) -> str:
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    return (
        f'<link name="{name}">' + (f'<inertial><mass value="{mass}"/>{inertia}</inertial>' if mass else "") + "</link>"
    )


def joint(kind: str, parent: str, child: str) -> str:
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    ends = f'<parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 1"/>'
    return f'<joint name="{parent}_{child}" type="{kind}">{ends}{limit}</joint>'


def urdf(*parts: str) -> mjo.MjoSpec:
    spec = mjo.MjoSpec.from_string('<robot name="r">' + "".join(parts) + "</robot>")
    spec.orbit, spec.option.gravity = LEO, [0.0, 0.0, 0.0]
    return spec


@pytest.mark.parametrize(
    ("parts", "nv", "mass"),
    [
        ((link("world", 0), link("bus", 4), joint("fixed", "world", "bus")), 6, 4.0),
        ((link("world", 0), link("bus", 4), joint("floating", "world", "bus")), 6, 4.0),
        ((link("base_link", 0), link("bus", 4), joint("fixed", "base_link", "bus")), 6, 4.0),
        ((link("a", 1), link("b", 2)), 12, 3.0),
        (
            (
                *(link("a", 1), link("b", 2), link("c", 3), link("d", 0)),
                *(joint("fixed", "a", "b"), joint("revolute", "b", "c"), joint("fixed", "c", "d")),
            ),
            7,
            6.0,
        ),
    ],
    ids=["fixed to world", "floating", "massless root", "two roots", "fixed inside"],
)
@pytest.mark.filterwarnings("ignore::mjorbit_warp.MjoWarning")
def test_urdf_keeps_every_mass(parts: tuple[str, ...], nv: int, mass: float) -> None:
    model = urdf(*parts).compile()
    assert model.mj.nv == nv and abs(model.mj.body_mass.sum() - mass) < 1e-12


def test_urdf_links_that_move_without_a_mass_are_named() -> None:
    """H27: also the root, which a joint of ours lets move."""
    for parts, name in (
        ((link("bus", 4), link("frame", 0), joint("continuous", "bus", "frame")), "frame"),
        ((link("base_link", 0), link("bus", 4), joint("revolute", "base_link", "bus")), "base_link"),
    ):
        with pytest.raises(ValueError, match=f"body '{name}' moves and has no mass or inertia .* give it an") as caught:
            urdf(*parts).compile()
        assert "\n" not in str(caught.value)


MODEL = """<mujoco model="卫星"><option gravity="0 0 0" timestep="0.1" integrator="RK4"/>
 <asset><mesh name="Hülle" file="网格/Hülle.obj"/></asset><worldbody>
 <body name="卫星"><freejoint name="свободно"/>
 <geom name="Gehäuse" type="mesh" mesh="Hülle" mass="12" contype="0" conaffinity="0"/>
 <site name="düse"/></body></worldbody>
 <keyframe><key name="начало" qpos="1 2 3 1 0 0 0"/></keyframe></mujoco>"""
HULL = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def satellite() -> mjo.MjoSpec:
    spec = mjo.MjoSpec.from_file("航天.xml")
    spec.orbit = LEO
    spec.add_thruster("мотор", "卫星", (0, 0, 0), (0, 0, 1), max_force=1.0)
    return spec


def test_names_and_folders_that_are_not_ascii(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From MJCF, MJZ and MJB in such a folder through inspect and run to a run file that is restored."""
    folder = tmp_path / "Ünïté" / "航天"
    (folder / "网格").mkdir(parents=True)
    monkeypatch.chdir(folder)
    (folder / "航天.xml").write_text(MODEL, encoding="utf-8")
    (folder / "网格" / "Hülle.obj").write_text(HULL, encoding="utf-8")
    model = satellite().compile()
    assert model.hardware.thruster.names == ("мотор",) and model.key("начало").id == 0
    mujoco.mj_saveModel(model.mj, "спутник.mjb", None)
    with zipfile.ZipFile("星.mjz", "w") as file:
        file.write("航天.xml", "星.xml")
        file.write("网格/Hülle.obj")
    for name in ("航天.xml", str(folder / "航天.xml"), "спутник.mjb", "星.mjz"):
        assert main(["inspect", name, "--tle", tle_path(), "--json"]) in (0, 1)
        assert json.loads(capsys.readouterr().out)["bodies"][0]["name"] == "卫星"
        argv = ["--tle", tle_path(), "--duration", "0.3", "--device", "cpu", "--out", "прогон.npz", "--force"]
        assert main(["run", name, *argv]) == 0
        run = mjo.load_run("прогон.npz")
        assert run.options["model"] == name
        again, d = run.restore()
        assert again.body("卫星").id == 1 and d.time.numpy()[0] == pytest.approx(0.3)
        capsys.readouterr()
    assert main(["run", "спутник.mjb", *argv[:-1]]) == 2
    assert "прогон.npz" in capsys.readouterr().err
    copy = mjo.MjoSpec.from_string(satellite().to_xml())
    assert copy.body("卫星") is not None and copy.orbit == LEO


@pytest.mark.parametrize("command", ["inspect", "run"])
def test_files_that_are_no_model_from_the_shell(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    """One sentence, exit code 2, nothing written."""
    monkeypatch.chdir(tmp_path)
    mujoco.mj_saveModel(mujoco.MjModel.from_xml_path(model_path("two_arm")), "good.mjb", None)
    good = pathlib.Path("good.mjb").read_bytes()
    with zipfile.ZipFile("none.zip", "w") as file:
        file.writestr("read.me", "")
    files = {
        "cut.mjb": (good[:5000], "cut.mjb is a damaged compiled model: by the sizes that it starts with it has "),
        "random.mjb": (bytes(range(256)) * 9, "it has no header of one"),
        "random.mjz": (bytes(range(256)) * 9, "random.mjz is not a zip archive that can be read"),
        "random.xml": (bytes(range(256)) * 9, "is not well-formed XML"),
        "random.urdf": (bytes(range(256)) * 9, "is not well-formed XML"),
        "none.zip": (pathlib.Path("none.zip").read_bytes(), "none.zip has no model where MuJoCo looks for it"),
        "empty.mjb": (b"", "empty.mjb is empty"),
        "key.xml": (
            b"<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody>"
            b"<keyframe><key name='k' qpos='0 0 0 1 0 0 0 0'/></keyframe></mujoco>",
            "keyframe k: qpos has 8 numbers, 7 are expected",
        ),
    }
    for name, (data, words) in files.items():
        pathlib.Path(name).write_bytes(data)
        before = sorted(os.listdir())
        assert main([command, name, "--tle", tle_path()]) == 2
        text = capfd.readouterr()
        lines = text.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith("error: ") and words in lines[0], text.err
        assert text.out == "" and sorted(os.listdir()) == before


def test_a_compiled_model_from_the_shell(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that was stopped, so to say, goes on to a longer duration with the bits of one long run."""
    monkeypatch.chdir(tmp_path)
    mujoco.mj_saveModel(mujoco.MjModel.from_xml_path(model_path("box_satellite")), "box.mjb", None)
    common = ["--device", "cpu", "--json"]
    start = ["run", "box.mjb", "--tle", tle_path(), "--seed", "3", "--spin", "1"]
    assert main([*start, "--duration", "0.6", "--out", "long.npz", *common]) == 0
    assert main([*start, "--duration", "0.3", "--out", "short.npz", *common]) == 0
    assert main(["run", "--resume", "short.npz", "--duration", "0.6", *common]) == 0
    capsys.readouterr()
    assert np.array_equal(mjo.load_run("long.npz").state, mjo.load_run("short.npz").state)


def test_both_backends_of_a_urdf(tmp_path: pathlib.Path) -> None:
    """The free base of H23 falls around with the origin: at rest there it stays, on both."""
    spec = mjo.MjoSpec.from_file(DATA / "h23_bus_boom.urdf")
    spec.orbit = LEO
    with pytest.warns(mjo.MjoWarning):
        model = spec.compile()
    for backend in (mjo, mjo_ref):
        d = backend.make_data(model)  # type: ignore[attr-defined]
        for _ in range(20):
            backend.mjo_step(model, d)  # type: ignore[attr-defined]
        assert np.abs(read(d.qpos)[0, :3]).max() < 1e-7


def test_names_that_are_not_utf8(tmp_path: pathlib.Path) -> None:
    """Latin-1 by declaration or by accident is named with its line; in a comment it does no harm; so in an include."""
    body = '<body name="b%sr"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    text = "<mujoco><!-- gr%s\n\xdf -->\n<worldbody>" + body + "</worldbody></mujoco>"
    path = tmp_path / "m.xml"
    for declaration in ("", '<?xml version="1.0" encoding="ISO-8859-1"?>'):
        path.write_bytes((declaration + text % ("\xfc", "\xe4")).encode("latin-1"))
        with pytest.raises(ValueError, match=r"m\.xml, line 3: a character that is not UTF-8: save the file as UTF-8"):
            mjo.MjoSpec.from_file(path)
    path.write_bytes((text % ("\xfc", "a")).encode("latin-1"))
    assert mjo.MjoSpec.from_file(path).bodies[1].name == "bar"
    (tmp_path / "part.xml").write_bytes(b"<mujoco>" + (body % "\xe4").encode("latin-1") + b"</mujoco>")
    path.write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    with pytest.raises(ValueError, match=r"part\.xml, line 1: a character that is not UTF-8"):
        mjo.MjoSpec.from_file(path)
