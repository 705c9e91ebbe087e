"""No module of a package imports itself by way of others, not even for its type checker."""

import ast
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.import_statements import Import, imports_of, imports_of_file

ROOT = Path(__file__).parents[1]
PACKAGES = (
    *("hy_gluon", "hy_io", "hy_kernels"),
    *("hy_ndarray", "hy_onnx", "hy_symbol", "mxnet"),
)


def modules(package: str) -> dict[str, Path]:
    """All modules of a package by name."""
    (source,) = ROOT.glob(f"packages/*/src/{package}")
    return {
        ".".join(path.relative_to(source.parent).with_suffix("").parts).removesuffix(".__init__"): (
            path
        )
        for path in source.rglob("*.py")
    }


def imported(statements: Iterable[Import], known: set[str]) -> set[str]:
    """The modules among ``known`` that import statements name."""
    found = set()
    for node, _ in statements:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            assert node.level == 0, "relative imports are not looked into"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module or "" for name in whole]
        found.update(known.intersection(names))
    return found


def lazy_imports(statements: Iterable[Import], known: set[str]) -> set[str]:
    """Those that are imported inside of functions."""
    return imported((one for one in statements if one.in_function), known)


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_of_a_package_have_no_circle(package: str) -> None:
    paths = modules(package)
    known = {*paths}
    graph = {name: imported(imports_of_file(path), known) for name, path in paths.items()}
    for name, others in graph.items():
        others.discard(name)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"{package}: {' -> '.join(reversed(error.args[1]))}")


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_of_a_package_are_imported_outside_of_functions(package: str) -> None:
    paths = modules(package)
    known = {*paths}
    lazy = {name: lazy_imports(imports_of_file(path), known) for name, path in paths.items()}
    assert {name: others for name, others in lazy.items() if others} == {}


@pytest.mark.parametrize(
    "text",
    [
        "import p.a",
        "from p import a",
        "from p.a import name",
        "if TYPE_CHECKING:\n    from p.a import name",
        "def f():\n    import p.a",
    ],
)
def test_every_form_of_import_counts(text: str) -> None:
    found, known = imports_of(text), {"p", "p.a", "p.b"}
    assert imported(found, known) == {"p.a"}
    assert lazy_imports(found, known) == ({"p.a"} if "def" in text else set())
