"""Folders of a package are stages: each imports only what its README lists before it."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.import_statements import Import, imports_of, imports_of_file

ROOT = Path(__file__).parents[1]
PACKAGES = ("hy_gluon", "hy_io", "hy_kernels", "hy_ndarray", "hy_onnx", "hy_symbol", "mxnet")


def folder_of(package: str) -> Path:
    """The folder that holds a package's sources."""
    (folder,) = ROOT.glob(f"packages/*/src/{package}")
    return folder


def listed(package: str) -> list[str]:
    """The stages of a package as its README lists them."""
    text = (folder_of(package).parents[1] / "README.md").read_text("utf-8")
    _, _, table = text.partition("| Folder | Holds |\n|---|---|\n")
    rows = table.partition("\n\n")[0]
    return [name for row in rows.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def stage(module: str, package: str) -> str:
    """The stage that a module of a package is in."""
    return module.removeprefix(f"{package}.").partition(".")[0]


def taken(statements: Iterable[Import], package: str) -> set[str]:
    """The stages of its package that import statements name."""
    found: set[str] = set()
    for node, _ in statements:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = whole if node.module == package else [node.module or ""]
        found.update(stage(name, package) for name in names if name.startswith(f"{package}."))
    return found


def sources(package: str) -> dict[str, set[Path]]:
    """Files of a package by stage, but its face."""
    folder = folder_of(package)
    files: dict[str, set[Path]] = {}
    for path in folder.rglob("*.py"):
        name = path.relative_to(folder).with_suffix("").parts[0]
        if name != "__init__":
            files.setdefault(name, set()).add(path)
    return files


@pytest.mark.parametrize("package", PACKAGES)
def test_every_folder_is_a_stage_that_the_readme_lists(package: str) -> None:
    assert sorted(listed(package)) == sorted(sources(package))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_stage_imports_only_earlier_ones(package: str) -> None:
    order = listed(package)
    for name, paths in sources(package).items():
        for path in paths:
            for other in taken(imports_of_file(path), package) - {name}:
                where = f"{path.relative_to(ROOT)} imports {package}.{other}"
                if other in order:
                    assert order.index(other) < order.index(name), f"{where}, which comes later"
                else:  # from the package's face, as a user does
                    assert name == order[-1], f"{where}, which is of no stage"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import p.a.x", {"a"}),
        ("from p import a, b", {"a", "b"}),
        ("from p.a.x import name", {"a"}),
        ("def f():\n    from p.a import name", {"a"}),
        ("from q.a import name", set()),
    ],
)
def test_stages_are_seen_in_every_form_of_import(code: str, expected: set[str]) -> None:
    assert taken(imports_of(code), "p") == expected
