"""Public names stay where programs look for them, or their lists say otherwise."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.public_names import PACKAGES, describe, names_of, recorded

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_public_names_are_the_listed_ones() -> None:
    """In a fresh process: other tests load modules and register operators."""
    command = [sys.executable, "-m", "tools.public_names", "--check"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_has_a_list(package: str) -> None:
    names = {name.partition(" = ")[0].partition(".")[0] for name in recorded(package)}
    assert names == {package}


def test_members_of_classes_are_listed_once_under_the_shortest_path() -> None:
    names = names_of("hy_gluon")
    assert {"hy_gluon.Block.collect_params", "hy_gluon.nn.Block"} <= names
    assert "hy_gluon.nn.Block.collect_params" not in names
    assert "hy_gluon.nn.Dense.collect_params" not in names
    assert "hy_ndarray.NDArray.asnumpy" in names_of("hy_ndarray")


def test_what_went_is_told_with_where_it_is_now_and_what_to_do() -> None:
    text = describe({"hy_io.pack", "hy_io.unpack"}, {"hy_io.packing.pack"})
    assert text.splitlines() == [
        "gone: hy_io.pack (now hy_io.packing.pack)",
        "gone: hy_io.unpack",
        "not listed: hy_io.packing.pack",
        "If that is meant, run `hatch run public-names`, and say so in the package's CHANGELOG.md.",
    ]
    assert not describe(set(), set())
