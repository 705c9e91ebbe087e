"""Workers of a loader: threads or processes that prepare batches in advance.

Start methods of worker processes:

- On Linux they are forked, unless the program selected a method other than Python's default with
  ``multiprocessing.set_start_method``. Programs written for MXNet rely on fork: their datasets
  contain lambdas and open files, their scripts lack ``if __name__ == "__main__"``, and notebooks
  define classes that no other process can import. None of this works with ``forkserver`` or
  ``spawn``.
- Elsewhere Python's default is used, and the dataset must be picklable.
- Forking is unsafe while other threads hold locks. Threads of hy's kernels and of OpenBLAS are
  stopped first (the numpy table does so at every fork of the process); other threads are unknown,
  and Python 3.12 warns about them. A program that uses threads of other libraries while it creates
  loaders should select ``spawn``, or before Python 3.14, where it is the default, ``forkserver``.
- A process forked after CUDA was used cannot use CUDA: arrays on GPUs raise ``ContextError`` in
  such a worker, with advice. Batches are created on the CPU anyway.
"""

import hashlib
import multiprocessing
import os
import pickle
import random
import signal
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, cast

import numpy as np

from hy_gluon.data._errors import WorkerError, WorkerTimeoutError
from hy_gluon.data.shared_batch import SharedBatch
from hy_gluon.data.worker_process import Batchify, Seeds, WorkerFailure, make_batch, serve
from hy_ndarray import cpu, device_of, inherit_tables, nd
from hy_ndarray.core.semantics import is_np_array, is_np_shape, np_array, np_shape

__all__ = [
    "ProcessWorkers",
    "ThreadWorkers",
    "Workers",
    "epoch_seeds",
]

# Forked children may hold a dead worker's sentinel open; a look each second finds it anyway.
_LOOK = 1.0
"""Seconds between looks whether all processes live; other children may keep us from hearing it."""

_ENDED = "the workers of this pass over the data have ended; begin another pass"


class Workers(Protocol):
    """Interface of workers, which make batches from lists of item indices."""

    def submit(self, indices: Sequence[Any], seeds: Seeds) -> Any:
        """Start making a batch of the items with these indices; return the task."""

    def result(self, task: Any, timeout: float) -> Any:
        """Return the batch of a task, or raise the error that occurred while making it."""

    def forget(self, task: Any) -> None:
        """Cancel a task whose batch is no longer needed."""

    @property
    def usable(self) -> bool:
        """Return whether new tasks can be submitted."""

    def close(self) -> None:
        """Stop the workers."""


def epoch_seeds() -> Seeds:
    """Return random seeds for an epoch, derived from the generators of this process.

    The states of numpy's and Python's generators are read without drawing, so that shuffled orders
    stay equal to MXNet's.
    """
    # Read without drawing: shuffles stay those of the seed, with and without workers.
    state: Any = np.random.get_state()  # noqa: NPY002  # the global generator is what users seed
    # One draw from hy's own generator, so that two epochs differ; below 2**24, where float32 holds
    # every integer.
    own = int(nd.random.uniform(0.0, 2.0**24, shape=(1,)).asscalar())
    return _digest(random.getstate()[1]), _digest((*state[1].tolist(), state[2])), own


def _digest(numbers: tuple[int, ...]) -> int:
    # Mersenne Twister's state is 624 words; a digest of 32 bits is enough for a seed.
    return int.from_bytes(hashlib.blake2b(repr(numbers).encode(), digest_size=4).digest(), "big")


class ThreadWorkers:
    """Workers that are threads of this process.

    Args:
        count: Number of workers.
        dataset: Dataset of the items.
        batchify: Function from a list of items to a batch.
    """

    def __init__(self, count: int, dataset: Any, batchify: Batchify) -> None:
        self._executor = ThreadPoolExecutor(count, thread_name_prefix="hy-data")
        self._dataset = dataset
        self._batchify = batchify
        # The executor's threads must not keep the loader alive, nor be waited for at exit.
        self._stop = weakref.finalize(
            self, self._executor.shutdown, wait=False, cancel_futures=True
        )

    def submit(self, indices: Sequence[Any], seeds: Seeds) -> "Future[Any]":  # noqa: ARG002  # threads share the generators
        """Start making a batch in a thread; return its future."""
        if not self.usable:
            raise WorkerError(_ENDED)
        # Scopes are thread-local, so a worker thread would not see those of the caller.
        semantics = is_np_shape(), is_np_array()
        make = inherit_tables(_batch_under)
        return self._executor.submit(make, *semantics, self._dataset, self._batchify, indices)

    def result(self, task: "Future[Any]", timeout: float) -> Any:
        """Return the batch of a task."""
        try:
            return task.result(timeout)
        except TimeoutError as error:
            # TimeoutError of the dataset itself: a result, not a late worker.
            if task.done():
                raise
            raise _late(timeout) from error

    def forget(self, task: "Future[Any]") -> None:
        """Cancel a task that has not started."""
        task.cancel()

    @property
    def usable(self) -> bool:
        """Return True until :meth:`close` is called."""
        return self._stop.alive

    def close(self) -> None:
        """Stop the threads, without waiting for running tasks."""
        self._stop()


def _batch_under(shape: bool, array: bool, *task: Any) -> Any:
    """Make a batch in a thread under the caller's NumPy semantics."""
    try:
        with np_shape(shape), np_array(array):
            return make_batch(*task)
    except Exception as error:
        error.add_note(f"in the worker thread {threading.current_thread().name}")
        raise


def _late(timeout: float) -> WorkerTimeoutError:
    return WorkerTimeoutError(
        f"no batch within {timeout} seconds: a worker is stuck, or the items take longer. Try the "
        "dataset with num_workers=0, or give the loader a larger timeout"
    )


def _start_method() -> str | None:
    """Return how worker processes begin; None for Python's default."""
    method = cast("str | None", multiprocessing.get_start_method(allow_none=True))
    # Once a program has used multiprocessing the default counts as selected: "forkserver" since
    # Python 3.14, where programs for MXNet rely on fork.
    default = multiprocessing.get_all_start_methods()[0]
    return "fork" if method in (None, default) and sys.platform == "linux" else method


@dataclass(slots=True)
class _Worker:
    process: Any
    connection: Connection
    tasks: deque[int] = field(default_factory=deque)


class ProcessWorkers:
    """Workers that are processes with a copy of the dataset; batches come in shared memory.

    Processes are forked on Linux, unless a method other than Python's default was selected with
    ``multiprocessing.set_start_method``; the dataset then has to be picklable.

    Args:
        count: Number of workers.
        dataset: Dataset of the items.
        batchify: Function from a list of items to a batch.

    Raises:
        WorkerError: The processes cannot be started.
    """

    def __init__(self, count: int, dataset: Any, batchify: Batchify) -> None:
        self._workers: list[_Worker] = []
        self._done: dict[int, Any] = {}
        self._forgotten: set[int] = set()
        self._next = 0
        # Reentrant, as `_lost_error` closes while a call holds it.
        self._lock = threading.RLock()
        # `finalize` runs at exit as well, and never in a forked child (it compares the owner's
        # pid).
        self._stop = weakref.finalize(self, _stop, self._workers, os.getpid())
        device_of(
            cpu()
        )  # kernels are loaded once for all workers, and see to it that forks are safe
        method = _start_method()
        try:
            for _ in range(count):
                self._start(multiprocessing.get_context(method), dataset, batchify)
        except (pickle.PicklingError, AttributeError, TypeError, ValueError, OSError) as error:
            self.close()
            raise WorkerError(
                f"worker processes cannot be started by {method!r}: {error}; the dataset and "
                "batchify_fn must be picklable there. Use num_workers=0 or thread_pool=True"
            ) from error

    def _start(self, context: Any, dataset: Any, batchify: Batchify) -> None:
        ours, theirs = context.Pipe()
        # The children forked later inherit the parent's ends, and would keep a dead parent's pipe
        # open.
        # A forked child has our ends of all pipes; while it keeps them, nobody sees us go.
        forked = context.get_start_method() == "fork"
        inherited = [*(worker.connection for worker in self._workers), ours] if forked else []
        process = context.Process(
            # Daemons end with this process.
            target=serve,
            args=(theirs, inherited, dataset, batchify),
            daemon=True,
        )
        process.start()
        # The parent closes the child's end: then EOF on its own end means that the child is gone.
        theirs.close()
        self._workers.append(_Worker(process, ours))

    @property
    def usable(self) -> bool:
        """Return True until the workers are closed, by :meth:`close` or because one died."""
        return self._stop.alive

    def submit(self, indices: Sequence[Any], seeds: Seeds) -> int:
        """Send the task to the process with the fewest tasks; return its number."""
        with self._lock:
            if not self._workers:
                raise WorkerError(_ENDED)
            task = self._next
            self._next += 1
            # The shortest queue: batches take unequal times.
            worker = min(self._workers, key=lambda w: len(w.tasks))
            try:
                worker.connection.send((task, list(indices), seeds))
            except OSError:
                raise self._lost_error(worker) from None
            worker.tasks.append(task)
            return task

    def result(self, task: int, timeout: float) -> Any:
        """Return the batch of a task."""
        with self._lock:
            end = time.monotonic() + timeout
            while task not in self._done:
                left = max(0.0, end - time.monotonic())
                # Wakes up every second to see whether all processes live.
                if not self._collect(min(left, _LOOK)) and left <= _LOOK:
                    # The batch may still come, and must then be dropped.
                    self._forgotten.add(task)
                    raise _late(timeout)
            outcome = self._done.pop(task)
        if isinstance(outcome, WorkerFailure):
            error = outcome.rebuilt()
            del outcome
            try:
                # Raised from a local variable that is deleted: a traceback that refers to itself
                # leaks the frame.
                raise error
            finally:
                del error  # else error and frame hold each other, and the processes with them
        return outcome.unpack()

    def forget(self, task: int) -> None:
        """Discard the batch of a task, now or when it arrives."""
        with self._lock:
            if self._done.pop(task, None) is None:
                self._forgotten.add(task)

    def close(self) -> None:
        """Terminate the processes."""
        self._stop()

    def _collect(self, timeout: float) -> bool:
        """Receive results until a timeout; return False if nothing arrived."""
        if not self._workers:
            raise WorkerError(_ENDED)
        by_connection = {worker.connection: worker for worker in self._workers}
        sentinels = [worker.process.sentinel for worker in self._workers]
        # Connections and process sentinels together, so that a death is noticed at once.
        ready = wait([*by_connection, *sentinels], timeout)
        for source in ready:
            if isinstance(source, Connection):
                self._take(by_connection[source])
        for worker in self._workers:
            # Dead, and nothing left to read: results that a worker sent before it ended are taken
            # first.
            if worker.process.exitcode is not None and not worker.connection.poll():
                raise self._lost_error(worker)
        return bool(ready)

    def _take(self, worker: _Worker) -> None:
        try:
            task, content, sizes = worker.connection.recv()
            outcome = (
                content
                if isinstance(content, WorkerFailure)
                else SharedBatch.receive(worker.connection, content, sizes)
            )
        # The pipe broke in the middle of a message.
        except (EOFError, OSError):
            raise self._lost_error(worker) from None
        worker.tasks.remove(task)
        if task in self._forgotten:
            self._forgotten.remove(task)
        else:
            self._done[task] = outcome

    def _lost_error(self, worker: _Worker) -> WorkerError:
        # Exit codes come a moment after the pipe closes.
        worker.process.join(5)
        code = worker.process.exitcode
        name = f" ({signal.Signals(-code).name})" if code is not None and code < 0 else ""
        self.close()
        return WorkerError(
            f"a worker process died with exit code {code}{name}; a process that is killed may have "
            "used too much memory. Use fewer workers or smaller batches, or num_workers=0 to see "
            "the error"
        )


def _stop(workers: list[_Worker], owner: int) -> None:
    """Terminate the processes and wait for them; does nothing in forked children."""
    if os.getpid() != owner:
        return
    for worker in workers:
        # All are asked to end before the first is waited for.
        worker.process.terminate()
    for worker in workers:
        worker.process.join(5)
        if worker.process.exitcode is None:
            worker.process.kill()
            # SIGKILL for a worker that ignores SIGTERM, such as one in a C loop.
            worker.process.join()
        worker.connection.close()
        worker.process.close()
    workers.clear()
