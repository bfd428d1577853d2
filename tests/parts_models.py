"""A satellite with one part of each kind, for the tests of parts and options."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import mjorbit_warp as mjo
from mjorbit_warp.hardware import Hardware
from tests.conftest import LEO

INERTIAL = '<inertial pos="0.1 0 0.2" mass="10" diaginertia="3 4 5"/>'
DIPOLE = mjo.MagneticField.dipole(-2.94e-5, -1.45e-6, 4.65e-6)
WHEEL = '<general name="rw" site="s" gear="0 0 0 0 0 1" dyntype="integrator" gainprm="0"/>'
WHEEL_TEXT = '<text name="mjo_reaction_wheel:rw" data="inertia=0.08 max_speed=100"/>'
THRUSTER = '<general name="th" site="s" gear="0 0 1" gainprm="0" ctrlrange="0 2"/>'
THRUSTER_TEXT = '<text name="mjo_thruster:th" data="-"/>'
CMG_TEXT = '<text name="mjo_cmg:rw" data="momentum=10"/>'


def spec_of(
    inner: str = '<site name="s"/>', actuators: str = "", custom: str = "", more: str = "", integrator: str = "Euler"
) -> mjo.MjoSpec:
    spec = mjo.MjoSpec.from_string(
        f'<mujoco><option gravity="0 0 0" timestep="0.1" integrator="{integrator}"/><worldbody><body name="bus">'
        f"<freejoint/>{INERTIAL}{inner}</body>{more}</worldbody><actuator>{actuators}</actuator>"
        f"<custom>{custom}</custom></mujoco>"
    )
    spec.orbit = LEO
    spec.options = mjo.OrbitOptions(magnetic_field=DIPOLE, atmosphere=mjo.Atmosphere.us76())
    return spec


def compiled(spec: mjo.MjoSpec) -> Hardware:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mjo.MjoWarning)
        return spec.compile().hardware


def refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        make()
    text = str(caught.value).replace("e.g. ", "")
    assert "\n" not in text and ". " not in text  # one sentence


def all_parts() -> mjo.MjoSpec:
    """Each kind of part once, at tilted axes and offset places, with numbers that need all their digits."""
    spec = spec_of()
    third = 1.0 / 3.0
    spec.add_reaction_wheel(
        "rw", "bus", (2, 3, 6), inertia=0.01 * third, max_speed=100 * third, max_torque=third, coulomb=1e-3 * third
    )
    spec.add_cmg("cmg", "bus", (0, 3, 4), (1, 0, 0), momentum=third, max_rate=0.5, min_angle=-third, pos=(1, 2, third))
    spec.add_magnetorquer("mt", "bus", (1, 2, 2), max_dipole=30.0)
    spec.add_thruster("th", "bus", (0.1, -0.2, third), (2, -1, 2), max_force=third, specific_impulse=third, tank="bus")
    spec.add_tank("bus", propellant=third)
    spec.add_residual_dipole("rd", "bus", (third, 0.2, -0.1))
    spec.add_surface("plate", "bus", (1, 0, 0), (3, 0, 4), size=(2, 3), specular=third, diffuse=0.2, two_sided=True)
    spec.add_surface("ball", "bus", (0, 1, 0), area=third, sphere=True, reflectivity=1.0 + third)
    return spec
