"""Parameters of the central body on the device."""

import warp as wp

from mjorbit_warp.constants import CentralBody
from mjorbit_warp.kernels.types import CentralBody as CentralBodyStruct


class CentralArrays:
    """float64 arrays (*,) of ``mu`` [m³/s²], ``radius`` [m] and ``j2`` [-], and the struct that kernels take."""

    def __init__(self, body: CentralBody) -> None:
        self.mu: wp.array = wp.array([body.mu], dtype=wp.float64)
        self.radius: wp.array = wp.array([body.radius], dtype=wp.float64)
        self.j2: wp.array = wp.array([body.j2], dtype=wp.float64)

    @property
    def struct(self) -> CentralBodyStruct:
        """Made anew at each call: expand() replaces arrays."""
        struct = CentralBodyStruct()
        struct.mu = self.mu
        struct.radius = self.radius
        struct.j2 = self.j2
        return struct
