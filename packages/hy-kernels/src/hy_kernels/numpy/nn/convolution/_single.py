"""Small convolutions of one image, in as few calls as they take."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, Places, aligned, place
from hy_kernels.numpy.nn._window import Windows, windows_of
from hy_kernels.numpy.nn._workspace import workspace

__all__ = ["of_one_image"]

Types: TypeAlias = Sequence[tuple[tuple[int, ...], str] | None]

_MOST = 1 << 22  # multiplications, with which calls cost little beside them
_COLUMNS = 1 << 20  # elements that the cache holds


def of_one_image(types: Types, params: Mapping[str, Any]) -> Callable[..., Array] | None:
    """The convolution of one image of floats that is a product of one matrix of columns."""
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
    if not inner * number or filters * inner * number > _MOST or inner * number > _COLUMNS:
        return None
    columns = _columns(windows, shape[1], np.dtype(dtype))
    whole = 1, filters, *windows.number

    def convolve(
        data: Array, weight: Array, bias: Array | None = None, out: Places = None
    ) -> Array:
        memory = place(out)
        result = aligned(whole, dtype) if memory is None else memory
        y = result.reshape(filters, number)
        np.matmul(weight.reshape(filters, inner), columns(data), y)
        if bias is not None:
            y += bias[:, None]
        return result

    return convolve


def _columns(windows: Windows, channels: int, dtype: np.dtype[Any]) -> Callable[[Array], Array]:
    """What makes of ``[1, C, *size]`` the columns ``[C k, P]``."""
    if windows.pointwise:
        return lambda data: data.reshape(channels, -1)
    chosen = windows.chosen
    if chosen is not None:
        return lambda data: data[chosen].reshape(channels, -1)
    padded, inside = (1, channels, *windows.padded), (..., *windows.inside)
    shape = windows.view(np.empty(padded, dtype)).shape
    matrix = channels * prod(windows.kernel), prod(windows.number)

    def made(data: Array) -> Array:
        if not windows.fits:
            framed = workspace("padded", padded, dtype)
            framed.fill(0)
            framed[inside] = data
            data = framed
        columns = workspace("columns", shape, dtype)
        np.copyto(columns, windows.view(data))
        return columns.reshape(matrix)

    return made
