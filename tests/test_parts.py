"""Spacecraft parts on the host: adding them, writing them by hand, saving, attaching, in trees of bodies."""

import dataclasses
import pathlib
from typing import Any

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp.hardware import Hardware, ReactionWheel, Surface, Thruster
from mjorbit_warp.hardware.text import decode, encode
from mjorbit_warp.models import model_path
from tests.conftest import LEO
from tests.parts_models import INERTIAL, all_parts, compiled, refused, spec_of

BY_HAND = """<mujoco><option gravity="0 0 0" timestep="0.1" integrator="Euler"/><worldbody><body name="bus"><freejoint/>
  {inertial}<site name="s"/>
  <site name="rw" xyaxes="1 0 0 0 1 0"/>
  <site name="cmg" pos="1 2 0.3333333333333333"/>
  <site name="mt"/>
  <site name="th" pos="0.1 -0.2 0.3333333333333333"/>
  <site name="rd"/>
  <site name="plate" pos="1 0 0" type="box" size="1 1.5 0.001" zaxis="0.6 0 0.8"/>
  <site name="ball" pos="0 1 0"/></body></worldbody>
 <actuator>
  <general name="rw" site="rw" gear="0 0 0 0.2857142857142857 0.42857142857142855 0.8571428571428571"
    dyntype="integrator" gainprm="0" ctrlrange="-0.3333333333333333 0.3333333333333333"/>
  <general name="cmg" site="cmg" gear="0 0 0 0 3 4" dyntype="integrator" gainprm="0" ctrlrange="-0.5 0.5"/>
  <general name="mt" site="mt" gear="1 0 0 1 2 2" gainprm="0" ctrlrange="-30 30"/>
  <general name="th" site="th" gear="2 -1 2" gainprm="0" ctrlrange="0 0.3333333333333333"/>
 </actuator>
 <custom>
  <text name="mjo_reaction_wheel:rw" data="inertia=0.003333333333333333 max_speed=33.33333333333333
    coulomb=0.0003333333333333333"/>
  <text name="mjo_cmg:cmg" data="momentum=0.3333333333333333 min_angle=-0.3333333333333333 spin_axis='2 0 0'"/>
  <text name="mjo_magnetorquer:mt" data="-"/>
  <text name="mjo_thruster:th" data="specific_impulse=0.3333333333333333 tank=bus"/>
  <text name="mjo_tank:bus" data="propellant=0.3333333333333333"/>
  <text name="mjo_residual_dipole:rd" data="dipole='0.3333333333333333 0.2 -0.1'"/>
  <text name="mjo_surface:plate" data="specular=0.3333333333333333 diffuse=0.2 two_sided=1"/>
  <text name="mjo_surface:ball" data="area=0.3333333333333333 sphere=1 reflectivity=1.3333333333333333"/>
 </custom></mujoco>"""


def body_axes(model: mjo.MjoModel, kind: str) -> np.ndarray:
    """Axes and places of a kind's parts in the world at qpos0, where the body's axes are the world's (n, 6)."""
    parts = getattr(model.hardware, kind)
    if not len(parts):
        return np.zeros((0, 6))
    data = mujoco.MjData(model.mj)
    mujoco.mj_kinematics(model.mj, data)
    if kind == "tank":
        return np.zeros((len(parts), 6))
    frames = data.site_xmat[parts.site].reshape(-1, 3, 3)
    local = parts.axis.copy()
    if kind == "surface":
        local[:] = [0.0, 0.0, 1.0]
    if kind == "residual_dipole":
        local = parts.values("dipole")
    return np.concatenate([np.einsum("nij,nj->ni", frames, local), data.site_xpos[parts.site]], axis=1)


def assert_same(a: mjo.MjoModel, b: mjo.MjoModel, tolerance: float) -> None:
    for field in dataclasses.fields(Hardware):
        if field.name == "notes":
            continue
        one, two = getattr(a.hardware, field.name), getattr(b.hardware, field.name)
        assert one.names == two.names
        for x, y in zip(one.parts, two.parts, strict=True):
            assert dataclasses.replace(x, **spin(x)) == dataclasses.replace(y, **spin(y)), field.name
        for name in ("body", "ctrl", "act", "adr"):
            assert np.array_equal(getattr(one, name), getattr(two, name)), (field.name, name)
        assert np.abs(body_axes(a, field.name) - body_axes(b, field.name)).max(initial=0.0) < tolerance
    assert np.abs(a.mj.actuator_ctrlrange - b.mj.actuator_ctrlrange).max() < tolerance
    assert np.array_equal(a.mj.actuator_ctrllimited, b.mj.actuator_ctrllimited)


def spin(part: Any) -> dict[str, Any]:
    """A spin axis is in the site's frame, which the two ways of writing choose differently."""
    return {"spin_axis": (1.0, 0.0, 0.0)} if hasattr(part, "spin_axis") else {}


def test_added_and_written_by_hand_are_the_same() -> None:
    added = all_parts().compile()
    hand = mjo.MjoSpec.from_string(BY_HAND.format(inertial=INERTIAL))
    hand.orbit, hand.options = LEO, all_parts().options
    with pytest.warns(mjo.MjoWarning) as notes:
        written = hand.compile()
    assert_same(added, written, 1e-12)
    assert sorted(str(note.message) for note in notes) == [
        "cmg cmg: axis 0 3 4 was normalised, its length was 5",
        "cmg cmg: spin_axis (2.0, 0.0, 0.0) was normalised, its length was 2",
        "magnetorquer mt: axis 1 2 2 was normalised, its length was 3",
        "thruster th: axis 2 -1 2 was normalised, its length was 3",
    ]
    assert len(written.hardware.notes) == 4 and not added.hardware.notes


def test_the_spin_axis_is_where_it_was_asked_for() -> None:
    model = all_parts().compile()
    data = mujoco.MjData(model.mj)
    mujoco.mj_kinematics(model.mj, data)
    cmg = model.hardware.cmg
    spin_world = data.site_xmat[cmg.site[0]].reshape(3, 3) @ cmg.parts[0].spin_axis
    assert np.abs(spin_world - [1.0, 0.0, 0.0]).max() < 1e-12


def test_round_trip(tmp_path: pathlib.Path) -> None:
    """Parameters come back with all their digits; places, axes and limits with the six that MuJoCo prints."""
    spec = all_parts()
    model = spec.compile()
    xml = spec.to_xml()
    path = tmp_path / "sat.xml"
    path.write_text(xml)
    for again in (mjo.MjoSpec.from_string(xml), mjo.MjoSpec.from_file(path), spec.copy()):
        assert again.options == spec.options and again.orbit == spec.orbit
        assert_same(model, again.compile(), 2e-6)
    once = mjo.MjoSpec.from_string(xml)
    once.compile()
    assert once.to_xml() == xml


def test_plain_mujoco_opens_it_and_the_parts_exert_nothing(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "sat.xml"
    path.write_text(all_parts().to_xml())
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    data.ctrl[:] = mj.actuator_ctrlrange[:, 1]
    data.qvel[:] = [0.1, 0.2, 0.3, 0.0, 0.0, 0.0]
    for _ in range(20):
        mujoco.mj_step(mj, data)
    assert not data.actuator_force.any() and not data.qfrc_actuator.any()
    assert np.abs(data.qvel - [0.1, 0.2, 0.3, 0.0, 0.0, 0.0]).max() < 1e-12
    assert abs(data.act[0] - 20 * 0.1 * mj.actuator_ctrlrange[0, 1]) < 1e-12  # its integrator runs, nothing more


def test_numbers_of_any_kind() -> None:
    """Python, NumPy, 0-d arrays, lists and tuples give the same part."""
    found = []
    for number in (float, np.float64, np.array, lambda x: np.float64(x).reshape(())):
        for axis in ((0, 3, 4), [0, 3, 4], np.array([0, 3, 4]), np.array([0.0, 3e200, 4e200]), [0.0, 3e-200, 4e-200]):
            spec = spec_of()
            spec.add_reaction_wheel("rw", "bus", axis, inertia=number(0.25), max_speed=number(8.0), pos=[0, 0, 1])
            hardware = compiled(spec)
            found.append((hardware.reaction_wheel.parts[0], spec.site("rw").quat.round(12).tolist()))
    assert all(one == found[0] for one in found)
    assert type(found[0][0].inertia) is float


@pytest.mark.parametrize("name", ["my wheel", "a:b", "räd_β", 'a"b', "a<b&c>", "a'b", "x=y", "mjo_cmg", " lead"])
def test_names(name: str) -> None:
    """Any name that MuJoCo takes, for the part and for the body that is a tank, through a file's text too."""
    spec = spec_of(more=f'<body name="{name.translate(ESCAPE)}" pos="3 0 0"><freejoint/>{INERTIAL}</body>')
    spec.add_reaction_wheel(name, name, inertia=0.1)
    spec.add_tank(name, propellant=1.0)
    spec.add_thruster("th", name, (0, 0, 0), (1, 0, 0), max_force=1.0, specific_impulse=200.0, tank=name)
    for again in (spec, mjo.MjoSpec.from_string(spec.to_xml())):
        hardware = compiled(again)
        assert hardware.reaction_wheel.names == hardware.tank.names == (name,)
        assert hardware.thruster.parts[0].tank == name
        assert hardware.reaction_wheel.body.tolist() == hardware.tank.body.tolist() == [2]


ESCAPE = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def test_texts_are_exact() -> None:
    part = Thruster(on_off=np.bool_(True), min_pulse=0.1 + 0.2, specific_impulse=np.float32(200), tank='a "b" c')
    assert decode(Thruster, encode(part), "thruster t") == part
    assert decode(Surface, encode(Surface()), "surface s") == Surface() and encode(Surface()) == "-"
    assert decode(ReactionWheel, "  inertia = 1\n max_speed=inf ", "wheel") == ReactionWheel(1.0)


CHAIN = f"""<body name="arm" pos="1 0 0"><joint name="j"/>{INERTIAL}
  <body name="bracket" pos="0 1 0"><inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>
    <body name="tip" pos="0 0 1"><joint name="k" axis="1 0 0"/>{INERTIAL}</body></body></body>
  <body name="mount" pos="0 0 1"/><site name="s"/>"""
OTHER = f'<body name="other" pos="9 0 0"><freejoint/>{INERTIAL}</body>'


def test_parts_are_sorted_by_body_in_whatever_order_they_are_added() -> None:
    order = ["tip", "other", "bus", "arm", "tip", "other", "bus"]
    spec = spec_of(CHAIN, more=OTHER)
    for i, body in enumerate(order):
        spec.add_surface(f"s{i}", body, (0, 0, 0), area=1.0 + i)
        spec.add_reaction_wheel(f"w{i}", body, inertia=0.1 + i)
        spec.add_thruster(f"t{i}", body, (0, 0, 0), (1, 0, 0), max_force=1.0 + i)
    model = spec.compile()
    for parts, letter in ((model.hardware.surface, "s"), (model.hardware.reaction_wheel, "w")):
        assert parts.names == tuple(f"{letter}{i}" for i in (2, 6, 3, 0, 4, 1, 5))
        for b in range(model.mj.nbody):
            for i in range(parts.adr[b], parts.adr[b + 1]):
                assert model.mj.body(int(parts.body[i])).name == order[int(parts.names[i][1:])] and parts.body[i] == b
        assert parts.adr[-1] == len(parts)
    wheels = model.hardware.reaction_wheel
    for i, name in enumerate(wheels.names):
        actuator = model.actuator(name)
        assert wheels.ctrl[i] == actuator.id and wheels.act[i] == model.mj.actuator_actadr[actuator.id]
        assert wheels.site[i] == model.site(name).id
    assert np.array_equal(wheels.values("inertia"), [2.1, 6.1, 3.1, 0.1, 4.1, 1.1, 5.1])


def test_a_wheel_on_a_welded_body_is_counted_to_the_body_that_turns() -> None:
    """Gyroscopic torque needs the inertia of all that turns with the wheel, not that of a bracket, or of no mass."""
    spec = spec_of(CHAIN, integrator="RK4")
    for i, body in enumerate(("bracket", "mount", "tip")):
        spec.add_reaction_wheel(f"w{i}", body, inertia=0.01, max_speed=100.0)
        spec.add_surface(f"s{i}", body, (0, 0, 0), area=1.0)
    model = spec.compile()
    names = [model.mj.body(int(b)).name for b in model.hardware.reaction_wheel.body]
    assert dict(zip(model.hardware.reaction_wheel.names, names, strict=True)) == {"w0": "arm", "w1": "bus", "w2": "tip"}
    surfaces = [model.mj.body(int(b)).name for b in model.hardware.surface.body]
    assert surfaces == ["bracket", "tip", "mount"]  # they push at their own place


def test_attached_models_keep_their_parts() -> None:
    """MjSpec.attach renames everything; texts follow their elements, and the orbit of the attached is idle."""
    child = all_parts()
    alone = child.compile()
    parent = mujoco.MjSpec.from_string('<mujoco><option gravity="0 0 0" timestep="0.1"/></mujoco>')
    for i, prefix in enumerate(("a-", "b/")):
        frame = parent.worldbody.add_frame(pos=[5.0 * i, 0.0, 0.0])
        parent.attach(child.mj.copy(), frame=frame, prefix=prefix, suffix="_x")
    spec = mjo.MjoSpec.from_mjspec(parent)
    spec.orbit, spec.options = LEO, child.options
    with pytest.warns(mjo.MjoWarning, match=r"a-mjo_orbit_r_x.* of an attached model has no effect: set spec.orbit"):
        model = spec.compile()
    for again in (model.hardware, compiled(mjo.MjoSpec.from_string(spec.to_xml()))):
        assert again.reaction_wheel.names == ("a-rw_x", "b/rw_x")
        assert [part.tank for part in again.thruster.parts] == ["a-bus_x", "b/bus_x"] == list(again.tank.names)
        assert again.surface.names == ("a-plate_x", "a-ball_x", "b/plate_x", "b/ball_x")
        assert again.cmg.parts == alone.hardware.cmg.parts * 2


def test_two_trees_and_body_of_a_mocap() -> None:
    spec = spec_of(more='<body name="m" mocap="true"/>' + OTHER)
    spec.add_surface("s1", "other", (0, 0, 0), area=1.0)
    assert compiled(spec).surface.body.tolist() == [3]
    spec.add_surface("s2", "m", (0, 0, 0), area=1.0)
    refused(spec.compile, r"surface s2 is on the world or a mocap body: a body that moves")


def test_the_rotor_is_taken_out_once() -> None:
    spec = spec_of()
    for i, axis in enumerate(((1, 2, 2), (0, 3, 4))):
        spec.add_reaction_wheel(f"rw{i}", "bus", axis, inertia=0.5, inertia_includes_rotor=True)
    spec.options = mjo.OrbitOptions()
    mj = spec.compile().mj
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, mj.body_iquat[1])
    got = axes.reshape(3, 3) @ np.diag(mj.body_inertia[1]) @ axes.reshape(3, 3).T
    a, b = np.array([1, 2, 2]) / 3.0, np.array([0, 3, 4]) / 5.0
    want = np.diag([3.0, 4.0, 5.0]) - 0.5 * (np.outer(a, a) + np.outer(b, b))
    assert np.abs(got - want).max() < 1e-9 and abs(mj.body_mass[1] - 10.0) < 1e-12
    assert np.abs(mj.body_ipos[1] - [0.1, 0.0, 0.2]).max() < 1e-12


def test_a_failed_part_changes_nothing() -> None:
    spec = spec_of()
    before = spec.mj.to_xml()
    for bad in (
        lambda: spec.add_reaction_wheel("rw", "bus", inertia=9.0, inertia_includes_rotor=True),
        lambda: spec.add_reaction_wheel("s", "bus", inertia=1.0, inertia_includes_rotor=True),
        lambda: spec.add_reaction_wheel("rw", "bus", inertia=1.0, pos=(0, 0)),  # type: ignore[arg-type]
        lambda: spec.add_thruster("t", "bus", (0, 0, 0), (0, 0, 0), max_force=1.0),
        lambda: spec.add_surface("p", "bus", (0, 0, 0), (0, 0, 0), area=1.0),
        lambda: spec.add_surface("p", "bus", (0, 0, 0), area=1.0, colour="red"),
        lambda: spec.add_cmg("c", "bus", (0, 0, 1), (1, 0, 0), momentum=-1.0),
        lambda: spec.add_tank("bus", propellant=-1.0),
        lambda: spec.add_residual_dipole("d", "bus", (1, 2)),
    ):
        with pytest.raises(ValueError):
            bad()
        assert spec.mj.to_xml() == before


def test_a_surface_from_its_dataclass() -> None:
    """One set of coefficients for many plates."""
    glass = Surface(drag=2.0, specular=0.3, diffuse=0.1, two_sided=True)
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    spec.orbit, spec.options = LEO, mjo.OrbitOptions(atmosphere=mjo.Atmosphere.us76())
    for k in range(2):
        spec.add_surface(f"panel_{k}", "bus", (0, 1.0 - 2.0 * k, 0), size=(0.5, 1.0), surface=glass)
    surfaces = spec.compile().hardware.surface
    assert [part.area for part in surfaces.parts] == [0.5, 0.5]
    assert all(dataclasses.replace(part, area=0.0) == glass for part in surfaces.parts)
    with pytest.raises(ValueError, match="surface other: give either surface or drag"):
        spec.add_surface("other", "bus", (0, 0, 0), surface=glass, drag=1.0)
