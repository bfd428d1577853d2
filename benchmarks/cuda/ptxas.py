"""Registers, stack and spills from NVIDIA's assembler, ``ptxas -v``."""

import os
import pathlib
import re
import subprocess
from dataclasses import dataclass
from importlib import metadata

PACKAGE = "nvidia-cuda-nvcc"
_ENTRY = re.compile(r"Compiling entry function '([^']+)' for '[^']+'")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


@dataclass(frozen=True)
class Usage:
    """What a kernel needs per thread; ``shared`` per block [bytes]."""

    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int


def find_ptxas() -> pathlib.Path:
    """The assembler of the installed package; FileNotFoundError says how to install it."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name in ("ptxas", "ptxas.exe"):
            return pathlib.Path(str(file.locate()))
    raise FileNotFoundError(f"{PACKAGE} is not installed, which has ptxas: pip install 'mjorbit-warp[cuda]'")


def version(ptxas: pathlib.Path) -> str:
    """The assembler's own words: "release 13.0, V13.0.88"."""
    text = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    (line,) = [line for line in text.splitlines() if "release" in line]
    return line.partition("tools, ")[2] or line


def parse(text: str) -> dict[str, Usage]:
    """Usage of each entry function in what ``ptxas -v`` prints; the lines of a function follow its name."""
    out: dict[str, Usage] = {}
    blocks = _ENTRY.split(text)[1:]
    for name, block in zip(blocks[::2], blocks[1::2], strict=True):
        # ptxas prints the same three numbers for device functions that were not inlined, each after its own name
        stack, registers = _STACK.search(block), _REGISTERS.search(block)
        if stack is None or registers is None:
            raise ValueError(f"ptxas says nothing of the registers or the stack of {name}")
        shared = _SHARED.search(block)
        frame, stores, loads = (int(x) for x in stack.groups())
        out[name] = Usage(int(registers.group(1)), frame, stores, loads, int(shared.group(1)) if shared else 0)
    if not out:
        raise ValueError("ptxas names no entry function: it was given no kernel")
    return out


def assemble(ptxas: pathlib.Path, ptx: str, arch: int) -> dict[str, Usage]:
    """Usage of each entry function of a PTX text on sm_``arch``.

    Raises:
      RuntimeError: ptxas refuses the text or the architecture.
    """
    words = [ptxas, "-v", f"-arch=sm_{arch}", "-o", os.devnull, "/dev/stdin"]
    done = subprocess.run(words, input=ptx, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ptxas for sm_{arch}: {done.stderr.strip() or done.stdout.strip()}")
    return parse(done.stdout + done.stderr)
