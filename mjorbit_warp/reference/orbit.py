"""The reference orbit and the clock, in float64 over worlds."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp._vector import by_component
from mjorbit_warp.frames import lvlh_axes
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.orbit_data import body_frames
from mjorbit_warp.reference.gravity import j2_gravity, point_gravity
from mjorbit_warp.reference.third_body import third_body_gravity
from mjorbit_warp.reference.zonal import zonal_gravity

if TYPE_CHECKING:
    from mjorbit_warp.effects import Effects
    from mjorbit_warp.reference.data import MjoData

F64 = NDArray[np.float64]
STAGES = (0.0, 0.5, 0.5, 1.0)
WEIGHTS = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)


class OrbitData:
    """Arrays of the same names as in the Warp backend; see mjorbit_warp.orbit_data.OrbitData."""

    def __init__(self, orbits: list[Orbit], orientation: Any) -> None:
        nworld = len(orbits)
        self.r = by_component([o.r for o in orbits])
        self.v = by_component([o.v for o in orbits])
        self.r0, self.v0 = self.r.copy(), self.v.copy()
        self.r_carry, self.v_carry = np.zeros_like(self.r), np.zeros_like(self.v)
        self.frames = body_frames(orbits, orientation)
        self.pole = by_component([f.pole for f in self.frames])
        self.lvlh = lvlh_axes(self.r, self.v)
        self.stage_v, self.stage_a = (np.zeros((4, 3, nworld)).swapaxes(1, 2) for _ in range(2))
        self.feedback = np.zeros((nworld, 3))


def gravity(d: "MjoData", effects: "Effects", r: F64) -> F64:
    """Acceleration of the reference orbit [m/s²] (design equation 9 without feedback)."""
    mu, radius, pole = d.central_mu, d.central_radius, d.orbit.pole
    a = point_gravity(r, mu)
    if effects.j2:
        a = a + j2_gravity(r, mu, radius, d.central_j2, pole)
    if effects.zonal > 2:
        a = a + zonal_gravity(r, mu, radius, d.environment_zonal, pole)
    if effects.sun:
        a = a + third_body_gravity(r, d.environment.sun, d.environment_sun_mu)
    if effects.moon:
        a = a + third_body_gravity(r, d.environment.moon, d.environment_moon_mu)
    return a


def orbit_stage(d: "MjoData", effects: "Effects", stage: int) -> tuple[F64, F64]:
    """Position [m] and velocity [m/s] of the reference orbit at an RK4 stage; keeps V and A of it for the next one."""
    o = d.orbit
    h = STAGES[stage] * d.timestep[:, None]
    r, v = o.r, o.v
    if stage:
        r, v = r + h * o.stage_v[stage - 1], v + h * o.stage_a[stage - 1]
    o.stage_v[stage] = v
    o.stage_a[stage] = gravity(d, effects, r)
    return r, v


def compensated_add(total: F64, carry: F64, increment: F64) -> tuple[F64, F64]:
    """Neumaier's form of the compensated sum: (total + increment, what rounding left out)."""
    y = increment + carry
    new = total + y
    low = np.where(np.abs(total) >= np.abs(y), (total - new) + y, (y - new) + total)
    return new, low


def advance_orbit(d: "MjoData") -> None:
    """Combine the four stages into the orbit at t_(n+1)."""
    o, dt = d.orbit, d.timestep[:, None]
    dr, dv = (dt * sum(WEIGHTS[k] * rate[k] for k in range(4)) for rate in (o.stage_v, o.stage_a))
    r, o.r_carry[:] = compensated_add(o.r, o.r_carry, dr)
    v, o.v_carry[:] = compensated_add(o.v, o.v_carry, dv)
    o.r[:], o.v[:] = r, v
    o.lvlh[:] = lvlh_axes(r, v)


class Clock:
    """Elapsed time base + nstep·dt, see mjorbit_warp.kernels.clock."""

    def __init__(self, epoch: F64) -> None:
        nworld = epoch.size
        self.time, self.base, self.dt = np.zeros(nworld), np.zeros(nworld), np.zeros(nworld)
        self.nstep = np.zeros(nworld, dtype=np.int64)
        self.epoch = epoch

    def tick(self, dt: F64) -> None:
        """One step; a time that somebody wrote, or a new dt, restarts the count."""
        restart = (self.time != self.base + self.nstep * self.dt) | (dt != self.dt)
        self.base[restart] = self.time[restart]
        self.nstep[restart] = 0
        self.dt[restart] = dt[restart]
        self.nstep += 1
        self.time[:] = self.base + self.nstep * self.dt
