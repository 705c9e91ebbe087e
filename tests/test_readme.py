"""The examples of the README files run as they stand, and what they recommend is there."""

import ast
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from examples.lenet_digits import NEXT
from hy_gluon import nn
from hy_io import IRHeader, MXIndexedRecordIO, pack
from hy_io.cli import main as hy_io
from hy_ndarray import nd
from tests.test_docs import command_lines

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(set(ROOT.glob("packages/*/README.md")) - {ROOT / "packages/hy-io/README.md"})
# hy-io's example needs files: tests/io runs it.


def python_blocks_of(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def python_blocks(readme: Path) -> list[str]:
    return python_blocks_of(readme.read_text(encoding="utf-8"))


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


def test_the_table_of_a_readme_computes_for_arrays(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "packages/hy-kernels/README.md").read_text(encoding="utf-8")
    (calls,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    (table,) = [block for block in python_blocks_of(text) if "class LoudTable" in block]
    exec(compile(f"{table}\n{calls}", "README", "exec"), {})  # noqa: S102  # the text is ours
    assert capsys.readouterr().out.endswith("adding\n\n[2. 2.]\n<NDArray 2 @cpu(0)>\n")


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that the command lines of READMEs name, in the current folder."""
    monkeypatch.chdir(tmp_path)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(2, 3, in_channels=3), nn.GlobalAvgPool2D(), nn.Dense(2))
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 3, 224, 224)))
    for prefix in ("old", "net"):
        net.export(prefix)
    with MXIndexedRecordIO("train.idx", "train.rec", "w") as file:
        for i in range(3):
            file.write_idx(i, pack(IRHeader(0, i, i, 0), b"image"))
    shutil.copy(ROOT / "tests/io/data/states/adam.states", "old.states")


@pytest.mark.parametrize("package", ["hy-gluon", "hy-io"])
@pytest.mark.usefixtures("_files")
def test_the_command_lines_of_a_package_run(package: str) -> None:
    lines = [
        words[1:]
        for words in command_lines(ROOT / "packages" / package / "README.md")
        if words[:2] != ["hy-io", "serve"]  # tests/gluon/serving runs that of docs/serve.md
    ]
    assert len(lines) >= 3
    for words in lines:
        assert hy_io(words) == 0, words


def brought(package: Path) -> set[str]:
    """Modules of ours that come with a package: its own, and those of what it requires."""
    modules = {path.name for path in (package / "src").iterdir() if path.is_dir()}
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in project["dependencies"]:
        if requirement.startswith("hy-"):
            name = re.split(r"[^\w-]", requirement)[0]
            modules |= brought(ROOT / "packages" / name)
    return modules


@pytest.mark.parametrize("readme", PACKAGES, ids=lambda path: path.parent.name)
def test_the_example_of_a_package_needs_no_other_of_ours(readme: Path) -> None:
    ours = {path.name for path in ROOT.glob("packages/*/src/*") if path.is_dir()}
    taken: set[str] = set()
    for block in python_blocks(readme):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.Import):
                taken.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                taken.add((node.module or "").partition(".")[0])
    assert taken & ours <= brought(readme.parent)


def test_the_first_example_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    execute(ROOT / "README.md")
    code, graph = (float(line.split(":")[1]) for line in capsys.readouterr().out.splitlines())
    assert graph < code < 0.5
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["classifier-0000.params", "classifier-symbol.json"]


def commands() -> set[str]:
    """What ``hatch run`` knows: scripts of the default environment, and of others with a prefix."""
    environments = tomllib.loads((ROOT / "hatch.toml").read_text(encoding="utf-8"))["envs"]
    return {
        name if environment == "default" else f"{environment}:{name}"
        for environment, settings in environments.items()
        for name in (environments[settings.get("template", environment)] | settings)["scripts"]
    } | {"hy-io"}  # hy-io's program


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))])
def test_the_commands_of_a_page_exist(page: str | Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert set(re.findall(r"hatch run ([\w:-]+)", text)) <= commands()


def test_what_the_demo_recommends_exists() -> None:
    assert set(re.findall(r"hatch run ([\w:-]+)", NEXT)) == {"hy-io", "demo-rows"} <= commands()
    places = re.findall(r"^  (docs/\S+|notebooks/)", NEXT, re.MULTILINE)
    assert len(places) == 2
    assert all((ROOT / place).exists() for place in places)


@pytest.mark.parametrize("command", ["demo", "test"])
def test_one_command_each_runs_the_demo_and_the_tests(command: str) -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert any(line.startswith(f"pip install hatch && hatch run {command} ") for line in lines)
