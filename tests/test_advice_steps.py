"""Advice on the step: contacts, servos, the orbit, momentum, buffers; numbers against hand, MuJoCo C and cases."""

import math

import mujoco
import mujoco_warp as mjw
import numpy as np
import pytest
import warp as wp

import mjorbit_warp as mjo
from mjorbit_warp.advice.contact_step import time_constant
from mjorbit_warp.advice.drift import momentum_drift
from mjorbit_warp.advice.orbit_step import return_error
from mjorbit_warp.advice.servo_step import critical_step, growth, linear, rates
from mjorbit_warp.inspect_buffers import allocated
from mjorbit_warp.integrators import INTEGRATORS
from mjorbit_warp.models import NAMES, model_path
from mjorbit_warp.validation.kepler import kepler
from tests.conftest import DATA, LEO
from tests.test_advice import HINGE, INERTIAL, advice, mjcf, two

Y_AXIS = np.array([0.01, 1.0, 0.01])  # of case H14, rad/s


def option(h: float, integrator: str = "RK4", more: str = "") -> str:
    return f'<option gravity="0 0 0" timestep="{h}" integrator="{integrator}" {more}/>'


# contacts ------------------------------------------------------------------------------------------------------------

BALLS = """<mujoco>{0}<worldbody><body name="a"><freejoint/><geom name="a" size="0.1" mass="1" {1}/></body>
 <body name="b" pos="1 0 0"><freejoint/><geom name="b" size="0.1" mass="1" {1}/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    "solref, h, said",
    [
        ("0.02 1", 0.01, False),  # 2h exactly
        ("0.02 1", 0.0101, True),
        ("0.2 1", 0.1, False),
        ("-100 -40", 0.02, False),  # 2/40 = 0.05 s
        ("-100 -40", 0.03, True),
    ],
)
def test_contact_time_constant(solref: str, h: float, said: bool) -> None:
    """At h = 0.0101 s the default of 0.02 s is raised to 2h; a contact that is not possible has none."""
    found = advice(BALLS.format(option(h), f'solref="{solref}"'))
    assert set(found) == ({"step-contact"} if said else set())
    if said:
        assert found["step-contact"].where == "geom a, b"
        assert ("MuJoCo raises it to 0.0202 s" in found["step-contact"].what) == (solref[0] != "-")
    assert advice(BALLS.format(option(h), f'solref="{solref}" contype="0" conaffinity="0"')) == {}


def test_what_mujoco_makes_of_a_small_time_constant() -> None:
    """A limit with 0.005 s at h = 0.1 acts as one with 0.2 s does, which is what the advice says."""
    limited = mjcf(HINGE.format('range="-1 1" solreflimit="{0} 1"'), option=option(0.1, "Euler"))
    out = []
    for tau in ("0.005", "0.2"):
        mj = mujoco.MjModel.from_xml_string(limited.replace("{0}", tau))
        data = mujoco.MjData(mj)
        data.qpos[7] = 1.2
        mujoco.mj_forward(mj, data)
        out.append(float(data.efc_aref[0]))
    assert out[0] == out[1] != 0.0
    said = advice(limited.replace("{0}", "0.005"))["step-contact"]
    assert said.where == "limit of joint elbow" and "MuJoCo raises it to 0.2 s" in said.what
    assert advice(limited.replace("{0}", "0.2")).keys() <= {"integrator-drift"}


def test_time_constant_of_the_direct_format() -> None:
    """(−stiffness, −damping) with damping 2/timeconst makes MuJoCo damp as timeconst does."""
    limited = mjcf(HINGE.format('range="-1 1" solreflimit="{0}"'), option=option(0.001))
    aref = []
    for solref in ("0.08 1", "-100 -25"):
        mj = mujoco.MjModel.from_xml_string(limited.replace("{0}", solref))
        data = mujoco.MjData(mj)
        data.qpos[7], data.qvel[6] = 1.0 + 1e-9, 1.0  # just beyond the limit: damping alone
        mujoco.mj_forward(mj, data)
        aref.append(float(data.efc_aref[0]))
        assert abs(time_constant(mj.jnt_solref[1]) - 0.08) < 1e-12  # rounding
    assert abs(aref[0] - aref[1]) < 1e-5  # of 26/s², as 1e-9 rad has some stiffness


# servos --------------------------------------------------------------------------------------------------------------

FIXED_BUS = '<inertial pos="0 0 0" mass="1e9" diaginertia="1e9 1e9 1e9"/>'  # so that the arm's moment is all there is


def arm(h: float, integrator: str, joint: str = "", servo: str = "") -> str:
    """An arm of 1 kg·m² about its hinge, on a bus that does not move."""
    more = f'<actuator><position name="servo" joint="elbow" {servo}/></actuator>' if servo else ""
    return mjcf(HINGE.format(joint), more, option=option(h, integrator)).replace(INERTIAL, FIXED_BUS, 1)


@pytest.mark.parametrize(
    "integrator, joint, servo, limit",
    [
        ("RK4", 'stiffness="100"', "", 2.0 * math.sqrt(2.0) / 10.0),  # |R(iy)| = 1 at y = 2√2; ω = 10
        ("RK4", 'damping="10"', "", 2.785293563405282 / 10.0),  # R(−y) = 1
        ("RK4", "", 'kp="0" kv="10"', 2.785293563405282 / 10.0),
        ("Euler", 'stiffness="100"', "", 2.0 / 10.0),  # symplectic: hω = 2
        ("implicitfast", "", 'kp="100" kv="0"', 2.0 / 10.0),
        ("Euler", "", 'kp="0" kv="10"', 2.0 / 10.0),  # explicit: 1 − hd/I = −1
        ("Euler", 'damping="10"', "", math.inf),  # implicit
        ("implicitfast", "", 'kp="0" kv="10"', math.inf),
    ],
)
def test_critical_step(integrator: str, joint: str, servo: str, limit: float) -> None:
    """Against closed forms of a single joint: 1 % of bisection."""
    h = 0.5 if math.isfinite(limit) else 50.0
    mj = mujoco.MjModel.from_xml_string(arm(h, integrator, joint, servo))
    model = linear(mj)
    kind = int(INTEGRATORS[integrator])
    assert abs(model.mass[6, 6] - 1.0) < 1e-6
    found = critical_step(model, h, kind)
    assert found is not None
    if math.isinf(limit):
        assert found == h
        return
    assert 0.985 * limit < found < 1.0001 * limit
    assert growth(model, 0.999 * limit, kind) <= 1.0 + 1e-6 < growth(model, 1.01 * limit, kind)
    said = advice(arm(1.05 * limit, integrator, joint, servo))["step-servo"]
    assert said.where == "joint elbow" and "grow" in said.what
    assert "step-servo" not in advice(arm(0.3 * limit, integrator, joint, servo))


@pytest.mark.parametrize("integrator", ["RK4", "Euler", "implicitfast"])
@pytest.mark.parametrize("servo", ['kp="100" kv="0.5"', 'kp="3" kv="12"', 'kp="40" kv="6"'])
def test_growth_is_what_mujoco_does(integrator: str, servo: str) -> None:
    """Growth of a small swing over 300 steps of MuJoCo C at both sides of the step that the advice calls critical.

    The bus is free and light, so that the joint feels the inertia of both, which the mass matrix must give.
    """

    def text(h: float) -> str:
        joint = HINGE.format('damping="0.2"')
        return mjcf(joint, f'<actuator><position joint="elbow" {servo}/></actuator>', option=option(h, integrator))

    model = linear(mujoco.MjModel.from_xml_string(text(1.0)))
    limit = critical_step(model, 4.0, int(INTEGRATORS[integrator]))
    assert limit is not None
    for h, grows in ((0.97 * limit, False), (1.03 * limit, True)):
        if limit == 4.0:  # never unstable
            h, grows = 4.0, False
        mj = mujoco.MjModel.from_xml_string(text(h))
        data = mujoco.MjData(mj)
        data.qpos[7] = 1e-9
        size = []
        for _ in range(300):
            mujoco.mj_step(mj, data)
            size.append(math.hypot(data.qpos[7], data.qvel[6]))
            if size[-1] > 1e-3:  # the motion is linear no longer
                break
        assert (max(size[-20:]) > max(size[:20])) == grows, (h, size[0], size[-1])


def test_oscillation_that_is_not_resolved() -> None:
    """ω = 10 rad/s: hω = 1 at 0.1 s."""
    assert advice(arm(0.09, "RK4", 'stiffness="100"')) == {}
    said = advice(arm(0.15, "RK4", 'stiffness="100"'))["step-servo"]
    assert "oscillate at 10 rad/s, only 4.2 steps of 0.15 s per period" in said.what  # 2π/1.5
    mj = mujoco.MjModel.from_xml_string(arm(0.1, "RK4", 'stiffness="100"'))
    assert abs(np.abs(rates(linear(mj))[0]).max() - 10.0) < 1e-5


def test_gains_of_the_wrong_sign() -> None:
    """q̈ = +100 q: e-fold in 0.1 s, whatever the step."""
    general = '<actuator><general joint="elbow" biastype="affine" biasprm="0 {0} 0" gainprm="100"/></actuator>'
    text = mjcf(HINGE.format(""), general, option=option(0.001)).replace(INERTIAL, FIXED_BUS, 1)
    said = advice(text.format(100))
    assert set(said) == {"servo-sign"} and "e-fold in 0.1 s" in said["servo-sign"].what
    assert advice(text.format(-100)) == {}


# the orbit -----------------------------------------------------------------------------------------------------------


def test_step_of_the_orbit() -> None:
    """RK4's error after a revolution, against Kepler's equation at the same time; it falls with the fourth power."""
    errors = []
    for h in (60.0, 30.0, 15.0):
        error, n = return_error(LEO, h)
        step = LEO.period / n
        r, v = LEO.r.copy(), LEO.v.copy()

        def acceleration(x: np.ndarray) -> np.ndarray:
            return np.asarray(-LEO.body.mu * x / np.linalg.norm(x) ** 3)

        for _ in range(n):
            k1, l1 = v, acceleration(r)
            k2, l2 = v + step / 2 * l1, acceleration(r + step / 2 * k1)
            k3, l3 = v + step / 2 * l2, acceleration(r + step / 2 * k2)
            k4, l4 = v + step * l3, acceleration(r + step * k3)
            r, v = r + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + step / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        truth, _ = kepler(LEO.r, LEO.v, n * step, LEO.body.mu)
        assert abs(error - np.linalg.norm(r - truth)) < 1e-5 * error + 1e-5  # m: rounding of 7e6 m in n steps
        errors.append(error)
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(orders - 4.0).max() < 0.3
    spec = mjo.MjoSpec.from_string(mjcf(option=option(60.0)))
    spec.orbit = LEO
    assert f"misses the start by {errors[0]:.3g} m" in advice(spec)["step-orbit"].what
    spec.option.timestep = 5.0
    assert "step-orbit" not in advice(spec)


def test_step_of_an_eccentric_orbit() -> None:
    """The same period at e = 0.7: 60 s are too long at periapsis; so are 100 s on a flyby."""
    spec = mjo.MjoSpec.from_string(mjcf(option=option(60.0)))
    spec.orbit = mjo.Orbit.circular(altitude=17e6)
    assert "step-orbit" not in advice(spec)
    spec.orbit = mjo.Orbit.from_elements(
        semi_major_axis=spec.orbit.elements.semi_major_axis,
        eccentricity=0.7,
        inclination=0.1,
        raan=0.0,
        argument_of_periapsis=0.0,
        true_anomaly=2.0,
    )
    assert "step-orbit" in advice(spec)
    flyby = mjo.Orbit.from_state([7e6, 0, 0], [0, 12e3, 0], frame="GCRS")
    for h, codes in ((100.0, {"step-orbit"}), (5.0, set())):
        spec.option.timestep, spec.orbit = h, flyby
        assert {code for code in advice(spec) if code == "step-orbit"} == codes


# momentum ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator, figure", [("Euler", 2.97e-2), ("implicitfast", -2.8e-2), ("RK4", 0.0)])
def test_drift_of_case_h14(integrator: str, figure: float) -> None:
    """(0.01, 1, 0.01) rad/s for 100 s at 0.01 s: +2.97 %, −2.8 % to their digits; RK4 keeps it to 1e-12."""
    mj = mujoco.MjModel.from_xml_path(str(DATA / "h14_spin123.xml"))
    spin = float(np.linalg.norm(Y_AXIS))
    drift = momentum_drift(mj, int(INTEGRATORS[integrator]), spin, 10000, Y_AXIS / spin)
    assert drift is not None
    assert abs(drift - figure) < (5e-4 if figure else 1e-11)  # case: two or three digits; RK4 of 1e4 steps


def test_drift_is_reported() -> None:
    """H14 at 0.1 rad/s, by a loop of MuJoCo C that shares nothing with the rule."""
    report = mjo.inspect(DATA / "h14_spin123.xml")
    measured = report.momentum
    assert measured is not None and (measured.spin, measured.duration) == (0.1, 100.0)
    mj = mujoco.MjModel.from_xml_path(str(DATA / "h14_spin123.xml"))
    data = mujoco.MjData(mj)
    data.qvel[3:] = 0.1 * np.array([1.0, 2.0, 3.0]) / math.sqrt(14.0)
    inertia = np.array([1.0, 2.0, 3.0])  # the inertial frame's axes are the body's, up to their order
    before = float(np.linalg.norm(inertia * data.qvel[3:]))
    for _ in range(10000):
        mujoco.mj_step(mj, data)
    after = float(np.linalg.norm(inertia * data.qvel[3:]))
    assert measured.drift is not None and abs(measured.drift - (after / before - 1.0)) < 1e-12
    assert measured.rk4 is not None and abs(measured.rk4) < 1e-12
    assert report.exit_code == 1 and [a.code for a in report.of_level("warning")] == ["integrator-drift"]
    assert "gains 0.00043 of itself in 100 s" in report.of_level("warning")[0].what
    spec = mjo.MjoSpec.from_file(DATA / "h14_spin123.xml")
    spec.option.timestep = 0.002
    assert advice(spec) == {}  # 5 times less
    spec.option.timestep, spec.option.integrator = 0.01, INTEGRATORS["RK4"]
    assert advice(spec) == {}


def test_a_spin_that_diverges_and_a_keyframe() -> None:
    """1 rad/s at 0.4 s by Euler diverges; a keyframe's spin is taken, if it is faster."""
    key = '<keyframe><key qvel="0 0 0 0.3 0.4 0"/></keyframe>'
    slow = "<inertial pos='0 0 0' mass='10' diaginertia='1 2 3'/>"
    report = mjo.inspect(mjo.MjoSpec.from_string(mjcf(more=key).replace(INERTIAL, slow)))
    assert report.momentum is not None and report.momentum.spin == 0.5
    fast = mjcf(more=key.replace("0.3 0.4", "3 4"), option=option(0.4, "Euler")).replace(INERTIAL, slow)
    lost = mjo.inspect(mjo.MjoSpec.from_string(fast))
    assert lost.momentum is not None and lost.momentum.drift is None
    assert "is lost altogether (the motion diverges)" in lost.of_level("warning")[0].what
    assert "diverges" in str(lost)


# buffers -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*NAMES, "h19"])
def test_allocated_is_what_make_data_takes(name: str) -> None:
    """MJWarp's rule of thumb, repeated here as it cannot be asked without a device."""
    path = DATA / "h19_nine_balls.xml" if name == "h19" else model_path(name)
    mj = mujoco.MjModel.from_xml_path(str(path))
    with wp.ScopedDevice("cpu"):
        d = mjw.make_data(mj)
    assert allocated(mj) == (d.naconmax, d.njmax)


def test_buffers_of_case_h19() -> None:
    """Nine balls on a plate: 9 + 9·8/2 pairs of one contact, four rows each; all on the plate at once at the start."""
    report = mjo.inspect(DATA / "h19_nine_balls.xml")
    b = report.buffers
    assert (b.contacts, b.rows) == (45, 180)
    mj = mujoco.MjModel.from_xml_path(str(DATA / "h19_nine_balls.xml"))
    data = mujoco.MjData(mj)
    mujoco.mj_forward(mj, data)
    assert (b.seen_contacts, b.seen_rows) == (data.ncon, data.nefc)
    (said,) = [a for a in report.advice if a.code == "buffers"]
    assert said.level == "info" and "njmax=180" in said.remedy


def test_buffers_that_overflow_at_once() -> None:
    """Twenty balls that touch a plate: 80 rows, where make_data takes 64."""
    balls = "".join(f'<body pos="{i} 0 0.0995"><freejoint/><geom size="0.1" mass="1"/></body>' for i in range(20))
    plate = '<geom type="plane" size="50 5 1"/>'
    xml = f"<mujoco>{option(0.002)}<worldbody>{plate}{balls}</worldbody></mujoco>"
    report = mjo.inspect(mjo.MjoSpec.from_string(xml), ignore=["held-by-world"])
    assert (report.buffers.seen_contacts, report.buffers.seen_rows) == (20, 80)
    (said,) = report.of_level("warning")
    assert said.code == "buffers" and "at qpos0 there are 20 contacts and 80 rows" in said.what
    few = xml.replace(balls, balls[: balls.index('<body pos="9 ')])
    assert not mjo.inspect(mjo.MjoSpec.from_string(few), ignore="held-by-world").of_level("warning")


def test_rows_by_hand() -> None:
    """Limits 1 each, a weld 6, a connect 3, friction 1 per dof; an elliptic contact has condim rows."""
    weld = '<weld body1="chaser" body2="target"/><connect body1="chaser" body2="target" anchor="1 0 0"/>'
    assert mjo.inspect(mjo.MjoSpec.from_string(two(weld))).buffers.rows == 9
    joint = HINGE.format('range="-1 1" frictionloss="0.1"')
    assert mjo.inspect(mjo.MjoSpec.from_string(mjcf(joint))).buffers.rows == 2
    for cone, rows in (("pyramidal", 4), ("elliptic", 3)):
        text = BALLS.format(option(0.002, "RK4", f'cone="{cone}"'), "")
        assert mjo.inspect(mjo.MjoSpec.from_string(text)).buffers.rows == rows
