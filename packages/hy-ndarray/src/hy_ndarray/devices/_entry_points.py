"""Entry points of installed packages, read without ``importlib.metadata`` where that is possible.

Importing that module takes longer than everything else that creating a first array needs.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import reduce
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

_INFO = (".dist-info", ".egg-info")


class EntryPoint(NamedTuple):
    """Entry point of an installed package: its name, and the object it refers to.

    Args:
        name: The name.
        value: The object, as ``module:attribute``.
    """

    name: str
    value: str

    def load(self) -> Any:
        """Import the module and return the object.

        Raises:
            ImportError: The module, or one that it imports, is missing.
            AttributeError: The module lacks the attribute.
        """
        module, _, path = self.value.partition("[")[0].partition(":")
        names = filter(None, path.strip().split("."))
        return reduce(getattr, names, import_module(module.strip()))


def entry_points(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name."""
    # Zip files, eggs and finders of other tools are left to importlib.metadata, which knows them.
    if not _all_in_folders():
        from importlib.metadata import entry_points as find  # noqa: PLC0415  # slow, and rare

        return {point.name: EntryPoint(point.name, point.value) for point in find(group=group)}
    return {point.name: point for text in _texts() for point in _points(text, group)}


def _all_in_folders() -> bool:
    """Return whether ``sys.path`` has plain folders only, and no finder but the default is used."""
    finders = (finder for finder in sys.meta_path if finder is not PathFinder)
    return not any(hasattr(finder, "find_distributions") for finder in finders) and not any(
        folder.endswith(".egg") or Path(folder).is_file() for folder in sys.path
    )


def _texts() -> Iterator[str]:
    """Yield the text of each package's ``entry_points.txt``; the first if installed twice."""
    seen = set[str]()
    for folder in sys.path:
        for name in filter(_is_info, _folder_entries(folder)):
            # Names are compared in normalized form (PEP 503): "-", "_" and "." are the same.
            package = re.sub(r"[-_.]+", "_", name.rpartition(".")[0].partition("-")[0]).lower()
            if package not in seen:
                seen.add(package)
                with suppress(OSError):  # it has no such list
                    yield Path(folder, name, "entry_points.txt").read_text(encoding="utf-8")


def _folder_entries(folder: str) -> Sequence[str]:
    with suppress(OSError):  # there is no such folder
        return os.listdir(folder or ".")  # noqa: PTH208  # hundreds, which need be no paths
    return ()


def _is_info(name: str) -> bool:
    return name.lower().endswith(_INFO)


def _points(text: str, group: str) -> Iterator[EntryPoint]:
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = line == f"[{group}]"
        elif inside and line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.strip())
