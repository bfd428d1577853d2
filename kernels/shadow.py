"""A float64 shadow of the multibody state: float32 evaluates, float64 adds up.

MJWarp keeps qpos and qvel in float32 and rounds them at every step. Here the same RK4 step is added to float64 copies,
which are then rounded into MJWarp's arrays, so rounding no longer accumulates. Only public fields are read: ``qacc`` in
each evaluation, and after the step ``qacc_warmstart``, where MJWarp leaves the last one, and ``act_dot``.
"""

import warp as wp

from mjorbit_warp.kernels.stages import stage_fraction, stage_weight

wp.set_module_options({"enable_backward": False})

FREE = wp.constant(0)  # mjtJoint
BALL = wp.constant(1)


@wp.struct
class Shadow:
    """float64 state, and the accelerations of the stages.

    Attributes:
      qpos, qvel, act: as in MJWarp's Data                               (nworld, nq), (nworld, nv), (nworld, na)
      stage_qacc: acceleration that led to stages 1, 2, 3 [m/s², rad/s²] (3, nworld, nv)
    """

    qpos: wp.array2d[wp.float64]
    qvel: wp.array2d[wp.float64]
    act: wp.array2d[wp.float64]
    stage_qacc: wp.array3d[float]


@wp.func
def adopt(value: float, shadow: wp.float64) -> wp.float64:
    """The shadow, unless the array does not hold its float32 rounding: then somebody wrote the array, and it counts."""
    if float(shadow) != value:
        return wp.float64(value)
    return shadow


@wp.kernel
def _shadow_stage(
    # Data in:
    qpos_in: wp.array2d[float],
    qvel_in: wp.array2d[float],
    act_in: wp.array2d[float],
    qacc_in: wp.array2d[float],
    # In:
    stage: int,
    # Data out:
    shadow: Shadow,
):
    """In an evaluation (world × widest row): stage 0 adopts what the user wrote, later ones keep the previous qacc."""
    worldid, i = wp.tid()
    if stage == 0:
        if i < qpos_in.shape[1]:
            shadow.qpos[worldid, i] = adopt(qpos_in[worldid, i], shadow.qpos[worldid, i])
        if i < qvel_in.shape[1]:
            shadow.qvel[worldid, i] = adopt(qvel_in[worldid, i], shadow.qvel[worldid, i])
        if i < act_in.shape[1]:
            shadow.act[worldid, i] = adopt(act_in[worldid, i], shadow.act[worldid, i])
    elif i < qacc_in.shape[1]:
        shadow.stage_qacc[stage - 1, worldid, i] = qacc_in[worldid, i]


@wp.func
def stage_velocity(shadow: Shadow, worldid: int, dof: int, stage: int, dt: wp.float64) -> wp.float64:
    """v_k = v_0 + c_k dt qacc_(k−1)."""
    v = shadow.qvel[worldid, dof]
    if stage > 0:
        v += stage_fraction(stage) * dt * wp.float64(shadow.stage_qacc[stage - 1, worldid, dof])
    return v


@wp.func
def bortz(x: wp.float64) -> wp.float64:
    """(1 − (x/2) cot(x/2))/x², by its series below x = 0.5, where the closed form cancels."""
    if x > wp.float64(0.5):
        half = wp.float64(0.5) * x
        return (wp.float64(1.0) - half / wp.tan(half)) / (x * x)
    x2 = x * x
    tail = wp.float64(1.0) / wp.float64(1209600.0) + x2 / wp.float64(47900160.0)
    tail = wp.float64(1.0) / wp.float64(720.0) + x2 * (wp.float64(1.0) / wp.float64(30240.0) + x2 * tail)
    return wp.float64(1.0) / wp.float64(12.0) + x2 * tail


@wp.func
def expmap_rate(theta: wp.vec3d, omega: wp.vec3d) -> wp.vec3d:
    """Rate of a rotation vector θ for the body rate ω: ω + ½ θ×ω + c θ×(θ×ω) (MuJoCo 4.0's Munthe-Kaas correction)."""
    once = wp.cross(theta, omega)
    return omega + wp.float64(0.5) * once + bortz(wp.length(theta)) * wp.cross(theta, once)


@wp.func
def mean_velocity(shadow: Shadow, worldid: int, dof: int, dt: wp.float64) -> wp.float64:
    """RK4's weighted velocity of a linear coordinate."""
    total = wp.float64(0.0)
    for stage in range(4):
        total += stage_weight(stage) * stage_velocity(shadow, worldid, dof, stage, dt)
    return total


@wp.func
def mean_acceleration(shadow: Shadow, worldid: int, dof: int, qacc_last: wp.array2d[float]) -> wp.float64:
    """RK4's weighted acceleration, summed here: MJWarp's own sum has float32 weights, 3e-8 too large together."""
    total = stage_weight(3) * wp.float64(qacc_last[worldid, dof])
    for stage in range(3):
        total += stage_weight(stage) * wp.float64(shadow.stage_qacc[stage, worldid, dof])
    return total


@wp.func
def rotate_quat(shadow: Shadow, worldid: int, qadr: int, vadr: int, dt: wp.float64):
    """Turn a shadow quaternion (w, x, y, z) by RK4's rotation vector in its own axes."""
    rate = wp.vec3d()
    total = wp.vec3d()
    for stage in range(4):
        omega = wp.vec3d(
            stage_velocity(shadow, worldid, vadr, stage, dt),
            stage_velocity(shadow, worldid, vadr + 1, stage, dt),
            stage_velocity(shadow, worldid, vadr + 2, stage, dt),
        )
        rate = expmap_rate(stage_fraction(stage) * dt * rate, omega)
        total += stage_weight(stage) * rate
    rotation = dt * total
    angle = wp.length(rotation)
    half = wp.float64(0.5) * angle
    scale = wp.float64(0.5)
    if angle > wp.float64(0.0):
        scale = wp.sin(half) / angle
    b = scale * rotation
    c = wp.cos(half)
    w = shadow.qpos[worldid, qadr]
    v = wp.vec3d(shadow.qpos[worldid, qadr + 1], shadow.qpos[worldid, qadr + 2], shadow.qpos[worldid, qadr + 3])
    new_w = w * c - wp.dot(v, b)
    new_v = w * b + c * v + wp.cross(v, b)
    norm = wp.sqrt(new_w * new_w + wp.dot(new_v, new_v))
    shadow.qpos[worldid, qadr] = new_w / norm
    for i in range(3):
        shadow.qpos[worldid, qadr + 1 + i] = new_v[i] / norm


@wp.kernel
def _shadow_advance(
    # Model:
    opt_timestep: wp.array[float],
    jnt_type: wp.array[int],
    jnt_qposadr: wp.array[int],
    jnt_dofadr: wp.array[int],
    # Data in:
    qacc_last_in: wp.array2d[float],
    act_dot_in: wp.array2d[float],
    # Data out:
    shadow: Shadow,
    qpos_out: wp.array2d[float],
    qvel_out: wp.array2d[float],
    act_out: wp.array2d[float],
):
    """After the step (world × joint): the float64 step, rounded into MJWarp's arrays."""
    worldid, j = wp.tid()
    dt = wp.float64(opt_timestep[worldid % opt_timestep.shape[0]])
    if j == 0:
        for i in range(act_out.shape[1]):
            # MJWarp has integrated act already, limits included: only what rounding took is put back
            exact = shadow.act[worldid, i] + dt * wp.float64(act_dot_in[worldid, i])
            if wp.abs(float(exact) - act_out[worldid, i]) > 1.0e-5 * (1.0 + wp.abs(act_out[worldid, i])):
                exact = wp.float64(act_out[worldid, i])
            shadow.act[worldid, i] = exact
            act_out[worldid, i] = float(exact)

    qadr = jnt_qposadr[j]
    vadr = jnt_dofadr[j]
    nlinear = int(1)
    ndof = int(1)
    if jnt_type[j] == FREE:
        nlinear = 3
        ndof = 6
    elif jnt_type[j] == BALL:
        nlinear = 0
        ndof = 3
    for i in range(nlinear):
        q = shadow.qpos[worldid, qadr + i] + dt * mean_velocity(shadow, worldid, vadr + i, dt)
        shadow.qpos[worldid, qadr + i] = q
        qpos_out[worldid, qadr + i] = float(q)
    if jnt_type[j] == FREE or jnt_type[j] == BALL:
        rotate_quat(shadow, worldid, qadr + nlinear, vadr + nlinear, dt)
        for i in range(4):
            qpos_out[worldid, qadr + nlinear + i] = float(shadow.qpos[worldid, qadr + nlinear + i])
    for i in range(ndof):
        v = shadow.qvel[worldid, vadr + i] + dt * mean_acceleration(shadow, worldid, vadr + i, qacc_last_in)
        shadow.qvel[worldid, vadr + i] = v
        qvel_out[worldid, vadr + i] = float(v)


@wp.kernel
def _shadow_reset(
    # In:
    mask_in: wp.array[bool],
    # Data in:
    qpos_in: wp.array2d[float],
    qvel_in: wp.array2d[float],
    act_in: wp.array2d[float],
    # Data out:
    shadow: Shadow,
):
    """Masked worlds (world): the shadow is what the arrays hold."""
    worldid = wp.tid()
    if mask_in[worldid]:
        for i in range(qpos_in.shape[1]):
            shadow.qpos[worldid, i] = wp.float64(qpos_in[worldid, i])
        for i in range(qvel_in.shape[1]):
            shadow.qvel[worldid, i] = wp.float64(qvel_in[worldid, i])
        for i in range(act_in.shape[1]):
            shadow.act[worldid, i] = wp.float64(act_in[worldid, i])
