"""Indices of a compiled model that MuJoCo follows without a check of its own: wrong ones would end the process."""

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

_TRN = mujoco.mjtTrn


def _ranges(mj: mujoco.MjModel) -> Iterator[tuple[str, NDArray[Any], int, int]]:
    """(field, values, least, one more than the largest)."""
    yield "body_treeid", mj.body_treeid, -1, mj.ntree
    yield "dof_treeid", mj.dof_treeid, -1, mj.ntree
    yield "geom_type", mj.geom_type, 0, int(mujoco.mjtGeom.mjNGEOMTYPES)
    for name in ("jnt_actuatorid", "tendon_actuatorid"):
        yield name, getattr(mj, name), -1, mj.nactuator
    counts = {
        _TRN.mjTRN_JOINT: mj.njnt,
        _TRN.mjTRN_JOINTINPARENT: mj.njnt,
        _TRN.mjTRN_TENDON: mj.ntendon,
        _TRN.mjTRN_SITE: mj.nsite,
        _TRN.mjTRN_SLIDERCRANK: mj.nsite,
        _TRN.mjTRN_BODY: mj.nbody,
    }
    for kind, count in counts.items():
        ends = mj.actuator_trnid[mj.actuator_trntype == int(kind)]
        yield "actuator_trnid", ends[:, 0], 0, count
        yield "actuator_trnid", ends[:, 1], -1, count
    for owner, dim in (("actuator", 1), ("sensor", mj.sensor_dim)):
        samples = getattr(mj, f"{owner}_history")[:, 0].astype(np.int64)
        yield f"{owner}_history", samples, 0, mj.nhistory + 1
        kept = samples > 0
        start = getattr(mj, f"{owner}_historyadr").astype(np.int64)
        # two numbers, then the time and the value of each sample
        end = start + 2 + samples * (1 + np.broadcast_to(dim, samples.shape))
        yield f"{owner}_historyadr", start[kept], 0, mj.nhistory
        yield f"{owner}_historyadr", end[kept], 0, mj.nhistory + 1
    yield "nsensordata", np.array([mj.nsensordata]), int(mj.sensor_dim.sum()), int(mj.sensor_dim.sum()) + 1


def wrong_index(mj: mujoco.MjModel) -> str | None:
    """What is wrong with the first index that points nowhere, None if all are right."""
    for field, values, least, end in _ranges(mj):
        bad = (values < least) | (values >= end)
        if bad.any():
            return f"{field} has {int(values[bad][0])}, where {least} to {end - 1} are possible"
    return None
