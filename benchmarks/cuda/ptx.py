"""PTX of our kernels, from Warp's NVRTC: no GPU and no driver is needed."""

import pathlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

import warp as wp

from benchmarks.cuda.launches import Launched

# what a card's float64 units do; RTX cards have 1/64 of the float32 ones. Loads, stores, moves and sign bits are free
ARITHMETIC = ("add", "sub", "mul", "mad", "fma", "div", "rcp", "sqrt", "rsqrt", "min", "max", "setp")
_FLOAT64 = re.compile(rf"^\s*(?:@!?%p\d+\s+)?(?:{'|'.join(ARITHMETIC)})\.[\w.]*f64\b", re.MULTILINE)
_FUNCTION = re.compile(r"^(?:\.visible\s+|\.weak\s+|\.extern\s+)*\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)", re.M)
_CALL = re.compile(r"\bcall(?:\.uni)?\s*(?:\([^)]*\)\s*,\s*)?([\w$]+)", re.S)


def supported() -> set[int]:
    """Architectures that this Warp's NVRTC compiles for, as numbers: 86 for sm_86."""
    return set(wp.get_cuda_supported_archs())


def modules(launched: Iterable[Launched]) -> dict[tuple[Any, int], list[Launched]]:
    """Kernels by Warp's module and block size, which are compiled together."""
    out: dict[tuple[Any, int], list[Launched]] = {}
    for one in launched:
        out.setdefault((one.kernel.module, one.block_dim), []).append(one)
    return out


def compile_module(module: Any, block_dim: int, arch: int, folder: pathlib.Path) -> str:
    """PTX of a module for launches with ``block_dim``; ``folder`` keeps Warp's own files."""
    module.options["block_dim"] = block_dim
    (path,) = wp.compile_aot_module(module, arch=[arch], use_ptx=True, module_dir=folder)
    return path.read_bytes().rstrip(b"\0").decode()  # Warp leaves a NUL that ptxas refuses


def entry(launched: Launched) -> str:
    """Name of a kernel's function in the PTX of its module, once that was compiled."""
    return f"{launched.kernel.get_mangled_name()}_cuda_kernel_forward"


def _bodies(ptx: str) -> Iterator[tuple[str, str]]:
    """(name, text) of each function that has a body."""
    starts = list(_FUNCTION.finditer(ptx))
    for this, following in zip(starts, [*starts[1:], None], strict=True):
        text = ptx[this.end() : following.start() if following else len(ptx)]
        if "{" in text:
            yield this.group(1), text[text.index("{") :]


def float64_instructions(ptx: str) -> dict[str, int]:
    """Float64 arithmetic in the code of each function, those that it calls included (each once)."""
    bodies = dict(_bodies(ptx))
    own = {name: len(_FLOAT64.findall(text)) for name, text in bodies.items()}
    calls = {name: {c for c in _CALL.findall(text) if c in bodies} - {name} for name, text in bodies.items()}
    total = {}
    for name in bodies:
        reached, todo = set(), {name}
        while todo:
            reached |= todo
            todo = {callee for caller in todo for callee in calls[caller]} - reached
        total[name] = sum(own[one] for one in reached)
    return total
