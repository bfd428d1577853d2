"""Absolute states of the bodies in ECI (design equation 8)."""

import warp as wp

from mjorbit_warp.kernels.types import OrbitState

wp.set_module_options({"enable_backward": False})


@wp.kernel
def _absolute_state(
    # Model:
    body_rootid: wp.array[int],
    # Data in:
    xipos_in: wp.array2d[wp.vec3],
    xquat_in: wp.array2d[wp.quat],
    subtree_com_in: wp.array2d[wp.vec3],
    cvel_in: wp.array2d[wp.spatial_vector],
    orbit: OrbitState,
    # Out:
    r_out: wp.array2d[wp.vec3d],
    v_out: wp.array2d[wp.vec3d],
    quat_out: wp.array2d[wp.quat],
    omega_out: wp.array2d[wp.vec3],
):
    """COM position [m] and velocity [m/s] in ECI, attitude (w,x,y,z), angular velocity in world axes [rad/s].

    ``cvel`` is (rotation, translation) about the COM of the tree's root; shifting it to the body's own COM adds
    ω × (xipos − subtree_com).
    """
    worldid, bodyid = wp.tid()
    cvel = cvel_in[worldid, bodyid]
    omega = wp.spatial_top(cvel)
    position = xipos_in[worldid, bodyid]
    arm = position - subtree_com_in[worldid, body_rootid[bodyid]]
    velocity = wp.spatial_bottom(cvel) + wp.cross(omega, arm)
    r_out[worldid, bodyid] = orbit.r[worldid] + wp.vec3d(position)
    v_out[worldid, bodyid] = orbit.v[worldid] + wp.vec3d(velocity)
    quat_out[worldid, bodyid] = xquat_in[worldid, bodyid]
    omega_out[worldid, bodyid] = omega
