"""Watching a run for worlds that go bad: dumps of them, and stopping at the first."""

import os
import pathlib
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mjorbit_warp.data import MjoData
    from mjorbit_warp.model import MjoModel

DEPTH = 8  # states of a dump
MOST = 16  # dumps


def dump_folder(name: str | None) -> pathlib.Path | None:
    """The folder of --dump, made if there is none; what cannot be written to is refused before the work starts."""
    if name is None:
        return None
    path = pathlib.Path(name)
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise ValueError(f"--dump is {name!r}: cannot make that folder ({error.strerror})") from error
    if not os.access(path, os.W_OK):
        raise ValueError(f"--dump is {name!r}: cannot write there")
    return path


class Watch:
    """Looks at the status now and then.

    Attributes:
      strict: stop at the first bad world.
      folder: where dumps go, or None.
      dumps: files that were written.
    """

    def __init__(self, strict: bool = False, folder: pathlib.Path | None = None) -> None:
        self.strict, self.folder = strict, folder
        self.dumps: list[pathlib.Path] = []
        self._known: set[int] = set()

    @property
    def depth(self) -> int | None:
        """States of each world that dumps need."""
        return None if self.folder is None else DEPTH

    def look(self, m: "MjoModel", d: "MjoData", known: bool = False) -> list[int]:
        """Worlds that have gone bad since the last look; they are dumped where that was asked for.

        Args:
          known: what is bad now is nothing new.
        """
        from mjorbit_warp.status import FAULTS

        if not (self.strict or self.folder):
            return []
        bad = np.flatnonzero(d.status.numpy() & int(FAULTS)).tolist()
        new = [world for world in bad if world not in self._known]
        self._known.update(new)
        if known:
            return []
        if self.folder is not None:
            for world in new[: MOST - len(self.dumps)]:
                self._dump(m, d, world)
        return new

    def _dump(self, m: "MjoModel", d: "MjoData", world: int) -> None:
        from mjorbit_warp.check import MjoWarning
        from mjorbit_warp.dump import mjo_dump

        assert self.folder is not None
        path = self.folder / f"world_{world}.npz"
        try:
            mjo_dump(m, d, world, path)
        except OSError as error:  # the run is worth more
            warnings.warn(f"no dump at {str(path)!r}: {error.strerror or error}", MjoWarning, stacklevel=2)
        else:
            self.dumps.append(path)

    def raise_for(self, m: "MjoModel", d: "MjoData", new: list[int], keep: Callable[[], str]) -> None:
        """With ``strict``, MjoError about the new bad worlds.

        Args:
          keep: saves what was computed, and says where.
        """
        from mjorbit_warp.status_report import MjoError, mjo_status

        if not (self.strict and new):
            return
        said = [c.sentence for c in mjo_status(m, d).conditions if c.fault]
        text = "; ".join(said) + keep()
        if self.dumps:
            text += f"; dumps in {self.folder}"
        raise MjoError(text)
