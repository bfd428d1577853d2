"""What MuJoCo says of a model that it refuses, in one sentence with the place and what is allowed."""

import os
import re
from collections.abc import Iterator

import mujoco

_INCLUDE = re.compile(r"""<include\s[^>]*?\bfile\s*=\s*["']([^"']+)["']""")
# what older files have and MuJoCo 4 does not: (element, attribute): what to write instead
_LEGACY = {
    ("option", "apirate"): "remove it",
    ("option", "collision"): "remove it, contype, conaffinity and <contact> say what collides",
    ("option", "mpr_iterations"): "it is ccd_iterations now",
    ("option", "mpr_tolerance"): "it is ccd_tolerance now",
    ("flag", "passive"): "it is spring and damper now",
    ("compiler", "exactmeshinertia"): 'it is inertia="exact" of a <mesh> now',
    ("compiler", "convexhull"): "remove it",
}
_SUFFIXES = ".xml if it is MJCF, to .urdf if it is URDF, to .mjz if it is a zip archive, to .mjb if it is compiled"


def with_includes(path: str) -> Iterator[tuple[str, str]]:
    """(file, text) of an MJCF and of the files that it includes, each once."""
    folder, todo, seen = os.path.dirname(os.path.abspath(path)), [path], set()
    while todo:
        name = todo.pop(0)
        if os.path.abspath(name) in seen or not os.path.isfile(name):
            continue
        seen.add(os.path.abspath(name))
        with open(name, encoding="utf-8", errors="replace") as file:
            text = file.read()
        yield name, text
        near = os.path.dirname(os.path.abspath(name))
        todo += [
            os.path.join(base, other) for other in _INCLUDE.findall(text) for base in dict.fromkeys((folder, near))
        ]


def _place(path: str, element: str, attribute: str | None, line: int) -> str:
    """File and line; MuJoCo counts no lines in an included file and does not name it."""
    what = rf"<{re.escape(element)}\b" + (rf"[^>]*?\s{re.escape(attribute)}\s*=" if attribute else "")
    for name, text in with_includes(path) if line == 0 else ():
        if found := re.search(what, text):
            return f"{name}, line {text.count(chr(10), 0, found.end()) + 1}"
    return f"{path}, line {line}" if line else path


def unreadable(path: str, said: str) -> str:
    """The sentence for what MuJoCo said when it read a file; ``path`` may be a name for a text."""
    said = " ".join(said.split())
    if "find decoder" in said:
        suffix = os.path.splitext(path)[1]
        has = f"has the suffix {suffix!r}" if suffix else "has no suffix"
        return f"{path} {has}, and MuJoCo goes by that: rename it to {_SUFFIXES}"
    if found := re.search(
        r"XML parse error.*Error=XML_(?:ERROR_)?(\w+).*Line number=(\d+)(?:: XMLElement name=(\S+))?", said
    ):
        what = found[1].replace("_", " ").lower() + (f" at <{found[3]}>" if found[3] else "")
        return f"{path} is not well-formed XML: {what}" + (f", line {found[2]}" if found[2] != "0" else "")
    if found := re.search(r"Unrecognized XML model type: (\S+)", said):
        return f"{path} is XML with the root element {found[1]}: 'mujoco' or 'robot' is expected"
    if found := re.fullmatch(r"XML Error: (?:Error: )?(?:Schema violation: )?(.*?) Element '(\w+)', line (\d+)", said):
        what, element = found[1], found[2]
        name = re.search(r"unrecognized attribute: '(\w+)'", what)
        place = _place(path, element, name[1] if name else None, int(found[3]))
        if name and (element, name[1]) in _LEGACY:
            what += f", which MuJoCo {mujoco.__version__} no longer has: {_LEGACY[element, name[1]]}"
        if "opening file" in what and os.path.isfile(path):
            what += f", looked for in {os.path.dirname(os.path.abspath(path))!r}"
        return f"{place}, <{element}>: {what}"
    return said if said.startswith(path) else f"{path}: {said}"


def uncompiled(said: str) -> str:
    """The sentence for what MuJoCo said when it compiled a model."""
    said = " ".join(said.split())
    if found := re.search(r"keyframe '?(.*?)'?: invalid (\w+) size, expected (?:length )?(\d+)(?:, got (\d+))?", said):
        has = f"{found[4]} numbers" if found[4] else "another number of them"
        free = " (a free joint takes 7 in qpos and 6 in qvel)" if found[2] in ("qpos", "qvel") else ""
        return f"keyframe {found[1] or 0}: {found[2]} has {has}, {found[3]} are expected{free}"
    if found := re.search(r"mass and inertia of moving bodies must be larger.*?(Element name '(.*?)'.*)", said):
        return (
            f"body {found[2]!r} moves and has no mass or inertia ({found[1]}): give it an <inertial> or a geom with a "
            "mass, or fix it to its parent"
        )
    return said
