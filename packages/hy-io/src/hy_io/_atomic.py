"""Replaces a file in one step: a crash leaves the old file or the new one, never a part."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from hy_io._locks import try_lock
from hy_io._paths import local_path, os_errors
from hy_io._sync import sync_file, sync_folder
from hy_io._transfer import write_parts

__all__ = ["atomic_write", "remove_left", "write_new"]

_MUCH = 1 << 20  # bytes
_RANDOM = 8  # bytes
_END = ".tmp"


@contextmanager
def atomic_write(
    path: str | os.PathLike[str], *, size: int = 0, sweep: bool = True
) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of ``path`` when the block ends without an error.

    The content goes to a temporary file in the same folder, is flushed to the disk, and then
    renamed over ``path``; the folder is flushed, too. Inside of :func:`no_sync` nothing waits for
    the disk. After an error ``path`` is as it was and the temporary file is gone. A link stays a
    link: the file that it points to is replaced. Permissions of the old file are kept. A device or
    a pipe is written directly.

    A process that is killed meanwhile leaves its temporary file; the next to write ``path`` removes
    it. The writer's lock on the file, which ends with the process, tells it from one in use.

    Args:
        path: The file to make or to replace; its folder must exist.
        size: About how many bytes it will have, if that is known: room for them is taken at once,
            so that a full disk is found before anything is written.
        sweep: Whether to look for such files, which lists the folder; not worth it in a loop over
            many new files.

    Example:
        >>> with atomic_write("weights.bin") as file:
        ...     _ = file.write(b"new")
        >>> Path("weights.bin").read_bytes()
        b'new'
    """
    with os_errors():
        yield from _replaced(path, size, sweep)


def _replaced(path: str | os.PathLike[str], size: int, sweep: bool) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(local_path(path)))
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with target.open("wb") as file:
            yield file
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    if sweep:
        remove_left(target)
    temporary, opened = _opened(target)
    try:
        with opened as file:
            reserved = _reserve(file, size)
            yield file
            file.flush()
            if reserved and file.tell() != size:
                os.ftruncate(file.fileno(), file.tell())
            sync_file(file)
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            if os.name != "nt":  # renamed while it is locked, so that nobody can take it for left
                temporary.replace(target)
        if os.name == "nt":  # pragma: no cover  # Windows renames no open file
            temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def write_new(path: Path, parts: Sequence[bytes | memoryview]) -> None:
    """Write a file that must not be there yet, and wait until the disk has it."""
    with path.open("xb") as file:
        _reserve(file, sum(map(len, parts)))
        write_parts(file, parts)
        file.flush()
        sync_file(file)


def _opened(target: Path) -> tuple[Path, BinaryIO]:
    """A new temporary file, locked where that is possible."""
    while True:
        path = target.with_name(f".{target.name[:40]}.{os.urandom(_RANDOM).hex()}{_END}")
        file = path.open("xb")
        locked = try_lock(file.fileno())
        if locked is None or (locked and _is_at(file, path)):
            return path, file
        file.close()  # a sweep took it before it was locked


def _is_at(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def remove_left(target: Path) -> None:
    """Remove temporary files for ``target`` whose writers are dead."""
    begin = f".{target.name[:40]}."
    with os.scandir(target.parent) as entries:
        left = [entry.path for entry in entries if _is_temporary(entry.name, begin)]
    for path in left:
        try:
            with Path(path).open("rb+") as file:
                if try_lock(file.fileno()) is True:
                    Path(path).unlink(missing_ok=True)
        except OSError:  # another removed it, or it belongs to somebody else
            continue


def _is_temporary(name: str, begin: str) -> bool:
    """Whether :func:`_opened` gives such names; without a pattern to compile for each target."""
    digits = name[len(begin) : -len(_END)]
    formed = name.startswith(begin) and name.endswith(_END) and len(digits) == 2 * _RANDOM
    return formed and set(digits) <= set("0123456789abcdef")


def _reserve(file: BinaryIO, size: int) -> bool:
    if size < _MUCH or not hasattr(os, "posix_fallocate"):
        return False
    try:
        os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}:
            raise
        return False
    return True


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
