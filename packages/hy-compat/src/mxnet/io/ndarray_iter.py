"""NDArrayIter: batches of arrays, in order or shuffled."""

from typing import Any

import numpy as np

from hy_gluon.batches import DataBatch, DataDesc, DataIter
from hy_ndarray import ArgumentError, HyError, NDArray, ShapeError, nd
from mxnet.io.arrays import NamedArrays, named_arrays, rows, shuffled, stated_dtype

__all__ = ["NDArrayIter", "SparseBatchesError"]

_HANDLES = ("pad", "discard", "roll_over")


class SparseBatchesError(ArgumentError, NotImplementedError):
    """Csr matrices support only full batches (``last_batch_handle="discard"``)."""


class NDArrayIter(DataIter):
    """Iterator over batches of arrays.

    Args:
        data: An array ``[N, *]``, a list of arrays, or arrays by name: ``NDArray``, numpy array,
            ``h5py.Dataset`` (only the batch is read). Arrays other than ``NDArray`` become float32.
        label: Arrays like ``data``, or None.
        batch_size: Number of samples in a batch.
        shuffle: Whether to shuffle each epoch, by ``numpy.random``.
        last_batch_handle: Treatment of an incomplete last batch: ``pad`` adds samples from the
            beginning, ``discard`` drops the batch, ``roll_over`` keeps its samples for the next
            epoch.
        data_name: Name of ``data``, unless given by name.
        label_name: Name of ``label``, unless given by name.
        layout: A letter for each axis; ``N`` is the axis of samples.

    Raises:
        ArgumentError: A value is not an array, ``last_batch_handle`` is another string, or the
            layout has no ``N``.
        SparseBatchesError: An array is a csr matrix, and ``last_batch_handle`` is not ``discard``.
        ShapeError: The arrays do not have the same number of samples.

    Example:
        >>> import mxnet as mx
        >>> batches = mx.io.NDArrayIter(mx.nd.arange(5), batch_size=2)
        >>> [(batch.data[0].asnumpy().tolist(), batch.pad) for batch in batches]
        [([0.0, 1.0], 0), ([2.0, 3.0], 0), ([4.0, 0.0], 1)]
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
        layout: str = "NCHW",
    ) -> None:
        super().__init__(batch_size)
        if last_batch_handle not in _HANDLES:
            raise ArgumentError(
                f"NDArrayIter: last_batch_handle must be one of {_HANDLES}, not "
                f"{last_batch_handle!r}"
            )
        if batch_size < 1:
            raise ArgumentError(f"NDArrayIter: batch_size must be at least 1, not {batch_size}")
        self.data = named_arrays(data, data_name, allow_empty=False)
        self.label = named_arrays(label, label_name, allow_empty=True)
        is_csr = any(getattr(x, "stype", "") == "csr" for _, x in [*self.data, *self.label])
        if is_csr and last_batch_handle != "discard":
            raise SparseBatchesError(
                "NDArrayIter: a csr matrix is read in whole batches; give "
                f"last_batch_handle='discard' in place of {last_batch_handle!r}"
            )
        self.data_list = _arrays_of(self.data, self.label)  # programs read and assign it
        self.last_batch_handle = last_batch_handle
        self.shuffle = shuffle
        self.layout = layout
        self._axis = DataDesc.get_batch_axis(layout)
        self.num_data = _count([*self.data, *self.label], layout, self._axis)
        self.num_source = len(self.data) + len(self.label)
        self.idx = np.arange(self.num_data)
        # h5py's datasets are not shuffled in place; their order is.
        self._order = np.arange(self.num_data)
        # What an incomplete batch had: the next epoch begins with it.
        self._cache_data: list[NDArray] | None = None
        self._cache_label: list[NDArray] | None = None
        self.cursor = -batch_size
        self.reset()  # subclasses prepare there what they need

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_axis" not in state:  # MXNet pickled it
            axis = DataDesc.get_batch_axis(state["layout"])
            state = {**state, "_axis": axis, "_order": state["idx"]}
        self.__dict__.update(state)

    @property
    def provide_data(self) -> list[DataDesc]:
        """Return the descriptions of the data."""
        return _data_descs(self, self.data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """Return the descriptions of the labels."""
        return _data_descs(self, self.label)

    def hard_reset(self) -> None:
        """Restart without the samples that the last epoch left."""
        if self.shuffle:
            self._shuffle_data()
        self._cache_data = self._cache_label = None
        self.cursor = -self.batch_size

    def reset(self) -> None:
        """Begin the next epoch, with the last epoch's remaining samples for ``roll_over``."""
        left = self.num_data - self.cursor
        rolls = self.last_batch_handle == "roll_over" and 0 < left < self.batch_size
        if rolls and self._cache_data is None:  # the program went on by iter_next
            self._cache_data = self._getdata(self.data, start=self.cursor)
            self._cache_label = self._getdata(self.label, start=self.cursor)
        if self.shuffle:
            self._shuffle_data()
        # The cursor starts before 0 by what the last epoch left, which the first batch begins with.
        self.cursor = -self.batch_size - left if rolls else -self.batch_size
        if not rolls:
            self._cache_data = self._cache_label = None

    def iter_next(self) -> bool:
        """Advance to the next batch; return False if there are no more samples."""
        self.cursor += self.batch_size
        return self.cursor < self.num_data

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises:
            StopIteration: There are no more batches.
        """
        if not self.iter_next():
            raise StopIteration
        data, label = self.getdata(), self.getlabel()
        # An incomplete batch ends the epoch; "roll_over" keeps it for the next.
        if data[0].shape[self._axis] != self.batch_size:
            if self.last_batch_handle == "roll_over":
                self._cache_data, self._cache_label = data, label
            raise StopIteration
        return DataBatch(data, label, pad=self.getpad(), index=None)

    def getdata(self) -> list[NDArray]:
        """Return the data of the batch, which may be smaller at the end unless padded.

        Raises:
            HyError: :meth:`iter_next` was not called yet.
        """
        return self._batchify(self.data)

    def getlabel(self) -> list[NDArray]:
        """Return the labels of the batch; see :meth:`getdata`."""
        return self._batchify(self.label)

    def getpad(self) -> int:
        """Return the number of samples in the batch that are padding or from the last epoch."""
        if self.last_batch_handle == "pad":
            return max(0, self.cursor + self.batch_size - self.num_data)
        return -self.cursor if -self.batch_size < self.cursor < 0 else 0

    # MXNet calls the following by these names, and programs override them.
    def _batchify(self, data_source: NamedArrays) -> list[NDArray]:
        """Return the samples of the current batch, from data or labels."""
        end = self.cursor + self.batch_size
        # The first batch of an epoch that something rolled over to.
        if self._cache_data is not None and -self.batch_size < self.cursor < 0:
            first = self._cache_data if data_source is self.data else self._cache_label
            return self._concat(first or [], self._getdata(data_source, end=end))
        if not 0 <= self.cursor < self.num_data:
            raise HyError("NDArrayIter: no batch is current; call next() or iter_next() first")
        if end <= self.num_data:
            return self._getdata(data_source, self.cursor, end)
        if self.last_batch_handle != "pad":
            return self._getdata(data_source, self.cursor, self.num_data)
        first = self._getdata(data_source, start=self.cursor)
        # A batch may be larger than all data, which then repeat.
        rounds, rest = divmod(end - self.num_data, self.num_data)
        if rounds == 0:
            return self._concat(first, self._getdata(data_source, end=rest))
        second = self._tile(self._getdata(data_source, end=self.num_data), rounds)
        if rest:
            second = self._concat(second, self._getdata(data_source, end=rest))
        return self._concat(first, second)

    def _getdata(
        self, data_source: NamedArrays, start: int | None = None, end: int | None = None
    ) -> list[NDArray]:
        """Return samples ``start`` to ``end`` of each array, continued from the beginning."""
        indices = np.arange(start or 0, self.num_data if end is None else end) % self.num_data
        # Arrays in memory were shuffled themselves; stored ones are read in the shuffled order.
        stored = self._order[indices] if self.shuffle else indices
        return [
            rows(array, indices if isinstance(array, NDArray) else stored, self._axis)
            for _, array in data_source
        ]

    def _tile(self, data: list[NDArray], repeats: int) -> list[NDArray]:
        """Return all samples of each array, repeated."""
        return [nd.concat(*[array] * repeats, dim=self._axis) for array in data]

    def _concat(self, first_data: list[NDArray], second_data: list[NDArray]) -> list[NDArray]:
        """Return the samples of both lists of arrays, concatenated."""
        pairs = zip(first_data, second_data, strict=True)
        return [nd.concat(first, second, dim=self._axis) for first, second in pairs]

    def _shuffle_data(self) -> None:
        np.random.shuffle(self.idx)  # noqa: NPY002  # the generator that programs seed
        self.data = shuffled(self.data, self.idx, self._axis)
        self.label = shuffled(self.label, self.idx, self._axis)
        # MXNet keeps the arrays as they were, which takes their memory twice.
        self.data_list = _arrays_of(self.data, self.label)
        self._order = self._order[self.idx]


def _arrays_of(data: NamedArrays, label: NamedArrays) -> list[Any]:
    return [array for _, array in [*data, *label]]


def _count(arrays: NamedArrays, layout: str, axis: int) -> int:
    """Return the number of samples of the first array; more samples of others are not used."""
    if axis < 0:
        raise ArgumentError(f"NDArrayIter: layout={layout!r} must have an axis N, the samples")
    counts = {}
    for name, array in arrays:
        if len(array.shape) <= axis:
            raise ShapeError(
                f"NDArrayIter: {name} has shape {tuple(array.shape)}, but the samples are axis "
                f"{axis} of layout {layout!r}"
            )
        counts[name] = int(array.shape[axis])
    first = next(iter(counts.values()))
    # More samples than the first array has are left out; fewer are an error.
    if min(counts.values()) < first:
        raise ShapeError(f"NDArrayIter: arrays have fewer samples than the first: {counts}")
    return first


def _data_descs(batches: NDArrayIter, arrays: NamedArrays) -> list[DataDesc]:
    axis = DataDesc.get_batch_axis(batches.layout)
    return [
        DataDesc(
            name,
            (*array.shape[:axis], batches.batch_size, *array.shape[axis + 1 :]),
            stated_dtype(array),
            batches.layout,
        )
        for name, array in arrays
    ]
