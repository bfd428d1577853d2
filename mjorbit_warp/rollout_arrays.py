"""What policies, stop functions and costs return, as Warp arrays: NumPy, torch, Warp or anything with DLPack."""

from typing import Any

import numpy as np
import warp as wp


def is_torch(values: Any) -> bool:
    """Whether this is a torch tensor; torch itself is not imported."""
    return hasattr(values, "data_ptr") and hasattr(values, "detach")


def device_array(values: Any, dtype: Any, device: Any, subject: str) -> Any:
    """``values`` as a contiguous array of ``dtype`` on the device: a view where they are one already, else a copy.

    Args:
      dtype: wp.float32, which takes all real numbers, or wp.bool, which takes masks only.
      subject: of the error, e.g. "the cost".

    Raises:
      TypeError: not numbers, or not a mask, in one sentence.
    """
    mask = dtype is wp.bool
    if is_torch(values):
        values = _from_torch(values, mask, subject)
    elif not isinstance(values, wp.array | wp.indexedarray):
        outside = hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray | np.generic)
        values = wp.from_dlpack(values) if outside else _from_numpy(values, mask, device, subject)
    if mask and values.dtype is not wp.bool:
        raise TypeError(f"{subject} has dtype {values.dtype.__name__}: bool is expected")
    values = values.contiguous().to(device)
    if values.dtype is not dtype:
        cast: Any = wp.empty(values.shape, dtype=dtype, device=device)
        wp.utils.array_cast(values, cast)
        return cast
    return values


def _from_torch(values: Any, mask: bool, subject: str) -> Any:
    if "complex" in str(values.dtype):
        raise TypeError(f"{subject} has dtype {values.dtype}: real numbers are expected")
    values = values.detach()
    return wp.from_torch((values if mask else values.float()).contiguous())


def _numpy(values: Any, subject: str) -> Any:
    try:
        return np.asarray(values)
    except ValueError:
        raise TypeError(f"{subject} is a list of unequal parts: an array is expected") from None


def _from_numpy(values: Any, mask: bool, device: Any, subject: str) -> Any:
    array = _numpy(values, subject)
    if array.dtype.kind not in ("b" if mask else "fiub"):
        raise TypeError(f"{subject} has dtype {array.dtype}: {'bool is' if mask else 'real numbers are'} expected")
    if not mask:
        with np.errstate(over="ignore"):  # it becomes inf, which is looked for on the device
            array = array.astype(np.float32)
    return wp.array(array, dtype=wp.bool if mask else wp.float32, device=device)


def expect_shape(shape: tuple[int, ...], expected: tuple[int, ...], subject: str) -> None:
    """ValueError, in one sentence, where the shapes differ."""
    if tuple(shape) != tuple(expected):
        raise ValueError(f"{subject} has shape {tuple(shape)}: {tuple(expected)} is expected")


def write(target: Any, values: Any, subject: str) -> None:
    """Write real numbers of the target's shape into it; nothing goes through the host that was on the device."""
    array = device_array(values, target.dtype, target.device, subject)
    expect_shape(array.shape, target.shape, subject)
    if array.ptr != target.ptr:
        wp.copy(target, array)


def tape_array(controls: Any, nworld: int, nu: int) -> Any:
    """Controls as (nrow, nworld or 1, nu): what has a shape as it is, anything else in NumPy."""
    if not (isinstance(controls, wp.array) or is_torch(controls) or hasattr(controls, "__dlpack__")):
        controls = _numpy(controls, "controls")
    shape = tuple(controls.shape)
    full = (shape[0], 1, shape[1]) if len(shape) == 2 else shape
    if len(full) != 3 or full[1] not in (1, nworld) or full[2] != nu or not full[0]:
        raise ValueError(
            f"controls has shape {shape}: (nrow, {nu}), (nrow, 1, {nu}) or (nrow, {nworld}, {nu}) is expected"
        )
    if full == shape:
        return controls
    return (controls.contiguous() if isinstance(controls, wp.array) else controls).reshape(full)
