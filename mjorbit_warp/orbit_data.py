"""The reference orbit of each world on the device."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from mjorbit_warp import frames
from mjorbit_warp.kernels.propagate import _refresh
from mjorbit_warp.kernels.types import Clock, OrbitState
from mjorbit_warp.orbit import Orbit
from mjorbit_warp.orientation import BodyFixedFrame, body_fixed_frame


def orbit_per_world(default: Orbit | None, orbit: Orbit | Sequence[Orbit] | None, nworld: int) -> list[Orbit] | None:
    """One orbit per world from what a caller gave; None without an orbit."""
    if orbit is None:
        return None if default is None else [default] * nworld
    if default is None:
        raise ValueError("the model was compiled without an orbit: set spec.orbit before compile()")
    orbits = [orbit] * nworld if isinstance(orbit, Orbit) else list(orbit)
    if len(orbits) != nworld:
        raise ValueError(f"orbit has {len(orbits)} entries for {nworld} worlds: give one orbit, or one per world")
    for i, o in enumerate(orbits):
        if not isinstance(o, Orbit):
            raise TypeError(f"orbit[{i}] is a {type(o).__name__}: an mjorbit_warp.Orbit is expected")
        if o.body != default.body:
            raise ValueError(f"orbit[{i}] is about {o.body.name}, the model's about {default.body.name}: use one body")
    return orbits


def body_frames(orbits: list[Orbit], orientation: Any) -> list[BodyFixedFrame]:
    """Body-fixed axes of each world, one entry if all worlds share an epoch."""
    epochs = [o.epoch for o in orbits]
    unique = {t: body_fixed_frame(orbits[0].body, t, orientation) for t in set(epochs)}
    return [unique[epochs[0]]] if len(unique) == 1 else [unique[t] for t in epochs]


class OrbitData:
    """Reference orbit: origin of MuJoCo's world, ECI axes, float64.

    Write into ``r`` and ``v`` at any time; the next evaluation uses them.

    Attributes:
      r: position [m]                                                (nworld, 3)
      v: velocity [m/s]                                              (nworld, 3)
      t: seconds past J2000 TT [s] (past the start, if the orbit has no epoch)   (nworld,)
      epoch: t at elapsed time 0 [s]                                 (nworld,)
      lvlh: rows are the LVLH axes in ECI                            (nworld, 3, 3)
      pole: unit vector of the central body's pole                   (*, 3)
      feedback: origin's acceleration by drag, sunlight and thrust at the last evaluation [m/s²]   (nworld, 3)
      r0, v0: orbit that a reset restores [m], [m/s]                 (nworld, 3)
      frames: body-fixed axes on the host, one entry or one per world
    """

    def __init__(self, orbits: list[Orbit], orientation: Any, clock: Clock) -> None:
        nworld = len(orbits)
        r = np.array([o.r for o in orbits])
        v = np.array([o.v for o in orbits])
        self.frames = body_frames(orbits, orientation)
        self.r: wp.array = wp.array(r, dtype=wp.vec3d)
        self.v: wp.array = wp.array(v, dtype=wp.vec3d)
        self.r0: wp.array = wp.array(r, dtype=wp.vec3d)
        self.v0: wp.array = wp.array(v, dtype=wp.vec3d)
        self.epoch = clock.epoch
        self.t = clock.t
        self.pole: wp.array = wp.array(np.array([f.pole for f in self.frames]), dtype=wp.vec3d)
        self.lvlh: wp.array = wp.array(frames.lvlh_axes(r, v), dtype=wp.mat33d)
        self.state = OrbitState()
        self.state.r = self.r
        self.state.v = self.v
        self.state.r_carry = wp.zeros(nworld, dtype=wp.vec3d)
        self.state.v_carry = wp.zeros(nworld, dtype=wp.vec3d)
        stage_v: Any = wp.zeros((4, nworld), dtype=wp.vec3d)
        stage_a: Any = wp.zeros((4, nworld), dtype=wp.vec3d)
        self.state.stage_v, self.state.stage_a = stage_v, stage_a
        self.feedback: wp.array = wp.zeros(nworld, dtype=wp.vec3d)
        self.state.feedback = self.feedback
        self.state.pole = self.pole
        self._sealed = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_sealed" in self.__dict__:
            raise AttributeError(
                f"orbit.{name} cannot be rebound, as graphs keep the old array: use orbit.{name}.assign(values)"
            )
        object.__setattr__(self, name, value)


def refresh_orbit(d: Any) -> None:
    """Epoch time and LVLH frame of a MjoData at the orbit and clock as they are now."""
    if d.orbit is not None:
        wp.launch(_refresh, dim=d.nworld, inputs=[d.orbit.state], outputs=[d._clock, d.orbit.lvlh], device=d.device)
