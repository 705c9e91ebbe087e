"""The lock under which what all threads share is made: values of parameters, traces, programs.

It is one for all blocks, so that no order of several locks can be wrong, and reentrant, as tracing
a block may initialize parameters. Calls that find everything made do not take it.
"""

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["setup_lock"]

_lock = threading.RLock()


def setup_lock() -> "AbstractContextManager[object]":
    """The lock, to be entered by ``with`` at once: no signal comes in between."""
    return _lock


def _after_fork() -> None:
    """Let no child process wait for a thread that it has not."""
    global _lock  # noqa: PLW0603  # a lock cannot be released for another thread
    if _lock.acquire(blocking=False):  # free, or held by the thread that lives on
        _lock.release()
    else:
        _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
