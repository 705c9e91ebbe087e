"""The import statements of a module, wherever in it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["Import", "imports_of", "imports_of_file"]

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Import(NamedTuple):
    """One import statement."""

    node: ast.Import | ast.ImportFrom
    in_function: bool


def imports_of(code: str) -> list[Import]:
    """The import statements of some code, those inside of functions and conditions, too."""
    return [*_below(ast.parse(code), in_function=False)]


@cache
def imports_of_file(path: Path) -> list[Import]:
    """The import statements of a file, which is read once."""
    return imports_of(path.read_text("utf-8"))


def _below(node: ast.AST, *, in_function: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield Import(node, in_function)
    inside = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for block in _BLOCKS:  # expressions hold no statements
        children = getattr(node, block, ())
        if isinstance(children, list):  # a lambda's body is an expression
            for child in children:
                yield from _below(child, in_function=inside)
