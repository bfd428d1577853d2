"""Task reorient: starts, observations and rewards of a free-flyer that turns itself with its arms."""

import warp as wp

from mjorbit_warp.kernels.quaternion import quat_conjugate, quat_product, quat_rotate

wp.set_module_options({"enable_backward": False})


@wp.struct
class Geometry:
    """What may touch what, and the goal.

    Attributes:
      bus: body of the box                                                    scalar
      half: of the box's edges [m]                                            scalar
      radius: of the arms about their points [m]                              scalar
      body: that each point belongs to                                        (npoint,)
      point: along the arms' axes, in the body's frame [m]                    (npoint,)
      goal: attitude of the bus, unit quaternion (w, x, y, z)                 (nworld,)
    """

    bus: int
    half: float
    radius: float
    body: wp.array[int]
    point: wp.array[wp.vec3]
    goal: wp.array[wp.quat]


@wp.struct
class Weights:
    """Weights of the reward's terms, scalars; see envs.reorient.Weights."""

    attitude: float
    near: float
    rate: float
    clearance: float
    margin: float
    control: float
    failure: float


@wp.func
def attitude_error(q: wp.quat, goal: wp.quat) -> wp.vec3:
    """Rotation vector [rad] in body axes that takes ``q`` to the goal, at most π long: goal = q exp(½ error)."""
    e = quat_product(quat_conjugate(q), goal)
    if e[0] < 0.0:
        e = -e
    v = wp.vec3(e[1], e[2], e[3])
    n = wp.length(v)
    if n < 1.0e-6:
        return 2.0 * v
    return (2.0 * wp.atan2(n, e[0]) / n) * v


@wp.func
def bus_attitude(worldid: int, qpos: wp.array2d[float]) -> wp.quat:
    """Unit quaternion (w, x, y, z) of the bus, the model's first joint."""
    return wp.normalize(wp.quat(qpos[worldid, 3], qpos[worldid, 4], qpos[worldid, 5], qpos[worldid, 6]))


@wp.func
def clearance(worldid: int, k: int, geometry: Geometry, xpos: wp.array2d[wp.vec3], xquat: wp.array2d[wp.quat]) -> float:
    """Distance [m] of the arms' surface about point k from the bus."""
    body = geometry.body[k]
    world = xpos[worldid, body] + quat_rotate(xquat[worldid, body], geometry.point[k])
    local = quat_rotate(quat_conjugate(xquat[worldid, geometry.bus]), world - xpos[worldid, geometry.bus])
    outside = wp.vec3(
        wp.max(wp.abs(local[0]) - geometry.half, 0.0),
        wp.max(wp.abs(local[1]) - geometry.half, 0.0),
        wp.max(wp.abs(local[2]) - geometry.half, 0.0),
    )
    return wp.length(outside) - geometry.radius


@wp.kernel
def _reorient_start(
    # In:
    mask_in: wp.array[bool],
    random_in: wp.array2d[float],
    geometry: Geometry,
    largest_angle: float,
    largest_bend: float,
    # Data out:
    qpos_out: wp.array2d[float],
):
    """Attitude and joints of the masked worlds (world).

    The attitude is the goal turned about a uniformly distributed axis by an angle uniform up to ``largest_angle``
    [rad], the joints are uniform within ± ``largest_bend`` [rad].
    """
    worldid = wp.tid()
    if not mask_in[worldid]:
        return
    z = 1.0 - 2.0 * random_in[worldid, 0]
    r = wp.sqrt(wp.max(1.0 - z * z, 0.0))
    phi = float(wp.static(2.0 * wp.PI)) * random_in[worldid, 1]
    half = 0.5 * largest_angle * random_in[worldid, 2]
    s = wp.sin(half)
    turn = wp.quat(wp.cos(half), s * r * wp.cos(phi), s * r * wp.sin(phi), s * z)
    q = wp.normalize(quat_product(geometry.goal[worldid], turn))
    for i in range(4):
        qpos_out[worldid, 3 + i] = q[i]
    for j in range(qpos_out.shape[1] - 7):
        qpos_out[worldid, 7 + j] = largest_bend * (2.0 * random_in[worldid, 3 + j] - 1.0)


@wp.kernel
def _reorient_observe(
    # Data in:
    qpos_in: wp.array2d[float],
    qvel_in: wp.array2d[float],
    # In:
    geometry: Geometry,
    length_in: wp.array[int],
    max_length: int,
    # Out:
    obs_out: wp.array2d[float],
):
    """Observation (world): attitude error (3), rate of the bus (3), joint angles, joint rates, share of time left."""
    worldid = wp.tid()
    n = qpos_in.shape[1] - 7
    error = attitude_error(bus_attitude(worldid, qpos_in), geometry.goal[worldid])
    for i in range(3):
        obs_out[worldid, i] = error[i]
        obs_out[worldid, 3 + i] = qvel_in[worldid, 3 + i]
    for j in range(n):
        obs_out[worldid, 6 + j] = qpos_in[worldid, 7 + j]
        obs_out[worldid, 6 + n + j] = qvel_in[worldid, 6 + j]
    obs_out[worldid, 6 + 2 * n] = 1.0 - float(length_in[worldid]) / float(max_length)


@wp.kernel
def _reorient_reward(
    # Data in:
    qpos_in: wp.array2d[float],
    qvel_in: wp.array2d[float],
    xpos_in: wp.array2d[wp.vec3],
    xquat_in: wp.array2d[wp.quat],
    # In:
    applied_in: wp.array2d[float],
    geometry: Geometry,
    weights: Weights,
    dt: float,
    # Out:
    reward_out: wp.array[float],
    terminated_out: wp.array[bool],
    terms_out: wp.array2d[float],
):
    """Reward of a step of ``dt`` [s] and its terms (world); an arm that touches the bus ends the episode."""
    worldid = wp.tid()
    error = attitude_error(bus_attitude(worldid, qpos_in), geometry.goal[worldid])
    rate = float(0.0)
    for j in range(6, qvel_in.shape[1]):
        rate += qvel_in[worldid, j] * qvel_in[worldid, j]
    inside = float(0.0)
    touch = bool(False)
    for k in range(geometry.body.shape[0]):
        distance = clearance(worldid, k, geometry, xpos_in, xquat_in)
        inside += wp.max(weights.margin - distance, 0.0)
        if distance < 0.0:
            touch = True
    control = float(0.0)
    for j in range(applied_in.shape[1]):
        control += applied_in[worldid, j] * applied_in[worldid, j]
    terms_out[worldid, 0] = dt * weights.attitude / (1.0 + wp.length_sq(error) / (weights.near * weights.near))
    terms_out[worldid, 1] = -dt * weights.rate * rate
    terms_out[worldid, 2] = -dt * weights.clearance * inside
    terms_out[worldid, 3] = -dt * weights.control * control
    terms_out[worldid, 4] = 0.0
    if touch:
        terms_out[worldid, 4] = -weights.failure
    total = float(0.0)
    for i in range(5):
        total += terms_out[worldid, i]
    reward_out[worldid] = total
    terminated_out[worldid] = touch
