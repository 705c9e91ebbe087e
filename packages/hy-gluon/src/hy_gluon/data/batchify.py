"""Batchify functions, which stack or pad the items of a batch."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_gluon.data._errors import DataError
from hy_gluon.data.padding import Append, AsList, Group, Pad
from hy_gluon.parameter.arrays import shown
from hy_ndarray import Context, NDArray, ShapeError, nd

__all__ = ["Append", "AsList", "Group", "Pad", "Stack", "default_batchify_fn"]


class Stack:
    """Batchify function that stacks items along a new first axis, tuples part by part.

    Args:
        use_shared_mem: Place the batch on the context ``cpu_shared``.

    Example:
        >>> [x.asnumpy() for x in Stack()([(1, 2), (3, 4)])]
        [array([1, 3]), array([2, 4])]
    """

    def __init__(self, use_shared_mem: bool = False) -> None:
        self._shared = use_shared_mem

    def __call__(self, data: Sequence[Any]) -> Any:
        """Return a batch; see :func:`default_batchify_fn`."""
        if len(data) and isinstance(data[0], list | tuple):
            return [self(parts) for parts in zip(*data, strict=True)]
        batch = default_batchify_fn(data)
        # MXNet 2's flag; memory of the CPU is shared with workers anyway, so only the context's
        # name differs.
        return batch.as_in_context(Context("cpu_shared", 0)) if self._shared else batch


def default_batchify_fn(data: Sequence[Any]) -> Any:
    """Return a batch: items stacked along a new first axis, tuples and dicts part by part.

    Args:
        data: Items of one kind: arrays, numbers, or tuples, lists or dictionaries of them.

    Returns:
        An array ``[N, *shape]`` with the dtype of the items; a list of such arrays for tuples, or a
        dictionary of them for dictionaries.

    Raises:
        ShapeError: The items differ in shape.
        DataError: There are no items, or they have an unsupported type.

    Example:
        >>> images, labels = default_batchify_fn([(np.zeros((2, 2)), 3), (np.ones((2, 2)), 4)])
        >>> images.shape, labels.asnumpy()
        ((2, 2, 2), array([3, 4]))
    """
    if not len(data):
        raise DataError("cannot make a batch of no items")
    first = data[0]
    # A list of numbers is an item of several numbers, a list of arrays a tuple by another name.
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
            # A list of ragged lists has no array; numpy 2 raises where numpy 1 made objects.
            values = np.asarray(data)
        except ValueError as error:
            raise ShapeError(f"items of a batch cannot be stacked: {error}") from error
    # Objects, strings and dates: they would become an array that no kernel takes.
    if values.dtype.kind in "OUSMm":
        raise DataError(
            f"cannot make an array of items of type {type(first).__name__}; give the loader a "
            "batchify_fn for them"
        )
    return shown(nd.array(values, dtype=values.dtype))


def _has_parts(item: list[Any]) -> bool:
    """Return whether a list item is treated like a tuple of parts, not as numbers."""
    return any(isinstance(part, np.ndarray | NDArray | tuple | dict) for part in item)


def _require_equal(arrays: Sequence[Any]) -> None:
    for array in arrays:
        if array.shape != arrays[0].shape:
            raise ShapeError(
                f"items of a batch differ in shape, {arrays[0].shape} and {array.shape}; give the "
                "loader a batchify_fn that pads them"
            )
