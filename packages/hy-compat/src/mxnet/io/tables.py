"""Samples in memory, for iterators over small files."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon.batches import DataDesc
from hy_ndarray import NDArray, nd
from mxnet.io.mx_data_iter import Loaded
from mxnet.io.stream import Batch, SampleStream

__all__ = ["SparseTable", "Table"]


@dataclass(frozen=True, slots=True)
class Table:
    """Source of batches from in-memory arrays; a short batch keeps old values at its end."""

    stream: SampleStream
    data: npt.NDArray[Any]
    """``[N, *]``."""
    label: npt.NDArray[Any]
    """``[N, *]``."""
    index: npt.NDArray[np.uint64] | None = None
    """``[N]``: the number of each sample; None for zeros."""
    threads: int = 0
    ahead: int = 0

    def described(self) -> tuple[DataDesc, DataDesc]:
        """Return the descriptions of data and label."""
        size = self.stream.batch_size
        return (
            DataDesc("data", (size, *self.data.shape[1:]), self.data.dtype.type),
            DataDesc("label", (size, *self.label.shape[1:]), self.label.dtype.type),
        )

    def load(self, batch: Batch) -> Loaded:
        """Return the arrays of a batch."""
        index = np.zeros(len(self.data), np.uint64) if self.index is None else self.index
        data, label, numbers = (
            self._padded_rows(array, batch) for array in (self.data, self.label, index)
        )
        return Loaded(nd.from_numpy(data), nd.from_numpy(label), numbers)

    def _padded_rows(self, array: npt.NDArray[Any], batch: Batch) -> npt.NDArray[Any]:
        rows = np.zeros((self.stream.batch_size, *array.shape[1:]), array.dtype)
        count, first = len(batch.samples), int(batch.samples[0])
        rows[:count] = array[batch.samples]
        # As in MXNet: the rows that a short batch lacks keep what the batch before had there.
        if count < len(rows) <= first:
            rows[count:] = array[first - len(rows) + count : first]
        return rows


@dataclass(frozen=True, slots=True)
class SparseTable:
    """Source of full batches of csr rows in memory."""

    stream: SampleStream
    data: NDArray
    """``[N, columns]``, csr."""
    label: NDArray
    """``[N]``, or ``[N, columns]``, csr."""
    threads: int = 0
    ahead: int = 0

    def described(self) -> tuple[DataDesc, DataDesc]:
        """Return the descriptions of data and label."""
        size = self.stream.batch_size
        return (
            DataDesc("data", (size, *self.data.shape[1:]), self.data.dtype),
            DataDesc("label", (size, *self.label.shape[1:]), self.label.dtype),
        )

    def load(self, batch: Batch) -> Loaded:
        """Return the rows of a batch."""
        rows = nd.array(batch.samples, dtype="int64")
        data, label = (nd.take(x, rows) for x in (self.data, self.label))
        return Loaded(data, label, batch.samples.astype(np.uint64))
