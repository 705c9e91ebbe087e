"""Runs the examples in docs/examples, and writes what they print.

``hatch run reference-examples`` mends all files, or those of the modules that are named.
"""

import doctest
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from hy_symbol import NameManager
from tools.reference_examples import FOLDER, parts_of, without_comments

__all__ = ["as_run", "mended", "run"]

_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


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
                printed.write(_traceback_text(error))
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


def _traceback_text(error: Exception) -> str:
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
    head, *rest = parts_of(file)
    imports = without_comments(head)
    pieces = [head]
    for name, part in zip(rest[::2], rest[1::2], strict=True):
        text = without_comments(part)
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
