"""Replaces a file in one step: a crash leaves the old file or the new one, never a part."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["atomic_write", "sync_folder"]

_MUCH = 1 << 20  # bytes


@contextmanager
def atomic_write(path: str | os.PathLike[str], *, size: int = 0) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of ``path`` when the block ends without an error.

    The content goes to a temporary file in the same folder, is flushed to the disk, and then
    renamed over ``path``; the folder is flushed, too. After an error ``path`` is as it was and
    the temporary file is gone. A link stays a link: the file that it points to is replaced.
    Permissions of the old file are kept. A device or a pipe is written directly.

    Args:
        path: The file to make or to replace; its folder must exist.
        size: About how many bytes it will have, if that is known: room for them is taken at once,
            so that a full disk is found before anything is written.

    Example:
        >>> with atomic_write("weights.bin") as file:
        ...     _ = file.write(b"new")
        >>> Path("weights.bin").read_bytes()
        b'new'
    """
    target = Path(os.path.realpath(path))
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with target.open("wb") as file:
            yield file
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            reserved = _reserve(file, size)
            yield file
            file.flush()
            if reserved:
                os.ftruncate(file.fileno(), file.tell())
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


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


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder."""
    if os.name == "nt":  # Windows cannot open a folder
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}:
            raise  # those three: the file system has no such call
    finally:
        os.close(descriptor)
