"""Files of sharded states and parameters: one per worker, and an index.

The file that a program names, the index, is JSON. For each part, parameters or states or both, it
has the names of the workers' files and the rows of each parameter that each of them holds. All
files have new names in each save, and the index is replaced last, in one step: it never names files
of two saves.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hy_gluon.kvstore.errors import KVStoreError
from hy_gluon.optimizer import StatesError
from hy_io import atomic_write, read_file

if TYPE_CHECKING:
    from hy_gluon.kvstore.workers import Workers

__all__ = ["PARAMETERS", "STATES", "Layout", "Part", "Saved", "delete", "read", "write"]

PARAMETERS = "parameters"
STATES = "states"
_FORMAT = "hy sharded checkpoint"

Layout: TypeAlias = Sequence[tuple[Any, tuple[int, ...], Sequence[tuple[int, int]]]]
"""Key, shape, and the rows of each worker, for each parameter."""
Part: TypeAlias = tuple[Layout, Callable[[], bytes]]
"""Which worker has which rows, and what returns the content of this worker's file."""


class Saved(NamedTuple):
    """Part of a checkpoint that was read."""

    layout: Layout
    contents: list[bytes]
    """Those of the workers' files."""


def write(workers: "Workers", parts: Mapping[str, Part], fname: str) -> None:
    """Write a file of each worker for each part, then the index; on an error the old files stay.

    Args:
        workers: The workers, each of which calls this.
        parts: By name.
        fname: The index.

    Raises:
        KVStoreError: Another worker could not write its file.
        OSError, StatesError: This worker could not write its file.
    """
    target = Path(fname)
    # Milliseconds of worker 0: a new name for each save, the same for all workers.
    call = f"save {', '.join(parts)}", target.name
    number = int(workers.agree(call, float(int(time.time() * 1000))))
    names = {
        name: [
            f"{target.name}.{number:x}.{name}.{r}-of-{workers.count}" for r in range(workers.count)
        ]
        for name in parts
    }
    own = [target.with_name(names[name][workers.rank]) for name in parts]

    def write_own() -> None:
        for path, (_, content) in zip(own, parts.values(), strict=True):
            with atomic_write(path) as file:
                file.write(content())

    def write_index() -> None:
        if workers.rank:
            return
        entries = {name: {"files": names[name], "rows": [*parts[name][0]]} for name in parts}
        with atomic_write(target) as file:
            file.write(json.dumps({"format": _FORMAT, **entries}).encode())

    try:
        _on_all(workers, write_own, f"another worker could not write its part of {fname}")
        # Only after every part is on the disk, and by one worker. Nobody loads before.
        _on_all(workers, write_index, f"worker 0 could not write {fname}")
    except (KVStoreError, OSError, StatesError):
        for path in own:
            path.unlink(missing_ok=True)
        raise
    if workers.rank == 0:
        # Stale files of older saves; the index no longer names them.
        new = {each for row in names.values() for each in row}
        for path in _files_of(target):
            if path.name not in new:
                path.unlink(missing_ok=True)


def _on_all(workers: "Workers", action: Callable[[], None], failed: str) -> None:
    """Act on all workers; if one of them fails, all raise an error."""
    failure: Exception | None = None
    try:
        action()
    # The failure waits until all workers know, or they would wait for this one forever.
    except Exception as error:
        failure = error
    if workers.any([failure is not None])[0]:
        if failure is not None:
            raise failure
        raise KVStoreError(f"{failed}; the old one stays")


def delete(fname: str) -> None:
    """Delete an index and its files, in this order: an index that is there can be loaded."""
    target = Path(fname)
    target.unlink(missing_ok=True)
    for path in _files_of(target):
        path.unlink(missing_ok=True)


def _files_of(target: Path) -> Iterator[Path]:
    """Yield the workers' files of an index, of any save."""
    # Exactly: the files of `net.states` begin with the name of an index `net`, too.
    pattern = re.compile(
        rf"{re.escape(target.name)}\.[0-9a-f]+\.({PARAMETERS}|{STATES})\.\d+-of-\d+"
    )
    return (path for path in [*target.parent.iterdir()] if pattern.fullmatch(path.name))


def read(fname: str, part: str) -> Saved:
    """Return a part of a checkpoint, with the files of all workers.

    Raises:
        StatesError: ``fname`` is something else, or has no such part.
        MissingFileError: A file is not there.
    """
    entry = None
    try:
        index = json.loads(read_file(fname))
        if index["format"] == _FORMAT:
            if part not in index:
                raise StatesError(f"{fname} has no {part}; they were saved to another file")
            entry = index[part]
            names, layout = entry["files"], entry["rows"]
            # Names with a slash would read files outside of the folder.
            is_plain = all(isinstance(name, str) and Path(name).name == name for name in names)
            is_whole = all(len(ranges) == len(names) for _, _, ranges in layout)
            entry = entry if is_plain and is_whole else None
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, StatesError):
            raise
        entry = None
    if entry is None:
        raise StatesError(f"{fname} is not an index of a sharded checkpoint")
    layout = [(key, tuple(shape), ranges) for key, shape, ranges in entry["rows"]]
    return Saved(layout, [read_file(Path(fname).with_name(name)) for name in entry["files"]])
