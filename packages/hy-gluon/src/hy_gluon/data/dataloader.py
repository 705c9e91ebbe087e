"""DataLoader: batches of a dataset, made by this process or prefetched by workers."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from hy_gluon.data._errors import DataError
from hy_gluon.data.batchify import default_batchify_fn
from hy_gluon.data.sampler import BatchSampler, RandomSampler, SequentialSampler
from hy_gluon.data.worker_process import Seeds, make_batch
from hy_gluon.data.workers import ProcessWorkers, ThreadWorkers, Workers, epoch_seeds
from hy_ndarray import Context, NDArray, cpu_pinned, device_of
from hy_ndarray.suggestion import CheckedArguments

__all__ = ["DataLoader", "DataLoaderV1", "default_batchify_fn", "default_mp_batchify_fn"]

default_mp_batchify_fn = default_batchify_fn
"""What MXNet calls it in workers; here both are the same."""


def _as_in_context(data: Any, ctx: Context) -> Any:
    """Return a batch with its arrays copied to ``ctx``."""
    if isinstance(data, NDArray):
        return data.as_in_context(ctx)
    if isinstance(data, list | tuple):
        return [_as_in_context(part, ctx) for part in data]
    if isinstance(data, dict):
        return {key: _as_in_context(part, ctx) for key, part in data.items()}
    return data


def _pinned(data: Any, context: Context) -> Any:
    """Return a batch with its arrays copied to page-locked (pinned) memory.

    The batch is returned unchanged if its kernel table has no page-locked memory.
    """
    # Named tuples keep their class only by `_make`, and MXNet returns them as they are.
    if isinstance(data, list | tuple) and not hasattr(data, "_fields"):
        return type(data)(_pinned(part, context) for part in data)
    if isinstance(data, dict):
        return {key: _pinned(part, context) for key, part in data.items()}
    if not isinstance(data, NDArray) or data.stype != "default":
        return data
    # Copied to page-locked memory where the table has such, so that a GPU copies while the program
    # goes on.
    pins, buffer = data.device.pins, data.buffer
    return data.from_buffer(buffer if pins is None else pins.pinned(buffer), device_of(context))


class DataLoader(CheckedArguments):
    """Iterable over batches of a dataset; each ``for`` loop is one epoch.

    Worker processes live as long as the loader. Random numbers that transforms draw in them depend
    only on the seeds of this process and the index of the batch, not on the worker.

    Args:
        dataset: Dataset with ``__getitem__`` and ``__len__``.
        batch_size: Number of items in a batch.
        shuffle: Use a new random order of the items in each epoch.
        sampler: Sampler that determines the order of the items, instead of ``shuffle``.
        last_batch: ``"keep"``, ``"discard"`` or ``"rollover"``; see :class:`BatchSampler`.
        batch_sampler: Sampler of lists of item indices, instead of the four arguments above.
        batchify_fn: Function from a list of items to a batch; :func:`default_batchify_fn` if None.
        num_workers: Number of workers; with 0, batches are made on demand by the calling thread.
        pin_memory: Copy batches to page-locked memory, if the CPU's kernel table has it (the torch
            table, on machines with CUDA). ``as_in_context(mx.gpu())`` is then asynchronous; do not
            write to a batch before ``mx.nd.waitall()``.
        pin_device_id: Has no effect: page-locked memory works for all GPUs.
        prefetch: Number of batches that workers prepare in advance; ``2 * num_workers`` if None.
        thread_pool: Use threads of this process as workers, instead of processes.
        timeout: Seconds to wait for a batch of a worker.
        auto_reload: Start the next epoch as soon as one ends, so that workers prefetch its batches.

    Raises:
        DataError: The arguments contradict each other.

    Example:
        >>> from hy_gluon.data import ArrayDataset
        >>> loader = DataLoader(ArrayDataset([1.0, 2.0, 3.0], [0, 1, 0]), batch_size=2)
        >>> [(x.asnumpy().tolist(), y.asnumpy().tolist()) for x, y in loader]
        [([1.0, 2.0], [0, 1]), ([3.0], [0])]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Any = None,
        last_batch: str | None = None,
        batch_sampler: Any = None,
        batchify_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: float = 120,
        auto_reload: bool = False,
    ) -> None:
        if timeout <= 0:
            raise DataError(f"timeout must be more than 0 seconds, not {timeout}")
        self._dataset = dataset
        self._pin_memory = pin_memory
        self._pin_device_id = pin_device_id
        self._thread_pool = thread_pool
        self._timeout = timeout
        # Checked before workers start, so that an error leaves no processes behind.
        self._batch_sampler = _batches(
            dataset, batch_size, shuffle, sampler, last_batch, batch_sampler
        )
        self._batchify_fn = batchify_fn or default_batchify_fn
        self._num_workers = max(0, num_workers)
        # Two batches for each worker: one in the making, one waiting.
        self._prefetch = max(0, 2 * self._num_workers if prefetch is None else prefetch)
        self.auto_reload = auto_reload
        self._workers: Workers | None = self._started() if self._num_workers else None
        self._ahead: Iterator[Any] | None = None
        if auto_reload:
            self.refresh()

    def __setstate__(self, state: dict[str, Any]) -> None:
        # What MXNet pickled holds neither, and only loaders without workers can be pickled.
        self.__dict__.update({"_workers": None, "_ahead": None} | state)

    def _started(self) -> Workers:
        kind = ThreadWorkers if self._thread_pool else ProcessWorkers
        return kind(self._num_workers, self._dataset, self._batchify_fn)

    def __iter__(self) -> Iterator[Any]:
        if self._ahead is None:
            return self._epoch()
        # The pass that `refresh` began is handed out once; the next one restarts.
        ahead, self._ahead = self._ahead, None
        return ahead

    def _epoch(self) -> Iterator[Any]:
        if self._workers is None:
            return self._serial()
        # After an error or a fork the processes are gone; a new pass starts others.
        if not self._workers.usable:
            self._workers = self._started()
        again = self.refresh if self.auto_reload else None
        batches = iter(self._batch_sampler)
        return _MultiWorkerIter(
            self._workers,
            batches=batches,
            prefetch=self._prefetch,
            timeout=self._timeout,
            at_end=again,
            finish=self._finish,
        )

    def _finish(self, batch: Any) -> Any:
        """Return a batch, copied to page-locked memory if ``pin_memory`` is set."""
        return _pinned(batch, cpu_pinned(self._pin_device_id)) if self._pin_memory else batch

    def _serial(self) -> Iterator[Any]:
        for indices in self._batch_sampler:
            yield self._finish(make_batch(self._dataset, self._batchify_fn, indices))

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def refresh(self) -> None:
        """Start the next epoch now, so that workers prefetch its batches."""
        self._ahead = self._epoch()

    def clean(self) -> None:
        """Cancel an epoch that :meth:`refresh` started."""
        self._ahead = None

    def close(self) -> None:
        """Stop the workers; the loader starts them again if it is used."""
        self.clean()
        if self._workers is not None:
            self._workers.close()


DataLoaderV1 = DataLoader
"""MXNet's older loader, which takes less; here both are the same."""


class _MultiWorkerIter:  # MXNet's name: programs import it
    """Iterator over the batches of one epoch, with workers that prefetch them."""

    def __init__(
        self,
        workers: Workers,
        batches: Iterator[Any],
        prefetch: int,
        timeout: float,
        at_end: Callable[[], None] | None,
        finish: Callable[[Any], Any],
    ) -> None:
        self._workers = workers
        self._batches = batches
        self._timeout = timeout
        self._at_end = at_end
        self._finish = finish
        self._seeds: Seeds = epoch_seeds()
        self._tasks: deque[Any] = deque()
        # Submitted at construction, so that workers begin before the first batch is asked for.
        for _ in range(prefetch):
            self._begin()

    def _begin(self) -> None:
        indices = next(self._batches, None)
        if indices is not None:
            self._tasks.append(self._workers.submit(indices, self._seeds))

    def __iter__(self) -> "_MultiWorkerIter":
        return self

    def __next__(self) -> Any:
        try:
            # One is submitted for each that is taken, so the number ahead stays the same.
            self._begin()
            if self._tasks:
                return self._finish(self._workers.result(self._tasks.popleft(), self._timeout))
        # KeyboardInterrupt as well: tasks that nobody takes would fill the pipes.
        except BaseException:
            self._give_up()
            raise
        at_end, self._at_end = self._at_end, None
        if at_end is not None:
            at_end()
        raise StopIteration

    def _give_up(self) -> None:
        self._batches = iter(())
        self._at_end = None
        while self._tasks:
            self._workers.forget(self._tasks.popleft())

    # A loop that is left early leaves its tasks; workers drop their results.
    def __del__(self) -> None:
        if hasattr(self, "_tasks"):
            self._give_up()


def _batches(
    dataset: Any,
    batch_size: int | None,
    shuffle: bool,
    sampler: Any,
    last_batch: str | None,
    batch_sampler: Any,
) -> Any:
    """Return the batch sampler that a loader's arguments describe."""
    if batch_sampler is not None:
        if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
            raise DataError(
                "batch_size, shuffle, sampler and last_batch cannot be combined with batch_sampler"
            )
        return batch_sampler
    if batch_size is None:
        raise DataError("batch_size must be given where there is no batch_sampler")
    if sampler is not None and shuffle:
        raise DataError("shuffle cannot be combined with sampler, which decides the order")
    if sampler is None:
        order = RandomSampler if shuffle else SequentialSampler
        sampler = order(len(dataset))
    return BatchSampler(sampler, batch_size, last_batch or "keep")
