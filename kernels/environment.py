"""What surrounds a world at the time of an evaluation: Sun, Moon and the turn of the central body's axes."""

from functools import cache

import warp as wp

from mjorbit_warp.kernels.ephemeris import moon_position_func, sun_position_func
from mjorbit_warp.kernels.stages import stage_fraction
from mjorbit_warp.kernels.types import Clock


@wp.struct
class EnvironmentModel:
    """Parameters of the loads.

    Attributes:
      zonal: J2 … J6; J2 is the central body's own field                    (*, 5)
      sun_mu, moon_mu: gravitational parameters [m³/s²]                      (*,)
      solar_flux: at 1 AU [W/m²]                                             (*,)
      sun_radius, eclipse_radius: of the shadow's two discs [m]              (*,)
      density_scale: factor on the atmosphere's density [-]                  (*,)
      table_altitude, table_density, table_scale: bands of the atmosphere    (nband,)
      flattening: of the ellipsoid that altitude is above [-]                (*,)
      air_rate: rotation rate of the air about the pole [rad/s]              (*,)
      wind: of the air in its rotating frame, east, north, up [m/s]          (*,)
    """

    zonal: wp.array2d[wp.float64]
    sun_mu: wp.array[wp.float64]
    moon_mu: wp.array[wp.float64]
    solar_flux: wp.array[float]
    sun_radius: wp.array[wp.float64]
    eclipse_radius: wp.array[wp.float64]
    density_scale: wp.array[float]
    table_altitude: wp.array[wp.float64]
    table_density: wp.array[wp.float64]
    table_scale: wp.array[wp.float64]
    flattening: wp.array[wp.float64]
    air_rate: wp.array[wp.float64]
    wind: wp.array[wp.vec3]


@wp.struct
class BodyAxes:
    """Body-fixed axes, as orientation.BodyFixedFrame.

    Attributes:
      q, w: axes from ECI, and body-fixed axes from the turned ones      (*,)
      theta0, rate, t0: angle at t0 [rad], rate [rad/s], t0 [s]          (*,)
    """

    q: wp.array[wp.mat33d]
    w: wp.array[wp.mat33d]
    theta0: wp.array[wp.float64]
    rate: wp.array[wp.float64]
    t0: wp.array[wp.float64]


@wp.struct
class EnvironmentState:
    """What holds at the time of the evaluation under way.

    Attributes:
      sun, moon: position from the central body, ECI [m]       (nworld,)
      ecef: body-fixed axes from ECI                           (nworld,)
      t: seconds past J2000 TT [s]                             (nworld,)
    """

    sun: wp.array[wp.vec3d]
    moon: wp.array[wp.vec3d]
    ecef: wp.array[wp.mat33d]
    t: wp.array[wp.float64]


@wp.func
def body_axes(model: BodyAxes, worldid: int, t: wp.float64) -> wp.mat33d:
    """ECEF ← ECI at ``t``: W · R3(θ0 + rate (t − t0)) · Q (see orientation.BodyFixedFrame)."""
    t0 = model.t0[worldid % model.t0.shape[0]]
    angle = model.theta0[worldid % model.theta0.shape[0]] + model.rate[worldid % model.rate.shape[0]] * (t - t0)
    c = wp.cos(angle)
    s = wp.sin(angle)
    zero = wp.float64(0.0)
    turn = wp.mat33d(c, s, zero, -s, c, zero, zero, zero, wp.float64(1.0))
    return model.w[worldid % model.w.shape[0]] @ turn @ model.q[worldid % model.q.shape[0]]


@cache
def environment_kernel(body: str, sun: bool, moon: bool, axes: bool):
    """Kernel of the stage (world); ``sun`` is False where the Sun is not needed or stands still."""
    sun_position = sun_position_func(body) if sun else None
    moon_position = moon_position_func(body) if moon else None

    @wp.kernel(module="unique", enable_backward=False)
    def _environment(
        # Model:
        opt_timestep: wp.array[float],
        # Data in:
        axes_model: BodyAxes,
        clock: Clock,
        # In:
        stage: int,
        # Data out:
        state: EnvironmentState,
    ):
        """Sun, Moon and body axes at RK4 stage ``stage`` (0 outside RK4)."""
        worldid = wp.tid()
        h = stage_fraction(stage) * wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
        t = clock.epoch[worldid] + clock.time[worldid] + h
        state.t[worldid] = t
        if wp.static(sun):
            state.sun[worldid] = wp.static(sun_position)(t)
        if wp.static(moon):
            state.moon[worldid] = wp.static(moon_position)(t)
        if wp.static(axes):
            state.ecef[worldid] = body_axes(axes_model, worldid, t)

    return _environment
