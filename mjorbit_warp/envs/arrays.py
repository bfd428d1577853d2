"""Arrays and arguments of batched tasks."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from mjorbit_warp.kernels.env_episode import Episodes
from mjorbit_warp.seed import check_seed
from mjorbit_warp.values import positive

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel

_EPISODE_ARRAYS: dict[Any, tuple[str, ...]] = {
    wp.int64: ("seed", "number", "sum_length"),
    wp.float64: ("sum_total",),
    wp.float32: ("total", "final_total"),
    wp.int32: ("length", "final_length", "final_status", "finished", "failed"),
}


def make_episodes(nworld: int, new: Callable[[Any, Any], wp.array]) -> Any:
    """A zeroed Episodes of nworld worlds."""
    episodes: Any = Episodes()
    for dtype, names in _EPISODE_ARRAYS.items():
        for name in names:
            setattr(episodes, name, new(nworld, dtype))
    return episodes


def action_limits(model: "MjoModel", limits: Any) -> NDArray[np.float32]:
    """Commands at actions −1 and 1, (nu, 2), from the task or from ``ctrlrange``."""
    nu = model.mj.nu
    if limits is None:
        limited = np.asarray(model.mj.actuator_ctrllimited, dtype=bool)
        if nu and not limited.all():
            names = [model.mj.actuator(int(i)).name or str(i) for i in np.flatnonzero(~limited)]
            raise ValueError(
                f"limits is None and the actuators {', '.join(names)} have no ctrlrange: give limits, ({nu}, 2)"
            )
        limits = model.mj.actuator_ctrlrange
    try:
        bounds = np.asarray(limits, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"limits is {limits!r}: ({nu}, 2) numbers are expected") from None
    if bounds.shape != (nu, 2):
        raise ValueError(f"limits has shape {bounds.shape}: ({nu}, 2) is expected")
    if not np.isfinite(bounds).all() or (bounds[:, 0] >= bounds[:, 1]).any():
        raise ValueError(f"limits is {bounds.tolist()}: finite pairs, the lower first, are expected")
    return bounds.astype(np.float32)


def episode_steps(seconds: Any, steps: Any, dt: float) -> int:
    """Length of an episode in steps of ``dt`` [s], from one of the two."""
    if (seconds is None) == (steps is None):
        raise ValueError("an episode needs a length: give episode_seconds or max_episode_length, one of the two")
    if seconds is not None:
        return max(1, math.ceil(positive(seconds, "episode_seconds") / dt - 1e-6))
    if not isinstance(steps, int | np.integer) or isinstance(steps, bool) or not 1 <= steps < 2**31:
        raise ValueError(f"max_episode_length is {steps!r}: a positive integer is expected")
    return int(steps)


def seed_array(seed: Any, nworld: int) -> NDArray[np.int64]:
    """Seeds of the worlds (nworld,), from one for all or one per world."""
    if np.ndim(seed) == 0:
        return np.full(nworld, check_seed(seed), dtype=np.int64)
    if np.ndim(seed) != 1 or len(seed) != nworld:
        raise ValueError(f"seed has shape {np.shape(seed)}: one integer, or ({nworld},) of them, is expected")
    return np.array([check_seed(value) for value in seed], dtype=np.int64)
