"""Named arrays of iterators, and the selection of samples."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray import ArgumentError, NDArray, nd

__all__ = ["NamedArrays", "named_arrays", "rows", "shuffled", "stated_dtype"]

NamedArrays: TypeAlias = list[tuple[str, Any]]
"""Names and arrays, sorted by name; arrays are in memory, or read from a file when asked for."""


def named_arrays(arrays: Any, default_name: str, allow_empty: bool) -> NamedArrays:
    """Return names and arrays, from an array, a list, or a dictionary.

    Args:
        arrays: ``NDArray``, ``numpy.ndarray``, or an object with ``shape``, ``dtype`` and indexing
            that is read in parts, such as an ``h5py.Dataset``; a list of these; or a dictionary of
            these or of nested lists of numbers.
        default_name: Name of a single array; several are ``_0_name``, ``_1_name`` …
        allow_empty: Whether there may be no arrays.

    Raises:
        ArgumentError: ``arrays`` is of another type, or empty.
    """
    if arrays is None:
        arrays = []
    if isinstance(arrays, NDArray | np.ndarray) or _is_stored(arrays):
        arrays = [arrays]
    if not isinstance(arrays, list | Mapping):
        raise ArgumentError(
            "data must be an NDArray, a numpy array, an h5py.Dataset, a list of them or a "
            f"dictionary with them as values, not {type(arrays).__name__}"
        )
    if not arrays and not allow_empty:
        raise ArgumentError(f"{default_name}: at least one array is needed, not {arrays!r}")
    if isinstance(arrays, list):
        # MXNet's names: one array has the default name, several get a number as prefix.
        single = len(arrays) == 1
        names = [default_name if single else f"_{i}_{default_name}" for i in range(len(arrays))]
        arrays = dict(zip(names, arrays, strict=True))
    # Sorted, as MXNet sorts dictionaries, so that data and executors agree on the order.
    return sorted((name, _array(name, value)) for name, value in arrays.items())


def _is_stored(value: Any) -> bool:
    """Return whether a value is a file-backed array that is read in parts, as h5py.Dataset."""
    return not isinstance(value, NDArray | np.ndarray) and all(
        hasattr(value, name) for name in ("shape", "dtype", "__getitem__")
    )


def _array(name: str, value: Any) -> Any:
    if isinstance(value, NDArray) or _is_stored(value):
        array = value
    else:
        try:
            array = nd.array(value)
        except (TypeError, ValueError) as error:
            raise ArgumentError(
                f"{name} must be an NDArray, a numpy array or an h5py.Dataset, not "
                f"{type(value).__name__}"
            ) from error
    if not array.shape:
        raise ArgumentError(f"{name} must have an axis of samples, but it is a single number")
    return array


def stated_dtype(array: Any) -> Any:
    """Return the dtype of batches: that of an NDArray, or float32 for arrays in files."""
    return array.dtype if isinstance(array, NDArray) else np.float32


def rows(array: Any, indices: npt.NDArray[np.intp], axis: int) -> NDArray:
    """Return a copy of some samples along an axis; from a file, only these are read."""
    if not isinstance(array, NDArray):
        # Files want places that grow, each once.
        sorted_indices, inverse = np.unique(indices, return_inverse=True)
        part = np.asarray(array[(*(slice(None),) * axis, sorted_indices)])
        return nd.array(part if len(inverse) < 2 else part.take(inverse, axis))  # noqa: PLR2004
    # Consecutive positions are a slice: a copy without an index on the device.
    if (
        indices.size
        and indices[-1] - indices[0] == indices.size - 1
        and (np.diff(indices) == 1).all()
    ):
        return nd.slice_axis(array, axis=axis, begin=int(indices[0]), end=int(indices[-1]) + 1)
    return nd.take(array, nd.array(indices, dtype="int64", ctx=array.context), axis=axis)


def shuffled(arrays: NamedArrays, order: npt.NDArray[np.intp], axis: int) -> NamedArrays:
    """Return in-memory arrays in a new order of samples; file-backed arrays are unchanged."""
    return [
        (name, rows(array, order, axis) if isinstance(array, NDArray) else array)
        for name, array in arrays
    ]
