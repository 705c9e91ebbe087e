"""The example of the README runs as it stands."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_first_example_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(block, str(README), "exec"), {})  # noqa: S102  # the block is ours
    code, graph = (float(line.split(":")[1]) for line in capsys.readouterr().out.splitlines())
    assert graph < code < 0.5
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["classifier-0000.params", "classifier-symbol.json"]
