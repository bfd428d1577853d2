"""Parameters of the environment; Sun, Moon and the turn of the central body's axes at an evaluation's time."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.constants import ZONAL, CentralBody, central_body
from mjorbit_warp.effects import Effects
from mjorbit_warp.environment import SUN_MU
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orientation import BodyFixedFrame, frame_rotation_z
from mjorbit_warp.reference.ephemeris import moon_position, sun_position
from mjorbit_warp.reference.magnetics import WorldField

if TYPE_CHECKING:
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]


def environment_parameters(options: OrbitOptions, body: CentralBody) -> dict[str, F64]:
    """``central_<name>`` and ``environment_<name>`` as on the Warp model, leading dimension 1."""
    air = options.atmosphere
    degrees = np.arange(2, 7)
    zonal = np.asarray(ZONAL.get(body.name, np.zeros(5)))
    values = {
        "central_mu": body.mu,
        "central_radius": body.radius,
        "central_j2": body.j2,
        # J2 is the central body's own
        "environment_zonal": np.where((degrees > 2) & (degrees <= options.zonal_degree), zonal, 0.0),
        "environment_sun_mu": SUN_MU,
        "environment_moon_mu": central_body("moon").mu,
        "environment_solar_flux": options.solar_flux,
        "environment_sun_radius": options.sun_radius,
        "environment_eclipse_radius": options.eclipse_radius or body.radius,
        "environment_density_scale": 1.0,
        "environment_flattening": 0.0 if air is None else air.flattening,
        "environment_air_rate": options.air_rate(body.rotation_rate),
        "environment_wind": options.wind,
    }
    return {name: np.asarray(value, dtype=np.float64)[None] for name, value in values.items()}


class EnvironmentData:
    """What surrounds each world at the time of the last evaluation; names as in the Warp backend.

    Attributes:
      sun, moon: position from the central body, ECI [m]     (nworld, 3)
      ecef: body-fixed axes from ECI                         (nworld, 3, 3)
      t: seconds past J2000 TT [s]                           (nworld,)
      field: magnetic field, or None
    """

    def __init__(self, options: OrbitOptions, frames: list[BodyFixedFrame], epochs: list[float | None]) -> None:
        nworld = len(epochs)
        self.sun = np.zeros((nworld, 3)) + (0.0 if options.sun is None else np.asarray(options.sun))
        self.moon = np.zeros((nworld, 3))
        self.ecef = np.tile(np.eye(3), (nworld, 1, 1))
        self.t = np.zeros(nworld)
        self.q, self.w = (np.array([getattr(f, name) for f in frames]) for name in ("q", "w"))
        self.theta0, self.rate, self.t0 = (np.array([getattr(f, n) for f in frames]) for n in ("theta0", "rate", "t0"))
        self.field = None if options.magnetic_field is None else WorldField(options.magnetic_field, epochs)


def body_axes(environment: EnvironmentData, t: F64) -> F64:
    """ECEF ← ECI (nworld, 3, 3) at ``t`` [s past J2000 TT] (see orientation.BodyFixedFrame)."""
    e = environment
    return e.w @ frame_rotation_z(e.theta0 + e.rate * (t - e.t0)) @ e.q


def environment_stage(d: "MjoData", effects: Effects, t: F64) -> None:
    """Sun, Moon and axes at ``t`` (nworld,) [s past J2000 TT], as far as something needs them."""
    if not effects.environment:
        return
    e = d.environment
    e.t[:] = t
    distinct = t[:1] if (t == t[0]).all() else t  # the series are long: once for worlds that share the time
    if effects.moving_sun:
        e.sun[:] = sun_position(distinct, effects.body)
    if effects.moon:
        e.moon[:] = moon_position(distinct, effects.body)
    if effects.field:
        e.ecef[:] = body_axes(e, t)
