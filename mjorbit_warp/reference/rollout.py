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
        value = getattr(value, part)
    return value


def rollout(
    model: "MjoModel",
    data: "MjoData",
    controls: Any = None,
    *,
    policy: Callable[["MjoData"], Any] | None = None,
    nstep: int | None = None,
    decimation: int = 1,
    record: Sequence[str] = ("qpos", "qvel"),
    restore: bool = False,
) -> dict[str, NDArray[Any]]:
    """As mjorbit_warp.rollout, without ``stop``; records (nrow, nworld, …) by name, and ``length`` (nworld,).

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
            data.ctrl[:] = np.nan_to_num(tape[k], nan=0.0, posinf=0.0, neginf=0.0)
        elif (ctrl := policy(data)) is not None:
            data.ctrl[:] = np.nan_to_num(ctrl, nan=0.0, posinf=0.0, neginf=0.0)
        for _ in range(decimation):
            mjo_step(model, data)
        for name, values in rows.items():
            row = _field(data, name).copy()
            if values:
                row[~going] = values[-1][~going]
            values.append(row)
        length += going
        going &= (data.status & Status.NONFINITE) == 0
    if restore:
        set_state(model, data, before)
        data.status[:] = status
    return {name: np.array(values) for name, values in rows.items()} | {"length": length}
