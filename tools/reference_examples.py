"""Examples of the reference that are kept apart from docstrings: ``docs/examples/<module>.txt``.

Most public names have an example in their docstring. Names that rows of a table make, such as
``np.sin``, have none of their own there, and functions of ``np`` and of the array API are so many
that examples would fill their modules: theirs stand in a file for each module. A file begins with
the imports that all its examples share; ``## name`` begins an example, which is a doctest.

The site shows them with the docstrings, and the tests run them. ``hatch run reference-examples``
writes what they return anew where that is no longer true.
"""

import doctest
import logging
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from hy_symbol import NameManager

__all__ = ["FOLDER", "Example", "as_run", "mended", "read_examples", "run"]

FOLDER = Path(__file__).parents[1] / "docs" / "examples"
_HEADING = re.compile(r"^## (\w+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^#(?: .*)?\n|^\n", re.MULTILINE)
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True, slots=True)
class Example:
    """The example of one public name."""

    path: str
    """Such as ``hy_ndarray.np.sin``."""
    imports: str
    """Lines that all examples of the module begin with."""
    text: str
    """Lines of the doctest."""


def _parts(file: Path) -> list[str]:
    """Return a file's head, and then names and texts in turn."""
    return _HEADING.split(file.read_text(encoding="utf-8"))


@cache
def read_examples(folder: Path = FOLDER) -> dict[str, Example]:
    """Return the examples of all files, by path."""
    examples = {}
    for file in sorted(folder.glob("*.txt")):
        head, *rest = (_COMMENT.sub("", part) for part in _parts(file))
        for name, text in zip(rest[::2], rest[1::2], strict=True):
            path = f"{file.stem}.{name}"
            if path in examples:
                raise ValueError(f"{path} has two examples")
            examples[path] = Example(path, head, text)
    return examples


def run(imports: str, text: str, name: str) -> list[tuple[doctest.Example, str]]:
    """Run an example in the current folder; return its statements, each with what it printed.

    Errors are printed as doctests write them. Names of blocks are counted from 0, as in a new
    process, and the root logger is left as it was.
    """
    names: dict[str, object] = {}
    results = []
    with _unchanged_logger(), NameManager(), redirect_stdout(StringIO()) as printed:
        statements = doctest.DocTestParser().get_examples(imports + text)
        for number, example in enumerate(statements, start=1):
            if doctest.SKIP in example.options:
                results.append((example, example.want))
                continue
            code = compile(example.source, f"<{name}, {number}>", "single")
            start = printed.tell()
            try:
                exec(code, names)  # noqa: S102  # ours
            except Exception as error:  # an example may show one
                printed.write(_described(error))
            results.append((example, printed.getvalue()[start:]))
    return results


@contextmanager
def _unchanged_logger() -> Iterator[None]:
    logger = logging.getLogger()
    handlers, level = logger.handlers[:], logger.level
    try:
        yield
    finally:
        logger.handlers[:] = handlers
        logger.setLevel(level)


def _described(error: Exception) -> str:
    kind, text = type(error), str(error).partition("\n")[0]
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"Traceback (most recent call last):\n    ...\n{module}{kind.__qualname__}: {text}\n"


def as_run(imports: str, text: str, name: str) -> str:
    """Return an example with what it prints; it is the same if that is what it shows."""
    lines = []
    count = len(doctest.DocTestParser().get_examples(imports))
    for example, got in run(imports, text, name)[count:]:
        first, *rest = example.source.splitlines()
        lines += [f">>> {first}", *(f"... {line}".rstrip() for line in rest)]
        agree = doctest.OutputChecker().check_output(example.want, got, _FLAGS)
        shown = example.want if agree else got
        lines += [line.rstrip() or "<BLANKLINE>" for line in shown.splitlines()]
    return "".join(f"{line}\n" for line in lines)


def mended(file: Path) -> str:
    """Return the text of a file with what its examples print."""
    head, *rest = _parts(file)
    imports = _COMMENT.sub("", head)
    pieces = [head]
    for name, part in zip(rest[::2], rest[1::2], strict=True):
        text = _COMMENT.sub("", part)
        trailing = part[part.index(text.rstrip("\n")) + len(text.rstrip("\n")) :].lstrip("\n")
        pieces += [f"## {name}\n", as_run(imports, text, f"{file.stem}.{name}")]
        pieces += [f"\n{trailing}"] if trailing else []
    return "".join(pieces)


def main(modules: Sequence[str]) -> None:
    """Mend files, all or those of the modules named."""
    for file in [FOLDER / f"{name}.txt" for name in modules] or sorted(FOLDER.glob("*.txt")):
        with TemporaryDirectory() as folder, chdir(folder):
            text = mended(file)
        file.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{file.stem}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
