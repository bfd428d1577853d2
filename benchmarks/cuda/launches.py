"""Which kernels of ours are launched, and how: a dry run that records launches instead of making them."""

import ast
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import warp as wp

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = ("kernels", "mjorbit_warp")  # whose kernels are ours; mjorbit_warp/kernels is a link to the first
OURS = "mjorbit_warp."


@dataclass(frozen=True)
class Launched:
    """A kernel as it is launched.

    Attributes:
      name: file and function, "wrench._wrench"
      scene: the first that launches it, with a number if it launches several builds (per effects, per type)
      kernel: Warp's object
      block_dim: threads of a block
    """

    name: str
    scene: str
    kernel: Any
    block_dim: int

    @property
    def label(self) -> str:
        """Name and scene."""
        return f"{self.name}@{self.scene}"


class Recorder:
    """What was launched, each kernel and block size once, in order."""

    def __init__(self) -> None:
        self.scene = "unnamed"
        self.launched: dict[tuple[int, int], Launched] = {}

    def launch(self, kernel: Any, *args: Any, block_dim: int | None = None, **kwargs: Any) -> None:
        """In place of ``wp.launch``."""
        module = kernel.func.__module__
        if not module.startswith(OURS):
            return
        threads = block_dim or kernel.module.options["block_dim"]
        name = f"{module.rpartition('.')[2]}.{kernel.func.__name__}"
        if (id(kernel), threads) in self.launched:
            return
        same = sum(one.name == name and one.scene.split()[0] == self.scene for one in self.launched.values())
        scene = f"{self.scene} {same + 1}" if same else self.scene
        self.launched[id(kernel), threads] = Launched(name, scene, kernel, threads)

    @contextmanager
    def dry(self) -> Iterator[None]:
        """Inside, nothing is compiled or run: launches are recorded, and loops of graphs run once."""

        def once(condition: Any, while_body: Any, **kwargs: Any) -> None:
            while_body(**kwargs)

        with (
            mock.patch.object(wp, "launch", self.launch),
            mock.patch.object(wp, "launch_tiled", self.launch),
            mock.patch.object(wp, "capture_while", once),
            wp.ScopedDevice("cpu"),
        ):
            yield


def _decorated(node: ast.FunctionDef) -> bool:
    """Whether a function has ``@wp.kernel``, with or without arguments."""
    plain = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return any(ast.unparse(d) in ("wp.kernel", "warp.kernel", "kernel") for d in plain)


def defined() -> list[str]:
    """Names of all kernels in our sources, those inside factories too."""
    names = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if folder == "mjorbit_warp" and path.relative_to(ROOT).parts[1] == "kernels":
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
            names += [f"{path.stem}.{node.name}" for node in functions if _decorated(node)]
    return names
