"""Models in a zip archive (MJZ): what must be in it for MuJoCo to read it."""

import lzma
import os
import posixpath
import zipfile
import zlib

SUFFIXES = (".mjz", ".zip")
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, OSError)
_READ = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def is_archive(path: str) -> bool:
    """Whether MuJoCo would read a file as an archive; it goes by the suffix."""
    return path.endswith(SUFFIXES)


def archive_names(path: str) -> list[str]:
    """Names of the files in an archive; ValueError if it is none."""
    try:
        with zipfile.ZipFile(path) as file:
            return file.namelist()
    except _DAMAGED as error:
        raise ValueError(f"{path} is not a zip archive that can be read: {error}") from error


def archive_model(path: str) -> str:
    """Text of the model in an archive, after every file in it was checked.

    Raises:
      ValueError: not a zip archive, a damaged one, or one without a model where MuJoCo looks for it.
    """
    names = archive_names(path)
    stem = os.path.splitext(os.path.basename(path))[0]
    wanted = [f"{stem}.xml", "model.xml", f"{stem}/{stem}.xml", f"{stem}/model.xml"]
    model = next((name for name in wanted if name in names), None)
    if model is None:
        have = ", ".join(name for name in names if name.lower().endswith((".xml", ".urdf", ".mjcf"))) or "no model"
        raise ValueError(
            f"{path} has no model where MuJoCo looks for it: {' or '.join(wanted)} is expected in it, not {have}"
        )
    try:
        with zipfile.ZipFile(path) as file:
            for info in file.infolist():
                if info.compress_type not in _READ or info.flag_bits & 1:
                    raise ValueError(
                        f"{info.filename} in {path} is encrypted or compressed in a way that MuJoCo does not read: "
                        "deflate is allowed"
                    )
            if bad := file.testzip():
                raise ValueError(f"{bad} in {path} is damaged: its checksum is wrong")
            return file.read(model).decode("utf-8", errors="replace")
    except _DAMAGED as error:
        raise ValueError(f"{path} is a damaged archive: {' '.join(str(error).split())}") from error


def archive_has(folder: str, name: str) -> tuple[bool, str] | None:
    """Whether a file of an archive exists, and the folder looked in; None if ``folder`` is not inside an archive."""
    archive, inside = os.path.normpath(folder), ""
    while archive and not os.path.exists(archive):
        archive, last = os.path.split(archive)
        inside = posixpath.join(last, inside)
    if not os.path.isfile(archive):
        return None
    return posixpath.normpath(posixpath.join(inside, name)) in archive_names(archive), folder
