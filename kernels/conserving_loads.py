"""External loads on each body in float64 at an evaluation (world × body), without those of wheels and CMGs."""

from functools import cache

import warp as wp

from mjorbit_warp.effects import Effects
from mjorbit_warp.kernels.conserving import Conserving, SiteModel, base_load
from mjorbit_warp.kernels.conserving_gravity import difference_func
from mjorbit_warp.kernels.conserving_kinematics import Places
from mjorbit_warp.kernels.environment import EnvironmentModel, EnvironmentState
from mjorbit_warp.kernels.hardware import HardwareState, Wheels
from mjorbit_warp.kernels.momentum import TreeModel, rotate, stored_quat
from mjorbit_warp.kernels.stages import stage_fraction
from mjorbit_warp.kernels.types import CentralBody, OrbitState
from mjorbit_warp.kernels.wrench import stage_origin


@wp.struct
class UserLoads:
    """Forces in MJWarp's arrays; ``orbit`` is the part of ``passive`` that is ours."""

    passive: wp.array2d[float]
    orbit: wp.array2d[float]
    applied: wp.array2d[float]
    wrench: wp.array2d[wp.spatial_vector]


@cache
def loads_kernel(effects: Effects, external: bool):
    """Kernel of the loads, built for what is on; ``external``: surfaces, magnetics or thrusters turn bodies."""
    gravity_difference = difference_func(effects)
    pushed = effects.drag or effects.light or effects.thrusters

    @wp.kernel(module="unique", enable_backward=False)
    def _conserving_loads(
        # Model:
        opt_timestep: wp.array[float],
        central: CentralBody,
        environment_model: EnvironmentModel,
        model: TreeModel,
        sites: SiteModel,
        wheels: Wheels,
        # Data in:
        environment: EnvironmentState,
        orbit: OrbitState,
        hardware: HardwareState,
        places: Places,
        user: UserLoads,
        # In:
        stage: int,
        # Data out:
        target: Conserving,
    ):
        """Force [N] and torque about the body's COM [N·m], world axes, of everything but actuators and constraints."""
        worldid, bodyid = wp.tid()
        if bodyid == 0:
            return
        com = places.com[worldid, bodyid]
        quat = places.quat[worldid, bodyid]
        given = user.wrench[worldid, bodyid]
        force = wp.vec3d(wp.spatial_top(given))
        torque = wp.vec3d(wp.spatial_bottom(given))
        mass = wp.float64(model.body_mass[worldid % model.body_mass.shape[0], bodyid])
        if wp.static(effects.orbit):
            dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
            r, _v = stage_origin(orbit, stage, stage_fraction(stage) * dt, worldid)
            pole = orbit.pole[worldid % orbit.pole.shape[0]]
            force += mass * gravity_difference(r, com, pole, central, environment_model, environment, worldid)
            if wp.static(effects.gravity_gradient):
                at = r + com
                d2 = wp.dot(at, at)
                scale = wp.float64(3.0) * central.mu[worldid % central.mu.shape[0]] / (d2 * d2 * wp.sqrt(d2))
                local = stored_quat(model.body_iquat[worldid % model.body_iquat.shape[0], bodyid])
                up = rotate(wp.vec4d(quat[0], -quat[1], -quat[2], -quat[3]), at)
                n = rotate(wp.vec4d(local[0], -local[1], -local[2], -local[3]), up)
                moments = wp.vec3d(model.body_inertia[worldid % model.body_inertia.shape[0], bodyid])
                own = rotate(local, wp.cross(n, wp.cw_mul(moments, n)))
                if wp.static(effects.wheels):  # the rotors' axial inertia, which the body's own excludes
                    for i in range(wheels.adr[bodyid], wheels.adr[bodyid + 1]):
                        frame = stored_quat(sites.quat[worldid % sites.quat.shape[0], wheels.site[i]])
                        axis = rotate(frame, wp.vec3d(wheels.axis[i]))
                        inertia = wp.float64(wheels.inertia[worldid % wheels.inertia.shape[0], i])
                        own += wp.cross(up, axis) * (inertia * wp.dot(axis, up))
                torque += scale * rotate(quat, own)
        if wp.static(effects.orbit and effects.feedback):
            force -= mass * orbit.feedback[worldid]
        if wp.static(pushed):
            force += wp.vec3d(hardware.force[worldid, bodyid])
        if wp.static(external):
            torque += wp.vec3d(hardware.torque[worldid, bodyid])
        first = model.body_jntadr[bodyid]
        if model.body_jntnum[bodyid] > 0:
            if model.jnt_type[first] == 0:  # a free joint: generalised forces of the user, and of hooks
                dof = model.jnt_dofadr[first]
                arm = com - places.pos[worldid, bodyid]
                f, t = base_load(user.applied, quat, arm, worldid, dof)
                g, u = base_load(user.passive, quat, arm, worldid, dof)
                o, p = base_load(user.orbit, quat, arm, worldid, dof)
                force += f + (g - o)
                torque += t + (u - p)
        target.force[worldid, bodyid] = force
        target.torque[worldid, bodyid] = torque

    return _conserving_loads
