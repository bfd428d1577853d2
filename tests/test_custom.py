"""Orbit settings in an MJCF: exact round trips, hand-written files, and names that are not ours."""

import dataclasses
import math
from pathlib import Path

import mujoco
import numpy as np
import pytest
from astropy.time import Time
from hypothesis import given, settings
from hypothesis import strategies as st

from mjorbit_warp import CentralBody, Orbit, OrbitOptions
from mjorbit_warp.constants import EARTH, MARS
from mjorbit_warp.custom import NAMES, read_custom, write_custom

HAND_WRITTEN = Path(__file__).parent / "data" / "orbit_numeric.xml"
BODY = "<worldbody><body><freejoint/><geom size='0.1'/></body></worldbody>"


def spec_of(custom=""):
    return mujoco.MjSpec.from_string(f"<mujoco><custom>{custom}</custom>{BODY}</mujoco>")


def through_xml(orbit, options):
    spec = spec_of()
    write_custom(spec, orbit, options)
    spec.compile()
    xml = spec.to_xml()
    mujoco.MjModel.from_xml_string(xml)  # MuJoCo's own loader takes the file
    return read_custom(mujoco.MjSpec.from_string(xml))


FAR = st.floats(7e6, 1e12)
ANY = st.floats(-1e12, 1e12)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(r=st.tuples(FAR, ANY, ANY), v=st.tuples(ANY, ANY, ANY), epoch=st.none() | ANY)
def test_exact_round_trip(r, v, epoch):
    orbit = Orbit(r=r, v=v, epoch=epoch)
    back, options = through_xml(orbit, OrbitOptions())
    assert back == orbit and back.r.tobytes() == orbit.r.tobytes() and back.v.tobytes() == orbit.v.tobytes()
    assert options == OrbitOptions()


@pytest.mark.parametrize(
    "orientation", ["iau", "inertial", np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])]
)
@pytest.mark.parametrize("flags", [(True, True), (False, True), (True, False), (False, False)])
def test_options_round_trip(flags, orientation):
    options = OrbitOptions(*flags, orientation)
    assert through_xml(None, options) == (None, options)


def test_bodies_round_trip():
    changed = dataclasses.replace(EARTH, mu=3.986004415e14, radius=6378136.3, j2=0.1 + 0.2, rotation_rate=0.0)
    epoch = Time("2026-03-01T12:34:56.789", scale="utc")
    for body in (EARTH, MARS, "moon", changed):
        orbit = Orbit.circular(altitude=4e5, inclination=0.7, epoch=epoch, body=body)
        assert through_xml(orbit, OrbitOptions())[0] == orbit
    unknown = Orbit.circular(altitude=1e3, body=CentralBody("bennu", 4.9, 246.0, 0.0, 4e-4))
    with pytest.raises(
        ValueError, match="central body 'bennu' cannot be written to MJCF: keep the name of a known body"
    ):
        write_custom(spec_of(), unknown, OrbitOptions())


def test_hand_written_numeric():
    orbit, options = read_custom(mujoco.MjSpec.from_file(str(HAND_WRITTEN)))
    body = dataclasses.replace(MARS, j2=0.002)
    assert orbit == Orbit(r=[7e6, 0.0, -1.5e5], v=[0.0, 7500.0, 10.5], epoch=820497669.184, body=body)
    assert options == OrbitOptions(True, False, np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    mujoco.MjModel.from_xml_path(str(HAND_WRITTEN))


def test_writing_replaces_what_was_there_and_keeps_the_users():
    spec = mujoco.MjSpec.from_file(str(HAND_WRITTEN))
    orbit = Orbit.circular(altitude=5e5)
    for _ in range(2):
        write_custom(spec, orbit, OrbitOptions(gravity_gradient=False))
    assert [n.name for n in spec.numerics] == ["user_gain"]
    names = sorted(t.name for t in spec.texts)
    assert names == ["mjo_central_body", "mjo_gravity_gradient", "mjo_orbit_r", "mjo_orbit_v"]
    spec.compile()
    assert read_custom(spec) == (orbit, OrbitOptions(gravity_gradient=False))
    write_custom(spec, None, OrbitOptions())
    assert not list(spec.texts)


def test_nothing_written_is_no_orbit():
    assert read_custom(spec_of()) == (None, OrbitOptions())
    assert read_custom(spec_of("<numeric name='gain' data='1'/><text name='orbit' data='x'/>")) == (
        None,
        OrbitOptions(),
    )


ORBIT = "<numeric name='mjo_orbit_r' data='7e6 0 0'/><numeric name='mjo_orbit_v' data='0 7500 0'/>"


@pytest.mark.parametrize(
    "custom, message",
    [
        (
            "<text name='mjo_orbit' data='7e6 0 0'/>",
            r"mjo_orbit is not a setting of this package: allowed are mjo_orbit_r,",
        ),
        ("<numeric name='mjo_J2' data='1'/>", "mjo_J2 is not a setting of this package"),
        ("<numeric name='mjo_orbit_r' data='7e6 0 0'/>", "has mjo_orbit_r alone: an orbit needs both"),
        ("<numeric name='mjo_orbit_v' data='0 7500 0'/>", "has mjo_orbit_v alone: an orbit needs both"),
        ("<numeric name='mjo_epoch' data='0'/>", "has mjo_epoch without an orbit: give mjo_orbit_r and mjo_orbit_v"),
        ("<text name='mjo_central_body' data='mars'/>", "has mjo_central_body without an orbit"),
        (ORBIT.replace("7e6 0 0", "7e6 0"), r"mjo_orbit_r is '7000000\.0 0\.0': 3 finite numbers expected"),
        (ORBIT + "<text name='mjo_epoch' data='2026-01-01'/>", "mjo_epoch is '2026-01-01': 1 finite number expected"),
        (ORBIT + "<text name='mjo_epoch' data='nan'/>", "mjo_epoch is 'nan': 1 finite number expected"),
        (ORBIT + "<text name='mjo_central_body' data='pluto'/>", "central body 'pluto' is not known"),
        (ORBIT + "<text name='mjo_central_mu' data='-1'/>", "mu of central body 'earth' is -1.0: it must be positive"),
        (ORBIT.replace("7e6", "7e3"), "below the surface of earth"),
        ("<text name='mjo_j2' data='yes'/>", "mjo_j2 is 'yes': 0 or 1 expected"),
        ("<numeric name='mjo_gravity_gradient' data='2'/>", r"mjo_gravity_gradient is '2\.0': 0 or 1 expected"),
        ("<text name='mjo_orientation' data='itrf'/>", "orientation is 'itrf': allowed are 'iau', 'inertial'"),
        ("<text name='mjo_orientation' data='1 0 0'/>", "mjo_orientation is '1 0 0': 9 finite numbers expected"),
    ],
)
def test_messages(custom, message):
    with pytest.raises(ValueError, match=message):
        read_custom(spec_of(custom))


def test_option_messages_and_equality():
    with pytest.raises(
        ValueError, match=r"orientation is 'ecef': allowed are 'iau', 'inertial' or a \(3, 3\) rotation"
    ):
        OrbitOptions(orientation="ecef")
    with pytest.raises(ValueError, match=r"orientation has shape \(2, 2\): a rotation matrix is \(3, 3\)"):
        OrbitOptions(orientation=np.eye(2))
    assert OrbitOptions(orientation=np.eye(3)) != OrbitOptions() != "options"
    assert math.prod(name.startswith("mjo_") for name in NAMES) and len(set(NAMES)) == len(NAMES)
