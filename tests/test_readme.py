"""The examples of the README files run as they stand."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(set(ROOT.glob("packages/*/README.md")) - {ROOT / "packages/hy-io/README.md"})
# hy-io's example needs files: tests/io runs it.


def python_blocks(readme: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)


def execute(readme: Path) -> None:
    for block in python_blocks(readme):
        exec(compile(block, str(readme), "exec"), {})  # noqa: S102  # the text is ours


@pytest.mark.parametrize("readme", PACKAGES, ids=lambda path: path.parent.name)
def test_the_example_of_a_package_runs(
    readme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert python_blocks(readme)
    monkeypatch.chdir(tmp_path)
    execute(readme)


def test_the_first_example_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    execute(ROOT / "README.md")
    code, graph = (float(line.split(":")[1]) for line in capsys.readouterr().out.splitlines())
    assert graph < code < 0.5
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["classifier-0000.params", "classifier-symbol.json"]
