"""Batched tasks: actions, ends and starts of episodes, and the numbers that a start draws."""

import warp as wp

from mjorbit_warp.kernels.noise import keyed, uniform
from mjorbit_warp.status import Status

wp.set_module_options({"enable_backward": False})

NONFINITE = wp.constant(int(Status.NONFINITE))
START = wp.constant(wp.uint32(0x73746172))  # where sensors have their index: starts share no number with them


@wp.struct
class Episodes:
    """What is kept about episodes, by world.

    Attributes:
      seed: of the world, 0 to 2^53 − 1                                   (nworld,)
      number: of the episode under way since the seed was set, from 0     (nworld,)
      length: its steps so far                                            (nworld,)
      total: sum of its rewards so far                                    (nworld,)
      final_length, final_total: of the episode that ended last           (nworld,)
      final_status: Status bits at the end of the last step               (nworld,)
      finished, failed: episodes that ended, and that were terminated     (nworld,)
      sum_length, sum_total: over the episodes that ended                 (nworld,)
    """

    seed: wp.array[wp.int64]
    number: wp.array[wp.int64]
    length: wp.array[int]
    total: wp.array[float]
    final_length: wp.array[int]
    final_total: wp.array[float]
    final_status: wp.array[int]
    finished: wp.array[int]
    failed: wp.array[int]
    sum_length: wp.array[wp.int64]
    sum_total: wp.array[wp.float64]


@wp.func
def start_uniform4(seed: wp.int64, world: int, number: wp.int64, block: int) -> wp.vec4:
    """Four independent numbers in (0, 1] of a world's episode: a function of these four arguments alone.

    The counter has the number for a count and START for a sensor; see kernels.noise.
    """
    x0, x1, x2, x3 = keyed(seed, number, block, world, START)
    return wp.vec4(uniform(x0), uniform(x1), uniform(x2), uniform(x3))


@wp.kernel
def _read_action(
    # In:
    action_in: wp.array2d[float],
    limits_in: wp.array[wp.vec2],
    # Out:
    applied_out: wp.array2d[float],
    bad_out: wp.array[bool],
    # Data out:
    ctrl_out: wp.array2d[float],
):
    """Commands from actions (world): −1 and 1 are the limits; others are clipped, what is not finite becomes 0."""
    worldid = wp.tid()
    bad = bool(False)
    for j in range(action_in.shape[1]):
        a = action_in[worldid, j]
        if not wp.isfinite(a):
            a = 0.0
            bad = True
        a = wp.clamp(a, -1.0, 1.0)
        applied_out[worldid, j] = a
        low = limits_in[j][0]
        high = limits_in[j][1]
        ctrl_out[worldid, j] = 0.5 * (low + high) + 0.5 * (high - low) * a
    bad_out[worldid] = bad


@wp.kernel
def _end_step(
    # Data in:
    status_in: wp.array[int],
    # In:
    ending: int,
    lost_reward: float,
    max_length: int,
    # Out:
    reward_out: wp.array[float],
    terminated_out: wp.array[bool],
    truncated_out: wp.array[bool],
    done_out: wp.array[bool],
    episodes: Episodes,
):
    """After the task has given its reward and said which worlds are terminated (world).

    Terminated too are worlds with a bit of ``ending`` and those whose reward is not finite. Where the state or the
    reward is not finite the reward is ``lost_reward``. Truncated is what is not terminated after ``max_length`` steps.
    """
    worldid = wp.tid()
    status = status_in[worldid]
    reward = reward_out[worldid]
    terminated = terminated_out[worldid] or (status & ending) != 0
    if (status & NONFINITE) != 0 or not wp.isfinite(reward):
        reward = lost_reward
        terminated = True
    length = episodes.length[worldid] + 1
    total = episodes.total[worldid] + reward
    truncated = not terminated and length >= max_length
    done = terminated or truncated
    reward_out[worldid] = reward
    terminated_out[worldid] = terminated
    truncated_out[worldid] = truncated
    done_out[worldid] = done
    episodes.length[worldid] = length
    episodes.total[worldid] = total
    episodes.final_status[worldid] = status
    if done:
        episodes.final_length[worldid] = length
        episodes.final_total[worldid] = total
        episodes.finished[worldid] = episodes.finished[worldid] + 1
        episodes.sum_length[worldid] = episodes.sum_length[worldid] + wp.int64(length)
        episodes.sum_total[worldid] = episodes.sum_total[worldid] + wp.float64(total)
        if terminated:
            episodes.failed[worldid] = episodes.failed[worldid] + 1


@wp.kernel
def _keep_final(obs_in: wp.array2d[float], final_out: wp.array2d[float]):
    """The observation at the end of the step (world × entry), 0 where it is not finite: 0 · NaN would reach a loss."""
    worldid, i = wp.tid()
    value = obs_in[worldid, i]
    if not wp.isfinite(value):
        value = 0.0
    final_out[worldid, i] = value


@wp.kernel
def _begin_episode(mask_in: wp.array[bool], episodes: Episodes, random_out: wp.array2d[float]):
    """The next episode of the masked worlds (world), and its random numbers."""
    worldid = wp.tid()
    if not mask_in[worldid]:
        return
    number = episodes.number[worldid] + wp.int64(1)
    episodes.number[worldid] = number
    episodes.length[worldid] = 0
    episodes.total[worldid] = 0.0
    n = random_out.shape[1]
    for block in range((n + 3) / 4):
        u = start_uniform4(episodes.seed[worldid], worldid, number, block)
        for i in range(4):
            if 4 * block + i < n:
                random_out[worldid, 4 * block + i] = u[i]


@wp.kernel
def _clear_step(
    # In:
    mask_in: wp.array[bool],
    # Out:
    reward_out: wp.array[float],
    terminated_out: wp.array[bool],
    truncated_out: wp.array[bool],
    done_out: wp.array[bool],
    bad_out: wp.array[bool],
):
    """Masked worlds (world) have made no step since their reset."""
    worldid = wp.tid()
    if mask_in[worldid]:
        reward_out[worldid] = 0.0
        terminated_out[worldid] = False
        truncated_out[worldid] = False
        done_out[worldid] = False
        bad_out[worldid] = False


@wp.kernel
def _set_seed(mask_in: wp.array[bool], seed_in: wp.array[wp.int64], episodes: Episodes):
    """A new seed of the masked worlds (world); the next episode is its first."""
    worldid = wp.tid()
    if mask_in[worldid]:
        episodes.seed[worldid] = seed_in[worldid]
        episodes.number[worldid] = wp.int64(-1)
        episodes.final_length[worldid] = 0
        episodes.final_total[worldid] = 0.0
        episodes.final_status[worldid] = 0


@wp.kernel
def _set_sensor_seed(
    # In:
    mask_in: wp.array[bool],
    seed_in: wp.array[wp.int64],
    # Data out:
    seed_out: wp.array[wp.int64],
    count_out: wp.array2d[wp.int64],
):
    """The noise of the masked worlds' sensors (world) begins anew, with the world's seed."""
    worldid = wp.tid()
    if mask_in[worldid]:
        seed_out[worldid] = seed_in[worldid]
        for i in range(count_out.shape[1]):
            count_out[worldid, i] = wp.int64(0)
