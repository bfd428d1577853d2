"""The tables of benchmarks/README.md, made from the JSON in results/.

python -m benchmarks.tables            # writes them between <!-- table: NAME --> and <!-- end -->
python -m benchmarks.tables --check    # exit code 1 if the page does not say what the JSON says
"""

import argparse
import json
import pathlib
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from mjorbit_warp.bench.report import header_line
from mjorbit_warp.run_file import replacing

HERE = pathlib.Path(__file__).parent
PAGE = HERE / "README.md"
MARKED = re.compile(r"<!-- table: ([\w ]+) -->\n.*?<!-- end -->", re.DOTALL)
TAXES = (
    ("gravity", "bare"),
    ("gravity shadow", "bare"),
    ("everything", "bare parts"),
    ("everything", "bare"),
    ("reference gravity", "mujoco"),
)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is text."""
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value: Any) -> str:
    """Three digits for a measurement, anything else as it is."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _span(ratio: dict[str, Any]) -> str:
    return f"{ratio['median']:.2f} ({ratio['low']:.2f}–{ratio['high']:.2f})"


def throughput(result: dict[str, Any]) -> str:
    """A row per scene, number of worlds and integrator; ratios with their quartiles."""
    rows = []
    for cell in result["cells"]:
        found = {(r["of"], r["over"]): _span(r) for r in cell["ratios"]}
        bare = next(c for c in cell["contenders"] if c["name"] == "bare")
        place = f"{cell['scene']}, {cell['nworld']}, {cell['integrator']}"
        rows.append([place, f"{bare['ns_per_step'] / 1e3:.3g}", *(found.get(tax, "") for tax in TAXES)])
    head = ["scene, worlds, integrator", "bare [µs]", *(f"{of} ÷ {over}" for of, over in TAXES)]
    refused = [f"Refused: {r['scene']}, {r['nworld']}, {r['integrator']}: {r['why']}" for r in result["refused"]]
    return "\n\n".join([header_line(result["machine"]), markdown(head, rows), *refused])


def studies(result: dict[str, Any]) -> str:
    """A table per study, of the plain values of its rows."""
    parts = [header_line(result["machine"])]
    for study in result["studies"]:
        head = [key for key, value in study["rows"][0].items() if not isinstance(value, list | dict)]
        rows = [[number(row[key]) for key in head] for row in study["rows"]]
        parts += [f"{study['study']}: {study['about']}", markdown(head, rows)]
    parts += [f"Refused: {row['study']}: {row['why']}" for row in result["refused"]]
    return "\n\n".join(parts)


def plain(result: dict[str, Any]) -> str:
    """Rows of a script of this folder, or of several by name."""
    groups = result["results"] if isinstance(result["results"], dict) else {"": result["results"]}
    parts = [f"`{result['command']}`: {header_line(result['machine'])}"]
    for name, rows in groups.items():
        head = [key for key, value in rows[0].items() if not isinstance(value, list | dict) or _is_ratio(value)]
        cells = [[_span(row[key]) if _is_ratio(row[key]) else number(row[key]) for key in head] for row in rows]
        parts += [name] * bool(name) + [markdown(head, cells)]
    return "\n\n".join(parts)


def _is_ratio(value: Any) -> bool:
    return isinstance(value, dict) and {"median", "low", "high"} <= value.keys()


TABLES: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
    "throughput": ("throughput_cpu.json", throughput),
    "studies": ("bench_studies_cpu.json", studies),
    "step cost": ("step_cost_cpu.json", plain),
    "rollout cost": ("rollout_cost_cpu.json", plain),
    "planning cost": ("planning_cpu.json", plain),
    "environments": ("env_cpu.json", plain),
    "datasets": ("generation_cpu.json", plain),
}


def fill(page: str) -> str:
    """The page with every marked table made anew; ValueError for a name without a table."""

    def table(match: re.Match[str]) -> str:
        name = match[1]
        if name not in TABLES:
            raise ValueError(f"there is no table {name!r}: allowed are {', '.join(TABLES)}")
        file, make = TABLES[name]
        text = make(json.loads((HERE / "results" / file).read_text(encoding="utf-8")))
        return f"<!-- table: {name} -->\n\n{text}\n\n<!-- end -->"

    return MARKED.sub(table, page)


def main() -> int:
    """Write the page, or check it."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--check", action="store_true")
    args = words.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    made = fill(page)
    if args.check:
        if page != made:
            print("benchmarks/README.md differs from results/: run python -m benchmarks.tables", file=sys.stderr)
        return int(page != made)
    with replacing(PAGE) as part:
        part.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
