"""Stage 2 of an evaluation (world × dof): body wrenches into generalised forces, less the origin's own acceleration."""

from functools import cache

import warp as wp

from mjorbit_warp.kernels.types import OrbitState


@wp.struct
class Feedback:
    """What the origin's acceleration a_fb is made of.

    Attributes:
      bodies: bodies that surfaces or thrusters push                       (n,)
      roots: bodies at the root of the moving trees                        (ntree,)
      body_mass, body_subtreemass: MJWarp's [kg]                           (*, nbody)
      force: non-gravitational external force on each body [N]             (nworld, nbody)
    """

    bodies: wp.array[int]
    roots: wp.array[int]
    body_mass: wp.array2d[float]
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
        dof_bodyid: wp.array[int],
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
        """Σ Jᵀ f over the bodies that a dof moves (design equations 11, 12), in qfrc_orbit and added to qfrc_passive.

        ``cdof`` is (rotation, translation) at the COM of the tree's root; MuJoCo orders bodies depth first, so a
        subtree is contiguous and the sum runs in a fixed order. Wrenches are (force, torque) about each body's COM,
        world axes; f = wrench − m a_fb. The first dof's thread adds a_fb to the orbit's own acceleration.
        """
        worldid, dofid = wp.tid()
        cdof = cdof_in[worldid, dofid]
        rotation = wp.spatial_top(cdof)
        translation = wp.spatial_bottom(cdof)
        first = dof_bodyid[dofid]
        origin = subtree_com_in[worldid, body_rootid[first]]

        a_fb = wp.vec3(0.0)
        if wp.static(feedback):
            a_fb = feedback_acceleration(source, worldid)
            if dofid == 0:
                orbit.feedback[worldid] = wp.vec3d(a_fb)
                k = wp.max(stage, 0)
                orbit.stage_a[k, worldid] += wp.vec3d(a_fb)

        force = wp.vec3(0.0)
        torque = wp.vec3(0.0)
        for bodyid in range(first, first + body_subtreenum[first]):
            f = wp.spatial_top(wrench_in[worldid, bodyid])
            if wp.static(feedback):
                f -= source.body_mass[worldid % source.body_mass.shape[0], bodyid] * a_fb
            force += f
            torque += wp.spatial_bottom(wrench_in[worldid, bodyid]) + wp.cross(xipos_in[worldid, bodyid] - origin, f)

        qfrc = wp.dot(translation, force) + wp.dot(rotation, torque)
        qfrc_orbit_out[worldid, dofid] = qfrc
        qfrc_passive_out[worldid, dofid] += qfrc

    return _project
