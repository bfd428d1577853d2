"""The origin of MuJoCo's world moved onto the system's centre of mass, so that float32 positions are small."""

from typing import TYPE_CHECKING, Any

import warp as wp

from mjorbit_warp.origin import recenter
from mjorbit_warp.reset import world_mask
from mjorbit_warp.step import check_pair, refresh_velocities

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


def mjo_recenter(m: "MjoModel", d: "MjoData", mask: Any = None) -> None:
    """Move the origin onto the system's COM, in float64: the orbit takes up the COM's position and velocity.

    Absolute states stay: positions to the rounding of r (1e-9 m; it is carried on) and, with precision "single", of
    the new float32 positions, which is finer than that of the old ones. Free bases, mocap bodies and the shadow are
    shifted; mocap bodies rest in the frame of the new origin. Positions of bodies are fresh afterwards in every world;
    the states of other worlds keep their bits. Call it between steps or replays, or, once it has been called, inside a
    capture: it is launches alone.

    Args:
      mask: (nworld,) bool, Warp array on the data's device or array-like; None moves all.

    Raises:
      ValueError: there is no orbit, or something is fixed to the world and would be moved in space.
    """
    check_pair(m, d)
    with wp.ScopedDevice(d.device):
        recenter(m, d, None if mask is None else world_mask(d, mask), -1.0)
        refresh_velocities(m, d)
