"""Models from outside: URDF, meshes, keyframes (known-answer cases H23, H24, H25, H27)."""

import pathlib
from typing import Any

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.cli import main
from tests.conftest import DATA, LEO


@pytest.mark.parametrize("how", ["file", "string"])
def test_h23_urdf_gets_a_free_base(how: str) -> None:
    """A fixed boom keeps its mass: 12 kg, COM (0, 0.1333333, 0), and the change is said in one line."""
    path = DATA / "h23_bus_boom.urdf"
    spec = mjo.MjoSpec.from_file(path) if how == "file" else mjo.MjoSpec.from_string(path.read_text())
    spec.orbit = LEO
    spec.option.gravity = [0.0, 0.0, 0.0]
    with pytest.warns(mjo.MjoWarning, match="URDF root link 'bus' was given a free joint") as caught:
        model = spec.compile()
    assert len(caught) == 1
    mj = model.mj
    assert mj.nv == 6
    assert abs(mj.body_mass.sum() - 12.0) < 1e-12
    data = mujoco.MjData(mj)
    mujoco.mj_forward(mj, data)
    assert np.abs(data.subtree_com[0] - [0.0, 0.4 / 3.0, 0.0]).max() < 1e-9
    axes = data.ximat[1].reshape(3, 3)
    tensor = axes @ np.diag(mj.body_inertia[1]) @ axes.T
    assert np.abs(tensor - np.diag([2.2666667, 2.02, 3.7666667])).max() < 1e-6


def test_h24_missing_mesh_names_the_file_and_the_folder(capsys: pytest.CaptureFixture[str]) -> None:
    spec = mjo.MjoSpec.from_file(DATA / "h24_missing_mesh.xml")
    with pytest.raises(ValueError, match=r"mesh file 'not_there\.stl' was not found in '.*data/meshes'") as caught:
        spec.compile()
    assert "\n" not in str(caught.value)
    assert main(["inspect", str(DATA / "h24_missing_mesh.xml")]) == 2
    assert "not_there.stl" in capsys.readouterr().err


def test_meshes_in_another_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found relative to the model, whatever the current folder; also as assets of an MjSpec."""
    (tmp_path / "parts").mkdir()
    vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "parts" / "hull.obj").write_text(vertices)
    xml = (DATA / "h24_missing_mesh.xml").read_text().replace("meshes", "parts").replace("not_there.stl", "hull.obj")
    (tmp_path / "sat.xml").write_text(xml)
    monkeypatch.chdir(tmp_path.parent)
    spec = mjo.MjoSpec.from_file(tmp_path / "sat.xml")
    spec.orbit = LEO
    with pytest.warns(mjo.MjoWarning):
        assert abs(spec.compile().mj.body_mass[1] - 12.0) < 1e-12


@pytest.mark.parametrize("backend", [mjo, mjo_ref], ids=["warp", "reference"])
def test_h25_keyframe_by_name(backend: Any) -> None:
    """Free joint 7 numbers in qpos, 6 in qvel; the arm's tip where the closed form has it; in chosen worlds only."""
    spec = mjo.MjoSpec.from_file(DATA / "h25_key_one.xml")
    spec.orbit = LEO
    model = spec.compile()
    d = backend.make_data(model, nworld=3)
    before = np.array(d.qpos if backend is mjo_ref else d.qpos.numpy())
    backend.mjo_reset(model, d, np.array([True, False, True]), keyframe="ready")
    read = (lambda x: np.array(x)) if backend is mjo_ref else (lambda x: x.numpy().copy())
    half = np.sqrt(0.5)
    for world in (0, 2):
        assert np.abs(read(d.qpos)[world] - [1, 2, 3, half, 0, 0, half, 0.4]).max() < 1e-6
        assert np.abs(read(d.qvel)[world] - [0, 0, 0, 0, 0, 0.1, 0]).max() < 1e-7
        assert abs(read(d.ctrl)[world, 0] - 0.2) < 1e-7
        assert np.abs(read(d.xipos)[world, 2] - [1.0, 3.276318298, 2.883174497]).max() < 1e-6
    assert np.array_equal(read(d.qpos)[1], before[1])
    backend.mjo_reset(model, d, keyframe=0)
    assert np.abs(read(d.qpos)[1, :3] - [1, 2, 3]).max() == 0.0
    with pytest.raises(ValueError, match="no keyframe 'go': the model has ready"):
        backend.mjo_reset(model, d, keyframe="go")


def test_h27_massless_link_is_named() -> None:
    spec = mjo.MjoSpec.from_file(DATA / "h27_massless_link.urdf")
    with pytest.raises(ValueError, match="camera_frame"):
        spec.compile()
