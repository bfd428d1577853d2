"""What all kernels need, compiled in parallel processes."""

import functools
import multiprocessing
import os
import pathlib
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from benchmarks.cuda import ptx, ptxas
from benchmarks.cuda.budget import Row
from benchmarks.cuda.launches import Launched

_groups: list[tuple[Any, int, list[Launched]]] = []  # what forked processes find


def measure(launched: Sequence[Launched], archs: Sequence[int], jobs: int | None = None) -> list[Row]:
    """A row for each kernel and architecture.

    Args:
      archs: as numbers, 86 for sm_86.
      jobs: processes, default one for each CPU; modules are shared by forking, elsewhere than on Linux it is one.

    Raises:
      FileNotFoundError: ptxas is not installed.
      RuntimeError: a module cannot be compiled.
    """
    assembler = ptxas.find_ptxas()
    _groups[:] = [(module, block_dim, group) for (module, block_dim), group in ptx.modules(launched).items()]
    jobs = jobs or os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        one = functools.partial(_group_rows, assembler=assembler, archs=tuple(archs), folder=pathlib.Path(folder))
        if jobs == 1 or not sys.platform.startswith("linux"):
            found = [one(i) for i in range(len(_groups))]
        else:
            context = multiprocessing.get_context("fork")
            with ProcessPoolExecutor(jobs, mp_context=context) as pool:
                found = list(pool.map(one, range(len(_groups))))
    return sorted((row for rows in found for row in rows), key=lambda row: (row.arch, row.name, row.scene))


def _group_rows(i: int, assembler: pathlib.Path, archs: Sequence[int], folder: pathlib.Path) -> list[Row]:
    module, block_dim, group = _groups[i]
    rows = []
    for arch in archs:
        text = ptx.compile_module(module, block_dim, arch, folder / str(i))
        usage, float64 = ptxas.assemble(assembler, text, arch), ptx.float64_instructions(text)
        for one in group:
            name = ptx.entry(one)
            u = usage[name]
            spills = u.spill_stores + u.spill_loads
            rows.append(
                Row(one.name, one.scene, arch, block_dim, u.registers, u.stack, spills, u.shared, float64[name])
            )
    return rows
