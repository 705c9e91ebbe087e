"""NDArrayIter: batches of arrays, in order or shuffled."""

from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon.batches import DataBatch, DataDesc, DataIter
from hy_ndarray import ArgumentError, HyError, NDArray, ShapeError, nd
from mxnet.io.arrays import NamedArrays, dtype_given, named_arrays, rows, shuffled

__all__ = ["NDArrayIter"]

_HANDLES = ("pad", "discard", "roll_over")


class NDArrayIter(DataIter):
    """Batches of arrays.

    Args:
        data: An array ``[N, *]``, a list of them, or arrays by name: ``NDArray``, numpy's,
            ``h5py.Dataset`` (of which only the batch is read). Arrays that are no ``NDArray``
            become float32.
        label: The same, or None.
        batch_size: Samples in a batch.
        shuffle: Whether to draw another order for each epoch, with ``numpy.random``.
        last_batch_handle: What to do with too few samples at the end: ``pad`` fills the batch with
            samples of the begin, ``discard`` leaves them out, ``roll_over`` keeps them for the
            begin of the next epoch.
        data_name: The name of ``data``, unless it has names.
        label_name: The name of ``label``, unless it has names.
        layout: A letter for each axis; ``N`` is the axis of samples.

    Raises:
        ArgumentError: An array is none, ``last_batch_handle`` is something else, or the layout has
            no ``N``.
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
        self.last_batch_handle = last_batch_handle
        self.shuffle = shuffle
        self.layout = layout
        self._axis = DataDesc.get_batch_axis(layout)
        self.num_data = self._samples()
        self.num_source = len(self.data) + len(self.label)
        self.idx = np.arange(self.num_data)
        self._order = np.arange(self.num_data)  # of what is stored elsewhere
        self._left: tuple[list[NDArray], list[NDArray]] | None = None
        self.cursor = -batch_size
        if shuffle:
            self._shuffle_data()

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_cache_data" in state:  # MXNet pickled it
            state = dict(state)
            left = state.pop("_cache_data"), state.pop("_cache_label")
            state["_left"] = None if left[0] is None else (left[0], left[1] or [])
            state["_axis"] = DataDesc.get_batch_axis(state["layout"])
            state["_order"] = state["idx"]
        self.__dict__.update(state)

    def _samples(self) -> int:
        if self._axis < 0:
            raise ArgumentError(f"NDArrayIter: layout needs N, the samples: {self.layout!r}")
        found = {}
        for name, array in [*self.data, *self.label]:
            if len(array.shape) <= self._axis:
                raise ShapeError(
                    f"NDArrayIter: {name} has shape {tuple(array.shape)}, but the samples are axis "
                    f"{self._axis} of layout {self.layout!r}"
                )
            found[name] = int(array.shape[self._axis])
        if len(set(found.values())) > 1:
            raise ShapeError(f"NDArrayIter: arrays differ in their numbers of samples: {found}")
        return next(iter(found.values()))

    @property
    def data_list(self) -> list[Any]:
        """The arrays of data and labels."""
        return [array for _, array in [*self.data, *self.label]]

    @property
    def provide_data(self) -> list[DataDesc]:
        """Descriptions of the batches' data."""
        return self._described(self.data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """Descriptions of the batches' labels."""
        return self._described(self.label)

    def _described(self, arrays: NamedArrays) -> list[DataDesc]:
        axis = self._axis
        return [
            DataDesc(
                name,
                (*array.shape[:axis], self.batch_size, *array.shape[axis + 1 :]),
                dtype_given(array),
                self.layout,
            )
            for name, array in arrays
        ]

    def hard_reset(self) -> None:
        """Begin anew, and forget samples that were kept from the last epoch."""
        if self.shuffle:
            self._shuffle_data()
        self._left = None
        self.cursor = -self.batch_size

    def reset(self) -> None:
        """Begin the next epoch, with the samples that the last one left if they roll over."""
        left = self.num_data - self.cursor
        rolls = self.last_batch_handle == "roll_over" and 0 < left < self.batch_size
        kept = (self._rest(self.data), self._rest(self.label)) if rolls else None
        self.hard_reset()
        if rolls:
            self._left = kept
            self.cursor -= left

    def iter_next(self) -> bool:
        """Go to the next batch; False if there are no more samples."""
        self.cursor += self.batch_size
        return self.cursor < self.num_data

    def next(self) -> DataBatch:
        """The next batch.

        Raises:
            StopIteration: There is none.
        """
        if not self.iter_next():
            raise StopIteration
        short = self.cursor >= 0 and self.cursor + self.batch_size > self.num_data
        if short and self.last_batch_handle != "pad":
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), None)

    def getdata(self) -> list[NDArray]:
        """The data of the batch; fewer samples at the end, unless the batch is padded.

        Raises:
            HyError: There is no batch yet.
        """
        return self._batch(self.data, 0)

    def getlabel(self) -> list[NDArray]:
        """The labels of the batch; as :meth:`getdata`."""
        return self._batch(self.label, 1)

    def getpad(self) -> int:
        """How many samples of the batch are another epoch's: filled in, or rolled over."""
        if self.last_batch_handle == "pad":
            return max(0, self.cursor + self.batch_size - self.num_data)
        return -self.cursor if -self.batch_size < self.cursor < 0 else 0

    def _batch(self, arrays: NamedArrays, which: int) -> list[NDArray]:
        end = self.cursor + self.batch_size
        if self._left is not None and self.cursor < 0:
            fresh = self._rows(arrays, np.arange(end) % self.num_data)
            kept = self._left[which]
            return [
                nd.concat(a, b, dim=self._axis) if b.shape[self._axis] else a
                for a, b in zip(kept, fresh, strict=True)
            ]
        if not 0 <= self.cursor < self.num_data:
            raise HyError("NDArrayIter: no batch is current; call next() or iter_next() first")
        if self.last_batch_handle == "pad":
            return self._rows(arrays, np.arange(self.cursor, end) % self.num_data)
        return (
            self._rest(arrays)
            if end > self.num_data
            else self._rows(arrays, np.arange(self.cursor, end))
        )

    def _rest(self, arrays: NamedArrays) -> list[NDArray]:
        return self._rows(arrays, np.arange(self.cursor, self.num_data))

    def _rows(self, arrays: NamedArrays, places: npt.NDArray[np.intp]) -> list[NDArray]:
        stored = self._order[places] if self.shuffle else places
        return [
            rows(array, places if isinstance(array, NDArray) else stored, self._axis)
            for _, array in arrays
        ]

    def _shuffle_data(self) -> None:
        np.random.shuffle(self.idx)  # noqa: NPY002  # the generator that programs seed
        self.data = shuffled(self.data, self.idx, self._axis)
        self.label = shuffled(self.label, self.idx, self._axis)
        self._order = self._order[self.idx]
