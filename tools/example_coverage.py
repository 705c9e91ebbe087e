"""Public functions and classes that have no example, in docstrings or beside them."""

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from tools.public_names import PACKAGES, recorded
from tools.reference_examples import read_examples

__all__ = ["docstrings_of", "documented", "without_example"]

ROOT = Path(__file__).parents[1]
OPERATORS = ("hy_ndarray.nd", "hy_ndarray.npx", "hy_symbol.sym")
"""Namespaces whose operators have their docstrings in stubs."""
_RECORDS = ("hy_ndarray.ops.", "hy_ndarray.nd.op", "hy_symbol.sym.op")
"""Modules that have operators again."""


def documented() -> dict[str, Any]:
    """Return the public functions and classes that hy defines, each by its first path.

    Left out are exceptions, which are raised and not called, operators of symbols, which are those
    of arrays, and the catalogue's records of operators.
    """
    by_identity: dict[int, tuple[str, Any]] = {}  # with the values, whose ids would come again
    values = {}
    for package in PACKAGES:
        for path in sorted(recorded(package), key=lambda path: (path.count("."), path)):
            value = _documented_object(path)
            if value is not None and by_identity.setdefault(id(value), (path, value))[0] == path:
                values[path] = value
    return values


def _documented_object(path: str) -> Any:
    """Return a function or class that the reference documents; None for others."""
    module, _, name = path.rpartition(".")
    if " = " in path or module.startswith(_RECORDS) or _of_symbols(module, name):
        return None
    try:
        value = getattr(import_module(module), name, None)
    except ImportError:  # the member of a class
        return None
    if not callable(value) or isinstance(value, ModuleType) or not hasattr(value, "__name__"):
        return None
    if isinstance(value, type) and issubclass(value, BaseException):
        return None
    if type(value).__module__ == "_ctypes":  # shared by all that ask ctypes for them
        return None
    home = getattr(value, "__module__", None) or ""
    return value if home.partition(".")[0] in PACKAGES else None


def _of_symbols(module: str, name: str) -> bool:
    """Return whether it is an operator of symbols whose name an operator of arrays has, too."""
    if not module.startswith("hy_symbol.sym"):
        return False
    numpy = "hy_symbol.sym.np"
    of_arrays = module.replace(numpy, "hy_ndarray.np").replace("hy_symbol.sym", "hy_ndarray.nd")
    try:
        return name in _stub(module) or hasattr(import_module(of_arrays), name)
    except ImportError:  # a class of symbols
        return False


def _stub(module: str) -> dict[str, str]:
    """Return the docstrings of the operators in a namespace, from its stub."""
    package = next((x for x in OPERATORS if f"{module}.".startswith(f"{x}.")), "")
    if not package:
        return {}
    below = module.removeprefix(package).lstrip(".") or "__init__"
    source = ROOT / "packages" / package.partition(".")[0].replace("_", "-") / "src"
    file = source.joinpath(*package.split("."), "_operators", f"{below}.pyi")
    return docstrings_of(file) if file.exists() else {}


@cache
def docstrings_of(file: Path) -> dict[str, str]:
    """Return the docstrings of a stub's functions, by all their names."""
    texts: dict[str, str] = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name):
                texts.setdefault(name, ast.get_docstring(node) or "")
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=target)):
                texts[name] = texts.get(target, "")
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Attribute(value=ast.Name(id=module), attr=target),
            ):
                other = module.removeprefix("_").replace("main", "__init__")
                texts[name] = docstrings_of(file.with_stem(other)).get(target, "")
            case _:
                pass
    return texts


def without_example() -> list[str]:
    """Return the paths of documented names that have no example."""
    apart = {id(_documented_object(path)) for path in read_examples()}
    return [
        path
        for path, value in documented().items()
        if id(value) not in apart and ">>>" not in _documentation(path, value)
    ]


def _documentation(path: str, value: Any) -> str:
    module, _, name = path.rpartition(".")
    return (value.__doc__ or "") + _stub(module).get(name, "")
