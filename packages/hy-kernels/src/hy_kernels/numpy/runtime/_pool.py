"""Computes chunks of work in several threads, which sleep while there is none.

Numpy lets other threads run while it computes. Whoever is free takes the next chunk, the calling
thread too, so nobody waits for a thread that has not begun. Where another process has a core, a
thread may be stopped in the middle of a chunk for longer than all of them take; so the pool
measures whether its threads save time, and leaves them asleep for a while where they do not.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import copy_context
from itertools import pairwise
from math import isqrt
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from hy_kernels.numpy.runtime._blas import single_thread
from hy_kernels.numpy.runtime._cpus import allowed_threads
from hy_kernels.numpy.runtime._pace import Pace

__all__ = [
    "is_inside",
    "is_pool_profitable",
    "num_chunks",
    "num_threads",
    "pause",
    "renew",
    "set_num_threads",
    "split",
    "together",
]

_Result = TypeVar("_Result")


class _State(threading.local):
    inside = False
    """Whether the thread computes one of several chunks."""


_state = _State()


class _Job:
    """Chunks that threads take one after the other until there are none left."""

    def __init__(self, chunks: Sequence[Callable[[], Any]]) -> None:
        self.results: list[Any] = [None] * len(chunks)
        self.error: Exception | None = None
        # Deques need no lock: popleft and append are atomic. They also count, as += on a number is
        # not.
        self._waiting = deque(enumerate(chunks))
        self._entered: deque[None] = deque()
        self._left: deque[None] = deque()
        self._wakeups: SimpleQueue[None] = SimpleQueue()
        # With numpy's error state, np.errstate, of the thread that shares the work out.
        self._context = copy_context()

    def compute(self) -> int:
        """Compute chunks until none is left, and return how many; the last error is stored."""
        # Helpers take chunks from the same queue, so that a slow or late one delays nothing but its
        # own.
        count = 0
        while True:
            try:
                number, chunk = self._waiting.popleft()
            except IndexError:
                return count
            count += 1
            try:
                self.results[number] = chunk()
            except Exception as error:
                # The thread that shared the work out raises it.
                self.error = error

    def help(self) -> None:
        """Compute chunks in another thread than the one that waits for them."""
        # Before a chunk is taken: the sharing thread waits for all who have entered.
        self._entered.append(None)
        try:
            self._context.copy().run(self.compute)
        finally:
            self._left.append(None)
            self._wakeups.put(None)

    def end(self) -> None:
        """Wait until no thread computes a chunk any more; drop the chunks that no thread has taken.

        An interrupt comes after that: results may lie in memory that is used again.
        """
        # After an error or interrupt the rest is not computed, but chunks under way write to memory
        # that the caller is about to reuse.
        self._waiting.clear()
        interrupt = None
        while len(self._left) < len(self._entered):
            try:
                self._wakeups.get()
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


class _Pool:
    """The helping threads; one thread at a time shares work with them."""

    def __init__(self) -> None:
        self.free = threading.Lock()
        self._job: _Job | None = None
        self.pace = Pace()
        self._calls: SimpleQueue[None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._ends = False

    def run(self, chunks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Return the results of the chunks; other threads compute some while that saves time."""
        job = _Job(chunks)
        shared = self.pace.is_profitable()
        # CPU time, as wall time would count the time in which another process had this core.
        begin, cpu = time.perf_counter(), time.thread_time()
        if shared:
            self._call(job, min(num_threads(), len(chunks)) - 1)
        _state.inside = True
        try:
            # Chunks that call together() themselves run theirs in order: the pool has one job at a
            # time.
            own = job.compute()
            alone = time.thread_time() - cpu
        finally:
            _state.inside = False
            self._job = None
            job.end()
        if shared and own:
            # Scaled from the chunks of this thread to all: what they would have taken without help.
            self.pace.note(alone * len(chunks) / own, time.perf_counter() - begin)
        if job.error is not None:
            raise job.error
        return job.results

    def _call(self, job: _Job, helpers: int) -> None:
        """Wake ``helpers`` threads for a job; start those that are missing."""
        while len(self._threads) < helpers:
            thread = Thread(target=self._work, name="hy-kernels", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # The system has no more threads, or the interpreter shuts down: the present ones do
                # the work.
                break
            self._threads.append(thread)
        self._job = job
        # Helpers that were called for an earlier job and have not woken yet will take this one.
        for _ in range(min(helpers, len(self._threads)) - self._calls.qsize()):
            self._calls.put(None)

    def end(self) -> None:
        """End the threads, which all sleep; the next job starts others."""
        self._ends = True
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()
        self._threads, self._calls, self._ends = [], SimpleQueue(), False

    def _work(self) -> None:
        _state.inside = True
        while True:
            self._calls.get()
            if self._ends:
                return
            job = self._job
            if job is not None:
                job.help()
            # An idle thread would keep the operands of its last job alive.
            del job


_pool = _Pool()
_count: int | None = None


def num_threads() -> int:
    """Return the number of threads: what was set, or :func:`allowed_threads` at first."""
    global _count  # noqa: PLW0603  # one machine, one number
    if _count is None:
        _count = allowed_threads()
    return _count


def set_num_threads(count: int) -> None:
    """Compute in at most ``count`` threads from now on, the calling one included.

    Raises:
        ValueError: It is less than 1.
    """
    global _count  # noqa: PLW0603
    if count < 1:
        raise ValueError(f"set_num_threads: count must be at least 1, not {count}")
    _count = count


def is_inside() -> bool:
    """Return whether the calling thread computes one of several chunks."""
    return _state.inside


def pause(patience: float) -> Callable[[], None]:
    """End the threads of the pool once nobody uses them, or go on after ``patience`` seconds.

    Returns:
        A function that lets the pool have threads again.
    """
    pool = _pool
    if not pool.free.acquire(timeout=patience):
        return lambda: None
    pool.end()
    return pool.free.release


def renew() -> None:
    """Replace the pool in a process that was forked, which has none of its parent's threads."""
    global _pool  # noqa: PLW0603  # there is one
    _pool = _Pool()
    _state.inside = False
    single_thread.reset()


def num_chunks(work: int, lowest: int) -> int:
    """Return the number of chunks for ``work``, if ``lowest`` is worth one; 1 inside a chunk.

    The number does not depend on what else the machine does, as rounding may depend on it.
    """
    if work < lowest or _state.inside:
        return 1
    # The square root, as each chunk costs a start by the interpreter: a fourfold work doubles them.
    return min(num_threads(), isqrt(work // lowest) + 1)


def is_pool_profitable() -> bool:
    """Return whether threads save time at present; for cuts that do not change any result."""
    return _pool.pace.is_profitable()


def together(tasks: Sequence[Callable[[], _Result]]) -> list[_Result]:
    """Run tasks that do not depend on each other, in several threads where that saves time.

    BLAS has one thread meanwhile, for one task alone, too. One task may call this function for
    tasks of its own; inside of one of several, they run one after the other.

    Returns:
        What they return.

    Raises:
        Exception: What a task that failed raised, after all have ended.
    """
    pool = _pool
    with single_thread:
        # Not waiting for a pool that another thread uses: computing here is sooner. So
        # single_thread, entered first, is never held by a thread that waits for the pool.
        if len(tasks) < 2 or num_threads() < 2 or not pool.free.acquire(blocking=False):
            return [task() for task in tasks]
        try:
            return pool.run(tasks)
        finally:
            pool.free.release()


def split(size: int, parts: int, unit: int = 1) -> list[slice]:
    """Return at most ``parts`` slices of ``range(size)``, of nearly equal numbers of units."""
    units = -(-size // unit)
    parts = max(1, min(parts, units))
    ends = [min(size, units * k // parts * unit) for k in range(parts + 1)]
    return [slice(start, stop) for start, stop in pairwise(ends)]
