"""Stage 2 of an evaluation (world × body): wrenches into generalised forces, less the origin's own acceleration."""

from functools import cache

import warp as wp

from mjorbit_warp.kernels.types import OrbitState


@wp.struct
class Feedback:
    """What the origin's acceleration a_fb is made of.

    Attributes:
      bodies: bodies that surfaces or thrusters push                       (n,)
      roots: bodies at the root of the moving trees                        (ntree,)
      body_subtreemass: MJWarp's [kg]                                      (*, nbody)
      force: non-gravitational external force on each body [N]             (nworld, nbody)
    """

    bodies: wp.array[int]
    roots: wp.array[int]
    body_subtreemass: wp.array2d[float]
    force: wp.array2d[wp.vec3]


@wp.func
def feedback_acceleration(feedback: Feedback, worldid: int) -> wp.vec3:
    """a_fb = ΣF/Σm [m/s²] over all moving trees (design equation 10)."""
    force = wp.vec3(0.0)
    for i in range(feedback.bodies.shape[0]):
        force += feedback.force[worldid, feedback.bodies[i]]
    mass = float(0.0)
    for i in range(feedback.roots.shape[0]):
        mass += feedback.body_subtreemass[worldid % feedback.body_subtreemass.shape[0], feedback.roots[i]]
    return force / mass


@cache
def project_kernel(feedback: bool):
    """Kernel of the projection, with or without a_fb."""

    @wp.kernel(module="unique", enable_backward=False)
    def _project(
        # Model:
        body_rootid: wp.array[int],
        body_subtreenum: wp.array[int],
        body_dofadr: wp.array[int],
        body_dofnum: wp.array[int],
        # Data in:
        xipos_in: wp.array2d[wp.vec3],
        subtree_com_in: wp.array2d[wp.vec3],
        cdof_in: wp.array2d[wp.spatial_vector],
        # In:
        source: Feedback,
        wrench_in: wp.array2d[wp.spatial_vector],
        stage: int,
        # Data out:
        orbit: OrbitState,
        qfrc_orbit_out: wp.array2d[float],
        qfrc_passive_out: wp.array2d[float],
    ):
        """Σ Jᵀ f over the bodies that a body's dofs move (design equations 11, 12), in qfrc_orbit and qfrc_passive.

        ``cdof`` is (rotation, translation) at the COM of the tree's root; MuJoCo orders bodies depth first, so a
        subtree is contiguous and the sum runs in a fixed order. Wrenches are (force, torque) about each body's COM,
        world axes; f = wrench − m a_fb, and Σ m a_fb acts at the subtree's COM. The thread that has the first dof adds
        a_fb to the orbit's own acceleration.
        """
        worldid, bodyid = wp.tid()
        ndof = body_dofnum[bodyid]
        if ndof == 0:
            return
        first = body_dofadr[bodyid]
        origin = subtree_com_in[worldid, body_rootid[bodyid]]

        force = wp.vec3(0.0)
        torque = wp.vec3(0.0)
        for b in range(bodyid, bodyid + body_subtreenum[bodyid]):
            f = wp.spatial_top(wrench_in[worldid, b])
            force += f
            torque += wp.spatial_bottom(wrench_in[worldid, b]) + wp.cross(xipos_in[worldid, b] - origin, f)

        if wp.static(feedback):
            a_fb = feedback_acceleration(source, worldid)
            if first == 0:
                orbit.feedback[worldid] = wp.vec3d(a_fb)
                k = wp.max(stage, 0)
                orbit.stage_a[k, worldid] += wp.vec3d(a_fb)
            inertial = source.body_subtreemass[worldid % source.body_subtreemass.shape[0], bodyid] * a_fb
            force -= inertial
            torque -= wp.cross(subtree_com_in[worldid, bodyid] - origin, inertial)

        for dofid in range(first, first + ndof):
            cdof = cdof_in[worldid, dofid]
            qfrc = wp.dot(wp.spatial_bottom(cdof), force) + wp.dot(wp.spatial_top(cdof), torque)
            qfrc_orbit_out[worldid, dofid] = qfrc
            qfrc_passive_out[worldid, dofid] += qfrc

    return _project
