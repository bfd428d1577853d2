"""Mistakes in parts, in Python and in files: one sentence each, with the part's name."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mjorbit_warp as mjo
from tests.parts_models import (
    CMG_TEXT,
    THRUSTER,
    THRUSTER_TEXT,
    WHEEL,
    WHEEL_TEXT,
    all_parts,
    compiled,
    refused,
    spec_of,
)


def wheel(**changes: Any) -> Callable[[], Any]:
    values = {"name": "rw", "body": "bus", "inertia": 0.1} | changes
    return lambda: spec_of().add_reaction_wheel(**values)


def add(method: str, *args: Any, **values: Any) -> Callable[[], Any]:
    return lambda: getattr(spec_of(), method)(*args, **values)


ORIGIN = (0.0, 0.0, 0.0)
ADDED = [
    (wheel(inertia="0.1"), "reaction wheel rw: inertia is '0.1': a number is expected"),
    (wheel(inertia=np.array([0.1])), "reaction wheel rw: inertia is array"),
    (wheel(inertia=True), "reaction wheel rw: inertia is True: a number is expected"),
    (wheel(inertia=math.nan), "reaction wheel rw: inertia is nan: a positive number is expected"),
    (wheel(inertia=math.inf), "reaction wheel rw: inertia is inf"),
    (wheel(inertia=0), "reaction wheel rw: inertia is 0: a positive"),
    (wheel(inertia=None), "reaction wheel rw: give inertia, or max_momentum and max_speed"),
    (wheel(inertia=None, max_speed=3.0), "reaction wheel rw: give inertia, or"),
    (wheel(max_speed=-1.0), "reaction wheel rw: max_speed is -1.0"),
    (wheel(max_speed=100.0, max_momentum=11.0), r"reaction wheel rw: inertia · max_speed is 10, not 11 N·m·s"),
    (wheel(max_torque=0.0), "reaction wheel rw: max_torque is 0.0"),
    (wheel(coulomb=-1e-3), "reaction wheel rw: coulomb is -0.001 N·m: it cannot be negative"),
    (wheel(viscous="thick"), "reaction wheel rw: viscous is 'thick': a number is expected"),
    (wheel(axis=(0, 0, 0)), r"reaction wheel rw: axis is \(0, 0, 0\): a direction is expected"),
    (wheel(axis=(0, 0, math.nan)), "reaction wheel rw: axis is .*three finite numbers"),
    (wheel(axis="z"), "reaction wheel rw: axis is 'z': three finite numbers"),
    (wheel(axis=(1, (2, 3))), "reaction wheel rw: axis is .*three finite numbers"),
    (wheel(pos=(0, 0, math.inf)), "reaction wheel rw: pos is .*three finite numbers"),
    (wheel(name=""), "reaction wheel: its name is '': a name is expected"),
    (wheel(name=7), "reaction wheel: its name is 7"),
    (wheel(name="s"), "reaction wheel s: the site 's' exists already: give the part another name"),
    (wheel(body="buss"), "reaction wheel rw: there is no body 'buss': allowed are bus"),
    (wheel(body=None), "reaction wheel rw: there is no body None: allowed are bus"),
    (wheel(inertia=6.0, inertia_includes_rotor=True), "body bus does not include the rotor's: without .* -1, 3, 4 kg"),
    (wheel(axis=(1, 0, 0), inertia=2.5, inertia_includes_rotor=True), "which no rigid body has"),  # A + B < C
    (add("add_cmg", "c", "bus", (0, 0, 1), (0, 1, 1), momentum=1.0), "cmg c: spin_axis is 45° from the gimbal axis"),
    (add("add_cmg", "c", "bus", (0, 0, 1), (0, 0, 2), momentum=1.0), "cmg c: spin_axis is 0° from the gimbal axis"),
    (add("add_cmg", "c", "bus", (0, 0, 0), (1, 0, 0), momentum=1.0), "cmg c: gimbal_axis is .*a direction"),
    (add("add_cmg", "c", "bus", (0, 0, 1), (0, 0, 0), momentum=1.0), "cmg c: spin_axis is .*a direction"),
    (add("add_cmg", "c", "bus", (0, 0, 1), (1, 0, 0), momentum=0.0), "cmg c: momentum is 0.0 N·m·s"),
    (
        add("add_cmg", "c", "bus", (0, 0, 1), (1, 0, 0), momentum=1.0, min_angle=1, max_angle=-1),
        "cmg c: min_angle 1.0 is not below -1.0",
    ),
    (add("add_cmg", "c", "bus", (0, 0, 1), (1, 0, 0), momentum=1.0, max_rate=-1), "cmg c: max_rate is -1"),
    (add("add_cmg_pyramid", "c", "bus", momentum=1.0, skew="steep"), "cmg pyramid c: skew is 'steep'"),
    (add("add_magnetorquer", "m", "bus", (1, 0)), r"magnetorquer m: axis is \(1, 0\)"),
    (add("add_magnetorquer", "m", "bus", (1, 0, 0), max_dipole=-3.0), "magnetorquer m: max_dipole is -3.0"),
    (add("add_thruster", "t", "bus", ORIGIN, (1, 0, 0), max_force=0.0), "thruster t: max_force is 0.0"),
    (add("add_thruster", "t", "bus", ORIGIN, "up", max_force=1.0), "thruster t: direction is 'up'"),
    (add("add_thruster", "t", "bus", ORIGIN, (1, 0, 0), max_force=1.0, on_off=2), "thruster t: on_off is 2: True or"),
    (
        add("add_thruster", "t", "bus", ORIGIN, (1, 0, 0), max_force=1.0, min_pulse=0.1),
        "thruster t: min_pulse needs on_off",
    ),
    (
        add("add_thruster", "t", "bus", ORIGIN, (1, 0, 0), max_force=1.0, specific_impulse=200.0),
        "thruster t: specific_impulse and tank belong together",
    ),
    (
        add("add_thruster", "t", "bus", ORIGIN, (1, 0, 0), max_force=1.0, specific_impulse=-1.0, tank="bus"),
        "thruster t: specific_impulse is -1.0 s: it cannot be negative",
    ),
    (add("add_tank", "tank", propellant=1.0), "tank tank: there is no body 'tank': allowed are bus"),
    (add("add_tank", "bus", propellant="full"), "tank bus: propellant is 'full': a number"),
    (add("add_residual_dipole", "d", "bus", (1, 2, math.nan)), "residual dipole d: dipole is .*three finite"),
    (add("add_residual_dipole", "d", "bus", 3.0), "residual dipole d: dipole is 3.0: three finite"),
    (add("add_surface", "p", "bus", ORIGIN), "surface p: give size or area"),
    (add("add_surface", "p", "bus", ORIGIN, area=-1.0), "surface p: area is -1.0: it cannot be negative"),
    (add("add_surface", "p", "bus", ORIGIN, area=1.0, drag=-2.2), "surface p: drag is -2.2: it cannot be negative"),
    (add("add_surface", "p", "bus", ORIGIN, area=1.0, specular=0.8, diffuse=0.3), r"surface p: specular \+ diffuse is"),
    (add("add_surface", "p", "bus", ORIGIN, area=1.0, specular=-0.1), "surface p: specular is -0.1"),
    (add("add_surface", "p", "bus", ORIGIN, area=1.0, colour="red"), "surface p has no parameter colour: allowed are"),
    (add("add_surface", "p", "bus", ORIGIN, area=1.0, reflectivity=1.5), "surface p: reflectivity is a sphere's"),
    (
        add("add_surface", "p", "bus", ORIGIN, area=1.0, sphere=True, specular=0.5),
        "surface p: specular and diffuse are",
    ),
    (add("add_surface", "p", "bus", ORIGIN, size=(1, 2), area=3.0), "surface p: size is a plate's"),
    (add("add_surface", "p", "bus", ORIGIN, size=(1, -2)), "surface p: size is -2"),
    (add("add_surface", "p", "bus", ORIGIN, size=(1, 2, 3)), r"surface p: size is \(1, 2, 3\): the lengths of two"),
    (add("add_surface", "p", "bus", ORIGIN, (0, 0, 0), area=1.0), r"surface p: normal is \(0, 0, 0\): a direction"),
]


@pytest.mark.parametrize(("make", "message"), ADDED, ids=range(len(ADDED)))
def test_mistakes_in_python(make: Callable[[], Any], message: str) -> None:
    refused(make, message)


def test_the_same_name_twice() -> None:
    spec = all_parts()
    refused(
        lambda: spec.add_reaction_wheel("rw", "bus", inertia=1.0), "reaction wheel rw: the site 'rw' exists already"
    )
    refused(lambda: spec.add_tank("bus", propellant=1.0), "tank bus: body bus is a tank already")
    spec = spec_of(actuators='<motor name="rw" site="s" gear="1"/>')
    refused(lambda: spec.add_cmg_pyramid("rw", "bus", momentum=0.0), "cmg rw_0: momentum is 0.0")
    refused(lambda: spec.add_reaction_wheel("rw", "bus", inertia=1.0), "reaction wheel rw: the actuator 'rw' exists")


def text(kind: str, element: str, data: str) -> str:
    return f'<text name="mjo_{kind}:{element}" data="{data}"/>'


FILES: list[tuple[dict[str, str], str]] = [
    ({"actuators": WHEEL.replace("0 0 0 0 0 1", "0 0 1 0 0 1")}, "wheel rw: gear .* is not a pure torque"),
    (
        {"actuators": WHEEL.replace("0 0 0 0 0 1", "0 0 0 0 0 0")},
        "wheel rw: its axis, the actuator's gear, is .*direct",
    ),
    ({"actuators": WHEEL.replace('dyntype="integrator"', "")}, 'wheel rw: dyntype="integrator" is expected'),
    ({"actuators": WHEEL.replace("integrator", "filter")}, 'wheel rw: dyntype="integrator" is expected'),
    ({"actuators": WHEEL.replace('gainprm="0"', "")}, "wheel rw: gainprm and biasprm must be 0"),
    ({"actuators": WHEEL.replace("/>", ' biastype="affine" biasprm="1"/>')}, "wheel rw: gainprm and biasprm must"),
    (
        {"actuators": WHEEL.replace("/>", ' gaintype="user"/>')},
        "wheel rw: its actuator must be a <general> with gain",
    ),
    ({"actuators": WHEEL.replace("/>", ' actrange="-1 1"/>')}, "wheel rw: actrange would lose momentum: use max_speed"),
    ({"actuators": WHEEL.replace("/>", ' forcerange="1 2"/>')}, "wheel rw: forcerange limits MuJoCo's own force"),
    ({"actuators": WHEEL.replace("/>", ' delay="0.2" nsample="3"/>')}, "wheel rw: delay is 0.2 s"),
    ({"actuators": WHEEL.replace("/>", ' ctrlrange="0 1"/>')}, "wheel rw: ctrlrange is 0 1: a negative and a positive"),
    ({"actuators": WHEEL.replace('site="s"', 'site="s" refsite="s"')}, "wheel rw: its actuator must act at a site"),
    ({"actuators": WHEEL, "inner": "", "more": '<site name="s"/>'}, "reaction wheel rw is on the world"),
    ({"custom": text("reaction_wheel", "wr", "inertia=1")}, "mjo_reaction_wheel:wr names no actuator: allowed are rw"),
    (
        {"custom": text("reaction_wheels", "rw", "inertia=1")},
        "kind reaction_wheels is not known: allowed are reaction_w",
    ),
    (
        {"custom": text("reaction_wheel", "rw", "inertai=1")},
        "wheel rw has no parameter 'inertai': allowed are inertia,",
    ),
    ({"custom": text("reaction_wheel", "rw", "max_speed=1")}, "reaction wheel rw lacks inertia"),
    ({"custom": text("reaction_wheel", "rw", "inertia 1")}, "wheel rw: 'inertia 1' is not understood: key=value pairs"),
    ({"custom": text("reaction_wheel", "rw", "inertia=1 inertia=2")}, "reaction wheel rw: inertia is given twice"),
    ({"custom": text("reaction_wheel", "rw", "inertia='1 2'")}, "wheel rw: inertia is '1 2': a number is expected"),
    ({"custom": text("reaction_wheel", "rw", "inertia=-1")}, "wheel rw: inertia is -1.0 kg·m²: it must be positive"),
    ({"custom": text("reaction_wheel", "rw", "inertia=1 max_speed=0")}, "wheel rw: max_speed is 0.0 rad/s: it must be"),
    ({"custom": '<numeric name="mjo_reaction_wheel:rw" data="1"/>'}, "describes a part: a <text> is expected"),
    ({"custom": WHEEL_TEXT + CMG_TEXT}, "actuator rw is a reaction_wheel and a cmg: one part for each"),
    ({"custom": CMG_TEXT.replace("10", "10 spin_axis='1 0 1'")}, "cmg rw: spin_axis is 45° from the gimbal axis"),
    ({"custom": CMG_TEXT.replace("10", "10 spin_axis='0 0 0'")}, "cmg rw: spin_axis is zero"),
    ({"custom": CMG_TEXT.replace("10", "10 min_angle=nan")}, "cmg rw: min_angle nan is not below inf"),
    ({"actuators": THRUSTER.replace('ctrlrange="0 2"', "")}, 'thruster th: ctrlrange="0 <largest force>" is missing'),
    ({"actuators": THRUSTER.replace("0 2", "-1 2")}, "thruster th: ctrlrange is -1 2: 0 to a positive force"),
    ({"actuators": THRUSTER.replace("0 2", "1 2")}, "thruster th: ctrlrange is 1 2: 0 to a positive force"),
    ({"actuators": THRUSTER.replace("0 0 1", "0 0 1 0 0 1")}, "thruster th: gear .* is not a pure force"),
    ({"actuators": THRUSTER.replace("/>", ' dyntype="integrator"/>')}, 'thruster th: dyntype="none" is expected'),
    ({"custom": text("thruster", "th", "on_off=yes")}, "thruster th: on_off is 'yes': 0 or 1 is expected"),
    (
        {"custom": text("thruster", "th", "specific_impulse=200 tank=bus")},
        "thruster th: body bus is not a tank: allowed",
    ),
    ({"custom": text("thruster", "th", "specific_impulse=9 tank=x")}, "mjo_tank:x names no body: allowed are bus"),
    (
        {"custom": text("tank", "bus", "propellant=10")},
        "tank bus: propellant 10 kg is not less than the body's mass of",
    ),
    ({"custom": text("tank", "world", "propellant=1")}, "tank world is on the world"),
    ({"custom": text("surface", "s", "-")}, "surface s: area is missing: give area=<m²>, or a site of type box"),
    ({"custom": text("surface", "s", "sphere=1")}, "surface s: area is missing: .* or a site of type sphere"),
    ({"custom": text("surface", "t", "area=1")}, "mjo_surface:t names no site: allowed are s"),
    ({"custom": text("residual_dipole", "s", "dipole='1 2'")}, "dipole s: dipole is '1 2': three numbers are expected"),
]


@pytest.mark.parametrize(("changes", "message"), FILES, ids=range(len(FILES)))
def test_mistakes_in_a_file(changes: dict[str, str], message: str) -> None:
    thrusters = "thruster" in message or "tank" in message
    default = {"actuators": THRUSTER, "custom": THRUSTER_TEXT} if thrusters else {}
    refused(
        lambda: spec_of(**({"actuators": WHEEL, "custom": WHEEL_TEXT} | default | changes)).compile(),
        message,
    )


def test_area_of_a_site() -> None:
    sites = '<site name="s" type="sphere" size="0.5"/><site name="b" type="box" size="1 2 0.1"/>'
    hardware = compiled(spec_of(sites, custom=text("surface", "s", "sphere=1") + text("surface", "b", "-")))
    assert [part.area for part in hardware.surface.parts] == [math.pi * 0.25, 8.0]


@pytest.mark.parametrize(
    ("momenta", "ok"), [((29.0,), True), ((31.0,), False), ((17.0,) * 3, True), ((18.0,) * 3, False)]
)
def test_momentum_that_rk4_cannot_carry(momenta: tuple[float, ...], ok: bool) -> None:
    """dt |h| ≤ I_min, 3 kg·m² here: of all wheels together, three at right angles give √3 of one."""

    def make(integrator: str) -> mjo.MjoSpec:
        spec = spec_of(integrator=integrator)
        for i, h in enumerate(momenta):
            spec.add_reaction_wheel(f"w{i}", "bus", np.eye(3)[i], max_momentum=h, max_speed=100.0)
        return spec

    compiled(make("implicitfast"))
    if ok:
        compiled(make("RK4"))
    else:
        total = math.sqrt(len(momenta)) * momenta[0]
        refused(make("RK4").compile, f"w0.* can store {total:.2g}.* on 3 kg·m², too much for RK4 at a step of 0.1 s")


def test_momentum_of_a_cmg_pyramid() -> None:
    """Four CMGs of h0 at 54.74° reach 2√2·… h0 along z: √(2/3)·4 h0 = 3.266 h0."""
    for h0, ok in ((9.1, True), (9.3, False)):
        spec = spec_of(integrator="RK4")
        spec.add_cmg_pyramid("c", "bus", momentum=h0)
        if ok:
            compiled(spec)
        else:
            refused(spec.compile, "c_0, c_1, c_2, c_3 can store")
