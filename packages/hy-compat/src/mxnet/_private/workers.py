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
    """Holder of a worker process's dataset, set by :func:`_worker_initializer`."""

    dataset: ClassVar[Any] = None


def reduce_ndarray(data: NDArray) -> tuple[Callable[..., NDArray], tuple[Any, ...]]:
    """Return an array in pickled form: the function that rebuilds it, and the arguments."""
    # MXNet sends a handle of shared memory in the places of `pid` and `fd`; here the values
    # themselves go along.
    return rebuild_ndarray, (0, data.asnumpy(), data.shape, data.dtype)


def rebuild_ndarray(pid: int, fd: Any, shape: tuple[int, ...], dtype: Any) -> NDArray:
    """Return the array pickled by :func:`reduce_ndarray`.

    Args:
        pid: Has no effect.
        fd: Values of the array.
        shape: Shape of the array.
        dtype: Dtype of the array.
    """
    del pid
    return nd.array(np.asarray(fd).reshape(shape), dtype=dtype)


def reduce_np_ndarray(data: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return an ``mx.np.ndarray`` in pickled form; see :func:`reduce_ndarray`."""
    return rebuild_np_ndarray, (0, data.asnumpy(), data.shape, data.dtype)


def rebuild_np_ndarray(pid: int, fd: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return the ``mx.np.ndarray`` pickled by :func:`reduce_np_ndarray`."""
    del pid
    return mx_np.array(np.asarray(fd).reshape(shape), dtype=dtype)


class ConnectionWrapper:
    """Connection between processes that can send arrays; has all attributes of ``conn``.

    Args:
        conn: One end of a ``multiprocessing.Pipe``.
    """

    def __init__(self, conn: Any) -> None:
        self._conn = conn

    def send(self, obj: Any) -> None:
        """Send an object."""
        self._conn.send_bytes(pickle.dumps(obj, pickle.HIGHEST_PROTOCOL))

    def recv(self) -> Any:
        """Return the next object, which must come from a process of this program."""
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
    """Queue between processes that carries arrays, without size limit or thread."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("ctx", multiprocessing.get_context())
        super().__init__(*args, **kwargs)


def _worker_initializer(dataset: Any, active_shape: bool, active_array: bool) -> None:
    """Set the dataset and NumPy semantics of a worker process."""
    _Queued.dataset = dataset
    # A spawned worker begins without NumPy's semantics, whatever the program has set.
    set_np(shape=active_shape, array=active_array)


def _worker_fn(samples: Any, batchify_fn: _Batchify, dataset: Any = None) -> bytes:
    """Return a batch of items as pickled bytes."""
    source = _Queued.dataset if dataset is None else dataset
    return pickle.dumps(batchify_fn([source[i] for i in samples]), pickle.HIGHEST_PROTOCOL)


def _thread_worker_initializer(active_shape: bool, active_array: bool) -> None:
    """Set the NumPy semantics of a worker thread."""
    if active_array:
        set_np(shape=active_shape, array=active_array)
    else:
        set_np_shape(active_shape)


def _thread_worker_fn(samples: Any, batchify_fn: _Batchify, dataset: Any) -> Any:
    """Return a batch of items."""
    return batchify_fn([dataset[i] for i in samples])


def worker_loop_v1(dataset: Any, key_queue: Any, data_queue: Any, batchify_fn: _Batchify) -> None:
    """Make the batches requested in a queue, until the request None.

    Args:
        dataset: Sequence of items.
        key_queue: Requests: number and item indices of a batch; None as number ends the loop.
        data_queue: Gets pairs of number and batch.
        batchify_fn: Function that makes a batch of a list of items.
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
        data_queue: The queue that :func:`worker_loop_v1` fills.
        data_buffer: Gets batches by number.
        pin_memory: Whether to copy batches to pinned memory.
        pin_device_id: Number of the GPU for pinned memory.
        data_buffer_lock: Held while the dictionary is changed.
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
    """Iterator over batches made by worker processes.

    Args:
        num_workers: Number of processes.
        dataset: Sequence of items.
        batchify_fn: Function that makes a batch of a list of items.
        batch_sampler: Item indices of each batch.
        pin_memory: Whether to copy batches to pinned memory.
        pin_device_id: Number of the GPU for pinned memory.
        worker_fn: Has no effect: the loader's workers make the batches.
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
