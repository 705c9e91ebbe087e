"""Atomic replacement of a set of files, such as a graph and its parameters.

The names of the files share a prefix. A save first writes the new contents to temporary files in
the same folder, then atomically writes a list of them, the commit list ``.prefix.commit``: from
then on the new contents are valid. Then the temporary files are renamed. After a crash in between,
`current_file` finds them through the list, and the next save completes the renames. Programs that
do not know the list never see a graph with the parameters of another save: the old graph is removed
before the parameters are renamed, and the new graph is renamed last.
"""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hy_io._atomic import atomic_write, remove_stale, write_new
from hy_io._errors import ArgumentError, FileFormatError
from hy_io._locks import hold
from hy_io._ndarray_format import StoredArray
from hy_io._ndarray_writer import list_parts
from hy_io._paths import local_name, local_path, os_errors
from hy_io._sync import sync_folder
from hy_io._transfer import write_parts

__all__ = ["current_file", "save_together"]

# The files that MXNet exports side by side; only such names are taken from a commit list.
_ENDS = r"-(?:(?:symbol|model)\.json|(?:model|\d{4,})\.params|\d{4,}\.sha256)"
_MEMBER = re.compile(rf"(.+){_ENDS}", re.DOTALL)
Parts = Sequence[bytes | memoryview]


def save_together(
    prefix: str | os.PathLike[str],
    contents: Mapping[str, str | Mapping[str, StoredArray]],
    *,
    np_shape: bool | None = None,
) -> None:
    """Replace several files atomically: after a crash, all are old or all are new.

    Read the files through `current_file`, which finds the new ones after a crash. Concurrent saves
    under one prefix wait for each other if the file system has locks.

    Args:
        prefix: Path prefix of the files; the folder must exist.
        contents: A text or arrays by name, for each file, by the part of its name after the prefix:
            ``-symbol.json``, ``-model.json``, ``-model.params`` or ``-0000.params`` with any
            number.
        np_shape: See `save_ndarrays`.

    Raises:
        TypeError: An array has a dtype that files cannot hold.
        ValueError: The end of a name is none of these, or ``np_shape`` does not fit the arrays.
        OSError: A file cannot be written; all files are unchanged.

    Example:
        >>> save_together("net", {"-symbol.json": "{}", "-0000.params": {"arg:w": np.ones(2)}})
        >>> current_file("net-0000.params").name
        'net-0000.params'
    """
    # Endings outside the pattern would be lost after a crash: `current_file` would not look for
    # them.
    for end in contents:
        if re.fullmatch(_ENDS, end) is None:
            raise ArgumentError(
                f"save_together: {end!r} ends no name of files that change together"
            )
    files = FileSet(prefix)
    new: dict[Path, Parts] = {
        files.named(end): (
            [item.encode()] if isinstance(item, str) else list(list_parts(item, np_shape=np_shape))
        )
        for end, item in contents.items()
    }
    with files.changing():
        files.replace(new)


def current_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of the valid content of a file: itself, or a temporary file after a crash.

    Raises:
        FileFormatError: The commit list is not one that a save has written.
    """
    name = local_name(path)
    folder = name[: max(name.rfind("/"), name.rfind(os.sep)) + 1]
    match = _MEMBER.fullmatch(name, len(folder))
    # Most names are none of a save that was interrupted: a Path for that takes ten times as long.
    if match is None or not os.path.exists(f"{folder}.{match[1]}.commit"):  # noqa: PTH110
        return Path(name)
    return FileSet(folder + match[1]).current(name)


class FileSet:
    """Files that share a prefix and are replaced together.

    Args:
        prefix: Path prefix of the files.
    """

    def __init__(self, prefix: str | os.PathLike[str]) -> None:
        path = local_path(prefix)
        self.folder, self.name = path.parent, path.name
        self._commit = self.folder / f".{self.name}.commit"

    def named(self, end: str) -> Path:
        """Return the path that consists of the prefix and ``end``."""
        return self.folder / f"{self.name}{end}"

    def listed(self) -> dict[Path, Path]:
        """Return the commit list: temporary files by final path; empty if no save is unfinished."""
        try:
            content = self._commit.read_bytes()
        except FileNotFoundError:
            return {}
        try:
            pairs = json.loads(content)
        except (ValueError, RecursionError):
            pairs = None
        # The list may come with a downloaded model: names that leave the folder, or that no save
        # writes, are refused.
        if not isinstance(pairs, dict) or not all(map(self._is_ours, pairs, pairs.values())):
            raise FileFormatError(
                os.fspath(self._commit),
                0,
                "list of files",
                expected=f"names of files of {self.name}",
                found=repr(content[:60]),
                remedy="no save has written it: delete it",
            )
        return {self.folder / name: self.folder / source for name, source in pairs.items()}

    def _is_ours(self, name: object, source: object) -> bool:
        return (
            isinstance(name, str)
            and isinstance(source, str)
            and re.fullmatch(re.escape(self.name) + _ENDS, name) is not None
            and re.fullmatch(re.escape(f".{name}.") + r"[0-9a-f]{16}\.new", source) is not None
        )

    def current(self, path: str | os.PathLike[str]) -> Path:
        """Return the path of the valid content of a file: itself, or one of an unfinished save."""
        source = self.listed().get(self.folder / local_path(path).name)
        return source if source is not None and source.exists() else local_path(path)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Context manager around a save: holds the lock, and first finishes an interrupted save."""
        # Lock first: what looks like an interrupted save may be another process in the middle of
        # its own.
        with os_errors(), hold(self.folder):
            self.finish()
            self._sweep()
            yield

    def replace(self, new: Mapping[Path, Parts]) -> None:
        """Replace the contents of several files atomically."""
        # An unchanged graph is left alone, so that saving an epoch replaces one file, atomically.
        new = {path: parts for path, parts in new.items() if not _is_unchanged(path, parts)}
        if len(new) == 1:
            for path, parts in new.items():
                with atomic_write(path, size=sum(map(len, parts))) as file:
                    write_parts(file, parts)
        if len(new) <= 1:
            return
        token = os.urandom(8).hex()
        # Beside their targets, since a rename must not leave the file system.
        sources = {path: path.with_name(f".{path.name}.{token}.new") for path in new}
        with ExitStack() as undo:
            # Until the commit list is there, an error removes all that was written; after it,
            # nothing.
            for path, source in sources.items():
                undo.callback(source.unlink, missing_ok=True)
                write_new(source, new[path])
                if path.exists():
                    source.chmod(stat.S_IMODE(path.stat().st_mode))
            # The point of no return. Every file it lists is on the disk by then (`write_new` waits
            # for it).
            with atomic_write(self._commit) as file:
                pairs = {path.name: source.name for path, source in sources.items()}
                file.write(json.dumps(pairs).encode())
            undo.pop_all()
        self.finish()

    def _sweep(self) -> None:
        """Remove temporary files of killed saves; call it only when the commit list is empty."""
        remove_stale(self._commit)
        form = re.compile(re.escape(f".{self.name}") + r"-.*\.[0-9a-f]{16}\.new")
        for path in self.folder.iterdir():
            if form.fullmatch(path.name):
                path.unlink(missing_ok=True)

    def finish(self) -> None:
        """Rename the files in the commit list to their final paths, then remove the list."""
        pending = self.listed()
        if not pending:
            return
        left = {path: beside for path, beside in pending.items() if beside.exists()}
        # The graph is removed first and put back last: a reader that knows no commit lists (MXNet)
        # finds an old pair, parameters without a graph, or a new pair, never a mixture.
        graphs = {path: beside for path, beside in left.items() if path.suffix == ".json"}
        for path in graphs:
            path.unlink(missing_ok=True)
        # Each stage is on the disk before the next one begins: a file system may reorder renames.
        sync_folder(self.folder)
        for path in left.keys() - graphs.keys():
            left[path].replace(path)
        sync_folder(self.folder)
        for path, beside in graphs.items():
            beside.replace(path)
        sync_folder(self.folder)
        self._commit.unlink(missing_ok=True)
        sync_folder(self.folder)


def _is_unchanged(path: Path, parts: Parts) -> bool:
    """Return whether ``path`` is a JSON file that already has this content."""
    try:
        return path.suffix == ".json" and path.read_bytes() == b"".join(parts)
    except FileNotFoundError:
        return False
