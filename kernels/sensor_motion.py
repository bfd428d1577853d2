"""Motion of a site, and what sensors of motion make of it. Quaternions are (w, x, y, z), as MJWarp stores them."""

import warp as wp

from mjorbit_warp.kernels.quaternion import quat_product
from mjorbit_warp.kernels.sensor_types import Motion, vec6d


@wp.func
def quat_turned(q: wp.quat, rotation: wp.vec3) -> wp.quat:
    """q exp(θ/2): turned by the rotation vector θ [rad] in its own axes; unit, w ≥ 0."""
    angle = wp.length(rotation)
    half = 0.5 * angle
    scale = 0.5 - angle * angle / 48.0
    if angle > 1e-3:
        scale = wp.sin(half) / angle
    out = quat_product(q, wp.quat(wp.cos(half), scale * rotation[0], scale * rotation[1], scale * rotation[2]))
    sign = 1.0 / wp.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3])
    if out[0] < 0.0:
        sign = -sign
    return wp.quat(sign * out[0], sign * out[1], sign * out[2], sign * out[3])


@wp.func
def site_arm(motion: Motion, worldid: int, site: int) -> wp.vec3:
    """From the COM of the site's tree, which ``cvel`` and ``cdof`` are about, to the site [m]."""
    body = motion.site_bodyid[site]
    return motion.site_xpos[worldid, site] - motion.subtree_com[worldid, motion.rootid[body]]


@wp.func
def site_velocity(motion: Motion, worldid: int, site: int) -> wp.vec3:
    """Velocity of the site relative to the orbit's origin, world axes [m/s]."""
    cvel = motion.cvel[worldid, motion.site_bodyid[site]]
    return wp.spatial_bottom(cvel) + wp.cross(wp.spatial_top(cvel), site_arm(motion, worldid, site))


@wp.func
def body_acceleration(motion: Motion, worldid: int, bodyid: int) -> wp.spatial_vector:
    """Σ (cdof_dot q̇ + cdof q̈) over the dofs that move the body: its spatial acceleration, as MuJoCo's ``cacc``.

    Summed here from ``qacc``, which has every force in it, so that no second RNE pass is needed.
    """
    acceleration = wp.spatial_vector()
    body = bodyid
    while body > 0:
        for k in range(motion.dofadr[body], motion.dofadr[body] + motion.dofnum[body]):
            acceleration += motion.cdof_dot[worldid, k] * motion.qvel[worldid, k]
            acceleration += motion.cdof[worldid, k] * motion.qacc[worldid, k]
        body = motion.parentid[body]
    return acceleration


@wp.func
def site_acceleration(motion: Motion, worldid: int, site: int) -> wp.vec3:
    """Acceleration of the site relative to the orbit's origin, world axes [m/s²].

    a + α×r from the spatial acceleration at the tree's COM, and ω×v of the site, which turns a spatial into a
    classical one (R. Featherstone, "Rigid Body Dynamics Algorithms", section 2.11).
    """
    body = motion.site_bodyid[site]
    spatial = body_acceleration(motion, worldid, body)
    arm = site_arm(motion, worldid, site)
    linear = wp.spatial_bottom(spatial) + wp.cross(wp.spatial_top(spatial), arm)
    omega = wp.spatial_top(motion.cvel[worldid, body])
    return linear + wp.cross(omega, site_velocity(motion, worldid, site))


@wp.func
def in_site(motion: Motion, worldid: int, site: int, x: wp.vec3d) -> vec6d:
    """A vector in world axes into the site's axes."""
    m = motion.site_xmat[worldid, site]
    y = wp.transpose(wp.mat33d(m)) @ x
    return vec6d(y[0], y[1], y[2], wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))


@wp.func
def scalar(x: wp.float64) -> vec6d:
    """An output of one component."""
    zero = wp.float64(0.0)
    return vec6d(x, zero, zero, zero, zero, zero)
