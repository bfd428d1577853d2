"""Environment of a model and of its worlds, on the device; which effects are on."""

from typing import Any

import numpy as np
import warp as wp

from mjorbit_warp.atmosphere import Atmosphere
from mjorbit_warp.constants import ZONAL, CentralBody, central_body
from mjorbit_warp.effects import Effects
from mjorbit_warp.hardware.compiled import Hardware
from mjorbit_warp.kernels.environment import BodyAxes, EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.magnetic_field import MagneticFieldModel
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.orientation import BodyFixedFrame
from mjorbit_warp.parameters import Parameters, shared

# JPL DE440 (Park, Folkner, Williams & Boggs, Astron. J. 161, 105, 2021), TDB-compatible [m³/s²]
SUN_MU = 1.32712440041279419e20
BATCHED = (
    "zonal",
    "sun_mu",
    "moon_mu",
    "solar_flux",
    "sun_radius",
    "eclipse_radius",
    "density_scale",
    "flattening",
    "air_rate",
    "wind",
)


def environment_effects(options: OrbitOptions, orbit: Orbit | None, hardware: Hardware) -> Effects:
    """Effects that a model has, but for its integrator (see MjoModel.effects)."""
    wheels, cmgs, thrusters = (hardware.any(kind) for kind in ("reaction_wheel", "cmg", "thruster"))
    if orbit is None:
        return Effects(orbit=False, j2=False, gravity_gradient=False, wheels=wheels, cmgs=cmgs, thrusters=thrusters)
    surfaces = hardware.surface.parts
    drag = options.atmosphere is not None and any(s.drag > 0.0 for s in surfaces)
    light = options.solar_pressure and bool(surfaces)
    magnetic = hardware.any("magnetorquer", "residual_dipole") and options.magnetic_field is not None
    sun = "sun" in options.third_bodies
    return Effects(
        body=orbit.body.name,
        j2=options.j2,
        gravity_gradient=options.gravity_gradient,
        zonal=options.zonal_degree,
        sun=sun,
        moon="moon" in options.third_bodies,
        moving_sun=(sun or light) and options.sun is None,
        drag=drag,
        wind=drag and any(options.wind),
        light=light,
        eclipse=options.eclipse if light else "none",
        field=options.magnetic_field.degree if magnetic and options.magnetic_field else 0,
        feedback=options.feedback and (drag or light or thrusters),
        wheels=wheels,
        cmgs=cmgs,
        thrusters=thrusters,
        rods=magnetic and hardware.any("magnetorquer"),
    )


def check_environment(options: OrbitOptions, orbit: Orbit | None, hardware: Hardware) -> list[str]:
    """Notes on parts that have no effect; refuses, in one sentence, what cannot be evaluated."""
    notes = []
    rods = (*hardware.magnetorquer.names, *hardware.residual_dipole.names)
    if orbit is None:
        if still := (*rods, *hardware.surface.names):
            notes.append(f"{', '.join(still)} has no effect without an orbit: set spec.orbit")
        return notes
    if rods and options.magnetic_field is None:
        raise ValueError(
            f"{', '.join(rods)} needs a magnetic field: set spec.options.magnetic_field, e.g. to MagneticField.igrf()"
        )
    on = [name for name in ("atmosphere", "solar_pressure") if getattr(options, name)]
    if hardware.surface.names and not on:
        notes.append("surfaces have no effect: set spec.options.atmosphere or solar_pressure")
    if on and not hardware.surface.names:
        notes.append(f"{' and '.join(on)} moves nothing, as the model has no surfaces: use spec.add_surface")
    _check_epoch(options, orbit)
    if options.magnetic_field is not None:
        options.magnetic_field.at(orbit.epoch)  # refuses an epoch outside its validity
        if options.magnetic_field.kind == "igrf" and orbit.body.name != "earth":
            notes.append(
                f"the magnetic field {options.magnetic_field.name} is Earth's, the orbit about {orbit.body.name}"
            )
    if "moon" in options.third_bodies and orbit.body.name == "moon":
        raise ValueError('third body "moon" is the central body: take it out of spec.options.third_bodies')
    return notes


def _check_epoch(options: OrbitOptions, orbit: Orbit) -> None:
    if orbit.epoch is not None:
        return
    if "moon" in options.third_bodies:
        raise ValueError('third body "moon" needs an orbit with an epoch: give one to the orbit')
    if options.sun is None and ("sun" in options.third_bodies or options.solar_pressure):
        raise ValueError("the Sun's position needs an orbit with an epoch: give one, or set spec.options.sun")


def air_bands(air: Atmosphere) -> dict[str, tuple[float, ...]]:
    """Columns of the table that kernels search."""
    return {"altitude": air.altitude, "density": air.density, "scale": air.scale_height}


def environment_parameters(options: OrbitOptions, body: CentralBody) -> Parameters:
    """Parameters of the loads, see kernels.environment.EnvironmentModel."""
    air = options.atmosphere
    bands = {"altitude": (), "density": (), "scale": ()} if air is None else air_bands(air)
    zonal = np.array(ZONAL.get(body.name, (0.0,) * 5))
    zonal[0] = 0.0  # J2 is the central body's own, and may differ
    zonal[options.zonal_degree - 1 :] = 0.0
    arrays = {
        "zonal": shared(zonal, wp.float64),
        "sun_mu": shared(SUN_MU, wp.float64),
        "moon_mu": shared(central_body("moon").mu, wp.float64),
        "solar_flux": shared(options.solar_flux, float),
        "sun_radius": shared(options.sun_radius, wp.float64),
        "eclipse_radius": shared(options.eclipse_radius or body.radius, wp.float64),
        "density_scale": shared(1.0, float),
        **{f"table_{name}": wp.array(values, dtype=wp.float64) for name, values in bands.items()},
        "flattening": shared(0.0 if air is None else air.flattening, wp.float64),
        "air_rate": shared(options.air_rate(body.rotation_rate), wp.float64),
        "wind": shared(options.wind, wp.vec3),
    }
    return Parameters(EnvironmentModel, arrays, BATCHED)


class EnvironmentData:
    """What surrounds each world at the time of the last evaluation.

    Attributes:
      sun, moon: position from the central body, ECI [m]     (nworld, 3)
      ecef: body-fixed axes from ECI                         (nworld, 3, 3)
    """

    def __init__(self, options: OrbitOptions, frames: list[BodyFixedFrame], orbits: list[Orbit]) -> None:
        nworld = len(orbits)
        for orbit in orbits:
            _check_epoch(options, orbit)
        state: Any = EnvironmentState()
        state.sun, state.moon = wp.zeros(nworld, dtype=wp.vec3d), wp.zeros(nworld, dtype=wp.vec3d)
        if options.sun is not None:
            state.sun = wp.array(np.tile(options.sun, (nworld, 1)), dtype=wp.vec3d)
        state.ecef = wp.array(np.tile(np.eye(3), (nworld, 1, 1)), dtype=wp.mat33d)
        state.t = wp.zeros(nworld, dtype=wp.float64)
        self.state = state
        self.sun, self.moon, self.ecef = state.sun, state.moon, state.ecef
        axes: Any = BodyAxes()
        axes.q = wp.array(np.array([f.q for f in frames]), dtype=wp.mat33d)
        axes.w = wp.array(np.array([f.w for f in frames]), dtype=wp.mat33d)
        for name in ("theta0", "rate", "t0"):
            setattr(axes, name, wp.array([getattr(f, name) for f in frames], dtype=wp.float64))
        self.axes = axes
        self.field = _field(options, [o.epoch for o in orbits])


def _field(options: OrbitOptions, epochs: list[float | None]) -> Any:
    """Coefficients at each world's epoch, one row if all worlds share it."""
    model: Any = MagneticFieldModel()
    if options.magnetic_field is None:
        return model
    different = epochs if len(set(epochs)) > 1 else epochs[:1]
    pieces = {epoch: options.magnetic_field.at(epoch) for epoch in set(different)}
    packed = {epoch: piece.packed() for epoch, piece in pieces.items()}
    model.radius = wp.array([float(pieces[e].radius) for e in different], dtype=wp.float64)
    model.t0 = wp.array([e or 0.0 for e in different], dtype=wp.float64)
    model.years = wp.array([pieces[e].years(e) for e in different], dtype=wp.float64)
    model.value = wp.array(np.array([packed[e][0] for e in different]), dtype=wp.vec2d)
    model.rate = wp.array(np.array([packed[e][1] for e in different]), dtype=wp.vec2d)
    return model
