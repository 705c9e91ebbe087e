"""Writes the notebooks as pages of the site, with what they print and draw.

Run with ``hatch run notebook-pages`` after a notebook was changed; a test compares texts and code.
"""

import re
import sys
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

from tools import pages

__all__ = ["PAGES", "agree", "executed", "inputs", "page", "sources"]

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "notebooks"
PAGES = ROOT / "docs" / "notebooks"

_OUTPUT = re.compile(
    r"\n*(?:<div class=\"hy-output\">.*?</div>|```text\n.*?^```)\n", re.DOTALL | re.MULTILINE
)
# What depends on the processor: where points are that a net has placed, and which way of a product
# is measured to be the fastest.
_VARYING = re.compile(r' c[xy]="\d+"|\b(?:blas|panels)\b')


def sources() -> list[Path]:
    """Return the notebooks."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def executed(source: Path) -> Any:
    """Return a notebook with the outputs of a run, in an empty folder."""
    read: Any = nbformat.read  # which is not annotated
    notebook = read(source, as_version=4)
    with TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    return notebook


def page(notebook: Any, name: str) -> str:
    """Return a notebook as Markdown: texts, blocks of code, and outputs that it has."""
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        else:
            parts.append(f"```python\n{cell.source}\n```")
            parts += map(_shown, _merged_outputs(cell.get("outputs", ())))
    title, *rest = parts
    note = f"*This page is the notebook `notebooks/{name}.ipynb` of the repository.*"
    heading, _, text = title.partition("\n")
    return "\n\n".join([heading, note, text.strip(), *filter(None, rest)]) + "\n"


def agree(written: str, executed: str) -> bool:
    """Return whether two pages are the same, but for near numbers and what varies by processor."""
    return pages.agree(*(_VARYING.sub("", text) for text in (written, executed)))


def inputs(text: str) -> str:
    """Return a page without outputs."""
    return _OUTPUT.sub("\n", text)


def _merged_outputs(outputs: Sequence[Any]) -> list[Any]:
    """Return outputs with what is printed in one piece, however a kernel sent it."""
    merged: list[Any] = []
    for output in outputs:
        if merged and output.output_type == merged[-1].output_type == "stream":
            merged[-1].text += output.text
        else:
            merged.append(copy(output))
    return merged


def _shown(output: Any) -> str:
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.get("data", {})
    for form in ("image/svg+xml", "text/html"):
        if form in data:  # an empty line would end the HTML
            inner = re.sub(r"\n\s*", " ", "".join(data[form]))
            return f'<div class="hy-output">{inner}</div>'
    text = "".join(data.get("text/plain", "")).rstrip()
    return f"```text\n{text}\n```" if text else ""


def main(names: Sequence[str]) -> None:
    """Write the pages, all or those named."""
    PAGES.mkdir(exist_ok=True)
    for source in sources():
        if not names or source.stem in names:
            text = page(executed(source), source.stem)
            (PAGES / f"{source.stem}.md").write_text(text, encoding="utf-8")
            sys.stdout.write(f"{source.name}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
