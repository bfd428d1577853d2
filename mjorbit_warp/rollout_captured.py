"""Policies and stop functions that become part of a graph: what they may return, and whether they only launch."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from mjorbit_warp.broadcast import saved
from mjorbit_warp.graph import CapturedStep
from mjorbit_warp.rollout_arrays import expect_shape

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

_SHIFT = 0.3  # of the state that the check looks at


def captured_array(values: Any, target: Any, subject: str) -> Any:
    """``values`` if a graph can read them: a contiguous Warp array like ``target``, on its device."""
    fits = isinstance(values, wp.array) and values.dtype is target.dtype and values.device == target.device
    if not fits or not values.is_contiguous:
        raise TypeError(
            f"{subject} is a {type(values).__name__} and was to be captured: None or a contiguous Warp array of "
            f"{target.dtype.__name__} on {target.device} is expected"
        )
    expect_shape(values.shape, target.shape, subject)
    return values


def check_captured(
    model: "MjoModel",
    data: "MjoData",
    body: Callable[[], None],
    target: Any,
    extra: Sequence[wp.array],
    subject: str,
) -> None:
    """ValueError if a graph of ``body`` fills ``target`` otherwise than ``body`` does, at another state.

    On Warp's CPU device work on the host is left out of a graph without a word, and what came of it is frozen.
    """
    graph = CapturedStep(model, data, 1, body, [target, *extra])
    owned = [target, *extra]
    before = [wp.clone(array) for array in owned]
    with saved(model, data):
        for array in (data.mjw.qpos, data.mjw.qvel, data.time):
            array.assign(array.numpy() + _SHIFT)
        results = []
        for call in (body, graph):
            for array, values in zip(owned, before, strict=True):
                wp.copy(array, values)
            target.fill_(target.dtype is not wp.bool)
            call()
            results.append(target.numpy().astype(np.float64))
        eager, replayed = results
        for array, values in zip(owned, before, strict=True):
            wp.copy(array, values)
    if not np.allclose(eager, replayed, rtol=1e-3, atol=1e-6, equal_nan=True):  # atomics may round otherwise
        raise ValueError(
            f"{subject} cannot be captured: it works on the host, or with torch, where it should only launch Warp "
            "kernels; pass captured=False"
        )
