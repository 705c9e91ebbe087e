"""Lock for the creation of shared objects: parameter values, traces, programs.

There is one lock for all blocks, which rules out lock-order deadlocks. It is reentrant, as tracing
a block may initialize parameters. Calls that find everything created do not take it.
"""

import os
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from hy_ndarray import Device

__all__ = ["release_stale", "setup_lock"]

_lock = threading.RLock()


def setup_lock() -> "AbstractContextManager[object]":
    """Return the process-wide, reentrant lock for creating shared objects, for use in ``with``."""
    return _lock


def release_stale(compiled: dict[Any, Any]) -> None:
    """Remove the items of devices whose kernel table was replaced; the caller holds the lock.

    Args:
        compiled: Programs or other objects, by device or by a tuple that begins with a device.
    """
    for key in list(compiled):
        device: Device = key[0] if isinstance(key, tuple) else key
        if device.stale:
            del compiled[key]


def _after_fork() -> None:
    """Replace the lock in a forked child if a thread that does not exist there holds it."""
    global _lock  # noqa: PLW0603  # a lock cannot be released for another thread
    # The holder may be a thread that does not exist in this process.
    if _lock.acquire(blocking=False):  # free, or held by the thread that lives on
        _lock.release()
    else:
        _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
