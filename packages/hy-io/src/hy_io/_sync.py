"""Waits until written data is on the disk, unless the program opted out."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any

__all__ = ["no_sync", "sync_file", "sync_folder", "waits_for_disk"]

# A ContextVar, not an argument: `save_parameters` and every writer below it obey one `with` block.
_WAITS = ContextVar("hy_io_waits_for_disk", default=True)


@contextmanager
def no_sync() -> Iterator[None]:
    """Scope in which writing a file does not wait for the disk, as with ``cp``.

    A file is still replaced in one step: after an error, or where the process is killed, the old
    one is there or the new one. Where the machine crashes, or loses power, some seconds later, the
    new one may be empty, and the old one is gone. So it is for files that can be made again. It
    holds for this thread, or task.

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
    """Return whether calls that write files wait until the data is on the disk."""
    return _WAITS.get()


def sync_file(file: IO[Any]) -> None:
    """Wait until everything written to a file and flushed is on the disk."""
    if waits_for_disk():
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
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
