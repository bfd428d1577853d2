"""Registers, stack, spills and float64 instructions of every kernel against a budget; no GPU is needed.

python -m benchmarks.cuda_budget                                       # sm_86, as in CI
python -m benchmarks.cuda_budget --arch all --json benchmarks/results/cuda_budget.json

Kernels are those that a dry run of the scenes in cuda/scenes.py launches, compiled by Warp's NVRTC to PTX and by ptxas
(pip install 'mjorbit-warp[cuda]') to machine code. The limits are in cuda_budget.toml. The exit code is 1 if a kernel
breaks them.
"""

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.cuda import ptx, ptxas
from benchmarks.cuda.budget import Budget, Row, breaches, load
from benchmarks.cuda.launches import defined
from mjorbit_warp.quiet import start_warp
from mjorbit_warp.run_file import package_versions, replacing

ARCHS = (86, 89, 90, 120)


def main(argv: Sequence[str] | None = None) -> int:
    """Compile, print, write; 1 if the budget is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", nargs="+", default=["sm_86"], help="sm_86 (default), others, or all")
    parser.add_argument("--json", help="write the rows there")
    parser.add_argument("--jobs", type=int, help="processes, default one for each CPU")
    args = parser.parse_args(argv)
    began = time.perf_counter()
    start_warp()
    from benchmarks.cuda.measure import measure
    from benchmarks.cuda.scenes import launched

    archs, skipped = chosen(args.arch, ptx.supported())
    if not archs:
        raise SystemExit(f"nothing is left to compile: {'; '.join(skipped)}")
    budget, kernels = load(), launched()
    missing = sorted(set(defined()) - {one.name for one in kernels})
    rows = measure(kernels, archs, args.jobs)
    faults = breaches(budget, rows, tight=set(ARCHS) <= set(archs))
    faults += [f"no scene launches {name}: add it to one in cuda/scenes.py" for name in missing]
    seconds = time.perf_counter() - began
    show(budget, rows, [*skipped, f"{len(kernels)} kernels of {len(ptx.modules(kernels))} modules in {seconds:.0f} s"])
    if args.json:
        versions = package_versions() | {"ptxas": ptxas.version(ptxas.find_ptxas())}
        settings = {"archs": [f"sm_{arch}" for arch in archs], "skipped": skipped, "seconds": round(seconds, 1)}
        found = {"results": [dataclasses.asdict(row) for row in rows], "breaches": faults}
        text = json.dumps({"versions": versions, "settings": settings, **found}, indent=1)
        with replacing(args.json) as part:
            part.write_text(text + "\n", encoding="utf-8")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def chosen(names: Sequence[str], supported: set[int]) -> tuple[list[int], list[str]]:
    """(architectures to compile for, a sentence for each that this NVRTC cannot)."""
    numbers = list(ARCHS) if names == ["all"] else []
    if not numbers:
        for name in names:
            number = name.removeprefix("sm_")
            if not number.isdigit():
                raise SystemExit(f"--arch has {name!r}: names like sm_86, or all, are expected")
            numbers.append(int(number))
    skipped = [f"sm_{arch} is skipped: this NVRTC does not know it" for arch in numbers if arch not in supported]
    return [arch for arch in numbers if arch in supported], skipped


def show(budget: Budget, rows: Sequence[Row], notes: Sequence[str]) -> None:
    """A table: everything that needs an exception, and the largest of the rest."""
    table = Table("kernel", "sm", "block", "registers", "stack", "spills", "float64", "declared", box=None)
    plain = []
    for row in rows:
        keys = {key for key in (row.name, row.label) if key in budget.kernels}
        if not keys:
            plain.append(row)
            continue
        why = ", ".join(sorted({budget.kernels[key]["reason"] for key in keys}))
        table.add_row(row.label, str(row.arch), str(row.block_dim), *_numbers(row), why)
    for arch in sorted({row.arch for row in plain}):
        rest = [row for row in plain if row.arch == arch]
        largest = [str(max(getattr(row, name) for row in rest)) for name in ("registers", "stack", "spills", "float64")]
        table.add_row(f"the other {len(rest)}, largest", str(arch), "", *largest, "")
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    console.print(table)
    for note in notes:
        console.print(note)


def _numbers(row: Row) -> list[str]:
    return [str(x) for x in (row.registers, row.stack, row.spills, row.float64)]


if __name__ == "__main__":
    sys.exit(main())
