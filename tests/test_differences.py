"""docs/differences.md is a contract: rows by area, and a test that shows each of them.

``tests/data/differences.txt`` has a line for each row: its first column, and the test or ``-``.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "differences.md"
AREAS = [
    *("Values", "Gradients", "What is accepted", "Training", "Quantization", "The estimator"),
    *("Metrics, models and images", "Results and messages", "The NumPy interface", "Files"),
]
WITHOUT_A_TEST = 4
"""How many rows no test is named for; fewer, whenever one is."""


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def rows() -> list[list[str]]:
    lines = PAGE.read_text("utf-8").splitlines()
    return [cells(line) for line in lines if line.startswith("| ") and not is_head(line)]


def is_head(line: str) -> bool:
    return line.startswith("| Where |")


def cases() -> dict[str, str]:
    lines = (ROOT / "tests" / "data" / "differences.txt").read_text("utf-8").splitlines()
    return dict(tuple(line.split("\t")) for line in lines)  # type: ignore[misc]  # pairs


@cache
def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_rows_are_by_area_and_complete() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    assert [line[3:] for line in lines if line.startswith("## ")] == AREAS
    assert sum(map(is_head, lines)) == len(AREAS)
    for row in rows():
        assert len(row) == 4, row
        assert all(row), row
    first = [row[0] for row in rows()]
    assert sorted(first) == sorted(set(first)), "two rows say what differs in one thing"


def test_every_row_has_a_line_in_the_order_of_the_page() -> None:
    assert list(cases()) == [row[0] for row in rows()]


@pytest.mark.parametrize("test", sorted(set(cases().values()) - {"-"}))
def test_the_test_of_a_row_is_there(test: str) -> None:
    file, _, name = test.partition("::")
    assert name in names_in(file)


def test_rows_without_a_test_become_fewer() -> None:
    assert list(cases().values()).count("-") == WITHOUT_A_TEST
