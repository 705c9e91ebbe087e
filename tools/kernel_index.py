"""Lists the kernels of the numpy table by module: ``hy_kernels/numpy/_index.py``.

The table imports a module when a kernel of it is first looked up. Run with
``hatch run kernel-index`` after a kernel was added, moved or removed; with ``--check`` the list is
compared instead. It reads what modules enter while they are imported, so it has to be the first to
import them.
"""

import ast
import sys
import textwrap
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

from hy_kernels import numpy as table
from hy_kernels.numpy import _kernels

__all__ = ["FILE", "entered", "text"]

PACKAGE = "hy_kernels.numpy"
FILE = Path(table.__file__).parent / "_index.py"

_HEAD = '''"""The module of each kernel of this table; ``hatch run kernel-index`` writes it."""

__all__ = ["MODULES"]

_TEXT = """'''
_TAIL = '''"""


def _modules() -> dict[str, str]:
    modules, module = {}, ""
    for word in _TEXT.split():
        if word.endswith(":"):
            module = f"hy_kernels.numpy.{word[:-1]}"
        else:
            modules[word] = module
    return modules


MODULES = _modules()
"""By the name of a kernel, the module that enters it when it is imported."""
'''


def entered() -> dict[str, list[str]]:
    """The names that each module enters, below the path of the package."""
    found: dict[str, list[str]] = {}
    for each in walk_packages(table.__path__, f"{PACKAGE}."):
        _enter(each.name, found)
    return {module.removeprefix(f"{PACKAGE}."): names for module, names in found.items() if names}


def _enter(module: str, found: dict[str, list[str]]) -> None:
    """Import a module, after those that it imports."""
    if module in found:
        return
    found[module] = []
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    for node in ast.walk(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}."):
            _enter(str(node.module), found)
    before = set(_kernels.KERNELS.names())
    import_module(module)
    found[module] = sorted(set(_kernels.KERNELS.names()) - before)


def text() -> str:
    """What the file has to say."""
    lines = (
        textwrap.fill(
            f"{module}: {' '.join(names)}",
            100,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for module, names in sorted(entered().items())
    )
    return "\n".join([_HEAD, *lines, _TAIL])


def main() -> int:
    """Write the file, or with ``--check`` compare with it."""
    wanted = text()
    if "--check" in sys.argv:
        same = wanted == FILE.read_text(encoding="utf-8")
        sys.stdout.write("" if same else "Kernels moved: run `hatch run kernel-index`.\n")
        return 0 if same else 1
    FILE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
