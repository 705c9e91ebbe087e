"""Iterator of ``mx.io`` over the batches of Gluon's data loader, for modules."""

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from hy_gluon.batches import DataDesc, DataIter
from hy_gluon.data import DataLoader
from hy_ndarray import NDArray, ShapeError, nd

__all__ = ["DataLoaderIter"]


class DataLoaderIter(DataIter):
    """Iterator of ``mx.io`` over the batches of a :class:`hy_gluon.data.DataLoader`.

    Batches are pairs of data and labels. A smaller last batch is padded with zeros, whose number is
    ``pad``.

    Args:
        loader: The loader, whose first batch determines the shapes.
        data_name: Name of the data.
        label_name: Name of the labels.
        dtype: Dtype of data and labels.

    Raises:
        ShapeError: The loader has no batches, or batches are not pairs.

    Example:
        >>> from hy_gluon.data import ArrayDataset
        >>> loader = DataLoader(ArrayDataset([1.0, 2.0, 3.0], [0, 1, 0]), batch_size=2)
        >>> for batch in DataLoaderIter(loader):
        ...     print(batch.data[0].asnumpy(), batch.label[0].asnumpy(), batch.pad)
        [1. 2.] [0. 1.] 0
        [3. 0.] [0. 0.] 1
    """

    def __init__(
        self,
        loader: DataLoader,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: npt.DTypeLike = "float32",
    ) -> None:
        super().__init__()
        self._loader = loader
        self.dtype = dtype
        # The shapes are only in the first batch; reset() begins a new pass after that.
        first = next(iter(loader), None)
        if not isinstance(first, list | tuple) or len(first) != 2:  # noqa: PLR2004  # data, label
            raise ShapeError("DataLoaderIter: takes a loader whose batches are data and label")
        data, label = first
        self.provide_data = [DataDesc(data_name, data.shape, dtype)]
        self.provide_label = [DataDesc(label_name, label.shape, dtype)]
        self.batch_size = data.shape[0]
        self.reset()

    def reset(self) -> None:
        """Restart the iteration over the loader."""
        self._batches: Iterator[Any] = iter(self._loader)
        self._batch: Any = None

    def iter_next(self) -> bool:
        """Advance to the next batch; return False if there is none."""
        self._batch = next(self._batches, None)
        return self._batch is not None

    def getdata(self) -> list[NDArray]:
        """Return the data of the batch, ``[batch_size, *]``."""
        return [self._filled(self._batch[0])]

    def getlabel(self) -> list[NDArray]:
        """Return the labels of the batch, ``[batch_size, *]``."""
        return [self._filled(self._batch[1])]

    def getpad(self) -> int:
        """Return the number of zeros that pad the batch at its end."""
        return int(self.batch_size - self._batch[0].shape[0])

    def _filled(self, array: NDArray) -> NDArray:
        cast, pad = array.astype(self.dtype), self.getpad()
        if not pad:
            return cast
        # Modules are bound to one shape, so that the last batch must have it, too.
        zeros = nd.zeros((pad, *array.shape[1:]), dtype=self.dtype, ctx=array.context)
        return nd.concat(cast, zeros, dim=0)
