"""The site is complete: questions have answers, commands exist, old addresses lead somewhere."""

import re
import shlex
import tomllib
from itertools import dropwhile
from pathlib import Path

import pytest

from hy_io.cli import main as hy_io
from tools.pages import DOCS
from tools.questions import Question, read_questions
from tools.wheelhouse import write_index

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
SHELL = re.compile(r"^```(?:sh|shell)\n(.*?)^```", re.DOTALL | re.MULTILINE)
VARIABLE = re.compile(r"^\w+=")
PROGRAMS = {"curl", "hatch", "hy-io", "pip", "pytest", "python", "python3", "torchrun", "uv", "."}


def extras() -> dict[str, set[str]]:
    """Return the extras of each package."""
    by_package = {}
    for file in ROOT.glob("packages/*/pyproject.toml"):
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        by_package[project["name"]] = set(project.get("optional-dependencies", {}))
    return by_package


def command_lines(page: Path) -> list[list[str]]:
    """Return the words of each command in the page's blocks for the shell."""
    text = "\n".join(SHELL.findall(page.read_text(encoding="utf-8")))
    lines = [shlex.split(line, comments=True) for line in text.splitlines()]
    commands = []
    for line in filter(None, lines):
        words = [*dropwhile(VARIABLE.match, line)]
        while "&&" in words:
            commands.append(words[: words.index("&&")])
            words = words[words.index("&&") + 1 :]
        commands.append(words)
    return commands


def requirements(words: list[str]) -> list[str]:
    """Return what `pip install` is told to install."""
    values = {"--find-links", "--python", "--with"}
    return [
        word
        for before, word in zip(["", *words], words, strict=False)
        if not word.startswith("-") and (before not in values or before == "--with")
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_commands_name_programs_packages_and_extras_that_exist(page: Path) -> None:
    known = extras()
    for words in command_lines(page):
        assert words[0] in PROGRAMS, words
        if "install" not in words:
            continue
        for requirement in requirements(words[words.index("install") + 1 :]):
            name, _, extra = requirement.rstrip("]").partition("[")
            if name.startswith("hy-"):  # no index has them
                assert "--find-links" in words, words
                assert name in known, words
                assert not extra or set(extra.split(",")) <= known[name], words


def test_the_page_on_installation_lists_every_extra() -> None:
    text = (DOCS / "install.md").read_text(encoding="utf-8")
    named = {f"`{package}[{extra}]`" for package, known in extras().items() for extra in known}
    assert {name for name in named if name not in text} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_calls_of_hy_io_have_arguments_that_it_takes(page: Path) -> None:
    for words in command_lines(page):
        if words[0] == "hy-io":
            with pytest.raises(SystemExit) as caught:
                hy_io([*words[1:], "--help"])  # parses what is before it
            assert caught.value.code == 0, words


def test_every_question_is_about_a_page_that_exists() -> None:
    questions = read_questions()
    assert len(questions) >= 30
    names = {f"{page.stem}.html" for page in DOCS.glob("*.md")}
    names |= {f"notebooks/{page.stem}.html" for page in DOCS.glob("notebooks/*.md")}
    for question in questions:
        pages = {answer.partition("#")[0] for answer in question.answers}
        assert {page for page in pages if not page.startswith("api/")} <= names, question


def test_a_result_answers_a_question_by_its_page_or_anchor() -> None:
    question = Question("How?", "how", ("a.html", "b.html#c"))
    assert question.answered_by(["x.html", "a.html#d"])
    assert question.answered_by(["b.html#c"])
    assert not question.answered_by(["b.html", "x.html"])


def test_old_addresses_lead_to_pages_that_exist() -> None:
    text = (ROOT / "tools" / "site_hooks.py").read_text(encoding="utf-8")
    block = text[text.index("REDIRECTS = {") :].partition("}")[0]
    pairs = re.findall(r'"([\w-]+)": "([\w-]+)"', block)
    assert pairs
    for old, new in pairs:
        assert not (DOCS / f"{old}.md").exists()
        assert (DOCS / f"{new}.md").exists()


def test_an_index_of_wheels_has_a_page_for_each_project(tmp_path: Path) -> None:
    for name in ("hy_io-0.2.0-py3-none-any.whl", "numpy-2.4.0-cp311-cp311-linux_x86_64.whl"):
        (tmp_path / name).write_bytes(b"wheel")
    assert write_index(tmp_path) == ["hy-io", "numpy"]
    assert '<a href="hy-io/">hy-io</a>' in (tmp_path / "simple/index.html").read_text("utf-8")
    page = (tmp_path / "simple/hy-io/index.html").read_text("utf-8")
    assert re.search(r'<a href="../../hy_io-0.2.0-py3-none-any.whl#sha256=[0-9a-f]{64}">', page)
