"""The pages in docs/ are programs: they run, and show what they print and draw."""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import hy_io.formats
from hy_gluon.kvstore import KVStoreBase
from tools import pages

AGAIN = "run `hatch run pages`"


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.fixture
def _own_stores() -> Iterator[None]:
    """What a page registers is forgotten afterwards."""
    registered = dict(KVStoreBase.kv_registry)
    formats = [*hy_io.formats._others]
    yield
    hy_io.formats._others[:] = formats
    KVStoreBase.kv_registry.clear()
    KVStoreBase.kv_registry.update(registered)


@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: str(page.stem))
@pytest.mark.usefixtures("_on_numpy", "_own_stores", "trace_file")
def test_a_page_shows_what_its_code_prints_and_draws(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = text_of(page)
    if find_spec("torch") is None:
        text = pages.without("torch", text)
    assert pages.as_run(text, pages.run(text, page.name)) == text, AGAIN
    drawn = {f"pictures/{path.name}" for path in Path("pictures").glob("*")}
    assert drawn == pages.pictures(text)
    for picture in drawn:
        assert Path(picture).read_bytes() == (pages.DOCS / picture).read_bytes(), AGAIN


def test_every_picture_is_shown() -> None:
    shown = {name for page in pages.pages() for name in pages.pictures(text_of(page))}
    assert {f"pictures/{path.name}" for path in (pages.DOCS / "pictures").iterdir()} == shown


def test_outputs_are_compared_as_in_doctests() -> None:
    text = "```python\nprint(1, 2)\n```\n\n```text\n1 ...\n```\n\n```python\nx = 1\n```\n"
    assert pages.as_run(text, ["1 2\n", ""]) == text
    mended = text.replace("1 ...", "3").replace("x = 1\n```\n", "x = 1\n```\n\n```text\n4\n```\n")
    assert pages.as_run(text, ["3\n", "4\n"]) == mended


def test_percentages_are_compared_by_their_size() -> None:
    text = "```python\nprint('48% right')\n```\n\n```text\n48% right\n```\n"
    assert pages.as_run(text, ["53% right\n"]) == text
    assert "\n54% right\n" in pages.as_run(text, ["54% right\n"])
    assert "\n48% wrong\n" in pages.as_run(text, ["48% wrong\n"])


def test_calls_of_hy_io_are_run_where_the_page_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make = "```python\nimport hy_io, numpy\nhy_io.save_npz('a.npz', {'x': numpy.ones(2)})\n```\n"
    call = "```sh\nhy-io convert a.npz b.params  # as MXNet's\nhy-io convert b.params c.npz\n```\n"
    shown = "\n```text\nb.params: 1 arrays\nc.npz: 1 arrays\n```\n"
    other = "\n```sh\npip install hy-gluon\nhy-io info a.npz\n```\n"
    text = make + call + other
    assert pages.as_run(text, pages.run(text, "a")) == make + call + shown + other
    with pytest.raises(RuntimeError, match=r"^a, block 1: hy-io convert d\.npz .*: exit status 1$"):
        pages.run("```sh\nhy-io convert d.npz e.params\n```\n", "a")


def test_blocks_that_need_a_package_can_be_left_out() -> None:
    text = "```python\nimport torch\n```\n\n```text\n1\n```\n\n```python\nimport torches\n```\n"
    assert pages.without("torch", text) == "\n```python\nimport torches\n```\n"


def test_every_page_is_in_the_navigation() -> None:
    config = text_of(pages.DOCS.parent / "mkdocs.yml")
    named = re.findall(r"^ +- (?:.*: )?([\w-]+\.md)$", config, re.MULTILINE)
    assert sorted(named) == sorted(path.name for path in pages.DOCS.glob("*.md"))
