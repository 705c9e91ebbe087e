"""Each block of code and each command line of the pages runs in a test, or says why it does not."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_docs import ROOT, command_lines
from tools.pages import DOCS, rest

LISTED = ROOT / "tests" / "data" / "blocks_not_run.txt"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
PAGES += sorted(ROOT.glob("packages/*/README.md"))
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```\n", re.DOTALL | re.MULTILINE)
ELSEWHERE = {"hatch", "hy-io", "pip", "python3", "uv", "."}
"""Programs whose lines test_readme, test_pages, test_install and test_docs run or check."""
SHELLS = {"sh", "shell"}


def listed() -> dict[tuple[str, str], str]:
    """Return the reasons by page and beginning."""
    lines = LISTED.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if not line.startswith("#")]
    return {(page, beginning): reason for page, beginning, reason in rows}


def remaining(page: Path) -> Iterator[tuple[str, str]]:
    """Yield language and text of the blocks that are not run where they stand."""
    text = page.read_text(encoding="utf-8")
    if page.parent == DOCS:  # tests/test_pages.py runs these
        text = rest(text)
    for language, block in FENCE.findall(text):
        if language != "python":  # of READMEs: tests/test_readme.py, and hy-io's of its own
            yield language, block


def unrun(page: Path) -> Iterator[str]:
    """Yield what no test runs or checks: programs, and command lines."""
    for language, block in remaining(page):
        if language not in {"", "toml", *SHELLS}:
            yield block
    for words in command_lines(page):
        if words[0] not in ELSEWHERE:
            yield " ".join(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_what_is_not_run_has_a_reason(page: Path) -> None:
    name = page.relative_to(ROOT).as_posix()
    beginnings = [beginning.replace('"', "") for of, beginning in listed() if of == name]
    left = [text.replace('"', "") for text in unrun(page)]
    for beginning in beginnings:
        assert any(text.startswith(beginning) for text in left), f"{beginning}: no such block"
    for text in left:
        assert text.startswith(tuple(beginnings)), f"{name}: no test runs {text}"


NEEDS = {
    r"^(?:from|import) PIL\b|ImageFolderDataset\(": r"\[images\]",
    r"^(?:from|import) torch\b": r"PyTorch|\[torch\]",
    r"^(?:from|import) sklearn\b": "scikit-learn",
    r"\.onnx\b": r"hy-onnx\[",
    r'backend="(?:onnxruntime|openvino)"': r"hy-onnx\[",
}
"""What code uses that hy-compat does not bring, and how the page names it."""


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: str(page.stem))
def test_a_page_says_what_its_code_needs(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    code = "\n".join(block for _, block in FENCE.findall(text))
    said = re.sub(r"^```python\n.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for used, named in NEEDS.items():
        if re.search(used, code, re.MULTILINE):
            assert re.search(named, said), f"{page.name} uses {used} and does not say {named}"


def test_reasons_name_tests_that_exist() -> None:
    for (page, beginning), reason in listed().items():
        assert (ROOT / page).exists()
        for test in re.findall(r"tests/[\w/]+\.py", reason):
            assert (ROOT / test).exists(), (page, beginning)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_blocks_without_a_language_are_drawings(page: Path) -> None:
    for language, block in remaining(page):
        if not language:
            assert not re.search(r"^(import|from|def|class|pip|hatch|hy-io)\b", block, re.MULTILINE)


def test_settings_of_packages_name_groups_that_are_read() -> None:
    sources = "".join(p.read_text("utf-8") for p in ROOT.glob("packages/*/src/*/**/*.py"))
    groups = set(re.findall(r'^_?GROUP = "([\w.]+)"', sources, re.MULTILINE))
    shown = [
        tomllib.loads(block)["project"]["entry-points"]
        for page in PAGES
        for language, block in remaining(page)
        if language == "toml"
    ]
    assert len(shown) >= 4
    assert {name for points in shown for name in points} <= groups
