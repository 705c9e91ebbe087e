"""DataDesc, DataBatch and DataIter: batches of MXNet's iterators."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from hy_ndarray import ArgumentError
from hy_ndarray.suggestion import Suggesting

__all__ = ["DataBatch", "DataDesc", "DataIter"]


class _NameAndShape(NamedTuple):
    name: str
    shape: Any


class DataDesc(_NameAndShape):
    """Description of an input: a tuple of name and shape, with dtype and layout as attributes.

    Args:
        name: Name of the input.
        shape: Shape of the input, with the batch axis.
        dtype: The dtype of its elements.
        layout: A letter for each axis; ``N`` is the batch.

    Example:
        >>> DataDesc("data", (32, 10), layout="NC") == ("data", (32, 10))
        True
    """

    dtype: Any
    layout: str | None

    def __new__(
        cls, name: str, shape: Any, dtype: Any = np.float32, layout: str | None = "NCHW"
    ) -> Self:
        """Return the tuple (name, shape) with attributes ``dtype`` and ``layout``."""
        self = super().__new__(cls, name, shape)
        self.dtype = dtype
        self.layout = layout
        return self

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """Return the position of the batch axis ``N`` in a layout; 0 for None, -1 if missing.

        Example:
            >>> DataDesc.get_batch_axis("TNC")
            1
        """
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(
        shapes: Sequence[tuple[str, Any]], types: Sequence[tuple[str, Any]] | None
    ) -> list["DataDesc"]:
        """Return descriptions for pairs of name and shape, with dtypes by name if given."""
        if types is None:
            return [DataDesc(name, shape) for name, shape in shapes]
        dtypes: Mapping[str, Any] = dict(types)
        return [DataDesc(name, shape, dtypes[name]) for name, shape in shapes]


class DataBatch:
    """Batch of an iterator: arrays of all inputs and labels.

    Args:
        data: An array for each input.
        label: An array for each label.
        pad: Number of samples at the end that are only padding.
        index: Indices of the samples.
        bucket_key: Key of the batch's bucket.
        provide_data: Descriptions of ``data``, where they differ from the iterator's.
        provide_label: Descriptions of ``label``, where they differ from the iterator's.

    Raises:
        ArgumentError: ``data`` or ``label`` is not a list.
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        pad: int | None = None,
        index: Any = None,
        bucket_key: Any = None,
        provide_data: Any = None,
        provide_label: Any = None,
    ) -> None:
        for name, arrays in (("data", data), ("label", label)):
            if arrays is not None and not isinstance(arrays, list | tuple):
                raise ArgumentError(
                    f"DataBatch: {name} must be a list of NDArrays, not {type(arrays).__name__}; "
                    "write [array]"
                )
        self.data = data
        self.label = label
        self.pad = pad
        self.index = index
        self.bucket_key = bucket_key
        self.provide_data = provide_data
        self.provide_label = provide_label

    def __str__(self) -> str:
        data = None if self.data is None else [array.shape for array in self.data]
        label = None if self.label is None else [array.shape for array in self.label]
        return f"{type(self).__name__}: data shapes: {data} label shapes: {label}"


class DataIter(Suggesting):
    """Base class of iterators over batches; :meth:`reset` starts a new epoch.

    Subclasses override :meth:`next`; or :meth:`iter_next` together with :meth:`getdata`,
    :meth:`getlabel`, :meth:`getpad` and :meth:`getindex`. They have the attributes ``provide_data``
    and ``provide_label``, lists of :class:`DataDesc`.

    Args:
        batch_size: Number of samples in a batch.

    Example:
        >>> from hy_ndarray import nd
        >>> class Zeros(DataIter):
        ...     def next(self):
        ...         return DataBatch([nd.zeros((self.batch_size, 3))])
        >>> print(next(Zeros(2)))
        DataBatch: data shapes: [(2, 3)] label shapes: None
    """

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __iter__(self) -> Self:
        return self

    def reset(self) -> None:
        """Start a new epoch; the base class does nothing."""

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises:
            StopIteration: There are no more batches.
        """
        if not self.iter_next():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())

    def __next__(self) -> DataBatch:
        return self.next()

    def iter_next(self) -> bool:
        """Advance to the next batch; return False if there is none."""
        return False

    def getdata(self) -> Any:
        """Return the current batch's inputs, one array each."""

    def getlabel(self) -> Any:
        """Return the current batch's labels, one array each."""

    def getindex(self) -> Any:
        """Return the indices of the current batch's samples, or None."""
        return None

    def getpad(self) -> int | None:
        """Return the number of samples at the end of the current batch that are only padding."""
        return None
