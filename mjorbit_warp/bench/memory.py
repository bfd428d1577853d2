"""How large the arrays of a simulation are."""

import dataclasses
from typing import Any

import warp as wp

_ELSEWHERE = (".model", ".callbacks", ".options", ".orbit", ".rollout")  # shared by worlds, or not part of a step


def data_sizes(data: Any) -> dict[str, tuple[int, int]]:
    """Bytes and leading dimension of each Warp array of an MJWarp Data or an MjoData, by field.

    What an MjoData has beside MJWarp's is under ``orbit:``; an array that several fields share counts once.
    """
    out: dict[str, tuple[int, int]] = {}
    seen: set[int] = set()
    plain = getattr(data, "mjw", data)
    _collect(vars(plain), "", out, seen)
    if plain is not data:
        own = {name: value for name, value in vars(data).items() if name not in ("mjw", "model", "rollouts")}
        _collect(own, "orbit:", out, seen)
    return out


def _collect(fields: dict[str, Any], prefix: str, out: dict[str, tuple[int, int]], seen: set[int]) -> None:
    for name, value in fields.items():
        if isinstance(value, wp.array):
            if value.size and value.ptr not in seen:
                seen.add(value.ptr)
                out[prefix + name] = (int(value.capacity), int(value.shape[0]))
        elif _holds_arrays(value) and id(value) not in seen:
            seen.add(id(value))
            _collect(vars(value), f"{prefix}{name}.", out, seen)


def _holds_arrays(value: Any) -> bool:
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        return False
    kind = type(value)
    if dataclasses.is_dataclass(value) or any(
        base.__name__ == "StructInstance" for base in kind.__mro__
    ):  # Warp's struct
        return True
    module = kind.__module__
    return module.startswith("mjorbit_warp.") and not module.endswith(_ELSEWHERE)
