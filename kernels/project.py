"""Stage 2 of an evaluation (world × dof): body wrenches into generalised forces."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
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
    wrench_in: wp.array2d[wp.spatial_vector],
    # Data out:
    qfrc_orbit_out: wp.array2d[float],
    qfrc_passive_out: wp.array2d[float],
):
    """Σ Jᵀ f over the bodies that a dof moves (design equation 12), kept in qfrc_orbit and added to qfrc_passive.

    ``cdof`` is (rotation, translation) at the COM of the tree's root; MuJoCo orders bodies depth first, so a subtree is
    contiguous and the sum runs in a fixed order. Wrenches are (force, torque) about each body's COM, world axes.
    """
    worldid, dofid = wp.tid()
    cdof = cdof_in[worldid, dofid]
    rotation = wp.spatial_top(cdof)
    translation = wp.spatial_bottom(cdof)
    first = dof_bodyid[dofid]
    origin = subtree_com_in[worldid, body_rootid[first]]

    force = wp.vec3(0.0)
    torque = wp.vec3(0.0)
    for bodyid in range(first, first + body_subtreenum[first]):
        f = wp.spatial_top(wrench_in[worldid, bodyid])
        force += f
        torque += wp.spatial_bottom(wrench_in[worldid, bodyid]) + wp.cross(xipos_in[worldid, bodyid] - origin, f)

    qfrc = wp.dot(translation, force) + wp.dot(rotation, torque)
    qfrc_orbit_out[worldid, dofid] = qfrc
    qfrc_passive_out[worldid, dofid] += qfrc
