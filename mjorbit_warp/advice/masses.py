"""Masses that nobody wrote down."""

import mujoco
import numpy as np

from mjorbit_warp.advice.record import Advice, Subject, listed, name_of
from mjorbit_warp.inspect_geoms import density_geoms
from mjorbit_warp.report import DensityGeom

WATER = 1000.0  # MuJoCo's default density [kg/m³]


def _weight(geoms: list[DensityGeom]) -> str:
    known = sum(g.mass for g in geoms if g.mass is not None)
    rest = sum(g.mass is None for g in geoms)
    meshes = f"the mass of {rest} mesh{'es' if rest > 1 else ''}, skins or the like" if rest else ""
    return " and ".join(x for x in (f"{known:.4g} kg" if known else "", meshes) if x)


def _carries_mass_otherwise(mj: mujoco.MjModel, geom: int, inferred: set[int]) -> bool:
    """Whether another geom of the same body touches something, or has a mass of its own."""
    first, count = int(mj.body_geomadr[mj.geom_bodyid[geom]]), int(mj.body_geomnum[mj.geom_bodyid[geom]])
    others = [g for g in range(first, first + count) if g != geom]
    return any(g not in inferred or mj.geom_contype[g] or mj.geom_conaffinity[g] for g in others)


def mass_advice(s: Subject) -> list[Advice]:
    """Geoms that count at a density: those that look like mere skins, and those at the default density.

    A skin is a geom that touches nothing (contype and conaffinity 0, in no <pair>) and is in a group of its own, not 0,
    or on a body whose other geoms touch something or have a mass.
    """
    if s.spec is None:
        return []
    mj = s.mj
    paired = {int(g) for g in np.concatenate([mj.pair_geom1, mj.pair_geom2])}
    found = dict(density_geoms(mj, s.spec))
    skins = [
        g
        for g in found
        if not (mj.geom_contype[g] or mj.geom_conaffinity[g] or g in paired)
        and (mj.geom_group[g] != 0 or _carries_mass_otherwise(mj, g, set(found)))
    ]
    total = float(mj.body_mass[mj.body_mocapid < 0].sum())
    out = []
    if skins:
        geoms = [found[g] for g in skins]
        dense = ", ".join(f"{x:g}" for x in sorted({g.density for g in geoms}))
        share = "" if s.spec.compiler.settotalmass > 0.0 else f"with {_weight(geoms)} "
        share += f"at {dense} kg/m³"
        out.append(
            Advice(
                "warning",
                "visual-mass",
                listed("geom", [name_of(mj.geom(g), "geom", g) for g in skins]),
                f"touches nothing, so it seems to be for show, yet it counts {share} in the total of {total:.4g} kg",
                'give it mass="0", or the mass that it has',
            )
        )
    water = [found[g] for g in found if found[g].density == WATER and g not in skins]
    if s.spec.compiler.settotalmass > 0.0:
        water = []  # the author has given the mass; densities only share it out
    if water:
        out.append(
            Advice(
                "warning",
                "default-density",
                listed("geom", [g.geom for g in water]),
                f"has no mass, so {_weight(water)} of the total of {total:.4g} kg come from a density of 1000 kg/m³, "
                "MuJoCo's default, that of water",
                'give each geom mass="…" or another density, or its body an <inertial>; ignore it where water is meant',
            )
        )
    return out
