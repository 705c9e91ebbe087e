"""Locks that end with the process that holds them, however it ends.

Some file systems, and Windows, have no such locks: there `hold` does nothing.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

__all__ = ["hold", "try_lock"]


def try_lock(descriptor: int) -> bool | None:
    """Try to lock an open file until it is closed; return whether that succeeded.

    Returns:
        True if it is locked now, False if somebody else has it, None if there are no locks.
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
    """Scope that locks a folder, so that one process at a time changes its files; others wait."""
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
