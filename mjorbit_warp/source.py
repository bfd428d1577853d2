"""Opening the source of a model: MJCF or URDF, as a file, in a zip archive, or as text."""

import os

import mujoco

from mjorbit_warp.archive import archive_model, is_archive
from mjorbit_warp.mujoco_errors import unreadable, with_includes
from mjorbit_warp.outside import free_urdf_base, is_urdf
from mjorbit_warp.source_text import refuse_bytes, refuse_nan


def open_file(path: str) -> tuple[mujoco.MjSpec, list[str]]:
    """The spec of a file that exists, and one line for each thing that was changed on reading; ValueError."""
    if is_archive(path):
        text = archive_model(path)
        parts = [(path, text)]
    else:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        parts = list(with_includes(path))
    for name, part in parts:
        refuse_nan(part, name)
    try:
        # MuJoCo looks for meshes of included files in the wrong folder if the path is relative
        mj = mujoco.MjSpec.from_file(os.path.abspath(path))
    except ValueError as error:
        raise ValueError(unreadable(path, str(error))) from error
    for name, part in parts:
        refuse_bytes(part, name)
    return mj, free_urdf_base(mj) if is_urdf(text) else []


def open_text(xml: str) -> tuple[mujoco.MjSpec, list[str]]:
    """As open_file, of the text of an MJCF or URDF."""
    refuse_nan(xml, "the model text")
    try:
        mj = mujoco.MjSpec.from_string(xml)
    except ValueError as error:
        raise ValueError(unreadable("the model text", str(error))) from error
    return mj, free_urdf_base(mj) if is_urdf(xml) else []
