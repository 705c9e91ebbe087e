"""The lock for creating what threads share: parameter values, traces, programs.

It is one for all blocks, so that no order of several locks can be wrong, and reentrant, as tracing
a block may initialize parameters. Calls that find everything made do not take it.
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
    """Return the lock, for use in ``with``."""
    return _lock


def release_stale(compiled: dict[Any, Any]) -> None:
    """Drop programs compiled for devices whose kernel table was replaced.

    Args:
        compiled: By device, or by tuples that begin with one. Who calls this holds the setup lock.
    """
    for key in list(compiled):
        device: Device = key[0] if isinstance(key, tuple) else key
        if device.stale:
            del compiled[key]


def _after_fork() -> None:
    """Replace the lock in a child process, whose other threads are gone."""
    global _lock  # noqa: PLW0603  # a lock cannot be released for another thread
    # The holder may be a thread that this process has not.
    if _lock.acquire(blocking=False):  # free, or held by the thread that lives on
        _lock.release()
    else:
        _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
