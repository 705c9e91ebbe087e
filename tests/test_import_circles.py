"""No module of a package imports itself by way of others, not even for its type checker."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("hy_gluon", "hy_io", "hy_kernels", "hy_ndarray", "hy_symbol", "mxnet")


def modules(package: str) -> dict[str, Path]:
    """All modules of a package by name."""
    (source,) = ROOT.glob(f"packages/*/src/{package}")
    return {
        ".".join(path.relative_to(source.parent).with_suffix("").parts).removesuffix(".__init__"): (
            path
        )
        for path in source.rglob("*.py")
    }


def parsed(paths: dict[str, Path]) -> dict[str, ast.AST]:
    """The code of modules."""
    return {name: ast.parse(path.read_text("utf-8")) for name, path in paths.items()}


def imported(code: ast.AST, known: set[str]) -> set[str]:
    """The modules among ``known`` that some code imports, wherever in it."""
    found = set()
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not looked into"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module or "" for name in whole]
        else:
            continue
        found.update(known.intersection(names))
    return found


def lazy_imports(code: ast.AST, known: set[str]) -> set[str]:
    """Those that it imports inside of functions."""
    functions = (
        node for node in ast.walk(code) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return {name for node in functions for name in imported(node, known)}


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_of_a_package_have_no_circle(package: str) -> None:
    paths = modules(package)
    known = {*paths}
    graph = {name: imported(code, known) for name, code in parsed(paths).items()}
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
    lazy = {name: lazy_imports(code, known) for name, code in parsed(paths).items()}
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
    code, known = ast.parse(text), {"p", "p.a", "p.b"}
    assert imported(code, known) == {"p.a"}
    assert lazy_imports(code, known) == ({"p.a"} if "def" in text else set())
