"""One world's state onto others, and a state put back after an excursion."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import warp as wp

from mjorbit_warp.kernels.rollout import broadcast_kernel
from mjorbit_warp.state import get_state, scalars, set_state, state_components, state_written
from mjorbit_warp.worlds import check_warp, world_index

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

_OWN = ("sensors.stream",)  # so that worlds with one state do not share their noise


def _pairs(source: "MjoData", target: "MjoData") -> list[tuple[str, wp.array, wp.array]]:
    """Components of a state that both have: (name, the source's, the target's)."""
    ours, theirs = state_components(source), state_components(target)
    pairs = [(name, ours[name], array) for name, array in theirs.items() if name in ours and name not in _OWN]
    if target.shadow is not None and source.shadow is None:
        pairs += [(name, ours[name], theirs[f"shadow.{name}"]) for name in ("qpos", "qvel", "act") if name in ours]
    pairs.append(("time", ours["time"], scalars(target.mjw.time)))  # MJWarp's own, float32
    pairs += [(name, a, b) for (name, a), b in zip(_faults(source).items(), _faults(target).values(), strict=True)]
    return pairs


def _faults(d: "MjoData") -> dict[str, wp.array]:
    """Status and what goes with it; MJWarp's overflow too, as it only ever adds to it and status follows it."""
    parts = {"status": d.status, "overflow": d.mjw.overflow}
    parts |= {name: getattr(d.faults, name) for name in ("first_step", "first_time", "needed")}
    return {name: scalars(array) for name, array in parts.items()}


def _copy(pairs: list[tuple[str, wp.array, wp.array]], row: int, ids: Any, target: "MjoData") -> None:
    with wp.ScopedDevice(target.device):
        for _, a, b in pairs:
            kernel = broadcast_kernel(a.dtype, b.dtype)
            wp.launch(kernel, dim=(ids.shape[0], b.shape[1]), inputs=[a, row, ids], outputs=[b])
        state_written(target.model, target)


def broadcast_state(
    m: "MjoModel", source: "MjoData", target: "MjoData | None" = None, *, world: int = 0, world_ids: Any = None
) -> None:
    """Copy one world's whole state, orbit, clock, hardware, sensors and status, onto worlds of this or another data.

    Noise streams stay the target's own: its worlds draw different noise from the same state on. Nothing goes through
    the host.

    Args:
      source: data of the model.
      target: other data of the model, default ``source``; its precision may differ.
      world: whose state.
      world_ids: worlds of the target, default all.
    """
    target = source if target is None else target
    check_warp(m, source)
    check_warp(m, target)
    row = int(world_index([world], source.nworld)[0])
    ids: Any = wp.array(world_index(world_ids, target.nworld), dtype=int, device=target.device)
    pairs = _pairs(source, target)
    if any(a.shape[1] != b.shape[1] for _, a, b in pairs):
        raise ValueError("the two data hold states of different sizes: make both with the same capacities")
    _copy(pairs, row, ids, target)


def branch_state(source: "MjoData", target: "MjoData", world: int, ids: Any) -> None:
    """As broadcast_state, onto data of another model of the same coordinates: what both have, at the target's own step.

    Parts and sensors that only one of the models has are left alone; what has no orbit goes on without.

    Args:
      ids: worlds of the target, a Warp array.
    """
    pairs = _pairs(source, target)
    if any(a.shape[1] != b.shape[1] for name, a, b in pairs if name in ("qpos", "qvel", "ctrl")):
        raise ValueError("the other model has other coordinates or commands: it must come from the same MJCF")
    if target.orbit is not None and source.orbit is None:
        raise ValueError("the other model has an orbit and this data has none: give the model no orbit, or both one")
    same = [(name, a, b) for name, a, b in pairs if a.shape[1] == b.shape[1] and not name.startswith("sensors.")]
    _copy(same, int(world_index([world], source.nworld)[0]), ids, target)


@contextmanager
def saved(m: "MjoModel", d: "MjoData") -> Iterator[None]:
    """Put the state of all worlds and their status back at the end: the next step gives the bits that it would have."""
    state = get_state(m, d)
    kept = [(array, wp.clone(array)) for array in (*_faults(d).values(), d.mjw.time)]
    try:
        yield
    finally:
        set_state(m, d, state)
        for array, values in kept:
            wp.copy(array, values)
