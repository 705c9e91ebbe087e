"""The notebooks run from top to bottom, and are stored without what they print."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

read: Any = nbformat.read  # which is not annotated
NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["hybridize", "symbol", "transfer-learning"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_is_stored_without_outputs(path: Path) -> None:
    cells = read(path, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "IPYTHONDIR", "JUPYTER_RUNTIME_DIR":
        monkeypatch.setenv(name, str(tmp_path))
    notebook = read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    shown = {
        form
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        for form in output.get("data", ())
    }
    assert "image/svg+xml" in shown
    assert ("text/html" in shown) == (path.stem != "transfer-learning")
