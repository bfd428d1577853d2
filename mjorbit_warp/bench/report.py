"""The benchmark's result as tables, as lines or as JSON."""

import io
import json
from typing import Any

FORMATS = ("human", "short", "json")
_FIELDS = 6  # of memory that the tables name; the JSON has all


def report(result: dict[str, Any], form: str) -> str:
    """Text of a result.

    Args:
      result: of ``run``, or of ``studies.run_studies`` under ``studies``.
      form: "human" (tables), "short" (a line per figure) or "json" (everything, raw samples too).
    """
    if form not in FORMATS:
        raise ValueError(f"format is {form!r}: allowed are {', '.join(FORMATS)}")
    if form == "json":
        return json.dumps(result, indent=1, allow_nan=False)
    return _human(result) if form == "human" else _short(result)


def _place(cell: dict[str, Any]) -> str:
    if "study" in cell:
        return str(cell["study"])
    return f"{cell['scene']}, {cell['nworld']} worlds, {cell['integrator']}"


def header_line(machine: dict[str, Any]) -> str:
    """Device, driver, versions, graph=yes."""
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    driver = f", driver {machine['driver']}" if machine["driver"] else ""
    load = "" if machine["load"] is None else f", load {machine['load']:.1f}"
    return (
        f"{machine['device']}{driver}; {machine['processor']}, {machine['cpus']} CPUs{load}; {versions}; "
        f"{machine['began']}; graph=yes"
    )


def _short(result: dict[str, Any]) -> str:
    lines = [header_line(result["machine"])]
    for cell in result.get("cells", ()):
        for row in cell["contenders"]:
            # the row's own nworld: host contenders may have fewer
            lines.append(
                f"{_place(cell)}: {row['name']}: {row['steps_per_s']:.4g} steps/s, {row['ns_per_step']:.4g} ns, "
                f"{row['nworld']} worlds, graph={'yes' if row['graph'] else 'no'}"
            )
        for ratio in cell["ratios"]:
            lines.append(
                f"{_place(cell)}: {ratio['of']} / {ratio['over']} = {ratio['median']:.3f} "
                f"[{ratio['low']:.3f}, {ratio['high']:.3f}]"
            )
    lines += [f"refused: {_place(row)}: {row['why']}" for row in result.get("refused", ())]
    for study in result.get("studies", ()):
        lines += [f"{study['study']}: {_words(row)}" for row in study["rows"]]
    return "\n".join(lines)


def _words(row: dict[str, Any]) -> str:
    return ", ".join(f"{key} {_figure(value)}" for key, value in row.items() if not isinstance(value, list | dict))


def _figure(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _human(result: dict[str, Any]) -> str:
    from rich.console import Console

    file = io.StringIO()
    console = Console(file=file, width=118, highlight=False)
    console.print(header_line(result["machine"]), soft_wrap=True)
    for cell in result.get("cells", ()):
        for table in _cell_tables(cell):
            console.print()
            console.print(table)
    for row in result.get("refused", ()):
        console.print(f"\nrefused: {_place(row)}: {row['why']}", soft_wrap=True, markup=False)
    for study in result.get("studies", ()):
        console.print()
        console.print(_study_table(study))
    return file.getvalue().rstrip()


def _table(title: str, columns: tuple[str, ...]) -> Any:
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", pad_edge=False, box=None)
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right", no_wrap=k == 0)
    return table


def _cell_tables(cell: dict[str, Any]) -> list[Any]:
    speed = _table(
        f"{_place(cell)}, dt {cell['timestep_s']:g} s",
        ("", "worlds", "graph", "steps/s", "ns/step", "step ms", "p95 ms", "first step s", "kB/world"),
    )
    for row in cell["contenders"]:
        compiled = f"{row['jit_s'] + row['capture_s']:.2f}" if row["graph"] else ""
        memory = f"{row['memory_per_world'] / 1e3:.1f}" if row["graph"] else ""
        speed.add_row(
            row["name"],
            str(row["nworld"]),
            "yes" if row["graph"] else "no",
            f"{row['steps_per_s']:,.0f}",
            f"{row['ns_per_step']:,.0f}",
            f"{row['step_ms']:.4g}",
            f"{row['step_p95_ms']:.4g}",
            compiled,
            memory,
        )
    tax = _table("ratios of times, in rounds", ("", "median", "quartiles", "extremes", "rounds"))
    for ratio in cell["ratios"]:
        tax.add_row(
            f"{ratio['of']} ÷ {ratio['over']}",
            f"{ratio['median']:.3f}",
            f"{ratio['low']:.3f} – {ratio['high']:.3f}",
            f"{ratio['least']:.3f} – {ratio['most']:.3f}",
            str(ratio["rounds"]),
        )
    return [speed, tax, _counts_table(cell), *_trace_tables(cell)]


def _counts_table(cell: dict[str, Any]) -> Any:
    table = _table(
        "end of a sample, per world (mean, p95, room), and the largest fields in bytes",
        ("", "contacts", "constraints", "overflow", "converged", "largest fields"),
    )
    for row in cell["contenders"]:
        if row["graph"]:
            found = row["counts"]
            counts = [
                f"{found[k]['mean']:.2f}, {found[k]['p95']:g}, {found[k]['capacity']}"
                for k in ("contacts", "constraints")
            ]
            fields = list(row["memory_by_field"].items())[:_FIELDS]
            table.add_row(
                row["name"],
                *counts,
                str(found["overflow"]),
                f"{found['converged']}/{found['nworld']}",
                ", ".join(f"{name} {size:.0f}" for name, size in fields),
            )
    return table


def _trace_tables(cell: dict[str, Any]) -> list[Any]:
    if "trace" not in cell:
        return []
    table = _table("stages, each a graph of its own, ns per world", ("", "bare parts", "everything"))
    for row in cell["trace"]:
        table.add_row(row["stage"], f"{row['bare_ns']:,.0f}", f"{row['ours_ns']:,.0f}")
    total = [sum(row[key] for row in cell["trace"]) for key in ("bare_ns", "ours_ns")]
    table.add_row("sum", *(f"{value:,.0f}" for value in total))
    return [table]


def _study_table(study: dict[str, Any]) -> Any:
    columns = [key for key, value in study["rows"][0].items() if not isinstance(value, list | dict)]
    table = _table(f"{study['study']}: {study['about']}", tuple(columns))
    for row in study["rows"]:
        table.add_row(*(_figure(row[key]) for key in columns))
    return table
