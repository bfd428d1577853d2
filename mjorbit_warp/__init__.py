"""Articulated spacecraft with contacts in a real orbit, on MuJoCo Warp."""

from mjorbit_warp import frames as frames
from mjorbit_warp.absolute import AbsoluteState as AbsoluteState
from mjorbit_warp.absolute import absolute_state as absolute_state
from mjorbit_warp.atmosphere import Atmosphere as Atmosphere
from mjorbit_warp.broadcast import broadcast_state as broadcast_state
from mjorbit_warp.broadcast import saved as saved
from mjorbit_warp.check import MjoWarning as MjoWarning
from mjorbit_warp.constants import CentralBody as CentralBody
from mjorbit_warp.data import MjoData as MjoData
from mjorbit_warp.data import make_data as make_data
from mjorbit_warp.distributions import Choice as Choice
from mjorbit_warp.distributions import LogNormal as LogNormal
from mjorbit_warp.distributions import Normal as Normal
from mjorbit_warp.distributions import Uniform as Uniform
from mjorbit_warp.expand import set_const as set_const
from mjorbit_warp.graph import CapturedStep as CapturedStep
from mjorbit_warp.graph import capture as capture
from mjorbit_warp.inspect import inspect as inspect
from mjorbit_warp.latch import mjo_latch as mjo_latch
from mjorbit_warp.latch import mjo_unlatch as mjo_unlatch
from mjorbit_warp.magnetic_field import MagneticField as MagneticField
from mjorbit_warp.model import MjoModel as MjoModel
from mjorbit_warp.options import OrbitOptions as OrbitOptions
from mjorbit_warp.orbit import Orbit as Orbit
from mjorbit_warp.randomize import randomize as randomize
from mjorbit_warp.recenter import mjo_recenter as mjo_recenter
from mjorbit_warp.reset import mjo_reset as mjo_reset
from mjorbit_warp.rollout import Rollout as Rollout
from mjorbit_warp.rollout import rollout as rollout
from mjorbit_warp.run_file import Run as Run
from mjorbit_warp.run_file import load_run as load_run
from mjorbit_warp.sense import mjo_sense as mjo_sense
from mjorbit_warp.spec import MjoSpec as MjoSpec
from mjorbit_warp.state import get_state as get_state
from mjorbit_warp.state import set_state as set_state
from mjorbit_warp.state import state_layout as state_layout
from mjorbit_warp.state_bank import StateBank as StateBank
from mjorbit_warp.status import Status as Status
from mjorbit_warp.status_report import MjoError as MjoError
from mjorbit_warp.status_report import StatusReport as StatusReport
from mjorbit_warp.status_report import mjo_status as mjo_status
from mjorbit_warp.step import mjo_forward as mjo_forward
from mjorbit_warp.step import mjo_step as mjo_step

__version__ = "0.1.0"
