"""The tables of benchmarks/README.md say what the JSON says."""

import json

import pytest

from benchmarks import tables


def test_the_page_is_made_from_the_results() -> None:
    page = tables.PAGE.read_text(encoding="utf-8")
    assert {m[1] for m in tables.MARKED.finditer(page)} == set(tables.TABLES)
    assert tables.fill(page) == page


def test_a_changed_figure_shows() -> None:
    file, make = tables.TABLES["throughput"]
    result = json.loads((tables.HERE / "results" / file).read_text(encoding="utf-8"))
    before = make(result)
    result["cells"][0]["ratios"][0]["median"] += 0.1
    assert make(result) != before


def test_unknown_table() -> None:
    with pytest.raises(ValueError, match="there is no table 'speed': allowed are throughput"):
        tables.fill("<!-- table: speed -->\n<!-- end -->")
