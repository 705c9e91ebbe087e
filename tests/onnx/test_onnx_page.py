"""docs/onnx.md: its tables are as the program would write them now."""

import doctest
from pathlib import Path

import pytest

from hy_onnx.to_onnx import export
from tools import onnx_operators

PAGE = onnx_operators.PAGE.read_text(encoding="utf-8")


def test_the_example_of_export_model_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(export)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_tables_are_current() -> None:
    assert onnx_operators.page() == PAGE, "run `hatch run generate`"
