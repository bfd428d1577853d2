"""What to do about each bit of the status, in one sentence with the numbers of the case."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.status import Status
from mjorbit_warp.values import host

Worlds = NDArray[np.int64]


def _timestep(m: Any, d: Any) -> float:
    """The smallest step [s]."""
    array = m.mjw.opt.timestep if hasattr(d, "mjw") else d.timestep
    return float(host(array).min())


def nonfinite(m: Any, d: Any, worlds: Worlds) -> str:
    """Not finite: how to find out why."""
    del worlds
    text = f"it is frozen as it was found; try a timestep below {_timestep(m, d):g} s, look at its commands and start"
    if not hasattr(d, "mjw"):
        return f"{text}, and mjo_reset(mask) begins it anew"
    how = "mjo_dump" if d.ring is not None else "make_data(..., state_ring=8) and mjo_dump"
    return f"{text}, keep what led there with {how}, and mjo_reset(mask) begins it anew"


def below_surface(m: Any, d: Any, worlds: Worlds) -> str:
    """Inside the central body: by how much."""
    distance = np.linalg.norm(host(d.orbit.r)[worlds], axis=-1)
    lowest = float(distance[np.isfinite(distance)].min(initial=np.inf))
    radius = float(m.orbit.body.radius)
    where = f"its radius is {radius / 1e3:.6g} km and the orbit's origin is at {lowest / 1e3:.6g} km now"
    return f"the orbit goes through {m.orbit.body.name}: {where}; start on an orbit with a higher periapsis"


def too_far(m: Any, d: Any, worlds: Worlds) -> str:
    """A body far from the origin: how far. One that is farther than the central body has not got there in orbit."""
    r = np.linalg.norm(host(d.orbit.r)[worlds], axis=-1)
    away = np.linalg.norm(host(d.xipos)[worlds], axis=-1).max(axis=1)
    share = np.where(np.isfinite(away), away, -np.inf) / r
    k = int(np.argmax(share))
    where = f"a body is {away[k]:.6g} m from the orbit's origin"
    if not np.isfinite(share[k]):
        where = "a body was too far from the orbit's origin, and where it is now is not finite"
    if not share[k] < 1.0:
        lost = (
            f"try a timestep below {_timestep(m, d):g} s, look at forces and start, and mjo_reset(mask) begins it anew"
        )
        return f"{where}, more than the orbit's radius of {r[k]:.6g} m: the motion has diverged; {lost}"
    return (
        f"{where}, and the limit is 10 % of its radius, {0.1 * r[k]:.6g} m; "
        "mjo_recenter, or make_data(..., recenter=1000.0), moves the origin to the bodies"
    )


def wheel_saturated(m: Any, d: Any, worlds: Worlds) -> str:
    """At the largest speed: which wheels are near it."""
    wheels = m.hardware.reaction_wheel
    h = np.abs(host(d.act)[worlds][:, wheels.act])
    i = int(np.unravel_index(np.argmax(h), h.shape)[1])
    return (
        f"wheel {wheels.names[i]} holds {h[:, i].max():.4g} N·m·s and torque that pushes further is lost; nothing is "
        "wrong with the world: unload the wheels, or give them a larger max_momentum"
    )


def overflow(m: Any, d: Any, worlds: Worlds) -> str:
    """Contacts or rows dropped: the sizes that are needed."""
    if not hasattr(d, "mjw"):
        held = m.mj.narena
        return f'MuJoCo C\'s arena of {held} bytes is full: set a larger <size memory="{2 * held}"/> in the model'
    from mujoco_warp import OverflowType

    bits = int(np.bitwise_or.reduce(d.mjw.overflow.numpy()[worlds]))
    rows, contacts, pairs = d.faults.needed.numpy().max(axis=0).tolist()
    parts = []
    if bits & OverflowType.NEFC:
        needed = f"{rows} constraint rows were needed and njmax is {d.mjw.njmax}"
        parts.append(f"{needed}: set make_data(..., njmax={rows}), at least")
    if bits & (OverflowType.BROADPHASE | OverflowType.NARROWPHASE):
        total = max(contacts, pairs)
        each = math.ceil(total / d.nworld)
        parts.append(
            f"{total} contacts were needed in {d.nworld} worlds, which share a buffer of {d.mjw.naconmax}, so that any "
            f"of them may have lost some: set make_data(..., nconmax={each}) or naconmax={total}, at least"
        )
    if bits & OverflowType.NJMAX_NNZ:
        parts.append("the sparse rows did not fit: set a larger make_data(..., njmax_nnz=…)")
    others = OverflowType(bits) & ~(
        OverflowType.NEFC
        | OverflowType.BROADPHASE
        | OverflowType.NARROWPHASE
        | OverflowType.NJMAX_NNZ
        | OverflowType.ITERATIONS
        | OverflowType.LS_ITERATIONS
    )
    if others:
        names = ", ".join(str(bit.name) for bit in OverflowType if bit in others and bit.bit_count() == 1)
        parts.append(f"MJWarp's buffers for {names} were too small: see the sizes of mujoco_warp.make_data")
    return "; ".join(parts) or "contacts or constraint rows were dropped before the last reset: make_data takes sizes"


REMEDIES: dict[Status, Callable[[Any, Any, Worlds], str]] = {
    Status.NONFINITE: nonfinite,
    Status.BELOW_SURFACE: below_surface,
    Status.TOO_FAR: too_far,
    Status.OVERFLOW: overflow,
    Status.WHEEL_SATURATED: wheel_saturated,
}
