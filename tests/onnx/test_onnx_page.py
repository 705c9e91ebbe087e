"""docs/onnx.md: its tables are as the program would write them now."""

import doctest
from pathlib import Path
from types import ModuleType

import pytest

from hy_gluon.onnx import to_onnx
from hy_onnx.from_onnx import load
from hy_onnx.to_onnx import export
from tools import onnx_operators

PAGE = onnx_operators.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("module", [export, load, to_onnx], ids=lambda module: module.__name__)
def test_the_example_of_a_module_runs(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_tables_are_current() -> None:
    assert onnx_operators.page() == PAGE, "run `hatch run generate`"
