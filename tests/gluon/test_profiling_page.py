"""The examples of docs/profiling.md run as they stand."""

import json
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/profiling.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.usefixtures("trace_file")
def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), {})  # noqa: S102  # the text is ours
    table = capsys.readouterr().out
    row = next(line for line in table.splitlines() if line.startswith("FullyConnected"))
    assert row.split()[1] == "10"  # ten steps of the last layer
    for file, names in (
        ("profile.json", {"step", "net", "net backward", "FullyConnected"}),
        ("own.json", {"read", "decode", "first batch", "images"}),
    ):
        events = json.loads((tmp_path / file).read_text(encoding="utf-8"))["traceEvents"]
        assert names <= {event["name"] for event in events}
