"""Safe ``fork`` of a process with computing threads: running work ends before the fork.

On a fork, OpenBLAS joins its threads first: a deadlock, if one of them is at work for another
thread of the process. So before a fork, new products run in one BLAS thread, products under way are
waited for, and the threads of the pool end. After ten seconds the process forks in any case.

Without other threads there is nothing to wait for. Functions that start programs without Python's
``fork``, such as those of ``subprocess``, do not wait.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hy_kernels.numpy.runtime import _pool
from hy_kernels.numpy.runtime._blas import single_thread

_TIMEOUT_SECONDS = 10.0
_POLL_SECONDS = 0.002  # enough for a product that was about to be split to start
_IDLE_POLLS = 3  # consecutive polls without a running thread
_TASKS = Path("/proc/self/task")


class _Fork(threading.local):
    """Thread-local functions to call in the parent after a fork, which undo the preparation."""

    undo: tuple[Callable[[], None], ...] = ()


_fork = _Fork()


def guard() -> None:
    """Register handlers so that every fork waits until computing threads are idle."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)


def _before() -> None:
    # Inside a chunk, the thread that waits for the chunk already holds the lock.
    if _pool.is_inside():
        return
    _fork.undo = (_pool.pause(_TIMEOUT_SECONDS),)
    # With a limit of one thread no new product uses OpenBLAS's threads; those under way can only
    # be waited for.
    if threading.active_count() > 1:
        single_thread.__enter__()
        _fork.undo = (*_fork.undo, lambda: single_thread.__exit__(None, None, None))
        _wait_for_rest()


def _in_parent() -> None:
    undo, _fork.undo = _fork.undo, ()
    for step in undo:
        step()


def _in_child() -> None:
    _fork.undo = ()
    # With new locks: threads that do not exist in the child may hold those that ``undo`` needs.
    _pool.renew()


def _wait_for_rest() -> None:
    """Wait until no thread that Python did not start is running, or for at most ten seconds."""
    end = time.monotonic() + _TIMEOUT_SECONDS
    idle = 0
    while idle < _IDLE_POLLS and time.monotonic() < end:
        time.sleep(_POLL_SECONDS)
        idle = 0 if any(_is_running(task) for task in _native_threads()) else idle + 1


def _native_threads() -> Iterator[Path]:
    """Yield the ``/proc`` entries of threads of this process that Python did not start."""
    if _TASKS.exists():
        own = {str(thread.native_id) for thread in threading.enumerate()}
        yield from (task for task in _TASKS.iterdir() if task.name not in own)


def _is_running(task: Path) -> bool:
    try:
        # The command before the state is in parentheses, and may contain some itself.
        state = (task / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:  # it has ended
        return False
    return state == "R"
