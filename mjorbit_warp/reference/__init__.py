"""Pure NumPy, float64 backend: MuJoCo C solves the multibody part; functions and arrays are named as in the Warp one.

It is the yardstick of every kernel (each formula is written independently here) and the fast path without a GPU.
"""

from mjorbit_warp.reference.absolute import AbsoluteState as AbsoluteState
from mjorbit_warp.reference.absolute import absolute_state as absolute_state
from mjorbit_warp.reference.convert import from_warp as from_warp
from mjorbit_warp.reference.data import MjoData as MjoData
from mjorbit_warp.reference.data import make_data as make_data
from mjorbit_warp.reference.data import set_const as set_const
from mjorbit_warp.reference.latch import mjo_latch as mjo_latch
from mjorbit_warp.reference.latch import mjo_unlatch as mjo_unlatch
from mjorbit_warp.reference.recenter import mjo_recenter as mjo_recenter
from mjorbit_warp.reference.rollout import rollout as rollout
from mjorbit_warp.reference.state import get_state as get_state
from mjorbit_warp.reference.state import mjo_reset as mjo_reset
from mjorbit_warp.reference.state import set_state as set_state
from mjorbit_warp.reference.state import state_layout as state_layout
from mjorbit_warp.reference.step import mjo_forward as mjo_forward
from mjorbit_warp.reference.step import mjo_sense as mjo_sense
from mjorbit_warp.reference.step import mjo_step as mjo_step
from mjorbit_warp.status_report import mjo_status as mjo_status
