"""Private functions and classes of ``mxnet.gluon.data.dataloader``: worker processes."""

import multiprocessing
import multiprocessing.queues
import pickle
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from hy_gluon.data import DataLoader
from hy_ndarray import NDArray, cpu_pinned, nd, np as mx_np
from hy_ndarray.core.semantics import set_np, set_np_shape

_Batchify = Callable[[list[Any]], Any]
_Rebuilt = tuple[int, int, tuple[int, ...], Any]


class _Queued:
    """Arguments of a worker process for its tasks."""

    dataset: ClassVar[Any] = None


def reduce_ndarray(data: NDArray) -> tuple[Callable[..., NDArray], tuple[Any, ...]]:
    """Return a pickled array for another process: a function, and its arguments."""
    # MXNet sends a handle of shared memory in the places of `pid` and `fd`; here the values
    # themselves go along.
    return rebuild_ndarray, (0, data.asnumpy(), data.shape, data.dtype)


def rebuild_ndarray(pid: int, fd: Any, shape: tuple[int, ...], dtype: Any) -> NDArray:
    """Return the array that :func:`reduce_ndarray` sent.

    Args:
        pid: Has no meaning here.
        fd: The numbers.
        shape: ``[*S]``.
        dtype: Dtype of the array.
    """
    del pid
    return nd.array(np.asarray(fd).reshape(shape), dtype=dtype)


def reduce_np_ndarray(data: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a pickled ``mx.np.ndarray``, as :func:`reduce_ndarray`."""
    return rebuild_np_ndarray, (0, data.asnumpy(), data.shape, data.dtype)


def rebuild_np_ndarray(pid: int, fd: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return the ``mx.np.ndarray`` that :func:`reduce_np_ndarray` sent."""
    del pid
    return mx_np.array(np.asarray(fd).reshape(shape), dtype=dtype)


class ConnectionWrapper:
    """Connection between processes that sends arrays; other attributes are passed through.

    Args:
        conn: One end of a ``multiprocessing.Pipe``.
    """

    def __init__(self, conn: Any) -> None:
        self._conn = conn

    def send(self, obj: Any) -> None:
        """Send an object."""
        self._conn.send_bytes(pickle.dumps(obj, pickle.HIGHEST_PROTOCOL))

    def recv(self) -> Any:
        """Return the next object, which comes from a process of this program."""
        return pickle.loads(self._conn.recv_bytes())  # noqa: S301  # sent by :meth:`send`

    def __getattr__(self, name: str) -> Any:
        if name == "_conn":
            raise AttributeError(name)
        return getattr(self._conn, name)


class Queue(multiprocessing.queues.Queue):  # type: ignore[type-arg]  # generic in stubs alone
    """Queue between processes that carries arrays."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("ctx", multiprocessing.get_context())
        super().__init__(*args, **kwargs)


class SimpleQueue(multiprocessing.queues.SimpleQueue):  # type: ignore[type-arg]
    """Queue between processes without size limit and thread; see :class:`Queue`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("ctx", multiprocessing.get_context())
        super().__init__(*args, **kwargs)


def _worker_initializer(dataset: Any, active_shape: bool, active_array: bool) -> None:
    """Set a worker process's dataset, and NumPy semantics."""
    _Queued.dataset = dataset
    # A spawned worker begins without NumPy's semantics, whatever the program has set.
    set_np(shape=active_shape, array=active_array)


def _worker_fn(samples: Any, batchify_fn: _Batchify, dataset: Any = None) -> bytes:
    """Return the pickled batch of some items, by default of the process's dataset."""
    source = _Queued.dataset if dataset is None else dataset
    return pickle.dumps(batchify_fn([source[i] for i in samples]), pickle.HIGHEST_PROTOCOL)


def _thread_worker_initializer(active_shape: bool, active_array: bool) -> None:
    """Set a worker thread's NumPy semantics."""
    if active_array:
        set_np(shape=active_shape, array=active_array)
    else:
        set_np_shape(active_shape)


def _thread_worker_fn(samples: Any, batchify_fn: _Batchify, dataset: Any) -> Any:
    """Return the batch of some items."""
    return batchify_fn([dataset[i] for i in samples])


def worker_loop_v1(dataset: Any, key_queue: Any, data_queue: Any, batchify_fn: _Batchify) -> None:
    """Make batches for a queue of requests until it ends.

    Args:
        dataset: Items by number.
        key_queue: Gives the number of a batch and its items; None for the number ends it.
        data_queue: Gets the number and the batch.
        batchify_fn: Makes a batch out of a list of items.
    """
    while True:
        number, samples = key_queue.get()
        if number is None:
            return
        data_queue.put((number, _thread_worker_fn(samples, batchify_fn, dataset)))


def fetcher_loop_v1(
    data_queue: Any,
    data_buffer: dict[int, Any],
    pin_memory: bool = False,
    pin_device_id: int = 0,
    data_buffer_lock: Any = None,
) -> None:
    """Move batches of a queue into a dictionary by number, until the number is None.

    Args:
        data_queue: What :func:`worker_loop_v1` fills.
        data_buffer: The dictionary.
        pin_memory: Whether they go into pinned memory.
        pin_device_id: Number of the GPU for pinned memory.
        data_buffer_lock: Held while one is put in.
    """
    while True:
        number, batch = data_queue.get()
        # None is the sentinel that ends the thread.
        if number is None:
            return
        if pin_memory:
            batch = _on(batch, cpu_pinned(pin_device_id))
        if data_buffer_lock is None:
            data_buffer[number] = batch
        else:
            with data_buffer_lock:
                data_buffer[number] = batch


def _on(batch: Any, ctx: Any) -> Any:
    if isinstance(batch, NDArray):
        return batch.as_in_context(ctx)
    return [_on(part, ctx) for part in batch] if isinstance(batch, list | tuple) else batch


class _MultiWorkerIterV1:
    """Iterator over the batches of worker processes.

    Args:
        num_workers: Number of processes.
        dataset: Items by number.
        batchify_fn: Makes a batch out of a list of items.
        batch_sampler: The items of each batch.
        pin_memory: Whether batches go into pinned memory.
        pin_device_id: Number of the GPU for pinned memory.
        worker_fn: Accepted; the loader's own workers make the batches.
    """

    def __init__(
        self,
        num_workers: int,
        dataset: Any,
        batchify_fn: _Batchify,
        batch_sampler: Any,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        worker_fn: Any = worker_loop_v1,
    ) -> None:
        del worker_fn
        if num_workers < 1:
            raise ValueError(f"_MultiWorkerIterV1 is not for {num_workers} workers")
        self._loader = DataLoader(
            dataset,
            batch_sampler=batch_sampler,
            batchify_fn=batchify_fn,
            num_workers=num_workers,
            pin_memory=pin_memory,
            pin_device_id=pin_device_id,
        )
        self._pass: Iterator[Any] = iter(self._loader)

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> "_MultiWorkerIterV1":
        return self

    def __next__(self) -> Any:
        try:
            return next(self._pass)
        except StopIteration:
            self.shutdown()
            raise

    def next(self) -> Any:
        """Return the next batch."""
        return self.__next__()

    def shutdown(self) -> None:
        """Stop the workers."""
        self._loader.close()
        self._pass = iter(())
