"""The examples of the README and of the docstrings run, and public names are declared."""

import ast
import doctest
import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import hy_io

PACKAGE = Path(hy_io.__file__).parent
README = Path(__file__).parents[2] / "packages" / "hy-io" / "README.md"
MODULES = sorted(f"hy_io.{path.stem}" for path in PACKAGE.glob("*.py") if path.stem != "__init__")


@pytest.fixture(autouse=True)
def run_in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # examples write files


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


def test_readme_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    test = doctest.DocTestParser().get_doctest(example, {}, "README", str(README), 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_docstring_examples_run(module: ModuleType) -> None:
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0


def test_modules_declare_what_they_offer(module: ModuleType) -> None:
    is_private = module.__name__.rpartition(".")[2].startswith("_")
    for name in getattr(module, "__all__", ()) if is_private else module.__all__:
        assert hasattr(module, name), name


def declared(module: str) -> list[str]:
    """What a module's text says it offers: ``mxnet`` lets its own name for it offer more."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    for node in ast.parse(Path(spec.origin).read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    raise AssertionError(f"{module} has no __all__")


def test_public_names_of_public_modules_are_importable_from_the_package() -> None:
    apart = "hy_io.cli", "hy_io.commands", "hy_io.fitting", "hy_io.model_files"  # of the command
    public = [name for name in MODULES if not name.startswith(("hy_io._", *apart))]
    offered = {name for public_module in public for name in declared(public_module)}
    inside = {
        "ArgumentError",
        "FileAccessError",
        "FileFormatError",
        "FileLimitError",
        "FilePermissionError",
        "FolderError",
        "HyError",
        "MissingFileError",
        "NoFolderError",
        "atomic_write",
        "expansion_limit",
        "list_files",
        "local_path",
        "map_file",
        "named_source",
        "no_sync",
        "open_file",
        "os_errors",
        "read_file",
        "write_parts",
    }
    assert offered | inside == set(hy_io.__all__)
