"""Runs the code of the pages in docs/, and writes under it what it printed.

The blocks of a page are one program: they share their names, and a folder where they may write. So
are blocks for the shell that call the command ``hy-io`` alone, unless it serves and does not end.
What a block prints stands in a block of text right below it, where ``...`` is for what differs from
run to run, as in doctests. Percentages may differ by five points and decimals by five in a hundred,
as what a net has learned depends on the order in which a processor adds. What the code writes to
``pictures/`` are the pictures of the page.

``hatch run pages`` writes outputs and pictures again where they are no longer true; tests compare.
"""

import doctest
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import chdir, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory

from hy_io.cli import main as hy_io
from hy_symbol import NameManager

__all__ = ["DOCS", "agree", "as_run", "pages", "pictures", "rest", "run", "without"]

DOCS = Path(__file__).parents[1] / "docs"

_BLOCK = re.compile(
    r"^(?P<code>```python\n(?P<python>.*?)^```\n"
    r"|```sh\n(?P<calls>(?:hy-io (?!serve )[^\n]*\n)+)^```\n)"
    r"(?:\n^```text\n(?P<shown>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
_PERCENTAGE = re.compile(r"\b\d+(?=%)")
_POINTS = 5  # percentage points by which a printed share may differ
_DECIMAL = re.compile(r"-?\b\d+\.\d+(?:e[-+]?\d+)?\b")
_RELATIVE = 0.05
_ABSOLUTE = 1e-3  # what remains of a difference of two equal numbers
_PICTURE = re.compile(r"\]\((pictures/[\w.-]+)\)")


def pages() -> list[Path]:
    """Return the pages with code."""
    return [page for page in sorted(DOCS.glob("*.md")) if _BLOCK.search(page.read_text("utf-8"))]


def pictures(text: str) -> set[str]:
    """Return the paths of a page's pictures, relative to the page."""
    return set(_PICTURE.findall(text))


def without(package: str, text: str) -> str:
    """Return a page less the blocks that import a package, which may not be installed."""
    needs = re.compile(rf"^(?:import|from) {package}\b", re.MULTILINE)
    return _BLOCK.sub(lambda match: "" if needs.search(match["code"]) else match[0], text)


def rest(text: str) -> str:
    """Return a page less the blocks that are run, and what they print."""
    return _BLOCK.sub("", text)


def run(text: str, name: str) -> list[str]:
    """Run the blocks of a page in the current folder, in turn.

    Args:
        text: The page.
        name: What tracebacks call it.

    Returns:
        What each block printed.
    """
    names: dict[str, object] = {}
    manager = NameManager()  # blocks are counted from 0, as in a new process
    outputs = []
    for number, match in enumerate(_BLOCK.finditer(text), start=1):
        where = f"{name}, block {number}"
        with manager, redirect_stdout(StringIO()) as printed:
            if match["calls"]:
                _call(match["calls"], where)
            else:
                exec(compile(match["python"], where, "exec"), names)  # noqa: S102  # ours
        outputs.append(printed.getvalue())
    return outputs


def _call(lines: str, where: str) -> None:
    """Run calls of the command ``hy-io``, in this process."""
    for line in lines.splitlines():
        _, *words = shlex.split(line, comments=True)
        if status := hy_io(words):
            raise RuntimeError(f"{where}: {line}: exit status {status}")


def as_run(text: str, outputs: Sequence[str]) -> str:
    """Return the page with the output of its blocks; unchanged if the output is current."""
    left = iter(outputs)

    def block(match: re.Match[str]) -> str:
        printed = "".join(f"{line.rstrip()}\n" for line in next(left).splitlines())
        shown = match["shown"] or ""
        if agree(shown, printed):
            printed = shown
        code: str = match["code"]
        return code + (f"\n```text\n{printed}```\n" if printed else "")

    return _BLOCK.sub(block, text)


def agree(shown: str, printed: str) -> bool:
    """Return whether outputs are the same, but for ``...`` and numbers that are near."""
    for numbers, relative, absolute in (
        (_PERCENTAGE, 0.0, _POINTS),
        (_DECIMAL, _RELATIVE, _ABSOLUTE),
    ):
        before, now = ([float(n) for n in numbers.findall(text)] for text in (shown, printed))
        if len(before) == len(now) and all(
            isclose(a, b, rel_tol=relative, abs_tol=absolute)
            for a, b in zip(before, now, strict=True)
        ):
            shown, printed = (numbers.sub("", text) for text in (shown, printed))
    return doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)


def main(names: Sequence[str]) -> None:
    """Mend pages, all or those named, and their pictures."""
    for page in [DOCS / f"{name}.md" for name in names] or pages():
        text = page.read_text(encoding="utf-8")
        if find_spec("torch") is None and without("torch", text) != text:
            sys.stdout.write(f"{page.name}: left as it is, because torch is not installed\n")
            continue
        with TemporaryDirectory() as folder, chdir(folder):
            page.write_text(as_run(text, run(text, page.name)), encoding="utf-8")
            for picture in pictures(text):
                (DOCS / picture).parent.mkdir(exist_ok=True)
                (DOCS / picture).write_bytes(Path(picture).read_bytes())
        sys.stdout.write(f"{page.name}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
