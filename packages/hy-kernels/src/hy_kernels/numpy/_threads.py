"""Parts of one computation at once, each in a thread of its own.

Numpy lets other threads run while it computes, but uses more than one of them only inside OpenBLAS,
and there only for large matrix products. Parts that run at once have one OpenBLAS thread each.

A thread that sleeps takes longer to wake than many a part takes to compute. So threads are awake
from the beginning of a computation of several steps to its end, as those of OpenMP are; with
``OMP_WAIT_POLICY=passive`` they sleep whenever they can.
"""

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import cache, partial
from itertools import pairwise
from math import isqrt
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from hy_kernels.numpy._blas import blas

__all__ = ["is_leading", "split", "threaded", "together", "workers", "worth"]

_Result = TypeVar("_Result")
_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


@cache
def _allowed() -> int:
    given = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    return int(given) if given.isdigit() and int(given) else os.cpu_count() or 1


class _Share:
    """What one thread does of several tasks."""

    def __init__(self, tasks: Sequence[Callable[[], Any]]) -> None:
        self.results: list[Any] = []
        self.error: Exception | None = None
        self.finished = False
        self._tasks = tasks
        self._context = copy_context()  # numpy's error state lies in it
        self._free = [True]

    def run(self) -> None:
        """Do it, unless a thread does already; an error is kept."""
        try:
            self._free.pop()
        except IndexError:
            return
        try:
            self._context.run(self._run)
        except Exception as error:  # raised by who waits for it
            self.error = error
        finally:
            self.finished = True

    def _run(self) -> None:
        for task in self._tasks:
            self.results.append(task())


class _Gate(NamedTuple):
    """What a thread waits for and another one opens, once or again; it closes behind the first."""

    wait: Callable[[], Any]
    open: Callable[[], Any]


@cache
def _spinning() -> tuple[ctypes.CDLL, ctypes.PyDLL] | None:
    """The C library, called without and with the interpreter's lock, if it has spin locks."""
    if os.environ.get("OMP_WAIT_POLICY", "").lower() == "passive":
        return None
    try:
        free, holding = ctypes.CDLL(None), ctypes.PyDLL(None)
    except (OSError, TypeError):
        return None
    return (free, holding) if hasattr(free, "pthread_spin_lock") else None


def _gate() -> _Gate:
    """A closed gate."""
    spinning = _spinning()
    if spinning is None:
        passing = threading.Semaphore(0)
        return _Gate(passing.acquire, passing.release)
    free, holding = spinning
    word = ctypes.c_int()
    free.pthread_spin_init(ctypes.byref(word), 0)
    free.pthread_spin_lock(ctypes.byref(word))
    return _Gate(
        partial(free.pthread_spin_lock, ctypes.byref(word)),
        partial(holding.pthread_spin_unlock, ctypes.byref(word)),
    )


class _Worker:
    """A thread that sleeps until it is called, and then awaits shares until it is dismissed.

    It may take long to wake. So nobody waits for that: whoever comes first runs a share, and a gate
    that stands open only makes it look for a share once more.
    """

    def __init__(self) -> None:
        self._calls: SimpleQueue[None] = SimpleQueue()
        self._go, self._done = _gate(), _gate()
        self._wanted = False
        self._share: _Share | None = None
        self.thread = threading.Thread(target=self._work, name="hy-kernels", daemon=True)
        self.thread.start()

    def call(self) -> None:
        """Wake it."""
        self._wanted = True
        self._calls.put(None)

    def dismiss(self) -> None:
        """Let it sleep."""
        self._wanted, self._share = False, None
        self._go.open()

    def start(self, share: _Share) -> None:
        """Let it run a share."""
        self._share = share
        self._go.open()

    def finish(self, share: _Share) -> None:
        """Run the share, or wait for its end if it has begun."""
        share.run()
        while not share.finished:
            self._done.wait()

    def _work(self) -> None:
        while True:
            self._calls.get()
            while self._wanted:
                self._go.wait()
                share = self._share
                if share is not None:
                    share.run()
                    self._done.open()


class _Team:
    """The workers; one thread at a time has them."""

    def __init__(self) -> None:
        self.free = threading.Lock()
        self.leader = 0
        """The thread that has them; 0 while they are free."""
        self.count = 1
        """How many threads it may use."""
        self.busy = False
        self._workers: list[_Worker] = []
        self._awake = 0
        self._core = -1
        """The core that the workers keep off."""

    def join(self) -> bool:
        """Take the workers, if they are free and there is more than one thread to be used."""
        count = workers()
        if count < 2 or not self.free.acquire(blocking=False):
            return False
        self.leader, self.count = threading.get_ident(), count
        library = blas()
        if library is not None:
            library.limit(1)
        return True

    def leave(self) -> None:
        """Let them sleep, and give them back."""
        for worker in self._workers[: self._awake]:
            worker.dismiss()
        self._awake = 0
        self.restore()
        self.leader, self.count = 0, 1
        self.free.release()

    def restore(self) -> None:
        """Let OpenBLAS have its threads again."""
        library = blas()
        if library is not None and self.leader:
            library.limit(self.count)

    def run(self, shares: Sequence[_Share]) -> None:
        """Run the first share here, the others in threads; wait for all."""
        first, *others = shares
        self._wake(len(others))
        self.busy = True
        cores = self._spread()
        helping = self._workers[: len(others)]
        for share, worker in zip(others, helping, strict=True):
            worker.start(share)
        try:
            first.run()
        finally:
            for share, worker in zip(others, helping, strict=True):
                worker.finish(share)
            if cores:
                os.sched_setaffinity(0, cores)
            self.busy = False

    def _wake(self, count: int) -> None:
        while len(self._workers) < count:
            self._workers.append(_Worker())
            self._core = -1
        while self._awake < count:
            self._workers[self._awake].call()
            self._awake += 1

    def _spread(self) -> set[int]:
        """Hold this thread on its core, and the workers on other ones.

        Else a scheduler may put both on one for longer than the work takes.

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
            for worker in self._workers:
                os.sched_setaffinity(worker.thread.native_id or 0, cores - {core})
            self._core = core
        os.sched_setaffinity(0, {core})
        return cores


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
    _team.restore()
    _team = _Team()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def workers() -> int:
    """How many parts may run at once.

    As many as OpenBLAS has threads, which is what ``OMP_NUM_THREADS`` says, or else one per core;
    1 inside such a part.
    """
    if is_leading():
        return 1 if _team.busy else _team.count
    library = blas()
    return _allowed() if library is None else library.count()


def is_leading() -> bool:
    """Whether this thread has the others, and OpenBLAS one thread."""
    return _team.leader == threading.get_ident()


def worth(work: int, least: int) -> int:
    """Into how many parts to cut work, ``least`` of which is worth a part.

    The interpreter starts one part after the other, so that there are fewer than would be worth it.
    """
    return 1 if work < least else min(workers(), isqrt(work // least) + 1)


def together(tasks: Sequence[Callable[[], _Result]]) -> list[_Result]:
    """Run tasks that do not depend on each other; one after the other inside such a task.

    OpenBLAS has one thread meanwhile, for one task alone, too: after a product its other threads
    would look for work for a while, on the cores that the next tasks need. One task may call this
    function for tasks of its own.

    Returns:
        What they return.

    Raises:
        Exception: What a task that failed raised, after all have ended.
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


def threaded(least: int = 0) -> Callable[[_Kernel], _Kernel]:
    """Mark a kernel that uses threads of its own, which should not meet those of OpenBLAS.

    Args:
        least: Elements of its largest operand or result from which it does so.
    """

    def mark(kernel: _Kernel) -> _Kernel:
        kernel.threaded = least  # type: ignore[attr-defined]  # read by who runs several kernels
        return kernel

    return mark


def split(size: int, parts: int, unit: int = 1) -> list[slice]:
    """At most ``parts`` slices of ``range(size)`` of nearly one length, in whole units."""
    units = -(-size // unit)
    parts = max(1, min(parts, units))
    ends = [min(size, units * k // parts * unit) for k in range(parts + 1)]
    return [slice(start, stop) for start, stop in pairwise(ends)]
