"""The notebooks run from top to bottom; their pages on the site show what they print."""

from pathlib import Path
from typing import Any

import nbformat
import pytest

from tools import notebook_pages

read: Any = nbformat.read  # which is not annotated
notebook_of: Any = nbformat.from_dict
NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["hybridize", "symbol", "transfer-learning"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_is_stored_without_outputs(path: Path) -> None:
    cells = read(path, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_the_page_of_a_notebook_has_its_texts_and_code(path: Path) -> None:
    written = (notebook_pages.PAGES / f"{path.stem}.md").read_text(encoding="utf-8")
    expected = notebook_pages.page(read(path, as_version=4), path.stem)
    assert notebook_pages.inputs(written).split() == expected.split(), (
        "run `hatch run notebook-pages`"
    )


def test_outputs_of_a_cell_become_blocks_of_a_page() -> None:
    outputs = [
        notebook_of({"output_type": "stream", "text": "1"}),
        notebook_of({"output_type": "stream", "text": "5\n"}),
        notebook_of({"output_type": "display_data", "data": {"text/html": "<b>\n 2</b>"}}),
        notebook_of({"output_type": "execute_result", "data": {"text/plain": "3"}}),
    ]
    cells = [
        notebook_of({"cell_type": "markdown", "source": "# Title\n\nText."}),
        notebook_of({"cell_type": "code", "source": "x", "outputs": outputs}),
    ]
    text = notebook_pages.page(notebook_of({"cells": cells}), "a")
    assert text.endswith(
        "```python\nx\n```\n\n```text\n15\n```\n\n"
        '<div class="hy-output"><b> 2</b></div>\n\n```text\n3\n```\n'
    )
    assert notebook_pages.inputs(text).endswith("Text.\n\n```python\nx\n```\n\n\n")


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ('loss 0.747\n93%\n<circle cx="9" r="4"/>', True),
        ('loss 0.842\n93%\n<circle cx="9" r="4"/>', False),
        ('loss 0.742\n80%\n<circle cx="9" r="4"/>', False),
        ('loss 0.742\n93%\n<circle cx="7" r="5"/>', False),
        ('rate 0.742\n93%\n<circle cx="7" r="4"/>', False),
    ],
)
def test_pages_agree_where_numbers_are_near(other: str, same: bool) -> None:
    assert notebook_pages.agree('loss 0.742\n96%\n<circle cx="7" r="4"/>', other) == same


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_runs_and_its_page_shows_that(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "IPYTHONDIR", "JUPYTER_RUNTIME_DIR":
        monkeypatch.setenv(name, str(tmp_path))
    notebook = notebook_pages.executed(path)
    shown = {
        form
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        for form in output.get("data", ())
    }
    assert "image/svg+xml" in shown
    assert ("text/html" in shown) == (path.stem != "transfer-learning")
    written = (notebook_pages.PAGES / f"{path.stem}.md").read_text(encoding="utf-8")
    assert notebook_pages.agree(written, notebook_pages.page(notebook, path.stem)), (
        "run `hatch run notebook-pages`"
    )
