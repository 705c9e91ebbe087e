"""Private functions of ``mxnet.io``."""

from typing import Any

import numpy as np

from hy_ndarray import NDArray, nd
from mxnet import io
from mxnet._private.errors import CheckError, OperandError
from mxnet.io.arrays import NamedArrays, named_arrays, rows


def _init_data(data: Any, allow_empty: bool, default_name: str) -> NamedArrays:
    """Return names and arrays from an array, a list, or a dictionary.

    Raises:
        CheckError: There are no arrays.
        OperandError: The argument is of another type.
    """
    if not allow_empty and (data is None or (isinstance(data, list | dict) and not data)):
        raise CheckError(f"{default_name}: at least one array is needed, not {data!r}")
    try:
        return named_arrays(data, default_name, allow_empty)
    except ValueError as error:
        raise OperandError(str(error)) from error


def _has_instance(data: NamedArrays, dtype: Any) -> bool:
    """Return whether an array in ``data`` is an instance of a class."""
    return any(isinstance(array, dtype) for _, array in data)


def _getdata_by_idx(data: NamedArrays, idx: Any) -> NamedArrays:
    """Return the arrays with rows in the order of ``idx``; file-backed arrays unchanged."""
    order = np.asarray(idx, dtype=np.intp)
    # Arrays in files stay as they are: rows are read in this order with each batch.
    in_memory = NDArray | np.ndarray
    return [
        (name, nd.array(array[order], dtype=array.dtype))
        if isinstance(array, np.ndarray)
        else (name, rows(array, order, 0) if isinstance(array, in_memory) else array)
        for name, array in data
    ]


def _slice_along_batch_axis(data: Any, s: slice, batch_axis: int) -> Any:
    """Return the samples of an array in slice ``s`` of ``batch_axis``."""
    return nd.slice_axis(data, axis=batch_axis, begin=s.start, end=s.stop)


def _make_io_iterator(handle: Any) -> Any:
    """Return the function that creates iterators of a kind.

    Args:
        handle: Name or class of the iterator, such as ``"CSVIter"``.
    """
    if isinstance(handle, str):
        return getattr(io, handle)
    if isinstance(handle, type):
        return handle
    raise OperandError(
        f"{handle!r} names no iterator: hy has no handles of MXNet's C library, but classes: "
        "mx.io.CSVIter, mx.io.ImageRecordIter …"
    )


def _init_io_module() -> None:
    """Add the iterators over files to the module ``mxnet.io``."""
    for name in dir(io):
        getattr(io, name)
