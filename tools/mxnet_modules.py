"""Compares what hy's modules bind with what MXNet 1.9.1's do: star imports and all of ``dir()``.

``tests/data/mxnet_names/modules.txt`` lists MXNet's names, private ones as well, and
``exceptions.txt`` beside it those that are left out, with reasons.
``python -m tools.mxnet_modules`` prints what is missing; a test runs it.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from pathlib import Path

__all__ = ["exceptions", "gaps", "recorded"]

_SLOW = ("scipy.stats", "scipy.sparse", "numpy.testing", "multiprocessing.pool", "urllib.request")
"""What takes long to import and is no module of hy's: once is enough."""
FOLDER = Path(__file__).parents[1] / "tests" / "data" / "mxnet_names"


def _lines(file: str) -> Iterator[str]:
    for line in (FOLDER / file).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


@cache
def recorded() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return by MXNet's modules what a star import binds, and the other names."""
    names_by_module = {}
    for line in _lines("modules.txt"):
        module, _, names = line.partition(":")
        by_star, _, rest = names.partition("|")
        names_by_module[module] = tuple(by_star.split()), tuple(rest.split())
    return names_by_module


@cache
def exceptions() -> dict[str, str]:
    """Patterns of names that hy leaves out, and the reason."""
    split = (line.partition(": ") for line in _lines("exceptions.txt"))
    return {pattern: reason for pattern, _, reason in split}


def _is_excepted(full: str) -> bool:
    return any(fnmatchcase(full, pattern) for pattern in exceptions())


def gaps_of(module: str) -> list[str]:
    """Return what is missing in one module: ``star``, ``absent`` or ``dir``, and the name."""
    by_star, rest = recorded()[module]
    bound: dict[str, object] = {}
    try:
        imported = import_module(module)
        exec(f"from {module} import *", bound)  # noqa: S102  # nothing else tells it truly
    except (ImportError, AttributeError) as error:
        return [f"module {module}: {error}"]
    lines = [f"star {module}.{name}" for name in by_star if name not in bound]
    listed_by_dir = set(dir(imported))
    for name in (*by_star, *rest):
        if not hasattr(imported, name):
            lines.append(f"absent {module}.{name}")
        elif name not in listed_by_dir:
            lines.append(f"dir {module}.{name}")
    return [line for line in lines if not _is_excepted(line.partition(" ")[2])]


def gaps() -> list[str]:
    """Return what is missing in all modules, each imported in a process of its own."""
    lines = []
    for module in recorded():
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            with os.fdopen(writer, "w", encoding="utf-8") as stream:
                stream.write("\n".join(gaps_of(module)))
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as stream:
            lines += stream.read().splitlines()
        _, status = os.waitpid(child, 0)
        if status:
            lines.append(f"module {module}: the process ended with {status}")
    return lines


def main() -> int:
    """Print what is missing; 1 if anything is."""
    warnings.simplefilter("ignore")  # of names that are asked for
    for name in ("mxnet", *_SLOW):
        with suppress(ModuleNotFoundError):
            import_module(name)
    lines = gaps()
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
