"""The budget file, and which kernels break it."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "cuda_budget.toml"
UNITS = {
    "registers": "registers",
    "stack": "bytes of stack",
    "spills": "bytes of spills",
    "float64": "float64 instructions",
}
SLACK = 1.25  # a cap above this many times what its kernel needs says nothing


@dataclass(frozen=True)
class Row:
    """What a kernel needs on an architecture, per thread.

    Attributes:
      name, scene: file and function, and what launches it; see launches.Launched
      arch: 86 for sm_86
      block_dim: threads of a block
      registers, stack, spills: from ptxas; spills are stores and loads together [bytes]
      shared: per block [bytes]; ptxas counts 1024 that CUDA itself keeps
      float64: arithmetic instructions on float64 in the PTX
    """

    name: str
    scene: str
    arch: int
    block_dim: int
    registers: int
    stack: int
    spills: int
    shared: int
    float64: int

    @property
    def label(self) -> str:
        """Name and scene."""
        return f"{self.name}@{self.scene}"


@dataclass(frozen=True)
class Budget:
    """Limits for all kernels, and for some their own.

    Attributes:
      defaults: by quantity, see UNITS
      kernels: by "file._kernel" or "file._kernel@scene", caps by quantity, and ``reason``
      reasons: by the name that a kernel's ``reason`` has
    """

    defaults: Mapping[str, int]
    kernels: Mapping[str, Mapping[str, Any]]
    reasons: Mapping[str, str]

    def cap(self, row: Row, quantity: str) -> tuple[str | None, int]:
        """(declared for, limit): a build's own cap, else its kernel's, else everybody's."""
        for key in (row.label, row.name):
            if quantity in self.kernels.get(key, {}):
                return key, self.kernels[key][quantity]
        return None, self.defaults[quantity]


def load(path: Path = FILE) -> Budget:
    """A checked budget file; ValueError says what is wrong with it."""
    text = tomllib.loads(path.read_text(encoding="utf-8"))
    defaults, kernels, reasons = (dict(text.get(name, {})) for name in ("defaults", "kernels", "reasons"))
    if set(defaults) != set(UNITS):
        raise ValueError(f"{path.name}: [defaults] has {', '.join(defaults)}: exactly {', '.join(UNITS)} are expected")
    for name, caps in kernels.items():
        unknown = set(caps) - set(UNITS) - {"reason"}
        if unknown:
            raise ValueError(f"{path.name}: {name} has {', '.join(unknown)}: allowed are {', '.join(UNITS)}, reason")
        if caps.get("reason") not in reasons:
            raise ValueError(f"{path.name}: the reason of {name} is not among {', '.join(reasons)}")
    return Budget(defaults, kernels, reasons)


def breaches(budget: Budget, rows: Sequence[Row], tight: bool = True) -> list[str]:
    """One sentence for each kernel and quantity over its limit, and for each cap that no kernel has.

    Args:
      tight: also for each cap that is far above what is needed; of use with rows of all architectures.
    """
    out = []
    needed: dict[tuple[str, str], int] = {}
    for row in rows:
        for quantity, unit in UNITS.items():
            key, limit = budget.cap(row, quantity)
            value = getattr(row, quantity)
            if value > limit:
                whose = "the default" if key is None else f"declared for {key}"
                out.append(f"{row.label} on sm_{row.arch} has {value} {unit}: {limit} are allowed ({whose})")
            if key is not None:
                needed[key, quantity] = max(needed.get((key, quantity), 0), value)
    return out + list(_idle(budget, needed, tight))


def _idle(budget: Budget, needed: Mapping[tuple[str, str], int], tight: bool) -> Iterable[str]:
    """Caps of kernels that are not there, that need none, or far above what is needed."""
    for name, caps in budget.kernels.items():
        for quantity in caps.keys() - {"reason"}:
            used = needed.get((name, quantity))
            if used is None:
                yield f"the budget has {quantity} for {name}, which no scene launches"
            elif tight and (used <= budget.defaults[quantity] or caps[quantity] > SLACK * used + 8):
                yield f"the budget allows {name} {caps[quantity]} {UNITS[quantity]} and it has {used}: lower the cap"
