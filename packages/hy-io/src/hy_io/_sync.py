"""Flushing of written files to the disk, and `no_sync` to turn it off."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any

# A ContextVar, not an argument: `save_parameters` and every writer below it obey one `with` block.
_WAITS = ContextVar("hy_io_waits_for_disk", default=True)


@contextmanager
def no_sync() -> Iterator[None]:
    """Context manager in which writing a file does not flush it to the disk, like ``cp``.

    Files are still replaced atomically: after an error, or if the process is killed, either the old
    or the new file is there. But if the machine crashes or loses power some seconds later, the new
    file may be empty and the old one is gone, so use it for files that can be created again. The
    setting applies to the current thread or asyncio task.

    Example:
        >>> import hy_io
        >>> with no_sync():
        ...     hy_io.save_ndarrays("copy.params", {"a": np.zeros(3, np.float32)})
    """
    token = _WAITS.set(False)
    try:
        yield
    finally:
        _WAITS.reset(token)


def waits_for_disk() -> bool:
    """Return whether files are flushed to the disk: true outside of `no_sync`."""
    return _WAITS.get()


def sync_file(file: IO[Any]) -> None:
    """Flush a file to the disk (``fsync``), unless inside `no_sync`."""
    if waits_for_disk():
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to the disk, unless inside `no_sync`."""
    if os.name == "nt" or not waits_for_disk():  # Windows cannot open a folder
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # The rename is only durable when the folder is, as ext4 and XFS journal names apart from
        # data.
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}:
            raise  # those three: the file system has no such call
    finally:
        os.close(descriptor)
