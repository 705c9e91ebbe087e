"""Examples of the reference that are kept apart from docstrings: ``docs/examples/<module>.txt``.

Most public names have an example in their docstring. Names that rows of a table make, such as
``np.sin``, have none of their own there, and functions of ``np`` and of the array API are so many
that examples would fill their modules: theirs stand in a file for each module. A file begins with
the imports that its examples share; ``## name`` begins an example, which is a doctest.

The site shows them with the docstrings, and the tests run them. ``hatch run reference-examples``
writes what they return again where that is no longer true.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["FOLDER", "Example", "parts_of", "read_examples", "without_comments"]

FOLDER = Path(__file__).parents[1] / "docs" / "examples"
_HEADING = re.compile(r"^## (\w+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^#(?: .*)?\n|^\n", re.MULTILINE)
_IMPORT = re.compile(r"(>>> (?:from [\w.]+ )?import )(.+)\n")


@dataclass(frozen=True, slots=True)
class Example:
    """The example of one public name."""

    path: str
    """Such as ``hy_ndarray.np.sin``."""
    imports: str
    """Lines that the examples of the module begin with, as far as this one uses their names."""
    text: str
    """Lines of the doctest."""


def parts_of(file: Path) -> list[str]:
    """Return a file's head, and then names and texts in turn."""
    return _HEADING.split(file.read_text(encoding="utf-8"))


def without_comments(text: str) -> str:
    """Return the lines of a part that are not for the reader of the file alone."""
    return _COMMENT.sub("", text)


def _needed(head: str, text: str) -> str:
    """Return the head of a file without imports of names that the rest does not use."""
    rest = _IMPORT.sub("", head) + text

    def used(statement: re.Match[str]) -> str:
        names = [x for x in statement[2].split(", ") if re.search(rf"\b{x.split()[-1]}\b", rest)]
        return f"{statement[1]}{', '.join(names)}\n" if names else ""

    return _IMPORT.sub(used, head)


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
            examples[path] = Example(path, imports=_needed(head, text), text=text)
    return examples
