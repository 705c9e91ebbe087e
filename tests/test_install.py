"""The commands of docs/install.md, as they stand, in clean environments; they need an index."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.pages import DOCS

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(
    r"^```sh\n(.*?)^```", (DOCS / "install.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
)
CHECK = "import mxnet as mx; assert float((mx.nd.ones((2, 3)) * 2).sum().asscalar()) == 12"


def run(commands: str, folder: Path) -> None:
    """Run commands, and check the installation, without what is installed for the tests."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    script = f"set -e\n{commands}\nhy-env/bin/python -c '{CHECK}'\n"
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
