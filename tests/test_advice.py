"""Advice of inspect: each rule on the smallest model that it is for, and on its corrected twin."""

import math
import pathlib

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp.advice.armature import body_moment
from mjorbit_warp.advice.equalities import violations
from mjorbit_warp.advice.record import Advice
from tests.conftest import DATA

OPTION = '<option gravity="0 0 0" timestep="0.01" integrator="RK4"/>'
INERTIAL = '<inertial pos="0 0 0" mass="10" diaginertia="1 1 1"/>'
RADIAN = '<compiler angle="radian"/>'
HINGE = '<body name="arm" pos="1 0 0"><joint name="elbow" axis="0 0 1" {0}/>' + INERTIAL + "</body>"
SMALL = '<body name="{0}" pos="{1}"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body>'


def mjcf(
    inside: str = "",
    more: str = "",
    option: str = OPTION,
    compiler: str = RADIAN,
    free: str = "<freejoint/>",
    world: str = "",
) -> str:
    body = f'{world}<body name="bus">{free}{INERTIAL}{inside}</body>'
    return f"<mujoco>{compiler}{option}<worldbody>{body}</worldbody>{more}</mujoco>"


def advice(source: object) -> dict[str, Advice]:
    """What is said of an MJCF text or a model, by code; energy-off, which every model has, left out."""
    spec = mjo.MjoSpec.from_string(source) if isinstance(source, str) else source
    report = mjo.inspect(spec, ignore=["energy-off"])
    return {a.code: a for a in report.advice}


SKIN = """<body name="wing"><joint/><geom name="core" size="0.1" mass="3"/>
  <geom name="skin" type="box" size="0.5 1 0.01" {0}/></body>"""
LIMITED = HINGE.format('range="-1.57 1.57"')
NOISY = '<site name="imu"/>', '<sensor><user name="mine" dim="1" noise="0.1"/></sensor>'
GYRO = '<sensor><gyro name="mine" site="imu" noise="0.1"/></sensor>'
SERVO = '<actuator><position name="servo" joint="elbow" kp="1" kv="1" ctrlrange="{0}"/></actuator>'
ROTOR = '<actuator><motor name="motor" joint="elbow" gear="10" armature="{0}"/></actuator>'
TOUCHING = f"""<geom size="0.1" mass="0"/><body pos="2 0 0"><joint/>{INERTIAL}
  <body pos="1 0 0"><joint/><geom size="0.1" mass="1"/></body></body>"""
BALL = '<geom size="0.1" mass="0"/>'
POD = (
    '<body name="pod" pos="0 0 {}"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    '<geom size="0.1"/></body>'
)
FLOOR = '<geom name="floor" type="plane" pos="0 0 -1" size="1 1 1" {} conaffinity="0"/>'
FREE = '<default><joint damping="0.1"/></default>'
# code: (level, the model, its corrected twin)
RULES: dict[str, tuple[str, str, str]] = {
    "default-density": (
        "warning",
        mjcf('<body name="pod"><joint/><geom size="0.1"/></body>'),
        mjcf('<body name="pod"><joint/><geom size="0.1" mass="4"/></body>'),
    ),
    "visual-mass": (
        "warning",
        mjcf(SKIN.format('density="2700" contype="0" conaffinity="0"')),
        mjcf(SKIN.format('mass="0" contype="0" conaffinity="0"')),
    ),
    "angle-unit": (
        "warning",
        mjcf(HINGE.format('range="-90 90"'), compiler=""),
        mjcf(HINGE.format('range="-90 90"'), compiler='<compiler angle="degree"/>'),
    ),
    "range-in-radians": ("warning", mjcf(LIMITED, compiler='<compiler angle="degree"/>'), mjcf(LIMITED)),
    "euler-in-radians": (
        "warning",
        mjcf('<site name="cam" euler="0 1.5708 0"/>', compiler='<compiler angle="degree"/>'),
        mjcf('<site name="cam" euler="0 1.5708 0"/>'),
    ),
    "range-in-degrees": (
        "warning",
        mjcf(HINGE.format('range="-90 90"')),
        mjcf(HINGE.format('range="-6.28 6.28"')),
    ),
    "ctrl-in-degrees": (
        "warning",
        mjcf(HINGE.format(""), SERVO.format("-90 90")),
        mjcf(HINGE.format(""), SERVO.format("-1.57 1.57")),
    ),
    "armature-twice": (
        "warning",
        mjcf(HINGE.format('armature="0.0001"'), ROTOR.format("1e-6")),
        mjcf(HINGE.format('armature="0.0001"'), ROTOR.format("0")),
    ),
    "fluid": ("warning", mjcf(option=OPTION[:-2] + ' density="1.2"/>'), mjcf(option=OPTION[:-2] + ' wind="1 0 0"/>')),
    "euler-in-degrees": (
        "warning",
        mjcf('<site name="cam" euler="0 90 0"/>'),
        mjcf('<site name="cam" euler="0 -1.5708 6.2"/>'),
    ),
    "overlap": (
        "warning",
        mjcf(BALL, world=POD.format("0.15")),
        mjcf(BALL, world=POD.format("0.2")),
    ),
    "held-by-world": ("warning", mjcf(BALL, world=FLOOR.format("")), mjcf(BALL, world=FLOOR.format('contype="2"'))),
    "gravity": ("warning", mjcf(option='<option integrator="RK4"/>'), mjcf()),
    "disabled-flag": (
        "warning",
        mjcf(HINGE.format('range="-1 1"'), option=OPTION[:-2] + '><flag limit="disable"/></option>'),
        mjcf(HINGE.format(""), option=OPTION[:-2] + '><flag limit="disable"/></option>'),
    ),
    "noise-unused": ("warning", mjcf(*NOISY), mjcf(NOISY[0], GYRO)),
    "sleep": ("error", mjcf(option=OPTION[:-2] + '><flag sleep="enable"/></option>'), mjcf()),
    "free-joint": ("error", mjcf(more=FREE, free='<joint type="free"/>'), mjcf(more=FREE)),
    "no-free-joint": ("error", mjcf(free=""), mjcf()),
    "passive-flags": (
        "error",
        mjcf(option=OPTION[:-2] + '><flag spring="disable" damper="disable"/></option>'),
        mjcf(option=OPTION[:-2] + '><flag spring="disable"/></option>'),
    ),
}


@pytest.mark.parametrize("code", RULES)
def test_rule(code: str) -> None:
    """The model gets this advice and no other; its twin gets none."""
    level, wrong, right = RULES[code]
    said = advice(wrong)
    assert set(said) == {code}, {c: str(a) for c, a in said.items()}
    assert said[code].level == level and said[code].what and said[code].remedy
    assert advice(right) == {}


@pytest.mark.parametrize(
    ("inside", "more", "where"),
    [
        ("", '<equality><weld name="dock" body1="bus"/></equality>', "equality dock"),
        (
            '<site name="s"/>',
            '<equality><connect name="c" site1="w" site2="s" active="false"/></equality>',
            "equality c",
        ),
        (
            '<site name="s"/>',
            '<tendon><spatial name="rope"><site site="w"/><site site="s"/></spatial></tendon>',
            "tendon rope",
        ),
    ],
)
def test_ties_to_the_world(inside: str, more: str, where: str) -> None:
    """A weld, a connect between sites, a rope: named; none where both ends are on bodies."""
    said = advice(mjcf(inside, more, world='<site name="w"/>'))
    assert set(said) == {"held-by-world"} and said["held-by-world"].where == where
    on_body = mjcf(inside + '<body name="b"><joint/>' + INERTIAL + '<site name="w" pos="0 0 0"/></body>', more)
    assert "held-by-world" not in advice(on_body.replace('body1="bus"', 'body1="bus" body2="b"'))


def test_beyond_a_limit_at_qpos0() -> None:
    said = advice(mjcf(HINGE.format('range="0.3 1"')))
    assert set(said) == {"overlap"} and "qpos0 is up to 0.3 rad or m beyond the limit" in said["overlap"].what
    assert advice(mjcf(HINGE.format('range="0.3 1" ref="0.5"'))) == {}


def test_what_no_integrator_keeps() -> None:
    """RK4 is not advised where RK4 loses as much: here damping of the free joint brakes the tumble."""
    option = '<option gravity="0 0 0" timestep="0.01"/>'
    said = advice(mjcf(more=FREE, free='<joint type="free"/>', option=option))
    assert set(said) == {"free-joint", "integrator-drift"}
    assert said["integrator-drift"].remedy.startswith("no integrator keeps it: look for what brakes")


@pytest.mark.filterwarnings("ignore:compiler attribute .settotalmass.")  # MuJoCo 4.0.1 gives it up
def test_mass_that_is_given_for_the_whole() -> None:
    """With settotalmass, densities only share out what the author gave."""
    wrong = RULES["default-density"][1].replace("<compiler ", '<compiler settotalmass="12" ')
    report = mjo.inspect(mjo.MjoSpec.from_string(wrong), ignore=["energy-off"])
    assert report.mass == pytest.approx(12.0, abs=1e-12) and report.advice == ()


@pytest.mark.parametrize(
    ("defaults", "said"),
    [
        ('damping="0.1"', "damping, which holds"),
        ('damping="0 2"', "damping, which holds"),
        ('stiffness="0 3"', "stiffness, which holds"),
        ('frictionloss="0.5" damping="1"', "damping and frictionloss, which holds"),
        ('armature="0.1"', "armature, which is inertia that gravity does not pull"),
        ('armature="0.1" frictionloss="1"', "origin, and armature, which"),
    ],
)
def test_what_a_free_joint_inherits(defaults: str, said: str) -> None:
    """Of defaults that were meant for hinges; <freejoint/> has none of it."""
    more = f"<default><joint {defaults}/></default>"
    with pytest.raises(ValueError, match=said):
        mjo.MjoSpec.from_string(mjcf(more=more, free='<joint type="free"/>')).compile()
    assert advice(mjcf(more=more)) == {}


def test_masses_in_numbers() -> None:
    """H16: 40 kg of the 60 kg are the skin's, 1·2·0.02 m³ of water; a 0.1 m ball of water weighs 4.19 kg."""
    spec = mjo.MjoSpec.from_file(DATA / "h16_default_density.xml")
    said = advice(spec)["visual-mass"]
    assert said.where == "geom panel_skin" and "40 kg at 1000 kg/m³ in the total of 60 kg" in said.what
    ball = advice(RULES["default-density"][1])["default-density"]
    assert f"{4 / 3 * math.pi:.4g} kg of the total of {10 + 4 / 3 * math.pi:.4g} kg" in ball.what
    # collisions off everywhere is no skin: such a hull has the mass that its density says
    hull = mjcf('<body name="b"><joint/><geom size="0.1" density="2700" contype="0" conaffinity="0"/></body>')
    assert advice(hull) == {}
    grouped = hull.replace("density=", 'group="2" density=')
    assert set(advice(grouped)) == {"visual-mass"}


def test_radians_read_as_degrees() -> None:
    """±1.57 became ±0.0274 rad; declared degrees that are no fractions of π are believed; also from a bare MjModel."""
    said = advice(RULES["range-in-radians"][1])["range-in-radians"]
    assert said.where == "joint elbow" and "-1.57 1.57 became -0.0274 0.0274 rad" in said.what
    bare = mujoco.MjModel.from_xml_string(RULES["range-in-radians"][1])
    assert advice(bare)["range-in-radians"].what == said.what
    declared = '<compiler angle="degree"/>'
    for limits in ("-2 2", "-5 5", "-0.5 0.5", "0 3", "-90 90"):
        assert advice(mjcf(HINGE.format(f'range="{limits}"'), compiler=declared)) == {}
    both = advice(mjcf(HINGE.format('range="-2.2 2.2"'), compiler=""))
    assert set(both) == {"angle-unit", "range-in-radians"}
    for limits in ("-0.785 0.785", "0 3.1416", "-6.2832 6.2832", "-2.094 1.047"):
        assert set(advice(mjcf(HINGE.format(f'range="{limits}"'), compiler=declared))) == {"range-in-radians"}
    slide = '<body pos="1 0 0"><joint type="slide" range="-1.57 1.57"/>' + INERTIAL + "</body>"
    assert advice(mjcf(slide, compiler="")) == {}  # metres


def test_unit_of_turned_elements_and_of_includes(tmp_path: pathlib.Path) -> None:
    assert "site cam" in advice(mjcf('<site name="cam" euler="0 90 0"/>', compiler=""))["angle-unit"].where
    assert advice(mjcf('<site name="cam" euler="0 0 0"/><site quat="0 1 0 0"/>', compiler="")) == {}
    assert advice(DATA / "h23_bus_boom.urdf").keys() == {"gravity"}  # radians, undeclared; its gravity is only told
    (tmp_path / "arm.xml").write_text(f"<mujoco>{LIMITED}</mujoco>")
    for compiler, codes in ((RADIAN, set()), ("", {"angle-unit", "range-in-radians"})):
        (tmp_path / "sat.xml").write_text(mjcf('<include file="arm.xml"/>', compiler=compiler))
        assert set(advice(tmp_path / "sat.xml")) == codes


def test_armature_in_numbers() -> None:
    """MuJoCo adds both: the mass matrix has 1e-4 + 10²·1e-6 above the body's; a rotor's own moment is seen, too."""
    wrong = RULES["armature-twice"][1]
    assert advice(wrong)["armature-twice"].what.endswith("0.0001 + 10²·1e-06 = 0.0002")
    mj = mujoco.MjModel.from_xml_string(wrong)
    plain = mujoco.MjModel.from_xml_string(mjcf(HINGE.format(""), ROTOR.format("0")))

    def moment(model: mujoco.MjModel) -> float:
        data, mass = mujoco.MjData(model), np.zeros((model.nv, model.nv))
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, mass)
        return float(mass[6, 6])

    assert abs(moment(mj) - moment(plain) - 2e-4) < 1e-12  # rounding
    assert abs(body_moment(plain, 1) - moment(plain)) < 1e-12  # of the arm alone, about its hinge
    tilted = """<body><joint name="elbow" axis="1 2 2" pos="0.3 0 0"/>
      <inertial pos="0.1 0.5 0" mass="2" fullinertia="3 4 5 0.1 0.2 0.3"/></body>"""
    mj = mujoco.MjModel.from_xml_string(mjcf(tilted))
    assert abs(body_moment(mj, 1) - moment(mj)) < 1e-9  # MuJoCo's eigenvectors
    for armature, codes in ((1.0, {"armature-twice"}), (0.5, set())):
        assert set(advice(mjcf(HINGE.format(f'armature="{armature}"')))) == codes


def test_gravity_default_or_written() -> None:
    assert "MuJoCo's default, as the file has none" in advice(RULES["gravity"][1])["gravity"].what
    written = advice(mjcf(option='<option integrator="RK4" gravity="0 0 -9.81"/>'))["gravity"]
    assert written.what.startswith("gravity is 0 0 -9.81 m/s²: ")
    assert mjo.inspect(DATA / "h15_no_option.xml").gravity == (0.0, 0.0, -9.81)


@pytest.mark.parametrize(
    "flag, inside, more, lost",
    [
        ("spring", HINGE.format('stiffness="1"'), "", "1 springs"),
        ("damper", HINGE.format('damping="1"'), "", "1 dampers"),
        ("frictionloss", HINGE.format('frictionloss="1"'), "", "1 dofs and tendons with friction"),
        ("constraint", HINGE.format('frictionloss="1" range="-1 1"'), "", "1 limits of joints and tendons, 1 dofs"),
        ("actuation", HINGE.format(""), ROTOR.format("0"), "1 actuators"),
        ("clampctrl", HINGE.format(""), SERVO.format("-1 1"), "1 ranges of commands"),
        ("sensor", NOISY[0], GYRO, "1 sensors"),
        ("equality", HINGE.format(""), '<equality><joint joint1="elbow"/></equality>', "1 equality constraints"),
        ("contact", TOUCHING, "", "1 pairs"),
    ],
)
def test_disabled_flags(flag: str, inside: str, more: str, lost: str) -> None:
    """A flag is worth a word only where it takes away something that the model has."""
    option = f'{OPTION[:-2]}><flag {flag}="disable"/></option>'
    said = advice(mjcf(inside, more, option=option))
    assert set(said) == {"disabled-flag"} and said["disabled-flag"].where == f"flag {flag}"
    assert lost in said["disabled-flag"].what
    assert advice(mjcf(inside, more)) == {} and advice(mjcf(option=option)) == {}


def test_disabled_group_of_actuators() -> None:
    servo = SERVO.format("-1 1").replace("<position", '<position group="3"')
    off = f'{OPTION[:-2]} actuatorgroupdisable="3"/>'
    assert advice(mjcf(HINGE.format(""), servo, option=off))["disabled-flag"].where == "actuator servo"
    assert advice(mjcf(HINGE.format(""), servo, option=off.replace('"3"', '"2"'))) == {}


def two(equality: str, pose: str = "2 0 0", key: str = "") -> str:
    bodies = SMALL.format("chaser", "0 0 0") + SMALL.format("target", pose)
    return f"<mujoco>{OPTION}<worldbody>{bodies}</worldbody><equality>{equality}</equality>{key}</mujoco>"


WELD = '<weld name="dock" body1="chaser" body2="target" {0}/>'
KEY = '<keyframe><key name="near" qpos="0 0 0 1 0 0 0 1.3 0.1 0 {0} 0 0 {1}"/></keyframe>'


def test_stale_welds() -> None:
    """H22: 2 m apart at qpos0, so stale anywhere else; written poses and active constraints that hold are not."""
    said = advice(two(WELD.format('active="false"')))["stale-weld"]
    assert said.where == "weld dock" and "2 m apart" in said.what and "mjo_latch" in said.remedy
    assert callable(mjo.mjo_latch)
    assert advice(two(WELD.format('active="false" relpose="1.2 0 0 1 0 0 0"'))) == {}
    assert advice(two(WELD.format(""))) == {}
    wrong = advice(two(WELD.format('relpose="1.2 0 0 1 0 0 0"')))["stale-weld"]
    assert "at qpos0 it is 0.8 m and 0° from its pose" in wrong.what
    turned = KEY.format(math.cos(0.1), math.sin(0.1))
    keyed = advice(two(WELD.format(""), key=turned))["stale-weld"]
    # |(1.3, 0.1, 0) − (2, 0, 0)| = 0.707 m, and 0.2 rad = 11.5°
    assert "at keyframe near it is 0.707 m and 11.5° from its pose" in keyed.what
    assert advice(two(WELD.format(""), key=KEY.format(1, 0).replace("1.3 0.1", "2 0"))) == {}
    bare = mujoco.MjModel.from_xml_string(two(WELD.format('active="false"')))
    assert set(advice(bare)) == {"stale-weld"}


def test_other_equalities() -> None:
    """A connect that is 0.3 m off at a keyframe; a joint held to an angle that it does not have."""
    connect = '<connect name="pin" body1="chaser" body2="target" anchor="1 0 0"/>'
    assert advice(two(connect)) == {}
    moved = KEY.format(1, 0).replace("1.3 0.1", "2.3 0")
    assert "at keyframe near it is 0.3 m apart" in advice(two(connect, key=moved))["stale-weld"].what
    held = '<equality><joint name="hold" joint1="elbow" polycoef="{0} 0 0 0 0"/></equality>'
    assert advice(mjcf(HINGE.format(""), held.format(0))) == {}
    assert "at qpos0 it is off by 0.4" in advice(mjcf(HINGE.format(""), held.format(0.4)))["stale-weld"].what


@pytest.mark.parametrize("torquescale", [1.0, 0.1])
def test_violation_of_a_weld(torquescale: float) -> None:
    """Distance and angle by hand, whatever the weight of the torque."""
    mj = mujoco.MjModel.from_xml_string(two(WELD.format(f'torquescale="{torquescale}"')))
    qpos = mj.qpos0.copy()
    qpos[7:] = [2.3, 0.4, 0.0, math.cos(0.35), 0.0, math.sin(0.35), 0.0]
    distance, angle = violations(mj, 0, qpos)
    assert abs(distance - 0.5) < 1e-12 and abs(angle - 0.7) < 1e-12  # rounding


def test_fixed_on_purpose() -> None:
    spec = mjo.MjoSpec.from_string(mjcf(free="<joint/>"))
    assert advice(spec)["no-free-joint"].level == "error"
    fixed = advice(spec.compile(require_free_joint=False))
    assert set(fixed) == {"fixed-tree"} and fixed["fixed-tree"].level == "info"


def test_a_urdf_welded_by_mujoco() -> None:
    """H23 loaded by MuJoCo itself: no body is left; loaded here it is free."""
    bare = mujoco.MjModel.from_xml_path(str(DATA / "h23_bus_boom.urdf"))
    said = advice(bare)["no-body"]
    assert said.level == "error" and "URDF" in said.remedy and "MjoSpec.from_file" in said.remedy


def test_every_reason_at_once() -> None:
    """compile() stops at the first; inspect names all, and still reads the masses."""
    flags = OPTION[:-2] + '><flag sleep="enable"/></option>'
    report = mjo.inspect(mjo.MjoSpec.from_string(mjcf(option=flags, more=FREE, free='<joint type="free"/>')))
    assert [a.code for a in report.of_level("error")] == ["sleep", "free-joint"]
    assert report.exit_code == 2 and report.mass == 10.0
