"""docs/data.md: its examples run, and its table names the files that are read."""

import re
from pathlib import Path

import pytest

from hy_gluon.contrib.data import text
from hy_gluon.data import vision

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")


def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "docs/data.md", "exec"), names)  # noqa: S102  # the text is ours
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith("{")] == [
        "(4, 1, 28, 28) [0 1 2 3]",
        "(2, 1, 28, 28) [4 5]",
        "['cat', 'dog'] [((3, 4, 3), 0), ((3, 4, 3), 1)]",
        "[0.0, 1.0]",
        "(2, 3, 4, 4) [1. 0.] 0",
    ]


def test_the_table_names_the_files_that_are_read() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([\w-]+)` \| (.*) \|$", PAGE, re.MULTILINE)
    classes = {**vars(vision), **vars(text)}
    known = {name for name, value in classes.items() if hasattr(value, "_published")}
    assert {name for name, _, _ in rows} == {n for n in known if not n.startswith("_")}
    for name, folder, files in rows:
        published = classes[name]._published
        assert published.name == folder
        assert re.findall(r"`([^`]+)`", files) == list(published.files)
