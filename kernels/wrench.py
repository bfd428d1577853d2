"""Stage 1 of an evaluation (world × body): orbit forces on each body; thread 0 carries the reference orbit."""

from functools import cache

import warp as wp

from mjorbit_warp.kernels.gravity import encke_difference, gravity_gradient_torque, j2_difference
from mjorbit_warp.kernels.orbit import orbit_funcs, stage_fraction
from mjorbit_warp.kernels.types import CentralBody, OrbitState


@cache
def wrench_kernel(j2: bool, gravity_gradient: bool):
    """Kernel of the orbit wrench on every body, built for the effects that are on."""
    gravity, _ = orbit_funcs(j2)

    @wp.kernel(module="unique", enable_backward=False)
    def _wrench(
        # Model:
        opt_timestep: wp.array[float],
        body_mass: wp.array2d[float],
        body_inertia: wp.array2d[wp.vec3],
        central: CentralBody,
        # Data in:
        xipos_in: wp.array2d[wp.vec3],
        ximat_in: wp.array2d[wp.mat33],
        # In:
        stage: int,
        # Data out:
        orbit: OrbitState,
        wrench_out: wp.array2d[wp.spatial_vector],
    ):
        """Force [N] and torque about the body's COM [N·m], world axes, at RK4 stage ``stage`` (0 outside RK4).

        The orbit at a stage is R_k = R_0 + c_k dt V_(k−1), V_k = V_0 + c_k dt A_(k−1). The world body carries no load,
        so its thread stores V_k and A_k for the next stage: no launch of its own, and no other thread reads them now.
        """
        worldid, bodyid = wp.tid()
        mu = central.mu[worldid % central.mu.shape[0]]
        radius = central.radius[worldid % central.radius.shape[0]]
        j2_coef = central.j2[worldid % central.j2.shape[0]]
        pole = orbit.pole[worldid % orbit.pole.shape[0]]

        r = orbit.r[worldid]
        h = stage_fraction(stage) * wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
        if stage > 0:
            r += h * orbit.stage_v[stage - 1, worldid]

        if bodyid == 0:
            v = orbit.v[worldid]
            if stage > 0:
                v += h * orbit.stage_a[stage - 1, worldid]
            orbit.stage_v[stage, worldid] = v
            orbit.stage_a[stage, worldid] = gravity(r, mu, radius, j2_coef, pole)
            wrench_out[worldid, 0] = wp.spatial_vector()
            return

        distance = wp.length(r)
        inverse = wp.float64(1.0) / distance
        u = wp.vec3(r * inverse)
        eps = xipos_in[worldid, bodyid] * float(inverse)
        g = mu * inverse * inverse

        mass = body_mass[worldid % body_mass.shape[0], bodyid]
        acceleration = encke_difference(u, eps, float(g))
        if wp.static(j2):
            ratio = radius * inverse
            g2 = wp.float64(1.5) * j2_coef * g * ratio * ratio
            acceleration += j2_difference(u, eps, wp.vec3(pole), float(g2))
        force = mass * acceleration

        torque = wp.vec3(0.0)
        if wp.static(gravity_gradient):
            inertia = body_inertia[worldid % body_inertia.shape[0], bodyid]
            torque = gravity_gradient_torque(u, eps, float(g * inverse), ximat_in[worldid, bodyid], inertia)
        wrench_out[worldid, bodyid] = wp.spatial_vector(force, torque)

    return _wrench
