"""Functions that MXNet implements in Python: joining, splitting, moving axes, histograms."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.array._functions import function_named
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.nd._creation import array


def concatenate(arrays: Sequence[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """Concatenate arrays along an axis.

    Args:
        arrays: At least one array; sizes along the other axes are equal.
        axis: The axis to concatenate along.
        always_copy: Copy a single array, too, instead of returning it.

    Raises:
        ArgumentError: ``arrays`` is not a list or tuple of arrays, or is empty.
    """
    if not isinstance(arrays, list | tuple) or not arrays:
        raise ArgumentError("concatenate: arrays must be a list or tuple of at least one NDArray")
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    joined: NDArray = function_named("Concat")(*arrays, dim=axis)
    return joined


def split_v2(
    ary: NDArray, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> Any:
    """Split along an axis into a number of equal parts, or at the given indices.

    Args:
        ary: The array.
        indices_or_sections: The number of parts, or the index where each part but the first begins.
        axis: The axis to split along.
        squeeze_axis: Remove the axis, along which all parts have size 1.

    Returns:
        A list of arrays; a single array if there is one part.
    """
    return ary.split_v2(indices_or_sections, axis, squeeze_axis)


def moveaxis(
    tensor: NDArray, source: int | Sequence[int], destination: int | Sequence[int]
) -> NDArray:
    """Return the array with some axes moved to other positions.

    Args:
        tensor: The array.
        source: The axes to move.
        destination: Their new positions.

    Raises:
        ShapeError: An axis does not exist or is repeated, or the lengths differ.

    Example:
        >>> from hy_ndarray import nd
        >>> moveaxis(nd.zeros((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
    """
    origins = _normalized_axes("source", source, tensor.ndim)
    targets = _normalized_axes("destination", destination, tensor.ndim)
    if len(origins) != len(targets):
        raise ShapeError(
            f"moveaxis: source {origins} and destination {targets} must have the same length"
        )
    order = [axis for axis in range(tensor.ndim) if axis not in origins]
    for target, origin in sorted(zip(targets, origins, strict=True)):
        order.insert(target, origin)
    return tensor.transpose(axes=tuple(order))


def _normalized_axes(name: str, listed: int | Sequence[int], rank: int) -> tuple[int, ...]:
    axes = (listed,) if isinstance(listed, int) else tuple(listed)
    if any(not -rank <= axis < rank for axis in axes):
        raise ShapeError(f"moveaxis: {name}={axes} is outside the {rank} axes of the array")
    counted = tuple(axis % rank for axis in axes)
    if len(set(counted)) != len(counted):
        raise ShapeError(f"moveaxis: {name}={axes} names an axis twice")
    return counted


def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Write the one-hot encoding of each index to a row of ``out``; return ``out``.

    Args:
        indices: ``[N]``.
        out: ``[N, depth]``.
    """
    out[:] = function_named("one_hot")(indices, depth=out.shape[1])
    return out


def histogram(
    a: NDArray,
    bins: int | NDArray = 10,
    range: tuple[float, float] | None = None,  # noqa: A002  # MXNet's name
) -> Any:
    """Return the number of elements in each bin, and the edges of the bins.

    Args:
        a: The elements.
        bins: Number of equal bins, or their edges.
        range: The outer edges of equal bins; the minimum and maximum of ``a`` if None, when the
            counts are float32, as in MXNet.

    Returns:
        Counts and edges, as in MXNet a tuple if ``range`` is None, else a list.

    Raises:
        ArgumentError: ``bins`` is neither an integer nor an array.
    """
    if isinstance(bins, NDArray):
        return function_named("_histogram")(a, bins)
    if not isinstance(bins, int | np.integer):
        raise ArgumentError(f"histogram: bins must be an int or NDArray, got {type(bins).__name__}")
    if range is None:
        values = a.asnumpy()
        between = (float(values.min()), float(values.max())) if values.size else None
        counts, edges = np.histogram(values, bins=bins, range=between)
        return array(counts, ctx=a.context), array(edges, ctx=a.context)
    return function_named("_histogram")(a, bin_cnt=bins, range=range)
