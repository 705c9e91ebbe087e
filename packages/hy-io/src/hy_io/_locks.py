"""File locks that the system releases when their process ends, even if it is killed.

On Windows, and on file systems without such locks, `hold` does nothing.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl


def try_lock(descriptor: int) -> bool | None:
    """Try to lock an open file until it is closed, without waiting.

    Returns:
        True if the file is locked now, False if another process holds the lock, None if the system
        has no locks.
    """
    if sys.platform == "win32":
        return None
    try:
        # `flock`, not `lockf`: it belongs to the open file, so a second open in this process is
        # refused, too, and closing another descriptor of the file does not drop it.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    # File systems without locks: None, which callers treat as "cannot tell".
    except OSError:
        return None
    return True


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Context manager that waits for and holds an exclusive lock of a folder, between processes."""
    if sys.platform == "win32":
        yield
        return
    # The folder itself is locked, so that no lock file is left behind.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # NFS locks files only
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
