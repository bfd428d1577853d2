"""Models from outside: URDF, and files that a model names."""

import os
import re

import mujoco

from mjorbit_warp.archive import archive_has


def is_urdf(text: str) -> bool:
    """Whether the root element of an XML text is a URDF's <robot>."""
    return re.match(r"\ufeff?\s*(<\?.*?\?>|<!--.*?-->|\s)*<robot[\s>]", text, re.DOTALL) is not None


def free_urdf_base(mj: mujoco.MjSpec) -> list[str]:
    """Give every root link that has no joint a free joint; one line for each.

    MuJoCo welds the root link of a URDF into the world, where its mass and that of all links fixed to it disappear.
    """
    notes = []
    for body in mj.worldbody.bodies:
        if not body.joints:
            body.add_freejoint(name=f"{body.name}_free")
            notes.append(f"URDF root link {body.name!r} was given a free joint: MuJoCo would weld it into the world")
    return notes


def missing_files(mj: mujoco.MjSpec) -> list[str]:
    """One phrase for each mesh, height field or texture file that does not exist: its name and the folder searched."""
    found = []
    for kind, folder, elements in (
        ("mesh", mj.meshdir, mj.meshes),
        ("height field", mj.meshdir, mj.hfields),
        ("texture", mj.texturedir, mj.textures),
    ):
        for element in elements:
            name = element.file
            if not name or name in mj.assets:
                continue
            where = os.path.abspath(os.path.join(mj.modelfiledir or ".", folder or ""))
            exists = archive_has(where, name) or (os.path.isfile(os.path.join(where, name)), where)
            if not exists[0]:
                found.append(f"{kind} file {name!r} was not found in {where!r}")
    return found
