"""The commands of pages that install hy, in clean environments; they need an index."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.test_docs import command_lines
from tools.pages import DOCS

ROOT = Path(__file__).parents[1]


def blocks(page: str) -> list[str]:
    """Return the blocks for the shell of a page."""
    text = (DOCS / f"{page}.md").read_text("utf-8")
    return re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


BLOCKS = blocks("install")
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(ROOT.glob("packages/*/README.md"))]
CHECK = "import mxnet as mx; assert float((mx.nd.ones((2, 3)) * 2).sum().asscalar()) == 12"


def run(commands: str, folder: Path, check: str = f"hy-env/bin/python -c '{CHECK}'") -> None:
    """Run commands, and check the installation, without what is installed for the tests."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    script = f"set -e\n{commands}\n{check}\n"
    subprocess.run(["bash", "-c", script], cwd=folder, env=environment, check=True)  # noqa: S603, S607


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the packages."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "packages", tmp_path / "packages", ignore=ignored)
    return tmp_path


def needs_uv(commands: str) -> None:
    if commands.startswith("uv") and shutil.which("uv") is None:
        pytest.skip("uv is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1], ids=["pip", "uv"])
def test_a_checkout_is_installed(number: int, checkout: Path) -> None:
    needs_uv(BLOCKS[number])
    assert "./packages/*/" in BLOCKS[number]
    run(BLOCKS[number], checkout)


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 3], ids=["pip", "uv"])
def test_a_folder_of_wheels_is_installed(number: int, checkout: Path) -> None:
    needs_uv(BLOCKS[number])
    make, activate, _ = BLOCKS[0].splitlines()
    assert "--find-links wheelhouse hy-compat" in BLOCKS[number]
    wheels = "pip wheel --quiet --no-deps --wheel-dir wheelhouse ./packages/*/"
    run("\n".join([make, activate, wheels, "rm -r packages", BLOCKS[number]]), checkout)


def test_the_first_page_installs_as_the_page_on_installation() -> None:
    checkout, folder = blocks("start")
    assert checkout == BLOCKS[0]
    make, activate, install = folder.splitlines()
    assert [make, activate] == checkout.splitlines()[:2]
    assert install == BLOCKS[4].splitlines()[-1]


@pytest.mark.slow
def test_a_folder_of_wheels_with_what_they_need_is_installed_without_a_network(
    checkout: Path,
) -> None:
    make, activate, _ = BLOCKS[0].splitlines()
    wheels = "pip wheel --quiet --wheel-dir wheelhouse ./packages/*/"  # as dist:wheelhouse --with
    run("\n".join([make, activate, wheels, "rm -r packages hy-env"]), checkout, check="")
    run(blocks("start")[1], checkout)


@pytest.mark.slow
def test_what_pages_install_can_be_had(checkout: Path) -> None:
    make, activate, _ = BLOCKS[0].splitlines()
    wheels = "pip wheel --quiet --no-deps --wheel-dir wheelhouse ./packages/*/"
    lines = {
        shlex.join(["pip", "install", "--dry-run", "--quiet", *words[2:]])
        for page in PAGES
        for words in command_lines(page)
        if words[:2] == ["pip", "install"]
        and "--no-index" not in words  # the test above
        and "./packages/*/" not in words  # the first one
    }
    assert len(lines) >= 10
    run("\n".join([make, activate, wheels, *sorted(lines)]), checkout, check="")
