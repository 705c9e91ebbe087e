"""ResizeIter and PrefetchingIter: iterators that wrap other iterators."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_gluon.batches import DataBatch, DataDesc, DataIter
from hy_ndarray import ArgumentError, HyError, ShapeError
from mxnet.io.prefetcher import Prefetcher

__all__ = ["PrefetchingIter", "ResizeIter"]


class _OfBatches(DataIter):
    """Base class of iterators that have a current batch of other iterators."""

    current_batch: DataBatch | None

    def _hy_current(self) -> DataBatch:
        if self.current_batch is None:
            raise HyError(f"{type(self).__name__}: no batch is current; call next() first")
        return self.current_batch

    def getdata(self) -> Any:
        """Return the data of the batch."""
        return self._hy_current().data

    def getlabel(self) -> Any:
        """Return the labels of the batch."""
        return self._hy_current().label

    def getindex(self) -> Any:
        """Return the indices of the batch's samples."""
        return self._hy_current().index

    def getpad(self) -> int | None:
        """Return the number of padding samples at the end of the batch."""
        return self._hy_current().pad


class ResizeIter(_OfBatches):
    """Iterator over another iterator, with a given number of batches per epoch.

    Args:
        data_iter: The other iterator, which is reset at its end.
        size: Number of batches per epoch.
        reset_internal: Whether a reset also resets ``data_iter``.

    Example:
        >>> import mxnet as mx
        >>> batches = mx.io.NDArrayIter(mx.nd.arange(3), batch_size=1)
        >>> [int(batch.data[0].asscalar()) for batch in ResizeIter(batches, 5)]
        [0, 1, 2, 0, 1]
    """

    def __init__(self, data_iter: Any, size: int, reset_internal: bool = True) -> None:
        super().__init__(data_iter.batch_size)
        self.data_iter = data_iter
        self.size = size
        self.reset_internal = reset_internal
        self.cur = 0
        self.current_batch = None
        self.provide_data = data_iter.provide_data
        self.provide_label = data_iter.provide_label
        # BucketingModule reads it of the iterator that it is given.
        if hasattr(data_iter, "default_bucket_key"):
            self.default_bucket_key = data_iter.default_bucket_key

    def reset(self) -> None:
        """Begin the next epoch."""
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def iter_next(self) -> bool:
        """Advance to the next batch; return False after the last one."""
        if self.cur == self.size:
            return False
        try:
            self.current_batch = self.data_iter.next()
        # The inner iterator ended first: it restarts in the middle of this epoch.
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self.data_iter.next()
        self.cur += 1
        return True

    def next(self) -> DataBatch:
        """Return the next batch; subclasses may override :meth:`getdata` and others.

        Raises:
            StopIteration: There are no more batches.
        """
        if not self.iter_next():
            raise StopIteration
        batch = self._hy_current()
        return DataBatch(
            self.getdata(),
            self.getlabel(),
            pad=self.getpad(),
            index=self.getindex(),
            bucket_key=getattr(batch, "bucket_key", None),
            provide_data=getattr(batch, "provide_data", None),
            provide_label=getattr(batch, "provide_label", None),
        )


class PrefetchingIter(_OfBatches):
    """Iterator that loads the next batches of other iterators, each in a thread.

    Args:
        iters: The iterators, whose inputs are combined into one batch.
        rename_data: For each iterator, a dictionary of new names of its data.
        rename_label: For each iterator, a dictionary of new names of its labels.

    Raises:
        ArgumentError: There are no iterators, or a name has no new name.

    Example:
        >>> import mxnet as mx
        >>> batches = PrefetchingIter(mx.io.NDArrayIter(mx.nd.arange(3), batch_size=1))
        >>> [int(batch.data[0].asscalar()) for batch in batches]
        [0, 1, 2]
    """

    def __init__(
        self,
        iters: Any,
        rename_data: Sequence[Mapping[str, str]] | None = None,
        rename_label: Sequence[Mapping[str, str]] | None = None,
    ) -> None:
        self.iters = list(iters) if isinstance(iters, list | tuple) else [iters]
        if not self.iters:
            raise ArgumentError("PrefetchingIter: needs at least one iterator")
        self.n_iter = len(self.iters)
        self.rename_data = rename_data
        self.rename_label = rename_label
        self.current_batch = None
        super().__init__(self.provide_data[0][1][0])  # a description may be a plain tuple
        self._loaders = [_Loader(each) for each in self.iters]
        # One thread and one batch ahead for each iterator, as in MXNet.
        self._prefetcher = [
            Prefetcher(loader.task, loader.load, threads=1, ahead=1) for loader in self._loaders
        ]
        self._ended = False

    @property
    def provide_data(self) -> list[DataDesc]:
        """Return the descriptions of the data of all iterators."""
        return _renamed(self.rename_data, [each.provide_data for each in self.iters])

    @property
    def provide_label(self) -> list[DataDesc]:
        """Return the descriptions of the labels of all iterators."""
        return _renamed(self.rename_label, [each.provide_label for each in self.iters])

    def close(self) -> None:
        """Stop the threads; the next batch restarts them, and no batch is lost."""
        # pause, not close: a batch that was read ahead is not lost.
        for each in self._prefetcher:
            each.pause()

    def __del__(self) -> None:
        for each in getattr(self, "_prefetcher", ()):
            each.close(wait=False)

    def reset(self) -> None:
        """Begin the next epoch of every iterator."""
        for each in self._prefetcher:
            each.close()
        for loader in self._loaders:
            loader.reset()
        self._ended = False

    def iter_next(self) -> bool:
        """Advance to the next batch; return False after the last one.

        Raises:
            ShapeError: Iterators differ in the number of batches, or in the padding of a batch.
        """
        if self._ended:
            return False
        # All iterators are asked before any error is raised, so that they stay in step.
        batches = [each.next() for each in self._prefetcher]
        results = [result for _, result in filter(None, batches)]
        for number, result in enumerate(results):
            if isinstance(result, BaseException):
                kind = type(self.iters[number]).__name__
                result.add_note(f"in the thread that reads ahead of iterator {number}, {kind}")
                raise result
        self._ended = any(result is None for result in results)
        if self._ended:
            if any(result is not None for result in results):
                raise ShapeError("PrefetchingIter: some iterators ended before the others")
            return False
        self.current_batch = self._merge_batches(results)
        return True

    def _merge_batches(self, batches: list[Any]) -> DataBatch:
        pads = [batch.pad for batch in batches]
        if len(set(pads)) > 1:
            raise ShapeError(f"PrefetchingIter: pads of the batches must be equal, not {pads}")
        return DataBatch(
            [array for batch in batches for array in batch.data],
            [array for batch in batches for array in batch.label or ()],
            pad=pads[0],
            # The iterators are read in step, so that the first one's indices serve all.
            index=batches[0].index,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises:
            StopIteration: There are no more batches.
        """
        if not self.iter_next():
            raise StopIteration
        return self._hy_current()


class _Loader:
    """Loader of an iterator's batches in a thread, until the end of the epoch."""

    def __init__(self, batches: Any) -> None:
        self._batches = batches
        self._ended = False

    def task(self) -> bool | None:
        # Iterators are not asked behind their end: some would restart.
        return None if self._ended else True

    def load(self, _: bool) -> Any:
        try:
            return self._batches.next()
        except StopIteration:
            self._ended = True
            return None

    def reset(self) -> None:
        self._batches.reset()
        self._ended = False


def _renamed(names: Sequence[Mapping[str, str]] | None, descriptions: list[Any]) -> list[DataDesc]:
    if names is None:
        return [desc for each in descriptions for desc in each]
    result = []
    for new, each in zip(names, descriptions, strict=True):
        for desc in each:
            if desc[0] not in new:
                raise ArgumentError(f"PrefetchingIter: {desc[0]} is missing in rename {new}")
            layout = getattr(desc, "layout", "NCHW")
            result.append(
                DataDesc(new[desc[0]], desc[1], getattr(desc, "dtype", "float32"), layout)
            )
    return result
