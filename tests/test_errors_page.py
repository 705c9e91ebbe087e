"""docs/errors.md lists every exception that a user may meet, with what it derives from."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")

INTERNAL = {
    ("hy_gluon", "Untraceable"),  # a block that runs operator by operator instead
    (
        "mxnet",
        "NumberError",
    ),  # which cell of a text file is no number, which the iterator's error says
    ("hy_io", "RefusedError"),  # what a pickle does, which the error of the file says
    ("hy_ndarray", "LiftedError"),  # calls that a transform's rules make instead
    ("hy_ndarray", "UnknownTypeError"),  # a composition that waits for more of the types
    ("hy_ndarray", "StaleTableError"),  # arrays that are migrated instead
}
"""Raised and caught inside."""

Row = tuple[str, str, tuple[str, ...]]
"""The package, the name, and the names of the classes it derives from."""


@cache
def classes() -> list[Row]:
    """The classes of the packages that derive from what is called an error or exception."""
    derived = re.compile(r"^class [A-Za-z]\w*\(.*(?:Error|Exception)\b", re.MULTILINE)
    return [
        (package.name, node.name, tuple(ast.unparse(base) for base in node.bases))
        for package in sorted(ROOT.glob("packages/*/src/*"))
        for path in sorted(package.rglob("*.py"))
        if derived.search(text := path.read_text(encoding="utf-8"))
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def exceptions() -> list[Row]:
    """Those that are exceptions."""
    names = {"Exception", "RuntimeError", "ValueError", "ImportError", "KeyError", "MXNetError"}
    found: list[Row] = []
    left = classes()
    while new := [row for row in left if names & set(row[2])]:
        names |= {name for _, name, _ in new}
        left = [row for row in left if row not in new]
        found += new
    return [row for row in found if row[:2] not in INTERNAL]


def listed() -> list[Row]:
    """The rows of the page."""
    package, rows = "", []
    for line in PAGE.splitlines():
        if line.startswith("## "):
            package = line.removeprefix("## ")
        elif line.startswith("| `"):
            _, name, bases, cause, cure, _ = re.split(r" ?\| ?", line)
            assert cause, name
            assert cure, name
            rows.append((package, name.strip("`"), tuple(re.findall(r"`(\w+)`", bases))))
    return rows


def test_every_exception_is_listed() -> None:
    assert sorted(listed()) == sorted(exceptions())


def test_what_is_internal_exists() -> None:
    assert {row[:2] for row in classes()} >= INTERNAL
