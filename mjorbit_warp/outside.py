"""Models from outside: URDF, and files that a model names."""

import os
import re

import mujoco


def is_urdf(text: str) -> bool:
    """Whether the root element of an XML text is a URDF's <robot>."""
    return re.match(r"\s*(<\?.*?\?>|<!--.*?-->|\s)*<robot[\s>]", text, re.DOTALL) is not None


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
            if not os.path.isfile(os.path.join(where, name)):
                found.append(f"{kind} file {name!r} was not found in {where!r}")
    return found


def unreadable(path: str, said: str) -> str:
    """The sentence for what MuJoCo said of a model file."""
    if "find decoder" in said:
        suffix = os.path.splitext(path)[1]
        has = f"has the suffix {suffix!r}" if suffix else "has no suffix"
        return f"{path} {has}, and MuJoCo goes by that: rename it to .xml if it is MJCF, to .urdf if it is URDF"
    if found := re.search(
        r"XML parse error.*Error=XML_(?:ERROR_)?(\w+).*Line number=(\d+)(?:: XMLElement name=(\S+))?", said
    ):
        what = found[1].replace("_", " ").lower() + (f" at <{found[3]}>" if found[3] else "")
        return f"{path} is not well-formed XML: {what}" + (f", line {found[2]}" if found[2] != "0" else "")
    if found := re.search(r"Unrecognized XML model type: (\S+)", said):
        return f"{path} is XML with the root element {found[1]}: 'mujoco' or 'robot' is expected"
    return said if said.startswith(path) else f"{path}: {said}"
