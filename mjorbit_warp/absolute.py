"""Absolute states of the bodies."""

import dataclasses
from typing import TYPE_CHECKING

import warp as wp

from mjorbit_warp.kernels.absolute import _absolute_state
from mjorbit_warp.step import refresh_velocities
from mjorbit_warp.worlds import check_warp

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel


@dataclasses.dataclass(frozen=True)
class AbsoluteState:
    """Bodies in ECI, body 0 being MuJoCo's world: the reference orbit itself.

    Attributes:
      r: position of each body's COM, float64 [m]                (nworld, nbody, 3)
      v: its velocity, float64 [m/s]                             (nworld, nbody, 3)
      quat: attitude of the body frame, (w, x, y, z)             (nworld, nbody, 4)
      omega: angular velocity in ECI axes [rad/s]                (nworld, nbody, 3)
    """

    r: wp.array
    v: wp.array
    quat: wp.array
    omega: wp.array


def absolute_state(m: "MjoModel", d: "MjoData") -> AbsoluteState:
    """Positions, velocities and attitudes of all bodies in ECI at the current time (design equation 8).

    Kinematics are refreshed first: after a step ``xipos`` still belongs to the step's last evaluation.
    """
    check_warp(m, d)
    if d.orbit is None:
        raise ValueError(
            "the model has no orbit, so its bodies have no absolute state: set spec.orbit before compile()"
        )
    shape = (d.nworld, m.mjw.nbody)
    dd = d.mjw
    with wp.ScopedDevice(d.device):
        refresh_velocities(m, d)
        out = AbsoluteState(
            r=wp.empty(shape, dtype=wp.vec3d),
            v=wp.empty(shape, dtype=wp.vec3d),
            quat=wp.empty(shape, dtype=wp.quat),
            omega=wp.empty(shape, dtype=wp.vec3),
        )
        wp.launch(
            _absolute_state,
            dim=shape,
            inputs=[m.mjw.body_rootid, dd.xipos, dd.xquat, dd.subtree_com, dd.cvel, d.orbit.state],
            outputs=[out.r, out.v, out.quat, out.omega],
        )
    return out
