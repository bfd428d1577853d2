"""Planning with rollouts on the device."""

from mjorbit_warp.planning.mppi import MPPI as MPPI
from mjorbit_warp.planning.mppi import Plan as Plan
