"""Atomic replacement of files: a crash leaves either the old file or the whole new one."""

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

# Below this a file is written in one go: reserving its blocks first would only add a system call.
_MIN_RESERVED_BYTES = 1 << 20  # bytes
# 64 random bits: two writers of one file never draw the same temporary name.
_TOKEN_BYTES = 8  # bytes
_SUFFIX = ".tmp"


@contextmanager
def atomic_write(
    path: str | os.PathLike[str], *, size: int = 0, sweep: bool = True
) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``path`` when the block ends without an error.

    The content is written to a temporary file in the same folder, flushed to the disk, and then
    renamed over ``path``; the folder is flushed, too. Inside :func:`no_sync` nothing is flushed to
    the disk. After an error ``path`` is unchanged and the temporary file is removed. If ``path`` is
    a symbolic link, its target is replaced. The permissions of the old file are kept. A device or a
    pipe is written directly.

    If the process is killed, its temporary file stays; the next writer of ``path`` removes it. A
    temporary file in use is locked by its writer, and the lock ends with the process, so an
    unlocked one is stale.

    Args:
        path: The file to create or replace; its folder must exist.
        size: Approximate size of the new file in bytes, 0 if unknown. That much disk space is
            reserved first, so a full disk raises an error before anything is written.
        sweep: Remove temporary files that killed writers of ``path`` left. This lists the folder,
            so pass False in a loop over many new files.

    Example:
        >>> with atomic_write("weights.bin") as file:
        ...     _ = file.write(b"new")
        >>> Path("weights.bin").read_bytes()
        b'new'
    """
    with os_errors():
        yield from _replaced(path, size, sweep)


def _replaced(path: str | os.PathLike[str], size: int, sweep: bool) -> Iterator[BinaryIO]:
    # The link is followed here, since `rename` over a link would replace the link itself.
    target = Path(os.path.realpath(local_path(path)))
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        # Devices and pipes (``/dev/stdout``) cannot be renamed over.
        with target.open("wb") as file:
            yield file
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    if sweep:
        remove_stale(target)
    # In the same folder, because `rename` is atomic only within one file system.
    temporary, opened = _create_temporary(target)
    try:
        with opened as file:
            reserved = _reserve(file, size)
            yield file
            file.flush()
            # Preallocation made the file ``size`` long; content that turned out shorter is cut to
            # its length.
            if reserved and file.tell() != size:
                os.ftruncate(file.fileno(), file.tell())
            # fsync before rename: without it the new name may reach the disk before the data, and a
            # crash leaves an empty file in place of the old one.
            sync_file(file)
            if mode is not None:
                # `open` made the file with the umask's permissions; the replaced file's are the
                # ones to keep.
                temporary.chmod(stat.S_IMODE(mode))
            if os.name != "nt":  # renamed while it is locked, so that nobody can take it for stale
                temporary.replace(target)
        if os.name == "nt":  # pragma: no cover  # Windows renames no open file
            temporary.replace(target)
    # BaseException, so that Ctrl-C removes the temporary file, too.
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    # The rename is an entry of the folder, which has a write-back of its own.
    sync_folder(target.parent)


def write_new(path: Path, parts: Sequence[bytes | memoryview]) -> None:
    """Write a new file, and wait until it is on the disk; an existing file is an error."""
    with path.open("xb") as file:
        _reserve(file, sum(map(len, parts)))
        write_parts(file, parts)
        file.flush()
        sync_file(file)


def _create_temporary(target: Path) -> tuple[Path, BinaryIO]:
    """Return the path of a new temporary file and the open file, locked if the system has locks."""
    while True:
        # Cut to 40 characters (160 bytes of UTF-8 at most): the whole stays below the 255 bytes of
        # a name.
        path = target.with_name(f".{target.name[:40]}.{os.urandom(_TOKEN_BYTES).hex()}{_SUFFIX}")
        file = path.open("xb")
        locked = try_lock(file.fileno())
        # Between `open` and the lock a sweep may have locked and removed the file. A lock on a file
        # that has no name any more protects nothing, so draw another name.
        if locked is None or (locked and _is_file_of(file, path)):
            return path, file
        file.close()  # a sweep took it before it was locked


def _is_file_of(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def remove_stale(target: Path) -> None:
    """Remove temporary files for ``target`` whose writers are dead."""
    begin = f".{target.name[:40]}."
    with os.scandir(target.parent) as entries:
        # Collected first: the folder changes while files are removed.
        stale = [entry.path for entry in entries if _is_temporary(entry.name, begin)]
    for path in stale:
        try:
            with Path(path).open("rb+") as file:
                # A living writer has its file locked from creation to rename; one that can be
                # locked is stale.
                if try_lock(file.fileno()) is True:
                    Path(path).unlink(missing_ok=True)
        except OSError:  # another removed it, or it belongs to somebody else
            continue


def _is_temporary(name: str, begin: str) -> bool:
    """Return whether a file name has the form that `_create_temporary` uses for a target."""
    # By hand, not by a regular expression: each target would need one compiled for its own name.
    digits = name[len(begin) : -len(_SUFFIX)]
    formed = name.startswith(begin) and name.endswith(_SUFFIX) and len(digits) == 2 * _TOKEN_BYTES
    return formed and set(digits) <= set("0123456789abcdef")


def _reserve(file: BinaryIO, size: int) -> bool:
    if size < _MIN_RESERVED_BYTES or not hasattr(os, "posix_fallocate"):
        return False
    try:
        # Large files get their blocks at once: a full disk is noticed before anything is written.
        os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        # File systems without fallocate (FAT, some network ones): the file then grows as it is
        # written.
        if error.errno not in {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}:
            raise
        return False
    return True


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
