"""Equality constraints whose relative pose is written per world while the simulation runs."""

import warp as wp

from mjorbit_warp.kernels.quaternion import quat_conjugate, quat_product

wp.set_module_options({"enable_backward": False})

NDATA = 12  # numbers of a constraint (mjNEQDATA)


@wp.struct
class Latches:
    """Constraints between bodies that can be latched.

    slot: row of each constraint in what follows, −1 for one that cannot be latched   (neq,)
    on: whether it holds a pose of its own                                            (nworld, n)
    pose: its numbers then, as in ``eq_data``                                         (nworld, n, 12)
    data: what MJWarp reads: the pose where ``on``, else the model's numbers          (nworld, neq, 12)
    """

    slot: wp.array[int]
    on: wp.array2d[bool]
    pose: wp.array3d[float]
    data: wp.array3d[float]


@wp.struct
class Frames:
    """Positions [m] and orientations of bodies, world axes (nworld, nbody)."""

    pos: wp.array2d[wp.vec3]
    mat: wp.array2d[wp.mat33]
    quat: wp.array2d[wp.quat]


@wp.func
def point_of(frames: Frames, worldid: int, origin: int, point: int, anchor: wp.vec3) -> wp.vec3:
    """Where a point fixed in body ``point`` is in the axes of body ``origin`` [m]: R_oᵀ (x_p + R_p a − x_o)."""
    # the difference first: both may be far from the origin
    arm = frames.pos[worldid, point] - frames.pos[worldid, origin] + frames.mat[worldid, point] * anchor
    return wp.transpose(frames.mat[worldid, origin]) * arm


@wp.kernel
def _latch(
    # Model:
    eq_obj1id: wp.array[int],
    eq_obj2id: wp.array[int],
    eq_data: wp.array3d[float],
    # In:
    frames: Frames,
    mask_in: wp.array[bool],
    eq: int,
    is_weld: bool,
    # Out:
    eq_active_out: wp.array2d[bool],
    latches: Latches,
):
    """One constraint holds the bodies of the masked worlds as they are (world).

    The anchor is the model's. A weld has it in body 2 and takes its place in body 1 (3:6) and q1* q2 (6:10); a connect
    has it in body 1 and takes its place in body 2 (3:6). Layout: MuJoCo's eq_data.
    """
    worldid = wp.tid()
    if not mask_in[worldid]:
        return
    row = latches.slot[eq]
    shared = worldid % eq_data.shape[0]
    for i in range(NDATA):
        latches.pose[worldid, row, i] = eq_data[shared, eq, i]
    anchor = wp.vec3(eq_data[shared, eq, 0], eq_data[shared, eq, 1], eq_data[shared, eq, 2])
    body1, body2 = eq_obj1id[eq], eq_obj2id[eq]
    if is_weld:
        place = point_of(frames, worldid, body1, body2, anchor)
        turn = quat_product(quat_conjugate(frames.quat[worldid, body1]), frames.quat[worldid, body2])
        for i in range(4):
            latches.pose[worldid, row, 6 + i] = turn[i]
    else:
        place = point_of(frames, worldid, body2, body1, anchor)
    for i in range(3):
        latches.pose[worldid, row, 3 + i] = place[i]
    latches.on[worldid, row] = True
    eq_active_out[worldid, eq] = True


@wp.kernel
def _unlatch(mask_in: wp.array[bool], eq: int, eq_active_out: wp.array2d[bool], latches: Latches):
    """One constraint lets go in the masked worlds (world)."""
    worldid = wp.tid()
    if mask_in[worldid]:
        eq_active_out[worldid, eq] = False
        latches.on[worldid, latches.slot[eq]] = False


@wp.kernel
def _forget_latches(mask_in: wp.array[bool], latches: Latches):
    """No poses are held in the masked worlds (world × latch)."""
    worldid, row = wp.tid()
    if mask_in[worldid]:
        latches.on[worldid, row] = False


@wp.kernel
def _write_latches(eq_data: wp.array3d[float], latches: Latches):
    """What MJWarp is to read (world × constraint × number)."""
    worldid, eq, i = wp.tid()
    value = eq_data[worldid % eq_data.shape[0], eq, i]
    row = latches.slot[eq]
    if row >= 0:
        if latches.on[worldid, row]:
            value = latches.pose[worldid, row, i]
    latches.data[worldid, eq, i] = value
