"""Grouped kernel arguments. Leading dimension ``*`` is 1 (shared) or nworld, read ``x[worldid % x.shape[0]]``."""

import warp as wp


@wp.struct
class CentralBody:
    """Gravity of the central body.

    Attributes:
      mu: gravitational parameter [m³/s²]                    (*,)
      radius: reference radius of J2 and surface [m]         (*,)
      j2: second zonal harmonic, unnormalised [-]            (*,)
    """

    mu: wp.array[wp.float64]
    radius: wp.array[wp.float64]
    j2: wp.array[wp.float64]


@wp.struct
class OrbitState:
    """Reference orbit: the origin of MuJoCo's world, in ECI axes.

    Attributes:
      r: position at the clock's time [m]                    (nworld,)
      v: velocity at the clock's time [m/s]                  (nworld,)
      r_carry: rounding not yet added to r [m]               (nworld,)
      v_carry: rounding not yet added to v [m/s]             (nworld,)
      stage_v: velocity at each RK4 stage [m/s]              (4, nworld)
      stage_a: acceleration at each RK4 stage [m/s²]         (4, nworld)
      feedback: part of it from non-gravitational forces [m/s²], at the last evaluation   (nworld,)
      pole: unit vector of the body's pole                   (*,)
    """

    r: wp.array[wp.vec3d]
    v: wp.array[wp.vec3d]
    r_carry: wp.array[wp.vec3d]
    v_carry: wp.array[wp.vec3d]
    stage_v: wp.array2d[wp.vec3d]
    stage_a: wp.array2d[wp.vec3d]
    feedback: wp.array[wp.vec3d]
    pole: wp.array[wp.vec3d]


@wp.struct
class Clock:
    """Elapsed time ``base + nstep·dt``: a count of steps, never a running sum.

    Attributes:
      time: elapsed simulation time [s]                      (nworld,)
      base: elapsed time at which counting started [s]       (nworld,)
      nstep: steps counted since then                        (nworld,)
      dt: step that was counted [s]                          (nworld,)
      epoch: seconds past J2000 TT at elapsed time 0 [s]     (nworld,)
      t: seconds past J2000 TT now, epoch + time [s]         (nworld,)
    """

    time: wp.array[wp.float64]
    base: wp.array[wp.float64]
    nstep: wp.array[wp.int64]
    dt: wp.array[wp.float64]
    epoch: wp.array[wp.float64]
    t: wp.array[wp.float64]
