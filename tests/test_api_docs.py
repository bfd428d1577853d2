"""The public names, their list in docs/api.md, and what the README and the other documents say of them."""

import ast
import importlib
import pathlib
import re
from typing import Any

import pytest

import mjorbit_warp as mjo
from mjorbit_warp import api_doc
from mjorbit_warp import reference as mjo_ref

ROOT = pathlib.Path(__file__).parent.parent
DOCS = sorted([ROOT / "README.md", ROOT / "benchmarks" / "README.md", *(ROOT / "docs").glob("*.md")])


def offered(path: str) -> dict[str, Any]:
    """Public names of a module."""
    module = importlib.import_module(path)
    return {name: getattr(module, name) for name in api_doc.public_names(module)}


def test_the_list_is_what_the_docstrings_say() -> None:
    """docs/api.md is made anew by ``python -m mjorbit_warp.api_doc docs/api.md``."""
    assert (ROOT / "docs" / "api.md").read_text(encoding="utf-8") == api_doc.document()


def test_the_list_is_whole() -> None:
    """Each name that the package takes over is in it, and nothing of others."""
    text = (ROOT / "mjorbit_warp" / "__init__.py").read_text(encoding="utf-8")
    taken = set(re.findall(r"^from \S+ import \w+ as (\w+)$", text, re.M)) - {"frames"}
    assert {name for name in taken if not name.startswith("_")} == offered("mjorbit_warp").keys()
    assert {"mjo_step", "make_data", "absolute_state"} <= offered("mjorbit_warp.reference").keys()
    assert "np" not in offered("mjorbit_warp.frames") and "F64" not in offered("mjorbit_warp.frames")


@pytest.mark.parametrize("path", api_doc.MODULES)
def test_every_name_has_a_docstring(path: str) -> None:
    """Functions, classes, and the methods and properties that they define."""
    missing = []
    for name, value in offered(path).items():
        if not callable(value):
            continue
        if not api_doc.summary(value):
            missing.append(name)
        if isinstance(value, type):
            for member, part in api_doc.members(value):
                plain = part.__func__ if isinstance(part, classmethod | staticmethod) else part
                if not api_doc.summary(plain):  # an override takes that of its base
                    missing.append(f"{name}.{member}")
    assert not missing


def test_both_backends_offer_the_same() -> None:
    """What the reference has is in the Warp package too, with at least its parameters in the same order."""
    ours, theirs = offered("mjorbit_warp"), offered("mjorbit_warp.reference")
    assert set(theirs) - set(ours) == {"from_warp"}
    words = re.compile(r"\w+(?==|,|\)|$)")
    for name, value in theirs.items():
        if name == "from_warp" or isinstance(value, type):
            continue
        positional = api_doc.signature(value).split("*")[0]
        assert api_doc.signature(ours[name]).startswith(positional.rstrip(" ,)")), name
        assert words.findall(positional)


def resolved(root: Any, dotted: str) -> bool:
    """Whether a dotted name exists."""
    for part in dotted.split("."):
        if not hasattr(root, part):
            return False
        root = getattr(root, part)
    return True


def is_module(dotted: str) -> bool:
    """Whether there is such a module; it is not imported, as its extra may be missing."""
    path = ROOT.joinpath(*dotted.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def code(parts: list[str]) -> str:
    """Text of a module."""
    path = ROOT.joinpath(*parts)
    file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize("doc", DOCS, ids=lambda path: path.name)
def test_names_in_documents_exist(doc: pathlib.Path) -> None:
    """``mjo.x``, ``mjo_ref.x``, imports and dotted modules of this package."""
    text = doc.read_text(encoding="utf-8")
    wrong = [f"mjo.{n}" for n in set(re.findall(r"\bmjo\.([A-Za-z_][\w.]*\w)", text)) if not resolved(mjo, n)]
    wrong += [f"mjo_ref.{n}" for n in set(re.findall(r"\bmjo_ref\.(\w+)", text)) if not hasattr(mjo_ref, n)]
    for path, names in re.findall(r"^from (mjorbit_warp[\w.]*) import ([\w, ]+?)(?: as \w+)?(?:\s*#.*)?$", text, re.M):
        module = importlib.import_module(path)
        wrong += [f"{path}.{name}" for name in re.split(r",\s*", names) if not hasattr(module, name)]
    for dotted in set(re.findall(r"`(mjorbit_warp(?:\.\w+)+)", text)):
        *parents, last = dotted.split(".")
        if not (is_module(dotted) or is_module(".".join(parents))):
            wrong.append(dotted)
        elif not is_module(dotted):
            known = rf"^(?:class|def) {last}\b|\b{last} as {last}$|^{last}\b"
            wrong += [] if re.search(known, code(parents), re.M) else [dotted]
    assert not wrong


@pytest.mark.parametrize("doc", DOCS, ids=lambda path: path.name)
def test_files_in_documents_exist(doc: pathlib.Path) -> None:
    """Links within the repository, and paths in it that are named."""
    text = doc.read_text(encoding="utf-8")
    missing = []
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in link and not (doc.parent / link).exists():
            missing.append(link)
    for path in re.findall(r"`((?:docs|tests|benchmarks|mjorbit_warp|notebooks)/[\w./-]+\.\w+)`", text):
        if not (ROOT / path).exists():
            missing.append(path)
    for module in set(re.findall(r"python -m (benchmarks[\w.]*|mjorbit_warp[\w.]*)", text)):
        file = ROOT / module.replace(".", "/")
        if not (file.with_suffix(".py").exists() or (file / "__main__.py").exists()):
            missing.append(module)
    assert not missing


CASES = ROOT / "docs" / "cases.md"
ROW = re.compile(r"^\| (H\d\d) \| ([^|]+) \| ([^|]+) \|$", re.M)


def source_of(file: str, test: str) -> str | None:
    """Text of a test with its decorators; None if there is none of that name."""
    text = (ROOT / file).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == test:
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            return "\n".join(text.splitlines()[start - 1 : node.end_lineno])
    return None


def test_every_case_has_its_tests() -> None:
    """Each known-answer case H01 to H31 names tests that exist and speak of it."""
    rows = {case: re.findall(r"`(tests/\w+\.py)::(\w+)`", named) for case, _, named in ROW.findall(CASES.read_text())}
    assert list(rows) == [f"H{i:02d}" for i in range(1, 32)]
    for case, named in rows.items():
        sources = [source_of(file, test) for file, test in named]
        assert sources and None not in sources, f"{case}: {named}"
        speaks = re.compile(rf"\b{case}\b|_?{case}_|\b{case}(?=\()", re.I)
        assert any(speaks.search(source or "") for source in sources), f"{case}: none of its tests speaks of it"


def test_no_test_of_a_case_is_left_out() -> None:
    """A test whose name begins with a case is in the table."""
    text = CASES.read_text(encoding="utf-8")
    for path in sorted((ROOT / "tests").glob("test_*.py")):
        for test in re.findall(r"^def (test_h\d\d_\w+)\(", path.read_text(encoding="utf-8"), re.M):
            assert f"`tests/{path.name}::{test}`" in text, f"{path.name}::{test}"
