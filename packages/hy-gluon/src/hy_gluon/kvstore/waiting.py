"""Interruptible waits for other workers: PyTorch waits in C++, which ignores Ctrl-C.

A collective that has started cannot be cancelled: gloo's thread waits for the other workers, and
the destructor of its process group joins that thread, at interpreter exit at the latest. A group
with an interrupted collective is therefore never destroyed; the operating system closes its
connections.
"""

import ctypes
import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Any, TypeVar

__all__ = ["keep_alive", "wait_for", "without_blocking"]

T = TypeVar("T")

# 1 ms at most, doubling from 10 µs: short collectives are noticed at once, long ones cost nothing.
_MAX_PAUSE = 1e-3  # seconds between polls: a fraction of the transfer of a bucket of gradients


def wait_for(work: Any) -> None:
    """Wait interruptibly for a collective operation started with ``async_op=True``.

    Raises:
        RuntimeError: The operation failed or timed out.
    """
    pause = 1e-5
    while not work.is_completed():
        time.sleep(pause)
        pause = min(2 * pause, _MAX_PAUSE)
    # Raises the collective's own error.
    work.wait()


def without_blocking(action: Callable[[], T]) -> T:
    """Run an action that may block in C++ in a thread, and wait for it interruptibly.

    After an interrupt the action continues in its thread until it ends or the process exits.
    """
    done = Event()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(action())
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    Thread(target=run, name="kvstore setup", daemon=True).start()
    # `Event.wait` is interrupted by signals, PyTorch's calls in C++ are not.
    done.wait()
    if errors:
        raise errors[0]
    return results[0]


def keep_alive(*objects: Any) -> None:
    """Keep objects alive forever, even at interpreter exit."""
    for each in objects:
        # An extra reference that nobody drops: a plain global is cleared at exit, which runs the
        # destructor.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))
