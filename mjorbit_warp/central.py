"""Parameters of the central body on the device."""

import warp as wp

from mjorbit_warp.constants import CentralBody
from mjorbit_warp.kernels.types import CentralBody as CentralBodyStruct
from mjorbit_warp.parameters import Parameters, shared


def central_parameters(body: CentralBody) -> Parameters:
    """float64 arrays (*,) of ``mu`` [m³/s²], ``radius`` [m] and ``j2`` [-]."""
    arrays = {name: shared(getattr(body, name), wp.float64) for name in ("mu", "radius", "j2")}
    return Parameters(CentralBodyStruct, arrays, tuple(arrays))
