"""Rollouts on NumPy arrays."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.reference.state import get_state, set_state
from mjorbit_warp.reference.step import mjo_step
from mjorbit_warp.status import Status

if TYPE_CHECKING:
    from mjorbit_warp.model import MjoModel
    from mjorbit_warp.reference.data import MjoData


def _field(d: "MjoData", name: str) -> NDArray[Any]:
    if name.startswith("sensor:"):
        return d.sensor(name.removeprefix("sensor:"))
    value: Any = d
    for part in name.split("."):
        value = getattr(value, part, None)
    if not isinstance(value, np.ndarray) or value.shape[:1] != (d.nworld,):
        raise ValueError(f"record has {name!r}, which is no array of the worlds: names are those of mjo.rollout")
    return value


def _stop_worlds(mask: Any, going: NDArray[np.bool_]) -> None:
    """Worlds of the mask stop, besides those that have."""
    array = np.asarray(mask)
    if array.shape != going.shape or array.dtype != np.bool_:
        raise ValueError(
            f"what stop returned has shape {array.shape} and dtype {array.dtype}: {going.shape} and bool are expected"
        )
    going &= ~array


def _write_ctrl(d: "MjoData", ctrl: Any, subject: str) -> None:
    """Commands of a row; what is not finite is taken as 0."""
    ctrl = np.nan_to_num(np.asarray(ctrl, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    if ctrl.shape not in (d.ctrl.shape, (1, d.ctrl.shape[1])):
        raise ValueError(f"{subject} has shape {ctrl.shape}: {d.ctrl.shape} is expected")
    d.ctrl[:] = ctrl


def rollout(
    model: "MjoModel",
    data: "MjoData",
    controls: Any = None,
    *,
    policy: Callable[["MjoData"], Any] | None = None,
    nstep: int | None = None,
    decimation: int = 1,
    record: Sequence[str] = ("qpos", "qvel"),
    stop: Callable[["MjoData"], Any] | None = None,
    restore: bool = False,
) -> dict[str, NDArray[Any]]:
    """As mjorbit_warp.rollout, in memory; records (nrow, nworld, …) by name, and ``length`` (nworld,).

    Fields of bodies are those of each row's last evaluation.
    """
    if (controls is None) == (policy is None):
        raise ValueError("a rollout needs either controls or a policy")
    if policy is None:
        tape = np.asarray(controls, dtype=np.float64)
        tape = tape[:, None] if tape.ndim == 2 else tape
        if tape.ndim != 3 or tape.shape[1] not in (1, data.nworld) or tape.shape[2] != model.mj.nu:
            raise ValueError(f"controls has shape {np.shape(controls)}: (nrow, nworld or 1, {model.mj.nu}) is expected")
        nrow = tape.shape[0]
    else:
        if nstep is None or nstep < 1 or nstep % decimation:
            raise ValueError(f"nstep is {nstep!r}: a policy's rollout needs a multiple of decimation, {decimation}")
        nrow = nstep // decimation
    before, status = get_state(model, data), data.status.copy()
    rows: dict[str, list[Any]] = {name: [] for name in record}
    length = np.zeros(data.nworld, dtype=int)
    going = np.ones(data.nworld, dtype=bool)
    for k in range(nrow):
        if policy is None:
            _write_ctrl(data, tape[k], "controls")
        else:
            ctrl = policy(data)
            _write_ctrl(data, data.ctrl if ctrl is None else ctrl, "what the policy returned")
        for _ in range(decimation):
            mjo_step(model, data)
        for name, values in rows.items():
            row = _field(data, name).copy()
            if values:
                row[~going] = values[-1][~going]
            values.append(row)
        length += going
        going &= (data.status & Status.NONFINITE) == 0
        if stop is not None and (mask := stop(data)) is not None:
            _stop_worlds(mask, going)
    if restore:
        set_state(model, data, before)
        data.status[:] = status
    return {name: np.array(values) for name, values in rows.items()} | {"length": length}
