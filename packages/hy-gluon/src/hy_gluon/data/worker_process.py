"""Process of a worker: makes batches, and sends them, or their errors with all causes."""

import multiprocessing
import os
import pickle
import random
import reprlib
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, TypeAlias, cast

import numpy as np

from hy_gluon.data._errors import ExhaustedError, WorkerError
from hy_gluon.data.shared_batch import SharedBatch, pack
from hy_ndarray import autograd, cpu, random as hy_random

__all__ = ["Batchify", "Seeds", "WorkerFailure", "make_batch", "serve"]

Batchify: TypeAlias = Callable[[list[Any]], Any]
Seeds: TypeAlias = tuple[int, int, int]
"""For Python's, numpy's and hy's random numbers."""

# Exceptions may name each other as causes, in a circle.
_MAX_CHAIN = 20


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


def _seed(seeds: Seeds, task: int) -> None:
    """Seed all random generators for a task, independently of the worker that runs it."""
    for_python, for_numpy, for_hy = seeds
    # The number of the batch counts, not the worker: the same seeds give the same batches for any
    # number of workers.
    random.seed(for_python * 2**32 + task)
    np.random.seed([for_numpy, task % 2**32])  # noqa: NPY002  # what transforms draw from
    hy_random.seed(for_hy * 2**32 + task)


@dataclass(frozen=True, slots=True)
class WorkerFailure:
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


def serve(
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
) -> SharedBatch | WorkerFailure:
    try:
        _seed(seeds, task)
        return pack(make_batch(dataset, batchify, indices))
    except Exception as error:
        worker = f"{multiprocessing.current_process().name} (pid {os.getpid()})"
        return WorkerFailure(
            chain=_chain(error, worker), trace=traceback.format_exc(), worker=worker
        )


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
