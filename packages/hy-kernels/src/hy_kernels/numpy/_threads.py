"""Parts of one computation at once, each in a thread of its own.

Numpy lets other threads run while it computes, but uses more than one of them only inside OpenBLAS,
and there only for large matrix products. Parts that run at once have one OpenBLAS thread each.
"""

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import cache
from itertools import pairwise
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np

__all__ = ["split", "threaded", "together", "workers"]

_Result = TypeVar("_Result")
_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


class _Blas:
    """How many threads OpenBLAS may use: an answer, and a setting."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.count: Callable[[], int] = library.scipy_openblas_get_num_threads64_
        self.limit: Callable[[int], Any] = library.scipy_openblas_set_num_threads64_


@cache
def _blas() -> _Blas | None:
    """The OpenBLAS that numpy's own wheels bring; None with another library."""
    try:
        return _Blas(ctypes.CDLL(np.linalg._umath_linalg.__file__))
    except (AttributeError, OSError):
        return None


@cache
def _allowed() -> int:
    given = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    return int(given) if given.isdigit() and int(given) else os.cpu_count() or 1


class _Share:
    """What one thread does of several tasks."""

    def __init__(self, tasks: Sequence[Callable[[], Any]]) -> None:
        self.results: list[Any] = []
        self.error: Exception | None = None
        self.done = threading.Lock()
        self.done.acquire()
        self._tasks = tasks
        self._context = copy_context()  # numpy's error state lies in it

    def run(self) -> None:
        """Do it; an error is kept."""
        try:
            self._context.run(self._run)
        except Exception as error:  # raised by who waits for it
            self.error = error
        finally:
            self.done.release()

    def _run(self) -> None:
        for task in self._tasks:
            self.results.append(task())


class _Team:
    """Threads that wait for shares; one thread at a time has them."""

    def __init__(self) -> None:
        self.free = threading.Lock()
        self.leader = 0
        """The thread that has them; 0 while they are free."""
        self.count = 1
        """How many threads it may use."""
        self.busy = False
        self._inboxes: list[SimpleQueue[_Share]] = []
        self._threads: list[threading.Thread] = []
        self._core = -1

    def join(self) -> bool:
        """Take the threads, if they are free and there is more than one to be used."""
        count = workers()
        if count < 2 or not self.free.acquire(blocking=False):
            return False
        self.leader, self.count = threading.get_ident(), count
        blas = _blas()
        if blas is not None:
            blas.limit(1)
        return True

    def leave(self) -> None:
        """Give them back."""
        blas = _blas()
        if blas is not None:
            blas.limit(self.count)
        self.leader, self.count = 0, 1
        self.free.release()

    def run(self, shares: Sequence[_Share]) -> None:
        """Run the first share here, the others in threads; wait for all."""
        first, *others = shares
        while len(self._threads) < len(others):
            self._grow()
        cores = self._spread()
        self.busy = True
        for share, inbox in zip(others, self._inboxes, strict=False):
            inbox.put(share)
        try:
            first.run()
        finally:
            for share in others:
                share.done.acquire()
            self.busy = False
            if cores:
                os.sched_setaffinity(0, cores)

    def _grow(self) -> None:
        inbox: SimpleQueue[_Share] = SimpleQueue()
        thread = threading.Thread(target=_work, args=[inbox], name="hy-kernels", daemon=True)
        thread.start()
        self._inboxes.append(inbox)
        self._threads.append(thread)
        self._core = -1

    def _spread(self) -> set[int]:
        """Hold this thread on its core, and the others on other ones.

        A scheduler may leave all of them on one core for longer than the work takes.

        Returns:
            The cores that this thread may use, to be set again; none where that is not known.
        """
        current = _current_core()
        if current is None:
            return set()
        core, cores = current(), os.sched_getaffinity(0)
        if len(cores) < 2 or core not in cores:
            return set()
        if core != self._core:
            for thread in self._threads:
                os.sched_setaffinity(thread.native_id or 0, cores - {core})
            self._core = core
        os.sched_setaffinity(0, {core})
        return cores


def _work(inbox: "SimpleQueue[_Share]") -> None:
    while True:
        inbox.get().run()


@cache
def _current_core() -> Callable[[], int] | None:
    """Linux' function that tells the core it is called on; None elsewhere."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    try:
        found: Callable[[], int] = ctypes.CDLL(None).sched_getcpu
    except (AttributeError, OSError):
        return None
    return found


_team = _Team()


def _renew() -> None:
    global _team  # noqa: PLW0603  # threads do not survive a fork
    _team = _Team()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def workers() -> int:
    """How many parts may run at once.

    As many as OpenBLAS has threads, which is what ``OMP_NUM_THREADS`` says, or else one per core;
    1 inside such a part.
    """
    if _team.leader == threading.get_ident():
        return 1 if _team.busy else _team.count
    blas = _blas()
    return _allowed() if blas is None else blas.count()


def together(tasks: Sequence[Callable[[], _Result]]) -> list[_Result]:
    """Run tasks that do not depend on each other; one after the other inside such a task.

    OpenBLAS has one thread meanwhile, for one task alone, too: after a product its other threads
    would look for work for a while, on the cores that the next tasks need. One task may call this
    function for tasks of its own.

    Returns:
        What they return.

    Raises:
        Exception: What the first of the tasks that failed raised, after all have ended.
    """
    team = _team
    if team.leader == threading.get_ident():
        return _shared(team, tasks)
    if not team.join():
        return [task() for task in tasks]
    try:
        return _shared(team, tasks)
    finally:
        team.leave()


def _shared(team: _Team, tasks: Sequence[Callable[[], _Result]]) -> list[_Result]:
    count = min(team.count, len(tasks))
    if count < 2 or team.busy:
        return [task() for task in tasks]
    shares = [_Share(tasks[k::count]) for k in range(count)]
    team.run(shares)
    for share in shares:
        if share.error is not None:
            raise share.error
    return [shares[k % count].results[k // count] for k in range(len(tasks))]


def threaded(kernel: _Kernel) -> _Kernel:
    """Mark a kernel that uses threads of its own, which should not meet those of OpenBLAS."""
    kernel.threaded = True  # type: ignore[attr-defined]  # read by who runs several kernels
    return kernel


def split(size: int, parts: int, unit: int = 1) -> list[slice]:
    """At most ``parts`` slices of ``range(size)`` of nearly one length, in whole units."""
    units = -(-size // unit)
    parts = max(1, min(parts, units))
    ends = [min(size, units * k // parts * unit) for k in range(parts + 1)]
    return [slice(start, stop) for start, stop in pairwise(ends)]
