"""Prefetcher: runs tasks in threads in advance, and returns results in order."""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from hy_ndarray import inherit_tables

__all__ = ["Prefetcher", "processors"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def processors() -> int:
    """Return the number of available processors."""
    # The affinity mask: containers give a process fewer processors than there are.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Prefetcher(Generic[Task, Result]):
    """Results of tasks in order, computed in advance by threads.

    In a forked process, unfinished tasks are run again.

    Args:
        tasks: Function that returns the next task, or None if there are none.
        work: Function from a task to its result; should not refer to the user of results.
        threads: Number of threads, started by the first task; 0 to run tasks on request.
        ahead: Maximum number of tasks running or finished.
    """

    def __init__(
        self,
        tasks: Callable[[], Task | None],
        work: Callable[[Task], Result],
        threads: int,
        ahead: int,
    ) -> None:
        self._tasks = tasks
        self._work = work
        self._threads = threads
        self._ahead = max(1, ahead)
        self._queue: deque[tuple[Task, Future[Result]]] = deque()
        self._pool: ThreadPoolExecutor | None = None
        self._pid = os.getpid()

    def next(self) -> tuple[Task, Result | BaseException] | None:
        """Return the next task with its result or error; None if there are no tasks."""
        if self._threads < 1:
            task = self._tasks()
            return None if task is None else (task, _outcome(self._work, task))
        # Threads do not survive a fork: a child process submits the waiting tasks again.
        if self._pid != os.getpid():
            self._pool, self._pid = None, os.getpid()
            self._queue = deque((task, self._submitted(task)) for task, _ in self._queue)
        self._fill()
        if not self._queue:
            return None
        task, future = self._queue[0]
        error = future.exception()
        self._queue.popleft()  # not before: an interrupt while waiting loses nothing
        self._fill()
        return task, future.result() if error is None else error

    def _fill(self) -> None:
        while len(self._queue) < self._ahead and (task := self._tasks()) is not None:
            self._queue.append((task, self._submitted(task)))

    def _submitted(self, task: Task) -> Future[Result]:
        if self._pool is None:
            # Threads start with the first task: iterators that nobody reads have none.
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="mxnet.io")
        # Kernel tables are thread-local: workers use those of the thread that asks.
        return self._pool.submit(inherit_tables(self._work), task)

    def clear(self) -> None:
        """Drop all tasks."""
        for _, future in self._queue:
            future.cancel()
        self._queue.clear()

    def pause(self) -> None:
        """Stop the threads after their current tasks; results are kept."""
        pool, self._pool = self._pool, None
        if pool is not None and self._pid == os.getpid():
            pool.shutdown()

    def close(self, wait: bool = True) -> None:
        """Drop all tasks and stop the threads, which restart with the next task."""
        self.clear()
        pool, self._pool = self._pool, None
        # A forked child must not wait for its parent's threads.
        if pool is not None and self._pid == os.getpid():
            pool.shutdown(wait=wait, cancel_futures=True)


def _outcome(work: Callable[[Task], Result], task: Task) -> Result | BaseException:
    try:
        return work(task)
    except Exception as error:
        return error
