"""Lists the public names of each package: ``tests/data/public_names/<package>.txt``.

Public is what a program reaches from a package, or from a module in `ROOTS`, by names that do not
begin with an underscore and that their module offers: modules, functions, constants, and classes;
the members of a class are listed once, under its shortest path. Run with ``hatch run public-names``
after a name was added, moved or removed; with ``--check`` the lists are compared instead.
"""

import sys
import warnings
from collections.abc import Collection, Iterator, Set as AbstractSet
from functools import cache
from importlib import import_module
from inspect import get_annotations
from pathlib import Path
from types import ModuleType
from typing import Any

from mxnet._aliases import ALIASES
from tools.alias_stubs import offered

__all__ = ["FOLDER", "PACKAGES", "changes", "describe", "names_of", "recorded"]

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "public_names"

PACKAGES = ("hy_io", "hy_kernels", "hy_ndarray", "hy_symbol", "hy_onnx", "hy_gluon", "mxnet")

ROOTS = {
    "hy_io": ("hy_io.commands", "hy_io.fitting", "hy_io.model_files"),
    "hy_kernels": ("hy_kernels.numpy", "hy_kernels.record"),
    "hy_ndarray": ("hy_ndarray.array_api", "hy_ndarray.testing", "hy_ndarray.transforms"),
    "hy_symbol": (
        *("hy_symbol.backends", "hy_symbol.exchange"),
        *("hy_symbol.passes", "hy_symbol.viz"),
    ),
}
"""Modules that programs import beside the package itself; without those that need an extra."""

UPDATE = "If that is meant, run `hatch run public-names`, and say so in the package's CHANGELOG.md."

_HEAD = "# Public names of {package}, by module; `hatch run public-names` writes this file.\n"


@cache
def names_of(package: str) -> frozenset[str]:
    """Return the public names of a package, each as the path that a program writes."""
    values = _public_objects(package)
    below = [_public_objects(other) for other in PACKAGES[: PACKAGES.index(package) + 1]]
    classes = {value for objects in below for value in objects.values() if isinstance(value, type)}
    homes: dict[type, str] = {}
    for path, value in sorted(values.items(), key=lambda item: (item[0].count("."), item[0])):
        if isinstance(value, type) and value.__module__.partition(".")[0] == package:
            homes.setdefault(value, path)
    members = {
        f"{path}.{member}" for value, path in homes.items() for member in _members(value, classes)
    }
    aliases = {f"{path} = {target}" for path, target in ALIASES.items()}
    return frozenset({*values, *members, *(aliases if package == "mxnet" else ())})


@cache
def _public_objects(package: str) -> dict[str, Any]:
    """Return the public objects of a package by path."""
    values: dict[str, Any] = {}
    rest = [package, *ROOTS.get(package, ())]
    seen = set(rest)
    while rest:
        module = import_module(rest.pop())
        for name in offered(module.__name__).union(getattr(module, "_MODULES", ())):
            path = f"{module.__name__}.{name}"
            values[path] = getattr(module, name)
            is_below = isinstance(values[path], ModuleType) and values[path].__name__ == path
            if is_below and path not in seen:
                seen.add(path)
                rest.append(path)
    return values


def _members(value: type, public: Collection[type]) -> Iterator[str]:
    """Yield members of a class itself or of bases without a public name; others are inherited."""
    bases = (
        base
        for base in value.__mro__[1:]
        if base in public or base.__module__.partition(".")[0] not in PACKAGES
    )
    inherited = {name for base in bases for name in dir(base)}
    names = {*dir(value), *get_annotations(value)} - inherited
    yield from (name for name in names if not name.startswith("_"))


def recorded(package: str) -> frozenset[str]:
    """Return the names that a package's list holds."""
    lines = (FOLDER / f"{package}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def changes(package: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that are listed and gone, and those that are there and not listed."""
    names, listed = names_of(package), recorded(package)
    return listed - names, names - listed


def describe(gone: AbstractSet[str], new: AbstractSet[str]) -> str:
    """Return the report of names that differ from their list; empty where none does."""
    lines = [f"gone: {name}{_moved_to(name, new)}" for name in sorted(gone)]
    lines += [f"not listed: {name}" for name in sorted(new)]
    return "\n".join([*lines, UPDATE]) if lines else ""


def _moved_to(name: str, new: AbstractSet[str]) -> str:
    last = name.rpartition(".")[2]
    others = sorted(other for other in new if other.rpartition(".")[2] == last)
    return f" (now {', '.join(others)})" if others else ""


def main() -> int:
    """Write the lists, or with ``--check`` compare with them."""
    warnings.simplefilter("ignore", DeprecationWarning)  # of names that are asked for
    if "--check" in sys.argv:
        differing = [changes(package) for package in PACKAGES]
        gone, new = (frozenset().union(*sets) for sets in zip(*differing, strict=True))
        report = describe(gone, new)
        sys.stdout.write(report)
        return 1 if report else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        lines = [_HEAD.format(package=package), *sorted(names_of(package))]
        (FOLDER / f"{package}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
