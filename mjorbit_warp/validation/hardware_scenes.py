"""Rigid bodies with wheels, thrusters, torque rods and plates in sunlight, whose motion is known.

Steps are binary fractions, so that float32 holds them and all clocks agree. Commands change at samples of the truth.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import mjorbit_warp as mjo
from mjorbit_warp.validation.models import body_spec
from mjorbit_warp.validation.truth import load

NOTHING = np.zeros(0)


@dataclasses.dataclass
class Scene:
    """One rigid body and what is known of it.

    Attributes:
      spec: the model.
      t: times of the samples [s]                                           (N,)
      q, omega: attitude and body rate                                      (N, 4), (N, 3)
      r, v: position and velocity, absolute if there is an orbit            (N, 3)
      act0: stored momenta at the start                                     (na,)
      command: ctrl from a time on
      speed: of the wheels [rad/s] from act and omega                       -> (nwheel,)
      speeds: true ones                                                     (N, nwheel)
    """

    spec: mjo.MjoSpec
    t: np.ndarray
    q: np.ndarray
    omega: np.ndarray
    r: np.ndarray
    v: np.ndarray
    act0: np.ndarray = dataclasses.field(default_factory=lambda: NOTHING)
    command: Callable[[float], Any] = lambda t: NOTHING
    speed: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda act, omega: NOTHING
    speeds: np.ndarray | None = None


def exact(truth: Any) -> dict[str, Any]:
    """The trajectory of a truth file."""
    return {name: truth[f"exact_{name}"] for name in ("q", "omega", "r", "v")} | {"t": truth["t"]}


def wheels_scene(timestep: float, friction: bool) -> Scene:
    """Four wheels at up to 100 rad/s under stepwise motor torques, no gravity."""
    truth = load("reaction_wheels")
    check, gs, js = truth["fric_check" if friction else "check"], truth["gs"], truth["js"]
    spec = body_spec(truth["inertia"], timestep)
    more: dict[str, Any] = (
        {"coulomb": float(truth["f_coulomb"]), "viscous": float(truth["c_viscous"])} if friction else {}
    )
    for k in range(4):
        spec.add_reaction_wheel(f"wheel_{k}", "hub", gs[k], inertia=js[k], inertia_includes_rotor=True, **more)
    q, omega, speeds = np.split(check, [4, 7], axis=1)
    at_rest = np.zeros((len(q), 3))
    return Scene(
        spec=spec,
        t=truth["t"],
        q=q,
        omega=omega,
        r=at_rest,
        v=at_rest,
        act0=js * (speeds[0] + gs @ omega[0]),
        command=lambda t: truth["u"][np.searchsorted(truth["seg"][:, 1], t, side="right")],
        speed=lambda act, rate: act / js - gs @ rate,
        speeds=speeds,
    )


def thruster_scene(timestep: float) -> Scene:
    """Two thrusters off the COM, on from 1 s for 3 s and 1.5 s, no gravity."""
    truth = load("thruster")
    spec = body_spec(truth["inertia"], timestep)
    for k in range(2):
        force = float(truth["fmax"][k])
        spec.add_thruster(f"jet_{k}", "hub", truth["loc"][k], truth["dir"][k], max_force=force, on_off=bool(k))
    return Scene(spec=spec, **exact(truth), command=lambda t: truth["fmax"] * ((t >= 1.0) & (t < 1.0 + truth["on"])))


def orbit_spec(truth: Any, timestep: float, **options: Any) -> mjo.MjoSpec:
    """A body in a two-body orbit, without gravity gradient."""
    spec = body_spec(truth["inertia"], timestep)
    spec.orbit = mjo.Orbit.from_state(truth["exact_r"][0], truth["exact_v"][0], frame="GCRS")
    spec.options = mjo.OrbitOptions(j2=False, gravity_gradient=False, **options)
    return spec


def rod_scene(timestep: float) -> Scene:
    """Three torque rods, one saturated, in a centred dipole field with inertial axes."""
    truth = load("magnetic_torque_rod")
    g10, g11, h11 = map(float, truth["g10_g11_h11"])
    field = mjo.MagneticField.dipole(g10, g11, h11, radius=float(truth["dipole_radius"]))
    spec = orbit_spec(truth, timestep, orientation="inertial", magnetic_field=field)
    for k in range(3):
        spec.add_magnetorquer(f"rod_{k}", "hub", truth["rod_axes"][k], max_dipole=float(truth["dipole_max"][k]))
    return Scene(spec=spec, **exact(truth), command=lambda t: truth["dipole_cmd"])


def srp_scene(timestep: float) -> Scene:
    """Eight plates in sunlight, one orbit with two passages of the penumbra."""
    truth = load("srp_eclipse")
    spec = orbit_spec(
        truth,
        timestep,
        solar_pressure=True,
        solar_flux=1368.0,
        sun=truth["sun_position"],
        sun_radius=float(truth["sun_radius"]),
        eclipse_radius=float(truth["earth_radius"]),
    )
    for k in range(8):
        spec.add_surface(
            f"plate_{k}",
            "hub",
            truth["facet_loc"][k],
            truth["facet_n"][k],
            area=float(truth["facet_area"][k]),
            drag=0.0,
            specular=float(truth["facet_ks"][k]),
            diffuse=float(truth["facet_kd"][k]),
        )
    return Scene(spec=spec, **exact(truth))
