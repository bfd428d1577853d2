"""Specs, what is refused at compile time, and shipped models."""

import pathlib

import mujoco
import numpy as np
import pytest

import mjorbit_warp as mjo
from mjorbit_warp import reference as mjo_ref
from mjorbit_warp.models import NAMES, model_path
from tests.conftest import LEO, compile_model

BODY = "<body name='sat'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"


def spec_of(option: str = "gravity='0 0 0'", world: str = BODY, flags: str = "") -> mjo.MjoSpec:
    spec = mjo.MjoSpec.from_string(f"<mujoco><option {option}>{flags}</option><worldbody>{world}</worldbody></mujoco>")
    spec.orbit = LEO
    return spec


@pytest.mark.parametrize("name", NAMES)
def test_shipped_models_open_in_plain_mujoco(name: str) -> None:
    mj = mujoco.MjModel.from_xml_path(model_path(name))
    data = mujoco.MjData(mj)
    for _ in range(10):
        mujoco.mj_step(mj, data)
    assert np.isfinite(data.qpos).all()
    assert mj.nmesh == 0


def test_the_mjcf_carries_the_orbit_and_stays_plain() -> None:
    """to_xml round-trips the orbit and the options bit for bit, and MuJoCo's own loader takes the file."""
    spec = mjo.MjoSpec.from_file(model_path("two_arm"))
    spec.orbit = mjo.Orbit(r=LEO.r, v=LEO.v, epoch=820497669.184, body="earth")
    spec.options = mjo.OrbitOptions(j2=False, orientation="inertial")
    xml = spec.to_xml()
    assert mujoco.MjModel.from_xml_string(xml).nv == 14
    again = mjo.MjoSpec.from_string(xml)
    assert again.orbit == spec.orbit
    assert again.options == spec.options
    again.orbit = None
    assert mjo.MjoSpec.from_string(again.to_xml()).orbit is None


def test_host_model_does_not_touch_warp() -> None:
    model = compile_model("two_arm")
    assert (model.nq, model.nv, model.body("bus").id) == (15, 14, 1)
    mjo_ref.mjo_step(model, mjo_ref.make_data(model))
    assert model._mjw is None


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (spec_of(world="<body name='base'><geom size='1'/></body>"), "base has no free joint .*add <freejoint/>"),
        (
            spec_of(world="<body name='base'><joint/><geom size='1'/></body>" + BODY),
            "base has no free joint .*require_free_joint=False",
        ),
        (spec_of(world=""), "no body but the world"),
        (spec_of(flags="<flag spring='disable' damper='disable'/>"), "spring and damper are both disabled"),
        (spec_of(flags="<flag sleep='enable'/>"), "sleep flag"),
        (
            spec_of(world="<body><joint name='f' type='free' damping='0.1'/><geom size='1'/></body>"),
            "free joint f has damping",
        ),
        (
            spec_of(world=BODY.replace("<body", "<body pos='0 6.9e6 0'")),
            "sat is 6.9e.06 m from the orbit's origin, more than 10 %",
        ),
    ],
)
def test_models_that_cannot_be_right_are_refused(spec: mjo.MjoSpec, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        spec.compile()
    assert "\n" not in str(caught.value)


def test_one_passive_flag_may_be_off() -> None:
    spec_of(flags="<flag spring='disable'/>").compile()


def test_a_fixed_base_on_request() -> None:
    model = spec_of(world="<body name='b'><joint/><geom size='1' mass='1'/></body>").compile(require_free_joint=False)
    assert model.nv == 1


def test_gravity_is_reported_and_off() -> None:
    with pytest.warns(mjo.MjoWarning, match="set to 0 0 0"):
        model = spec_of(option="gravity='0 1 0'").compile()
    assert not model.mj.opt.gravity.any()
    assert len(model.notes) == 1


def test_the_users_integrator_is_kept() -> None:
    for name in ("Euler", "implicit", "implicitfast", "RK4"):
        model = spec_of(option=f"gravity='0 0 0' integrator='{name}'").compile()
        assert mujoco.mjtIntegrator(model.mj.opt.integrator).name == f"mjINT_{name.upper()}"


def test_files_that_do_not_load(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="no model file at"):
        mjo.MjoSpec.from_file("nowhere.xml")
    path = tmp_path / "bad.xml"
    path.write_text("<mujoco><worldbody>")
    with pytest.raises(ValueError, match=r"bad\.xml is not well-formed XML: mismatched element") as caught:
        mjo.MjoSpec.from_file(path)
    assert "\n" not in str(caught.value)
    bad = spec_of()
    bad.options = None  # type: ignore[assignment]
    with pytest.raises(TypeError, match="OrbitOptions is allowed"):
        bad.compile()
    bad = spec_of()
    bad.orbit = "leo"  # type: ignore[assignment]
    with pytest.raises(TypeError, match="Orbit or None is allowed"):
        bad.compile()


def test_make_data_arguments() -> None:
    model = spec_of(option="gravity='0 0 0' integrator='implicitfast'").compile()
    for make in (mjo.make_data, mjo_ref.make_data):
        with pytest.raises(ValueError, match="nworld is 0: a positive integer"):
            make(model, nworld=0)
        with pytest.raises(ValueError, match="orbit has 2 entries for 3 worlds"):
            make(model, nworld=3, orbit=[LEO, LEO])
        with pytest.raises(ValueError, match="about moon, the model's about earth"):
            make(model, orbit=mjo.Orbit.circular(altitude=1e5, body="moon"))
        with pytest.raises(TypeError, match=r"orbit\[0\] is a int"):
            make(model, orbit=[3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="njmax is 0"):
        mjo.make_data(model, njmax=0)
    assert mjo.make_data(model).mjw.njmax >= 1


def test_an_orbit_per_world() -> None:
    model = spec_of().compile()
    orbits = [mjo.Orbit.circular(altitude=h, inclination=0.5) for h in (300e3, 500e3, 700e3)]
    d = mjo.make_data(model, nworld=3, orbit=orbits)
    assert np.array_equal(d.orbit.r.numpy(), [o.r for o in orbits])
    for _ in range(3):
        mjo.mjo_step(model, d)
    assert np.abs(np.linalg.norm(d.orbit.r.numpy(), axis=1) - 6378137.0 - [300e3, 500e3, 700e3]).max() < 1.0
    mjo.mjo_reset(model, d)
    assert np.array_equal(d.orbit.v.numpy(), [o.v for o in orbits])


def test_another_device_is_refused_plainly() -> None:
    model = spec_of().compile()
    mjo.make_data(model)
    model._device = "cuda:0"  # as if it had been placed there
    with pytest.raises(ValueError, match="the model is on cuda:0, not on cpu: compile the spec again for cpu"):
        mjo.make_data(model, device="cpu")
