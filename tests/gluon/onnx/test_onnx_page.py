"""docs/onnx.md: its examples run, and its tables are as the program would write them now."""

import doctest
import re
from pathlib import Path

import pytest

from hy_gluon.onnx.to_onnx import export
from tools import onnx_operators

PAGE = onnx_operators.PAGE.read_text(encoding="utf-8")


def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "docs/onnx.md", "exec"), names)  # noqa: S102  # the text is ours
    assert capsys.readouterr().out.splitlines() == [
        "True",
        "[('data', (1, 3, 16, 16))]",
        "Dropout 'noise': mode='always' draws random numbers; export with mode='training'",
    ]


def test_the_example_of_export_model_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(export)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_tables_are_current() -> None:
    assert onnx_operators.page() == PAGE, "run `hatch run generate`"
