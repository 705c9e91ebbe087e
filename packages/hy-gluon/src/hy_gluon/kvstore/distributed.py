"""DistributedKVStore: a store of several workers, each with a copy of all arrays."""

from collections.abc import Sequence
from typing import Any

from hy_gluon.kvstore.interface import summed
from hy_gluon.kvstore.kvstore import KVStore
from hy_gluon.kvstore.kvstore_server import serve
from hy_gluon.kvstore.launch import timeout_of
from hy_gluon.kvstore.pairs import Key
from hy_gluon.kvstore.worker_store import WorkerStore
from hy_gluon.kvstore.workers import Workers
from hy_gluon.optimizer import Updater
from hy_ndarray import Context, NDArray, dtype_name

__all__ = ["DistributedKVStore", "create"]


def create(kind: str, timeout: float | None) -> "DistributedKVStore":
    """Return a distributed store in a worker process; servers and schedulers wait, then exit."""
    serve()
    return DistributedKVStore(kind, timeout)


class DistributedKVStore(WorkerStore, KVStore):
    """Data-parallel store of several processes, on one or more machines, in lockstep.

    Every worker has all arrays and all optimizer states. Pushed values are summed over workers, and
    each worker updates its own copy with the same numbers. All workers must make the same calls in
    the same order; otherwise all of them raise an error.

    Args:
        handle: Kind of store: ``"dist_sync"`` keeps arrays on the CPU, ``"dist_device_sync"`` on
            the context of pushed values.
        timeout: Seconds to wait for other workers; None: ``HY_KVSTORE_TIMEOUT``, or 1800.

    Raises:
        KVStoreError: PyTorch is not installed, or the environment describes no other workers.
        WorkerError: Not all workers connected in time; in later calls also, a worker ended.
    """

    def __init__(self, handle: str, timeout: float | None = None) -> None:
        super().__init__(handle)
        self._compresses = True
        self._workers = Workers(timeout_of(timeout))
        self._rescale = 1.0

    # Initial values of other workers are discarded, as by MXNet's servers.
    def _initial(self, pairs: Sequence[tuple[Key, NDArray]]) -> list[NDArray]:
        """Return worker 0's values as initial ones on all workers."""
        copies = super()._initial(pairs)
        self._workers.agree(("init", _signatures([key for key, _ in pairs], copies)))
        self._workers.broadcast(copies)
        return copies

    def _totals(
        self, keys: Sequence[Key], values: Sequence[Sequence[NDArray]], contexts: Sequence[Context]
    ) -> list[NDArray]:
        """Return each key's sum over contexts and workers, compressed for sending if set."""
        totals = [
            summed([value.as_in_context(context) for value in copies])
            for copies, context in zip(values, contexts, strict=True)
        ]
        # Shapes and settings are compared first: sums over other shapes would be wrong, or never
        # end.
        call = ("push", _signatures(keys, totals), self._compression, *self._settings())
        self._rescale = self._workers.agree(call, self._scale())
        # Sums of dense values travel whole.
        if self._compression is None:
            return self._workers.sum(totals)
        sent = [
            array
            for key, total in zip(keys, totals, strict=True)
            for array in self._compressed(key, [total.tostype("default")])
        ]
        return self._workers.sum_signs(sent, self._compression.threshold)

    def _settings(self) -> tuple[Any, ...]:
        """Return those optimizer settings that must be equal on all workers."""
        if not isinstance(self._updater, Updater):
            return (self._updater is not None,)
        optimizer = self._updater.optimizer
        return type(optimizer).__name__, optimizer.learning_rate, optimizer.wd

    # Workers with unequal last batches have unequal scales; worker 0's counts.
    def _scale(self) -> float:
        if not isinstance(self._updater, Updater):
            return 1.0
        return float(self._updater.optimizer.rescale_grad)

    def _take(self, keys: Sequence[Key], totals: Sequence[NDArray]) -> None:
        """Store the sums or update with them, using worker 0's ``rescale_grad``."""
        if not isinstance(self._updater, Updater):
            super()._take(keys, totals)
            return
        # Borrowed for the update; the trainer's own value is back even after an error.
        optimizer = self._updater.optimizer
        own, optimizer.rescale_grad = optimizer.rescale_grad, self._rescale
        try:
            super()._take(keys, totals)
        finally:
            optimizer.rescale_grad = own


def _signatures(keys: Sequence[Key], arrays: Sequence[NDArray]) -> list[tuple[Any, ...]]:
    return [
        (key, array.shape, dtype_name(array.dtype), array.stype)
        for key, array in zip(keys, arrays, strict=True)
    ]
