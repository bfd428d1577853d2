"""Geoms of a compiled model: masses that come from a density, and pairs that may touch."""

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjorbit_warp.report import DensityGeom


def _name(item: object, kind: str, index: int) -> str:
    return str(getattr(item, "name", "")) or f"{kind} {index}"


def _volume(kind: int, size: NDArray[np.float64]) -> float | None:
    """Volume of a primitive [m³]; None for meshes and the like."""
    geom = mujoco.mjtGeom
    a, b, c = (float(x) for x in size)
    volumes = {
        int(geom.mjGEOM_SPHERE): 4.0 / 3.0 * math.pi * a**3,
        int(geom.mjGEOM_CAPSULE): math.pi * a * a * (4.0 / 3.0 * a + 2.0 * b),
        int(geom.mjGEOM_CYLINDER): math.pi * a * a * 2.0 * b,
        int(geom.mjGEOM_ELLIPSOID): 4.0 / 3.0 * math.pi * a * b * c,
        int(geom.mjGEOM_BOX): 8.0 * a * b * c,
        int(geom.mjGEOM_PLANE): 0.0,
        int(geom.mjGEOM_HFIELD): 0.0,
    }
    return volumes.get(kind)


def density_geoms(mj: mujoco.MjModel, source: mujoco.MjSpec) -> list[tuple[int, DensityGeom]]:
    """Geoms without a mass on bodies whose inertia MuJoCo takes from their geoms, by index.

    Args:
      source: the spec that ``mj`` was compiled from; only it knows which geoms had no mass of their own.
    """
    low, high = (int(x) for x in source.compiler.inertiagrouprange)
    mode = source.compiler.inertiafromgeom
    if mode == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE:
        return []
    always = mode == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    out: list[tuple[int, DensityGeom]] = []
    for body in source.bodies:
        if body.name == "world" or body.mocap or (body.explicitinertial and not always):
            continue
        for geom in body.geoms:
            given = not math.isnan(geom.mass)
            if given or geom.density == 0.0 or not low <= geom.group <= high:
                continue
            index = int(geom.id)
            if not 0 <= index < mj.ngeom:  # discarded by the compiler
                continue
            volume = _volume(int(mj.geom_type[index]), mj.geom_size[index])
            if geom.typeinertia == mujoco.mjtGeomInertia.mjINERTIA_SHELL:
                volume = None
            mass = None if volume is None else float(geom.density) * volume
            if mass == 0.0:
                continue
            owner = int(mj.geom_bodyid[index])
            found = DensityGeom(
                geom=_name(mj.geom(index), "geom", index),
                body=_name(mj.body(owner), "body", owner),
                density=float(geom.density),
                mass=mass,
            )
            out.append((index, found))
    return out


def contact_pairs(mj: mujoco.MjModel) -> NDArray[np.intp]:
    """Pairs of geoms that MuJoCo's filters let touch, (n, 2): explicit pairs, then those by contype and conaffinity."""
    explicit = np.stack([mj.pair_geom1, mj.pair_geom2], axis=1).astype(np.intp)
    off = int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    if mj.opt.disableflags & off:
        return explicit[:0]
    active = np.flatnonzero((mj.geom_contype != 0) | (mj.geom_conaffinity != 0))
    filter_parent = not mj.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in mj.exclude_signature}
    weld = mj.body_weldid
    parent = weld[mj.body_parentid[weld]]
    found = [explicit]
    for k, one in enumerate(active):
        others = active[k + 1 :]
        body, bodies = mj.geom_bodyid[one], mj.geom_bodyid[others]
        w, ws = weld[body], weld[bodies]
        masks = (mj.geom_contype[one] & mj.geom_conaffinity[others]) | (
            mj.geom_contype[others] & mj.geom_conaffinity[one]
        )
        allowed = (masks != 0) & (w != ws)
        if filter_parent:
            related = ((parent[body] == ws) & (ws != 0)) | ((parent[bodies] == w) & (w != 0))
            allowed &= ~related
        if excluded:
            hidden = [(int(min(body, b)), int(max(body, b))) in excluded for b in bodies]
            allowed &= ~np.array(hidden, dtype=bool)
        hits = others[allowed]
        found.append(np.stack([np.full(len(hits), one), hits], axis=1))
    return np.concatenate(found)
