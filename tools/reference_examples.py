"""Examples of the reference that are kept apart from docstrings: ``docs/examples/<module>.txt``.

Most public names have an example in their docstring. Names that rows of a table make, such as
``np.sin``, have none of their own there, and functions of ``np`` and of the array API are so many
that examples would fill their modules: theirs stand in a file for each module. A file begins with
the imports that all its examples share; ``## name`` begins an example, which is a doctest.

The site shows them with the docstrings, and the tests run them. ``hatch run reference-examples``
writes what they return anew where that is no longer true.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["FOLDER", "Example", "parts_of", "read_examples", "without_comments"]

FOLDER = Path(__file__).parents[1] / "docs" / "examples"
_HEADING = re.compile(r"^## (\w+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^#(?: .*)?\n|^\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Example:
    """The example of one public name."""

    path: str
    """Such as ``hy_ndarray.np.sin``."""
    imports: str
    """Lines that all examples of the module begin with."""
    text: str
    """Lines of the doctest."""


def parts_of(file: Path) -> list[str]:
    """Return a file's head, and then names and texts in turn."""
    return _HEADING.split(file.read_text(encoding="utf-8"))


def without_comments(text: str) -> str:
    """Return the lines of a part that are not for the reader of the file alone."""
    return _COMMENT.sub("", text)


@cache
def read_examples(folder: Path = FOLDER) -> dict[str, Example]:
    """Return the examples of all files, by path."""
    examples = {}
    for file in sorted(folder.glob("*.txt")):
        head, *rest = map(without_comments, parts_of(file))
        for name, text in zip(rest[::2], rest[1::2], strict=True):
            path = f"{file.stem}.{name}"
            if path in examples:
                raise ValueError(f"{path} has two examples")
            examples[path] = Example(path, head, text)
    return examples
