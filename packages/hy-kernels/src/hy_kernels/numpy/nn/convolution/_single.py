"""Small convolutions of one image, specialised for their sizes to make few NumPy calls."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, aligned, out_buffer
from hy_kernels.numpy.nn._window import Windows, windows_of
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.convolution._filters import is_cut, multiply
from hy_kernels.numpy.nn.convolution.select import Problem, rows_of_single

Types: TypeAlias = Sequence[tuple[tuple[int, ...], str] | None]
Columns: TypeAlias = Callable[[Array], Iterable[tuple[slice, Array]]]
"""Function that yields, for each block of an image, the slice of its windows and their columns."""

_ALL = slice(None)


def of_one_image(types: Types, params: Mapping[str, Any]) -> Callable[..., Array] | None:
    """Return a function that convolves one image of these types; None if it is not faster."""
    data, weight = types[:2]
    assert data is not None
    assert weight is not None
    (shape, dtype), (filters, *kernel) = data, (weight[0][0], *weight[0][2:])
    layout = params["layout"]
    first = layout is None or layout[1] == "C"
    known = {each[1] for each in types if each is not None}
    if shape[0] != 1 or known not in ({"float32"}, {"float64"}) or not first:
        return None
    fits = weight[0][1] == shape[1] and tuple(kernel) == params["kernel"]
    if params["num_group"] != 1 or not fits or filters != params["num_filter"]:
        return None
    windows = windows_of(
        shape[2:], tuple(kernel), *(params[k] for k in ("stride", "dilate", "pad"))
    )
    inner, number = shape[1] * prod(kernel), prod(windows.number)
    rows = rows_of_single(
        Problem(batch=1, channels=shape[1], filters=filters, groups=1, windows=windows)
    )
    if rows is None:
        return None
    # All that depends on sizes is computed here; a call only makes views and products.
    columns = _columns(windows, shape[1], np.dtype(dtype), rows)
    whole = 1, filters, *windows.number
    is_large = is_cut(filters, inner, number)

    def convolve(
        data: Array, weight: Array, bias: Array | None = None, out: OutBuffers = None
    ) -> Array:
        memory = out_buffer(out)
        result = aligned(whole, dtype) if memory is None else memory
        y = result.reshape(filters, number)
        matrix = weight.reshape(filters, inner)
        for where, block in columns(data):
            if is_large:
                multiply(matrix[None], block[None], y[None, :, where])
            else:
                np.matmul(matrix, block, y[:, where])
        if bias is not None:
            y += bias[:, None]
        return result

    return convolve


def _columns(windows: Windows, channels: int, dtype: np.dtype[Any], rows: int) -> Columns:
    """Return a function that yields columns ``[C k, P]`` of an image, ``rows`` rows at a time."""
    if windows.pointwise:
        return lambda data: [(_ALL, data.reshape(channels, -1))]
    selected = windows.selection
    if selected is not None:
        return lambda data: [(_ALL, data[selected].reshape(channels, -1))]
    padded, inside = (1, channels, *windows.padded), (..., *windows.inside)
    height, *others = windows.number
    row, rest = prod(others), (slice(None),) * len(others)
    depth = channels * prod(windows.kernel)

    def columns_of(data: Array) -> Iterator[tuple[slice, Array]]:
        if not windows.fits:
            padded_data = workspace("padded", padded, dtype)
            padded_data.fill(0)
            padded_data[inside] = data
            data = padded_data
        view = windows.view(data)
        for first in range(0, height, rows):
            stop = min(first + rows, height)
            strip: tuple[Any, ...] = (..., slice(first, stop), *rest)
            part = view[strip]
            columns = workspace("columns", part.shape, dtype)
            np.copyto(columns, part)
            yield slice(first * row, stop * row), columns.reshape(depth, -1)

    return columns_of
