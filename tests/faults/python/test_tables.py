"""The tables of faults and field cases are true: what they name is there, and all is named."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
README = ROOT / "tests" / "faults" / "README.md"
CASES = ROOT / "tests" / "field-cases.md"
RUST = ROOT / "tests" / "faults" / "tests" / "faults"
SCENARIOS = ROOT / "tests" / "conformance" / "scenarios"
TESTS = [
    "bindings-c/tests",
    "bindings-cpp/tests",
    "bindings-node/test",
    "bindings-python/tests",
    "cli/tests",
    "core/kit/tests",
    "core/machine/src/json",
    "core/queue/tests",
    "core/runtime/tests",
    "ros-bridge/tests/bridge",
    "tests/cloudflare",
    "tests/faults",
    "tests/lifecycle",
]
ON_THE_NODE = {"broker", "small", "rotation"}
"""Fixtures that start an owned node, too."""


def rows(page: Path, columns: int) -> Iterator[list[str]]:
    """The cells of each row of the tables with so many columns."""
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        head = cells[0] in {"fault", "letter", "case"}
        if line.startswith("| ") and len(cells) == columns and not head:
            yield cells


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@cache
def rust_tests() -> dict[str, bool]:
    """Each fault test in Rust, and whether it runs on the owned node."""
    found = {}
    for file in RUST.glob("*.rs"):
        text = file.read_text()
        both = re.search(r"on_each_broker!\(([^)]*)\)", text)
        for name in re.findall(r"\w+", both[1] if both else ""):
            found[f"{file.stem}::{name}"] = True
        for name in re.findall(r"#\[tokio::test[^\n]*\n(?:#[^\n]*\n)*async fn (\w+)", text):
            found[f"{file.stem}::{name}"] = "owned_node" in name
    return found


@cache
def python_tests() -> dict[str, bool]:
    """Each fault test in Python, and whether it runs on the owned node."""
    found = {}
    for file in Path(__file__).parent.glob("test_*.py"):
        if file == Path(__file__):
            continue
        for item in ast.parse(file.read_text()).body:
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and "test" in item.name[:4]:
                taken = {argument.arg for argument in item.args.args}
                found[f"{file.stem}::{item.name}"] = bool(taken & ON_THE_NODE)
    return found


def test_every_fault_test_is_in_the_table_and_every_name_a_test() -> None:
    named = [name for row in rows(README, 10) for name in names(row[2])]
    assert set(named) == set(rust_tests())
    named = [name for row in rows(README, 10) for name in names(row[6])]
    assert set(named) == set(python_tests())


def test_every_cell_names_a_broker_or_a_reason() -> None:
    reasons = {row[0] for row in rows(README, 2)}
    used = set()
    for row in rows(README, 10):
        for language, tests in ((2, rust_tests()), (6, python_tests())):
            named, cells = names(row[language]), row[language + 1 : language + 4]
            letters = {cell for cell in cells if cell != "yes"}
            assert letters <= reasons, row[0]
            assert named or "yes" not in cells, row[0]
            assert (cells[2] == "yes") == any(tests[name] for name in named), row[0]
            used |= letters
    assert used == reasons


def is_there(test: str, text: str) -> bool:
    """Whether it is defined there: a function, a test of C or C++, a title, a way to end."""
    return any(
        re.search(pattern, text, re.MULTILINE)
        for pattern in (
            rf"\b(fn|def) {re.escape(test)}\(",
            rf"^TEST\({re.escape(test).replace(chr(92) + '.', ', ')}\)",
            rf"^ *((test|row)\()?[\"`](\$\{{\w+\}} )?{re.escape(test)}",
            rf"\b{re.escape(test)}: ?(\d|\")",
        )
    )


@cache
def files() -> list[Path]:
    found = [file for top in TESTS for file in (ROOT / top).rglob("*") if file.is_file()]
    return [file for file in found if "node_modules" not in file.parts]


def sources(name: str) -> list[Path]:
    """The files that a module in the table of field cases may be."""
    return [file for file in files() if str(file.with_suffix("")).endswith(f"/{name}")]


def test_the_field_cases_name_what_is_there() -> None:
    found = list(rows(CASES, 9))
    for row in found:
        for name in names(row[2]):
            assert (SCENARIOS / f"{name}.toml").is_file(), name
    others = list(rows(CASES, 3))
    assert len(found) + len(others) == 24
    cells = [cell for row in found for cell in row[3:]] + [row[2] for row in others]
    for name in (name for cell in cells for name in names(cell)):
        module, _, test = name.rpartition("::")
        texts = [file.read_text() for file in sources(module)]
        assert any(is_there(test, text) for text in texts), name


@pytest.mark.parametrize("page", [README, CASES])
def test_tables_have_no_holes(page: Path) -> None:
    columns = 10 if page == README else 9
    assert all(row[0] for row in rows(page, columns))
