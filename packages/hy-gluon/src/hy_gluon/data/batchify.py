"""How the items of a batch become arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_gluon.data._errors import DataError
from hy_gluon.parameter.arrays import shown
from hy_ndarray import NDArray, ShapeError, nd

__all__ = ["default_batchify_fn"]


def default_batchify_fn(data: Sequence[Any]) -> Any:
    """Stack items along a new first axis; the parts of tuples and dictionaries separately.

    Args:
        data: Items of one kind: arrays, numbers, or tuples, lists or dictionaries of them.

    Returns:
        An array ``[N, *shape]`` with the dtype of the items, a list of such for tuples, a
        dictionary for dictionaries.

    Raises:
        ShapeError: The items differ in shape.
        DataError: They are something else, or there are none.

    Example:
        >>> images, labels = default_batchify_fn([(np.zeros((2, 2)), 3), (np.ones((2, 2)), 4)])
        >>> images.shape, labels.asnumpy()
        ((2, 2, 2), array([3, 4]))
    """
    if not len(data):
        raise DataError("a batch without items has no arrays")
    first = data[0]
    if isinstance(first, tuple) or (isinstance(first, list) and _has_parts(first)):
        return [default_batchify_fn(parts) for parts in zip(*data, strict=True)]
    if isinstance(first, dict):
        return {key: default_batchify_fn([item[key] for item in data]) for key in first}
    if isinstance(first, NDArray):
        _require_equal(data)
        return nd.stack(*data)
    if isinstance(first, np.ndarray):
        _require_equal(data)
        values = np.stack(data)
    else:
        try:
            values = np.asarray(data)
        except ValueError as error:
            raise ShapeError(f"items of a batch cannot be stacked: {error}") from error
    if values.dtype.kind in "OUSMm":
        raise DataError(
            f"items of type {type(first).__name__} make no array; give the loader a batchify_fn "
            "that knows what to do with them"
        )
    return shown(nd.array(values, dtype=values.dtype))


def _has_parts(item: list[Any]) -> bool:
    """Whether a list is a tuple by another name, and no array of numbers."""
    return any(isinstance(part, np.ndarray | NDArray | tuple | dict) for part in item)


def _require_equal(arrays: Sequence[Any]) -> None:
    for array in arrays:
        if array.shape != arrays[0].shape:
            raise ShapeError(
                f"items of a batch differ in shape, {arrays[0].shape} and {array.shape}; give the "
                "loader a batchify_fn that pads them"
            )
