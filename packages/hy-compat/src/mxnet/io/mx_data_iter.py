"""MXDataIter: iterators over files, with prefetching."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hy_gluon.batches import DataBatch, DataDesc, DataIter
from hy_ndarray import HyError, NDArray
from mxnet.io.prefetcher import Prefetcher
from mxnet.io.stream import Batch, SampleStream

__all__ = ["BatchSource", "Loaded", "MXDataIter"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """Arrays of a batch."""

    data: Any
    """``[batch, *]``."""
    label: Any
    """``[batch, *]``."""
    index: npt.NDArray[np.uint64]
    """``[batch]``: which samples they are."""


class BatchSource(Protocol):
    """Interface of the source of a file iterator: order of samples, and loading of batches."""

    @property
    def stream(self) -> SampleStream:
        """Return the stream of batches (as sample indices)."""

    @property
    def threads(self) -> int:
        """Return the number of loading threads; 0 to load batches on request."""

    @property
    def ahead(self) -> int:
        """Number of batches loaded in advance."""

    def described(self) -> tuple[DataDesc, DataDesc]:
        """Return the descriptions of data and label."""

    def load(self, batch: Batch) -> Loaded:
        """Return the arrays of a batch; called in any thread."""


class MXDataIter(DataIter):
    """Iterator over batches from files, as returned by ``CSVIter`` and others.

    Args:
        handle: Source of the batches.
        data_name: Name of the data.
        label_name: Name of the label.
    """

    def __init__(
        self,
        handle: BatchSource,
        data_name: str = "data",
        label_name: str = "softmax_label",
        **_: Any,
    ) -> None:
        super().__init__(handle.stream.batch_size)
        self.handle = handle
        data, label = handle.described()
        self.provide_data = [DataDesc(data_name, data.shape, data.dtype)]
        self.provide_label = [DataDesc(label_name, label.shape, label.dtype)]
        self._stream = handle.stream
        self._prefetcher = Prefetcher(
            self._stream.next, handle.load, threads=handle.threads, ahead=handle.ahead
        )
        self._reached: Batch | None = None
        self._current: tuple[Batch, Loaded] | None = None
        self._peeked = False
        self._repeats_first = False

    def close(self) -> None:
        """Stop the threads; the next batch restarts them."""
        self._prefetcher.close()

    def __del__(self) -> None:
        # A finalizer does not wait for threads.
        if hasattr(self, "_prefetcher"):
            self._prefetcher.close(wait=False)

    def debug_skip_load(self) -> None:
        """Repeat the first batch forever, for timing without loading."""
        self._repeats_first = True

    def reset(self) -> None:
        """Begin the next epoch, without the samples that padded the last batch."""
        # The samples that filled the last batch up belong to the next epoch.
        reached, self._current, self._peeked = self._reached, None, False
        if reached is None:  # nothing was taken
            return
        self._prefetcher.clear()
        self._stream.begin(reached.after if reached.is_last else (reached.positions[0][0] + 1, 0))
        self._reached = None

    def iter_next(self) -> bool:
        """Advance to the next batch; return False at the end of the epoch.

        Raises:
            FileFormatError: A record of the batch is damaged; the next batch can be loaded.
        """
        # getdata() before next() loads the first batch, which next() then returns.
        if self._peeked or (self._repeats_first and self._current is not None):
            self._peeked = False
            return True
        following = self._prefetcher.next()
        if following is None:
            self._current = None
            return False
        batch, loaded = following
        self._reached = batch
        # The error of a batch is raised at its turn, and the next one can be read.
        if isinstance(loaded, BaseException):
            self._current = None
            raise loaded
        self._current = batch, loaded
        return True

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises:
            StopIteration: The epoch is over.
            FileFormatError: See :meth:`iter_next`.
        """
        if not self.iter_next():
            raise StopIteration
        return DataBatch([self.getdata()], [self.getlabel()], self.getpad(), self.getindex())

    def getdata(self) -> NDArray:
        """Return the data of the batch; of the first batch before :meth:`iter_next`."""
        array: NDArray = self._batch()[1].data
        return array

    def getlabel(self) -> NDArray:
        """Return the label of the batch."""
        array: NDArray = self._batch()[1].label
        return array

    def getindex(self) -> npt.NDArray[np.uint64]:
        """Return the indices of the samples."""
        return self._batch()[1].index

    def getpad(self) -> int:
        """Return the number of padding samples at the end of the batch."""
        return self._batch()[0].pad

    def _batch(self) -> tuple[Batch, Loaded]:
        if self._current is None:
            if not self.iter_next():
                raise HyError("the epoch is over: call reset()")
            self._peeked = True
        assert self._current is not None
        return self._current
