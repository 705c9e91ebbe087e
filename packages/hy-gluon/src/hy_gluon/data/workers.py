"""Workers of a loader: threads or processes that prepare batches in advance.

Start methods of worker processes:

- On Linux they are forked, unless the program selected another method with
  ``multiprocessing.set_start_method``. Programs written for MXNet rely on fork: their datasets
  contain lambdas and open files, their scripts lack ``if __name__ == "__main__"``, and notebooks
  define classes that no other process can import. None of this works with ``forkserver`` or
  ``spawn``.
- Elsewhere Python's default is used, and the dataset must be picklable.
- Forking is unsafe while other threads hold locks. Threads of hy's kernels and of OpenBLAS are
  stopped first (the numpy table does so at every fork of the process); other threads are unknown,
  and Python 3.12 warns about them. A program that uses threads of other libraries while it creates
  loaders should select ``forkserver``.
- A process forked after CUDA was used cannot use CUDA: arrays on GPUs raise ``ContextError`` in
  such a worker, with advice. Batches are created on the CPU anyway.
"""

import hashlib
import multiprocessing
import os
import pickle
import random
import reprlib
import signal
import sys
import threading
import time
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from hy_gluon.data._errors import ExhaustedError, WorkerError, WorkerTimeoutError
from hy_gluon.data.shared_batch import SharedBatch, pack
from hy_ndarray import autograd, cpu, device_of, inherit_tables, nd, random as hy_random
from hy_ndarray.core.semantics import is_np_array, is_np_shape, np_array, np_shape

__all__ = [
    "ProcessWorkers",
    "Seeds",
    "ThreadWorkers",
    "Workers",
    "epoch_seeds",
    "make_batch",
]

Batchify: TypeAlias = Callable[[list[Any]], Any]
Seeds: TypeAlias = tuple[int, int, int]
"""For Python's, numpy's and hy's random numbers."""

# Exceptions may name each other as causes, in a circle.
_MAX_CHAIN = 20
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


def _seed(seeds: Seeds, task: int) -> None:
    """Seed all random generators for a task, independently of the worker that runs it."""
    for_python, for_numpy, for_hy = seeds
    # The number of the batch counts, not the worker: the same seeds give the same batches for any
    # number of workers.
    random.seed(for_python * 2**32 + task)
    np.random.seed([for_numpy, task % 2**32])  # noqa: NPY002  # what transforms draw from
    hy_random.seed(for_hy * 2**32 + task)


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


def make_batch(dataset: Any, batchify: Batchify, indices: Sequence[Any]) -> Any:
    """Return the batch of the items with these indices.

    Raises:
        ExhaustedError: The dataset or ``batchify`` raised :class:`StopIteration`.
        Exception: Any error of the dataset or ``batchify``, with a note that names the items.
    """
    numbers = list(indices)
    items: list[Any] = []
    try:
        for index in numbers:
            items.append(dataset[index])  # noqa: PERF401  # an error names the item
        return batchify(items)
    # A generator would end the pass quietly here, and the epoch be short.
    except StopIteration as error:
        raise ExhaustedError(
            "the dataset or batchify_fn raised StopIteration in a batch that begins with item "
            f"{next(iter(numbers), None)!r}: a call of next() found nothing more; give it a "
            "default, or the dataset the right length"
        ) from error
    except Exception as error:
        # The items that were made tell which one failed.
        if len(items) < len(numbers):
            error.add_note(f"in item {numbers[len(items)]!r} of {type(dataset).__name__}")
        else:
            error.add_note(f"in batchify_fn, of the items {reprlib.repr(numbers)}")
        raise


def _late(timeout: float) -> WorkerTimeoutError:
    return WorkerTimeoutError(
        f"no batch within {timeout} seconds: a worker is stuck, or the items take longer. Try the "
        "dataset with num_workers=0, or give the loader a larger timeout"
    )


@dataclass(slots=True)
class _Worker:
    process: Any
    connection: Connection
    tasks: deque[int] = field(default_factory=deque)


@dataclass(frozen=True, slots=True)
class _Failure:
    """Picklable form of an exception in a worker process, with its chain of causes."""

    chain: list[tuple[str, Exception]]
    """The exception and its causes, each with the name of the attribute that links to it."""
    trace: str
    worker: str

    def rebuilt(self) -> Exception:
        """Return the exception with its causes, and a note with the worker's traceback."""
        error = self.chain[0][1]
        # Causes and contexts are attributes, so the chain is joined again here.
        for (_, outer), (link, inner) in pairwise(self.chain):
            setattr(outer, link, inner)
        error.add_note(f"in the worker process {self.worker}:\n{self.trace}")
        return error


class ProcessWorkers:
    """Workers that are processes with a copy of the dataset; batches come in shared memory.

    Processes are forked on Linux, unless another method was selected with
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
        method = cast("str | None", multiprocessing.get_start_method(allow_none=True))
        # The default of Python 3.14 is "forkserver"; programs for MXNet rely on fork.
        if method is None and sys.platform == "linux":
            method = "fork"
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
            target=_serve,
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
        if isinstance(outcome, _Failure):
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
                if isinstance(content, _Failure)
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


def _serve(
    connection: Connection, inherited: Sequence[Connection], dataset: Any, batchify: Batchify
) -> None:
    """Main loop of a worker process: make requested batches until the pipe closes."""
    # Ctrl-C reaches all processes of a terminal; workers end when their pipe closes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in inherited:
        other.close()
    tasks: SimpleQueue[Any] = SimpleQueue()
    # They are taken as they come: else both sides could wait for the other to read.
    # Reading in a thread of its own: both sides writing large messages would block each other.
    threading.Thread(target=_listen, args=(connection, tasks), daemon=True).start()
    # The fork copied the parent's thread state; a recording scope would keep every batch alive.
    with cpu(), autograd.pause():
        for task, indices, seeds in iter(tasks.get, None):
            outcome = _outcome(dataset, batchify, task, indices, seeds)
            try:
                if isinstance(outcome, SharedBatch):
                    outcome.send(connection, task)
                else:
                    connection.send((task, outcome, None))
            except OSError:  # the main process has gone
                return


def _listen(connection: Connection, tasks: "SimpleQueue[Any]") -> None:
    """Move tasks from the pipe to a queue; put None when the main process has ended."""
    try:
        while True:
            tasks.put(connection.recv())
    except (EOFError, OSError):
        pass  # the main process has gone, which None tells
    finally:
        tasks.put(None)


def _outcome(
    dataset: Any, batchify: Batchify, task: int, indices: Sequence[Any], seeds: Seeds
) -> SharedBatch | _Failure:
    try:
        _seed(seeds, task)
        return pack(make_batch(dataset, batchify, indices))
    except Exception as error:
        worker = f"{multiprocessing.current_process().name} (pid {os.getpid()})"
        return _Failure(chain=_chain(error, worker), trace=traceback.format_exc(), worker=worker)


def _chain(error: Exception, worker: str) -> list[tuple[str, Exception]]:
    """Return an error and its causes in picklable form, each with its linking attribute."""
    # Whatever breaks here is sent as text, so that the user sees the first error in any case.
    chain: list[tuple[str, Exception]] = []
    link, following = "", cast(BaseException | None, error)
    while isinstance(following, Exception) and len(chain) < _MAX_CHAIN:
        chain.append((link, _picklable(following, worker)))
        if following.__cause__ is not None:
            link, following = "__cause__", following.__cause__
        elif following.__suppress_context__:
            following = None
        else:
            link, following = "__context__", following.__context__
    return chain


def _picklable(error: Exception, worker: str) -> Exception:
    """Return the error if it can be pickled, else a WorkerError with the same message."""
    try:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301  # our own bytes
    except Exception:  # pickling runs the error's own code
        copy = None
    if type(copy) is type(error):
        return error
    # Notes would be lost with the class.
    notes = getattr(error, "__notes__", [])
    where = "".join(f"; {note}" for note in [*notes, f"in the worker process {worker}"])
    return WorkerError(f"{type(error).__name__}: {error}{where}")
