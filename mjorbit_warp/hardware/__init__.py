"""Spacecraft hardware and surfaces on a MuJoCo model."""

from mjorbit_warp.hardware.compiled import Hardware as Hardware
from mjorbit_warp.hardware.compiled import PartList as PartList
from mjorbit_warp.hardware.compiled import compile_hardware as compile_hardware
from mjorbit_warp.hardware.compiled_sensors import SensorList as SensorList
from mjorbit_warp.hardware.parts import ControlMomentGyro as ControlMomentGyro
from mjorbit_warp.hardware.parts import Magnetorquer as Magnetorquer
from mjorbit_warp.hardware.parts import ReactionWheel as ReactionWheel
from mjorbit_warp.hardware.parts import ResidualDipole as ResidualDipole
from mjorbit_warp.hardware.parts import Surface as Surface
from mjorbit_warp.hardware.parts import Tank as Tank
from mjorbit_warp.hardware.parts import Thruster as Thruster
from mjorbit_warp.hardware.sensor import Sensor as Sensor
from mjorbit_warp.hardware.steering import cmg_axes as cmg_axes
from mjorbit_warp.hardware.steering import cmg_momentum as cmg_momentum
from mjorbit_warp.hardware.steering import cmg_steering as cmg_steering
