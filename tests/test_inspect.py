"""The report of what was compiled."""

import json
import math
import pathlib
import re
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from astropy.time import Time

import mjorbit_warp as mjo
from mjorbit_warp.inspect import NO_FORCE, inspect_model
from mjorbit_warp.models import NAMES, model_path, tle_path

H16 = """<mujoco model="h16"><option gravity="0 0 0"/><worldbody><body name="bus"><freejoint/>
 <geom name="box" type="box" size="0.5 0.5 0.5" mass="20"/>
 <geom name="panel_skin" type="box" pos="0 1.5 0" size="0.5 1 0.01" contype="0" conaffinity="0" group="2"/></body>
</worldbody></mujoco>"""
NO_GRAVITY = '<option gravity="0 0 0"/>'
BODY = '<body name="{0}"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{1}</body>'


def test_a_skin_without_mass_is_listed() -> None:
    """H16: the 1 x 2 x 0.02 m skin counts at 1000 kg/m³; mass, COM and inertia are the compiler's."""
    spec = mjo.MjoSpec.from_string(H16)
    report = inspect_model(spec.compile(), spec)
    assert report.mass == pytest.approx(60.0, rel=1e-12)
    assert report.com == pytest.approx((0.0, 1.0, 0.0))
    (bus,) = report.bodies
    assert bus.com == pytest.approx((0.0, 1.0, 0.0)) and bus.ndof == 6
    # by hand: 20 kg cube of 1 m at y = 0 and a 40 kg plate at y = 1.5, about y = 1
    x = 20 * (1 / 6 + 1.0) + 40 * ((4 + 4e-4) / 12 + 0.25)
    y = 20 / 6 + 40 * (1 + 4e-4) / 12
    z = 20 * (1 / 6 + 1.0) + 40 * (5 / 12 + 0.25)
    assert bus.inertia == pytest.approx(sorted((x, y, z), reverse=True), rel=1e-9)
    assert report.density_geoms is not None
    (skin,) = report.density_geoms
    assert (skin.geom, skin.body, skin.density) == ("panel_skin", "bus", 1000.0)
    assert skin.mass == pytest.approx(40.0)
    assert "geom panel_skin on bus: 40 kg at 1000 kg/m³" in str(report)
    assert "not known without the spec" in str(inspect_model(spec.compile()))


def test_volumes_of_primitives_are_the_compilers() -> None:
    """Each primitive alone on its body: the listed mass is the compiled body mass."""
    shapes = {
        "sphere": "0.3",
        "capsule": "0.2 0.4",
        "cylinder": "0.2 0.4",
        "ellipsoid": "0.1 0.2 0.3",
        "box": "0.1 0.2 0.3",
    }
    bodies = "".join(
        f'<body name="{kind}"><freejoint/><geom type="{kind}" size="{size}" density="700"/></body>'
        for kind, size in shapes.items()
    )
    spec = mjo.MjoSpec.from_string(f"<mujoco>{NO_GRAVITY}<worldbody>{bodies}</worldbody></mujoco>")
    report = inspect_model(spec.compile(), spec)
    assert report.density_geoms is not None
    listed = {g.body: g.mass for g in report.density_geoms}
    assert listed == pytest.approx({b.name: b.mass for b in report.bodies})


def test_what_is_not_inferred() -> None:
    """A body with <inertial>, a geom of mass 0, of density 0, or outside inertiagrouprange."""
    geoms = '<geom type="sphere" size="1"/>'
    other = """<body name="b"><freejoint/><geom size="1" mass="2"/><geom size="1" mass="0"/>
      <geom size="1" density="0"/><geom size="1" group="5"/></body>"""
    xml = f'<compiler inertiagrouprange="0 4"/><worldbody>{BODY.format("a", geoms)}{other}</worldbody>'
    spec = mjo.MjoSpec.from_string(f"<mujoco>{NO_GRAVITY}{xml}</mujoco>")
    report = inspect_model(spec.compile(), spec)
    assert report.density_geoms == ()
    assert report.mass == pytest.approx(3.0)
    forced = mjo.MjoSpec.from_string(f'<mujoco>{NO_GRAVITY}<compiler inertiafromgeom="true"/>{xml}</mujoco>')
    report = inspect_model(forced.compile(), forced)
    assert [g.body for g in report.density_geoms or ()] == ["a"]
    assert report.bodies[0].mass == pytest.approx(1000 * 4 / 3 * math.pi)


def test_actuators_joints_and_contacts() -> None:
    arm = """<body name="arm" pos="1 0 0"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <joint name="elbow" axis="0 0 1" range="-90 90" damping="0.5"/><geom size="0.1" mass="0"/></body>
      <site name="s"/>"""
    xml = f"""<mujoco>{NO_GRAVITY}<worldbody>{BODY.format("bus", '<geom size="0.1" mass="0"/>' + arm)}
      {BODY.format("other", '<geom size="0.1" mass="0"/>')}</worldbody><actuator>
      <motor name="motor" joint="elbow" ctrlrange="-3 3"/>
      <general name="wheel" site="s" gear="0 0 0 1 0 0" dyntype="integrator" gainprm="0"/>
      </actuator></mujoco>"""
    spec = mjo.MjoSpec.from_string(xml)
    report = inspect_model(spec.compile(), spec)
    motor, wheel = report.actuators
    assert (motor.target, motor.gain, motor.ctrlrange, motor.note) == ("joint elbow", 1.0, (-3.0, 3.0), "")
    assert (wheel.target, wheel.gain, wheel.dynamics, wheel.note) == ("site s", 0.0, "integrator", NO_FORCE)
    assert NO_FORCE in str(report)
    elbow = next(j for j in report.joints if j.name == "elbow")
    assert elbow.range == pytest.approx((-math.pi / 2, math.pi / 2))
    assert (elbow.axis, elbow.damping, elbow.type) == ((0.0, 0.0, 1.0), 0.5, "hinge")
    assert report.contact_pairs == 2 and report.contacts  # other with bus and arm; bus with arm is filtered
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    assert not inspect_model(spec.compile(), spec).contacts


@pytest.mark.parametrize("integrator", ["RK4", "implicitfast", "implicit", "Euler"])
def test_integrator_in_words(integrator: str) -> None:
    spec = mjo.MjoSpec.from_string(H16.replace("<option ", f'<option integrator="{integrator}" '))
    report = inspect_model(spec.compile(), spec)
    assert report.integrator == integrator
    assert ("fourth order" if integrator == "RK4" else "first order") in report.integrator_cost


@pytest.mark.parametrize("name", NAMES)
def test_orbit_and_json(name: str) -> None:
    spec = mjo.MjoSpec.from_file(model_path(name))
    spec.orbit = mjo.Orbit.from_tle(tle_path())
    spec.options.orientation = np.eye(3)
    report = inspect_model(spec.compile(), spec)
    orbit = report.orbit
    assert orbit is not None and orbit.elements is not None
    assert orbit.epoch == "2019-12-09T16:38:29.363"
    assert orbit.elements["inclination_deg"] == pytest.approx(math.degrees(spec.orbit.elements.inclination))
    again = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert again == report.to_dict()
    assert again["orbit"]["period"] == pytest.approx(spec.orbit.period)
    assert report.density_geoms == ()  # the shipped models say what everything weighs


def test_hyperbola_and_no_orbit() -> None:
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    report = inspect_model(spec.compile(), spec)
    assert report.orbit is None
    assert "zero gravity" in str(report) and report.notes
    spec.orbit = mjo.Orbit.from_state([7e6, 0, 0], [0, 12e3, 0], frame="GCRS")
    report = inspect_model(spec.compile(), spec)
    assert report.orbit is not None and report.orbit.period is None and report.orbit.epoch is None
    json.dumps(report.to_dict(), allow_nan=False)
    assert "not periodic" in str(report)


def test_no_warp_is_initialised() -> None:
    """A report costs no device: Warp is neither initialised nor asked for one."""
    code = (
        "import sys, warp; from mjorbit_warp.cli import main; code = main(['inspect', 'two_arm']);"
        "import warp._src.context as c; assert c.runtime is None; sys.exit(code)"
    )
    root = pathlib.Path(mjo.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Warp" not in done.stdout


def test_parts_and_environment() -> None:
    """Hardware, sensors and options by name in the text, and in JSON that reads back."""
    spec = mjo.MjoSpec.from_file(model_path("box_satellite"))
    spec.orbit = mjo.Orbit.circular(altitude=400e3, epoch=Time("2026-04-01T00:00:00", scale="utc"))
    spec.options = mjo.OrbitOptions(
        atmosphere=mjo.Atmosphere.us76(), magnetic_field=mjo.MagneticField.igrf(degree=3), third_bodies=("moon",)
    )
    spec.add_reaction_wheel("wheel", "bus", (0, 0, 1), inertia=0.01, max_speed=300.0)
    spec.add_surface("panel", "bus", (0, 1.5, 0), (0, 0, 1), size=(0.8, 2.0), two_sided=True)
    spec.add_tank("bus", propellant=5.0)
    spec.add_sensor("mag", "magnetometer", "nadir_face", noise=1e-8)
    spec.mj.add_sensor(
        name="native",
        type=mujoco.mjtSensor.mjSENS_GYRO,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        objname="nadir_face",
        noise=0.1,
    )
    report = inspect_model(spec.compile(), spec)
    text = str(report)
    for line in (
        r"wheel +reaction wheel +bus +\S.* at 0 0 0 +0 0 1 +- +inertia 0\.01, max_speed 300",
        r"panel +surface +bus +panel at 0 1\.5 0 +0 0 1 +- +area 1\.6, two_sided on",
        r"bus +tank +bus +- +- +- +propellant 5",
        r"mag +magnetometer +bus +nadir_face at 0 0 -0\.6 +- +- +noise 1e-08",
        r"third_bodies moon",
        r"magnetic_field igrf degree=3",
    ):
        assert re.search(line, text), line
    assert "native" not in [part.name for part in report.parts]
    assert all(len(line) <= 160 for line in text.splitlines())
    back = json.loads(json.dumps(report.to_dict()))
    assert back["options"]["magnetic_field"] == "igrf degree=3 extrapolate=0"
    assert {part["kind"] for part in back["parts"]} == {"reaction wheel", "surface", "tank", "magnetometer"}


def test_mocap_bodies_weigh_nothing() -> None:
    """A target that is moved by hand, of water as MuJoCo has it: mass, COM and inertia are those of the bus alone."""
    bus = '<body name="bus" pos="1 2 3"><freejoint/><inertial pos="0.1 0 0" mass="10" diaginertia="1 2 3"/></body>'
    hand = '<body name="hand" mocap="true" pos="5 0 0"><geom size="0.5"/></body>'
    option = '<compiler angle="radian"/><option gravity="0 0 0" integrator="RK4"/>'
    report = mjo.inspect(mjo.MjoSpec.from_string(f"<mujoco>{option}<worldbody>{bus}{hand}</worldbody></mujoco>"))
    assert report.mass == 10.0 and report.com == pytest.approx((1.1, 2.0, 3.0), abs=1e-12)
    assert report.principal == pytest.approx((1.0, 2.0, 3.0), abs=1e-12)
    assert report.density_geoms == () and [a.code for a in report.of_level("warning")] == []
