"""Lists the kernels of a table by module: ``_index.py`` of ``hy_kernels.numpy`` or ``.torch``.

The table imports a module when a kernel of it is first looked up. Run with
``hatch run kernel-index``, and ``hatch run torch:kernel-index`` for the torch table, after a kernel
was added, moved or removed; with ``--check`` the list is compared instead. It reads what modules
enter while they are imported, so it has to be the first to import them.
"""

import argparse
import ast
import sys
import textwrap
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

__all__ = ["entered", "file_of", "text"]

_HEAD = '''"""The module of each kernel of this table; ``{command}`` writes it."""

from hy_kernels._definitions import modules_by_kernel

MODULES = modules_by_kernel(
    "{package}",
    """'''
_TAIL = '''""",
)
"""By the name of a kernel, the module that enters it when it is imported."""
'''
_COMMANDS = {"numpy": "hatch run kernel-index", "torch": "hatch run torch:kernel-index"}


def file_of(table: str) -> Path:
    """Return the path of a table's index file."""
    return Path(str(import_module(f"hy_kernels.{table}").__file__)).parent / "_index.py"


def entered(table: str) -> dict[str, list[str]]:
    """Return the names that each module enters, below the path of the package."""
    package = f"hy_kernels.{table}"
    kernels_by_module: dict[str, list[str]] = {}
    for each in walk_packages(import_module(package).__path__, f"{package}."):
        _enter(each.name, package, kernels_by_module)
    return {
        module.removeprefix(f"{package}."): names
        for module, names in kernels_by_module.items()
        if names
    }


def _enter(module: str, package: str, kernels_by_module: dict[str, list[str]]) -> None:
    """Import a module, after those that it imports."""
    if module in kernels_by_module:
        return
    kernels_by_module[module] = []
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    for node in ast.walk(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}."):
            _enter(str(node.module), package, kernels_by_module)
    kernels = import_module(f"{package}._kernels").KERNELS
    before = set(kernels.names())
    import_module(module)
    kernels_by_module[module] = sorted(set(kernels.names()) - before)


def text(table: str) -> str:
    """Return the content of a table's index file."""
    lines = (
        textwrap.fill(
            f"{module}: {' '.join(names)}",
            100,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for module, names in sorted(entered(table).items())
    )
    head = _HEAD.format(command=_COMMANDS[table], package=f"hy_kernels.{table}")
    return "\n".join([head, *lines, _TAIL])


def main() -> int:
    """Write the file, or with ``--check`` compare with it."""
    parser = argparse.ArgumentParser(description="list the kernels of a table by module")
    parser.add_argument("table", nargs="?", default="numpy", choices=sorted(_COMMANDS))
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args()
    wanted, file = text(options.table), file_of(options.table)
    if options.check:
        same = file.is_file() and wanted == file.read_text(encoding="utf-8")
        again = f"Kernels moved: run `{_COMMANDS[options.table]}`.\n"
        sys.stdout.write("" if same else again)
        return 0 if same else 1
    file.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
