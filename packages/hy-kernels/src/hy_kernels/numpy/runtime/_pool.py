"""Thread pool that computes chunks of work.

NumPy releases the interpreter lock while it computes. Every free thread, including the calling one,
takes the next chunk, so that none waits for a thread that has not started. If another process runs
on a core, a thread may be preempted in a chunk for longer than all chunks take; so the pool
measures whether its threads save time, and does not use them for a while if they do not.
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

_Result = TypeVar("_Result")


class _State(threading.local):
    inside = False
    """Whether the thread is computing one of several chunks."""


_state = _State()


class _Job:
    """A queue of chunks, from which threads take one after the other until it is empty."""

    def __init__(self, chunks: Sequence[Callable[[], Any]]) -> None:
        self.results: list[Any] = [None] * len(chunks)
        self.error: Exception | None = None
        # Deques need no lock: popleft and append are atomic. Two of them serve as counters, because
        # += on a number is not atomic.
        self._waiting = deque(enumerate(chunks))
        self._entered: deque[None] = deque()
        self._left: deque[None] = deque()
        self._wakeups: SimpleQueue[None] = SimpleQueue()
        # Includes the error state, np.errstate, of the thread that shares its work.
        self._context = copy_context()

    def compute(self) -> int:
        """Compute chunks until none is left, and return how many; an error is stored."""
        # Helpers take chunks from the same queue, so that a slow or late one delays only its own
        # chunk.
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
                # Raised later by the thread that shared its work.
                self.error = error

    def help(self) -> None:
        """Compute chunks in a helper thread."""
        # Before a chunk is taken: the calling thread waits for all helpers that have entered.
        self._entered.append(None)
        try:
            self._context.copy().run(self.compute)
        finally:
            self._left.append(None)
            self._wakeups.put(None)

    def end(self) -> None:
        """Drop the chunks that no thread has taken, and wait for those under way.

        A KeyboardInterrupt is raised afterwards.
        """
        # After an error or interrupt the remaining chunks are not computed, but those under way
        # write to memory that the caller is about to reuse.
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
    """The helper threads; only one thread at a time shares work with them."""

    def __init__(self) -> None:
        self.free = threading.Lock()
        self._job: _Job | None = None
        self.pace = Pace()
        self._calls: SimpleQueue[None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._ends = False

    def run(self, chunks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Compute chunks, with helper threads if these save time, and return the results."""
        job = _Job(chunks)
        shared = self.pace.is_profitable()
        # CPU time, because elapsed time would include that of other processes on this core.
        begin, cpu = time.perf_counter(), time.thread_time()
        if shared:
            self._call(job, min(num_threads(), len(chunks)) - 1)
        _state.inside = True
        try:
            # Chunks that call together() run their tasks sequentially: the pool has one job at a
            # time.
            own = job.compute()
            alone = time.thread_time() - cpu
        finally:
            _state.inside = False
            self._job = None
            job.end()
        if shared and own:
            # Scaled from this thread's chunks to all: an estimate of the time without helpers.
            self.pace.note(alone * len(chunks) / own, time.perf_counter() - begin)
        if job.error is not None:
            raise job.error
        return job.results

    def _call(self, job: _Job, helpers: int) -> None:
        """Wake ``helpers`` threads for a job, starting threads as necessary."""
        while len(self._threads) < helpers:
            thread = Thread(target=self._work, name="hy-kernels", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # The system has no more threads, or the interpreter is shutting down: go on with
                # those there are.
                break
            self._threads.append(thread)
        self._job = job
        # Helpers that have not yet woken for an earlier job will take this one.
        for _ in range(min(helpers, len(self._threads)) - self._calls.qsize()):
            self._calls.put(None)

    def end(self) -> None:
        """Join all threads, which must be idle; the next job starts new ones."""
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
    """Return the number of threads, by default :func:`allowed_threads`."""
    global _count  # noqa: PLW0603  # one machine, one number
    if _count is None:
        _count = allowed_threads()
    return _count


def set_num_threads(count: int) -> None:
    """Set the maximum number of threads, including the calling one.

    Raises:
        ValueError: ``count`` is less than 1.
    """
    global _count  # noqa: PLW0603
    if count < 1:
        raise ValueError(f"set_num_threads: count must be at least 1, not {count}")
    _count = count


def is_inside() -> bool:
    """Return whether the calling thread is computing one of several chunks."""
    return _state.inside


def pause(patience: float) -> Callable[[], None]:
    """Join the pool's threads once it is idle; give up after ``patience`` seconds.

    Returns:
        A function that allows the pool to be used again.
    """
    pool = _pool
    if not pool.free.acquire(timeout=patience):
        return lambda: None
    pool.end()
    return pool.free.release


def renew() -> None:
    """Replace the pool in a forked child, which has none of its parent's threads."""
    global _pool  # noqa: PLW0603  # there is one
    _pool = _Pool()
    _state.inside = False
    single_thread.reset()


def num_chunks(work: int, lowest: int) -> int:
    """Return the number of chunks to cut ``work`` into; 1 inside a chunk.

    It does not depend on the load of the machine, because rounding may depend on it.

    Args:
        work: An amount of work, for example elements.
        lowest: The smallest amount that is worth a second chunk.
    """
    if work < lowest or _state.inside:
        return 1
    # The square root, because the interpreter starts each chunk: four times the work doubles the
    # number of chunks.
    return min(num_threads(), isqrt(work // lowest) + 1)


def is_pool_profitable() -> bool:
    """Return whether threads currently save time.

    Only cuts that do not affect rounding may depend on it.
    """
    return _pool.pace.is_profitable()


def together(tasks: Sequence[Callable[[], _Result]]) -> list[_Result]:
    """Run independent tasks, in several threads if that saves time.

    BLAS is limited to one thread meanwhile, even for a single task. A task may call this function
    itself; inside one of several tasks, its tasks run sequentially.

    Returns:
        The tasks' results.

    Raises:
        Exception: The error of a task that failed, once all running tasks have ended.
    """
    pool = _pool
    with single_thread:
        # Does not wait for a pool that another thread uses, because computing here is faster. So
        # single_thread, entered first, is never held by a thread that waits for the pool.
        if len(tasks) < 2 or num_threads() < 2 or not pool.free.acquire(blocking=False):
            return [task() for task in tasks]
        try:
            return pool.run(tasks)
        finally:
            pool.free.release()


def split(size: int, parts: int, unit: int = 1) -> list[slice]:
    """Cut ``range(size)`` into at most ``parts`` slices of nearly equal length.

    Cuts are at multiples of ``unit``.
    """
    units = -(-size // unit)
    parts = max(1, min(parts, units))
    ends = [min(size, units * k // parts * unit) for k in range(parts + 1)]
    return [slice(start, stop) for start, stop in pairwise(ends)]
