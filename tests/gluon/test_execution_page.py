"""The example of docs/execution.md."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/execution.md"


@pytest.mark.usefixtures("_on_numpy")
def test_the_page_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (shown,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    exec(code, {})  # noqa: S102  # the page is ours
    assert capsys.readouterr().out == shown
